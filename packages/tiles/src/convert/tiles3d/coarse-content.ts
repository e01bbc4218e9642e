/** What tiles of textured features show from afar. */
import { loadSimplifier, simplifyBody } from '../mesh/simplify.ts';
import type { FeatureFacts } from '../read/feature-facts.ts';
import type { FeatureHead } from '../read/pack-head.ts';
import type { GmlRecords } from '../read/read-records.ts';
import { coarseLook, type MeanColours, meanColours } from './coarse-look.ts';
import { MADE } from './drawn-bodies.ts';
import { isInsideAt, type LodItem, shownLod } from './lod-item.ts';
import { addPlace } from './place-columns.ts';
import type { Pictures } from './texture-look.ts';
import type { ShownFeature } from './tile-model.ts';
import type { TreeNode } from './tree/plan-tree.ts';
import type { Box } from './tree/region.ts';
import { positionError, type TileContent } from './write-tree.ts';

/**
 * Shapes that are seen from afar are simplified by this part of the geometric error: a pixel, where the tile is
 * replaced.
 */
const PIXEL = 1 / 16;
/** Contents of coarse tiles of a file; mean colours of a feature are looked for once. */
export class CoarseContents {
  readonly #read: GmlRecords;
  /** Mean colours of features by their records and levels of detail. */
  readonly #colours = new Map<string, MeanColours>();

  constructor(read: GmlRecords) {
    this.#read = read;
  }

  /** Features from afar: blocks of LOD 1 or simplified shapes, in the mean colours of their textures. */
  async of(
    { items, geometricError }: Pick<TreeNode<LodItem>, 'items' | 'geometricError'>,
    pictures: Pictures,
  ): Promise<TileContent & { items: LodItem[] }> {
    const simplifier = await loadSimplifier();
    const { records, appearances } = this.#read;
    const features: ShownFeature[] = [];
    const colours: MeanColours[] = [];
    const boxes: Box[] = [];
    const shown: LodItem[] = [];
    for (const item of items) {
      const { facts, lod, box } = item;
      const { record } = facts;
      const body = records.body(record, lod);
      const hasBlock = lod > 1 && facts.bodies[1] != null && !isInsideAt(facts, lod);
      const block = hasBlock ? records.body(record, 1) : null;
      const coarse = block ?? simplifyBody(simplifier, body, { error: PIXEL * geometricError })?.body;
      if (coarse == null) continue;
      const key = `${record} ${lod}`;
      let mean = this.#colours.get(key);
      if (mean === undefined) {
        mean = await meanColours(body, appearances, pictures);
        this.#colours.set(key, mean);
      }
      features.push({
        ...{ head: headAt(records, facts, lod, true), body: coarse },
        ...{ lod: shownLod(facts, lod), source: MADE },
      });
      shown.push(item);
      colours.push(mean);
      boxes.push(block === null ? box : facts.bodies[1]!);
    }
    const look = coarseLook(
      features.map(({ body }) => body),
      colours,
    );
    return { items: shown, features, boxes, look, error: positionError(1), uvError: 0 };
  }
}

/** Tiles that others replace (`isInner`) have all columns but the text of everything, which is most of their bytes. */
export function headAt(
  records: GmlRecords['records'],
  facts: FeatureFacts,
  lod: number,
  isInner: boolean,
): FeatureHead {
  // Read for this tile alone, so its columns may be changed.
  const head = records.head(facts.record);
  if (isInner) head.columns = head.columns.filter(({ name }) => name !== 'attributes');
  addPlace(head.columns, facts, lod);
  return head;
}
