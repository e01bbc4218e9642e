/** A feature at the level of detail that a package shows it at, with what planning needs to know. */
import { INTERIOR_LOD } from '../account/written-levels.ts';
import type { FeatureFacts } from '../read/feature-facts.ts';
import { HIGHEST_OF_CITYGML3 } from '../read/interiors.ts';
import { PLACE_BYTES } from './place-columns.ts';
import type { ReplacingItem } from './tree/plan-tree.ts';
import { diagonalOf } from './tree/region.ts';
import type { PlacedItem } from './write-tree.ts';

/** A feature at the level of detail that a package has it in. */
export interface LodItem extends PlacedItem, ReplacingItem {
  facts: FeatureFacts;
  lod: number;
}

/** Bytes of a row besides its values, for what other rows have, and of a position with Draco, about. */
const ROW_BYTES = 100;
const POSITION_BYTES = 2;
/** What simplifying leaves of the positions of a body, about, by its level of detail. */
const LEFT = [1, 1, 2, 0.3, 0.3];

/** True where the body of a feature is its inside alone. */
export function isInsideAt({ hasInterior, bodies }: FeatureFacts, lod: number): boolean {
  return hasInterior && lod === INTERIOR_LOD && bodies[lod] != null;
}

/** The level of detail that tiles say of a body. */
export function shownLod(facts: FeatureFacts, lod: number): number {
  return isInsideAt(facts, lod) ? HIGHEST_OF_CITYGML3 : lod;
}

/** The feature at its highest level of detail up to `lod`, from 1 on; none where it has no such body. */
export function itemAt(facts: FeatureFacts, lod: number): LodItem[] {
  if (facts.nextLod <= lod) return [];
  for (let at = lod; at >= 1; at--) {
    const box = facts.bodies[at];
    if (box == null) continue;
    const row = ROW_BYTES + PLACE_BYTES + facts.textBytes;
    const innerRow = row - facts.jsonBytes;
    const coarse =
      (at > 1 && !isInsideAt(facts, at) ? facts.bodies[1]?.positions : null) ??
      Math.ceil(LEFT[at]! * box.positions);
    return [
      {
        id: facts.id,
        lng: (box.west + box.east) / 2,
        lat: (box.south + box.north) / 2,
        diagonal: diagonalOf(box),
        bytes: row + POSITION_BYTES * box.positions,
        innerBytes: innerRow + POSITION_BYTES * box.positions,
        coarse: { bytes: innerRow + POSITION_BYTES * coarse, vertices: coarse },
        vertices: box.positions,
        pixels: 0,
        pixelsAt: [],
        box,
        facts,
        lod: at,
      },
    ];
  }
  return [];
}

/** The feature where it is shown without its images. */
export function plain(item: LodItem): LodItem {
  return { ...item, pixels: 0 };
}
