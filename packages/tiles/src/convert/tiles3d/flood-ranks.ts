/** Depths of water as surfaces: polygons of one rank are one row, in the colour of its depth. */
import { compareTexts } from '@citymodel/base';
import type { Column } from '../read/column.ts';
import type { FeatureFacts } from '../read/feature-facts.ts';
import type { FeatureHead } from '../read/pack-head.ts';
import type { GmlRecords } from '../read/read-records.ts';
import { depthColour } from './depth-colours.ts';
import { DrawnBodies } from './drawn-bodies.ts';
import { type Look, PLAIN_POLYGON } from './look.ts';
import { FLOOD_LOD } from './outputs.ts';
import type { SurfaceGrouping, SurfaceMember } from './surfaces.ts';
import type { ShownFeature } from './tile-model.ts';

/** What belongs to one feature, not to all of a rank. */
const OF_ONE = new Set(['gml_id', 'meshcode']);

/** Features of one rank. */
interface Rank {
  head: FeatureHead;
  features: FeatureFacts[];
}

export class FloodRanks implements SurfaceGrouping {
  readonly lod = FLOOD_LOD;
  readonly members: readonly SurfaceMember[];
  readonly #records: GmlRecords['records'];
  /** Ascending by code. */
  readonly #ranks: readonly Rank[];
  readonly #rankOf = new Map<number, Rank>();

  constructor({ features, records }: GmlRecords) {
    this.#records = records;
    const ranks = new Map<string, Rank>();
    const wet = features.filter(({ bodies }) => bodies[FLOOD_LOD] != null);
    for (const facts of wet) {
      const head = records.head(facts.record);
      const id = rankOf(head);
      const rank = ranks.get(id) ?? { head: { ...head, id, columns: shared(head.columns) }, features: [] };
      rank.features.push(facts);
      ranks.set(id, rank);
      this.#rankOf.set(facts.record, rank);
    }
    this.#ranks = [...ranks].sort(([a], [b]) => compareTexts(a, b)).map(([, rank]) => rank);
    const numbers = new Map(this.#ranks.map((rank, number) => [rank, number]));
    this.members = wet.map((facts) => {
      const group = numbers.get(this.#rankOf.get(facts.record)!)!;
      return { facts, lod: FLOOD_LOD, group, coarse: group };
    });
  }

  /** Features of each rank, with the number that they are accounted for by. */
  get groups(): Array<{ source: number; features: readonly FeatureFacts[] }> {
    return this.#ranks.map(({ features }, group) => ({ source: this.row(group).source, features }));
  }

  row(group: number): Pick<ShownFeature, 'head' | 'source'> {
    const { head, features } = this.#ranks[group]!;
    return { head, source: DrawnBodies.sourceOf(features[0]!.record, FLOOD_LOD) };
  }

  coarseHead(coarse: number): FeatureHead {
    return this.#ranks[coarse]!.head;
  }

  note(): void {}

  look(features: readonly ShownFeature[]): Look {
    const colours = features.map(({ head }) =>
      depthColour(String(head.columns.find(({ name }) => name === 'uro:rank')?.value ?? '')),
    );
    return { images: [], of: (feature) => ({ ...PLAIN_POLYGON, colour: colours[feature]! }) };
  }

  /** Names of the columns of a record whose values the row of its rank has; null for one without a rank. */
  columnsOf(record: number): ReadonlySet<string> | null {
    const rank = this.#rankOf.get(record);
    if (rank === undefined) return null;
    const values = new Map(rank.head.columns.map(({ name, value }) => [name, value]));
    const own = shared(this.#records.head(record).columns);
    return new Set(own.filter(({ name, value }) => values.get(name) === value).map(({ name }) => name));
  }
}

function rankOf({ columns }: FeatureHead): string {
  const value = (name: string) => columns.find((column) => column.name === name)?.value;
  return String(value('uro:rank_code') ?? value('uro:rank') ?? '').padStart(4, '0');
}

/** Columns of all features of a rank. */
function shared(columns: readonly Column[]): Column[] {
  return columns
    .filter(({ name }) => !OF_ONE.has(name))
    .map((column) => {
      if (column.name !== 'attributes') return column;
      const { 'gml:id': _id, _bbox, ...attributes } = JSON.parse(String(column.value));
      return { ...column, value: JSON.stringify(attributes) };
    });
}
