/** Which rows of one file are in tables of tiles: each is counted once, where it is written first. */
import type { AttributeAccount } from '../account/attribute-account.ts';
import type { FeatureFacts } from '../read/feature-facts.ts';
import type { FeatureHead } from '../read/pack-head.ts';
import { recordOf } from './drawn-bodies.ts';
import type { TableColumn } from './feature-table.ts';
import type { TileModel } from './glb.ts';
import type { ShownFeature } from './tile-model.ts';

export class DrawnRows {
  readonly #account: AttributeAccount;
  readonly #counted = new Set<number>();

  constructor(account: AttributeAccount) {
    this.#account = account;
  }

  /** A tile is written. `stored`: the columns of each of its tables that the file has. */
  written(
    features: readonly ShownFeature[],
    places: TileModel['places'],
    stored: ReadonlyArray<readonly TableColumn[]>,
  ): void {
    const rows: number[][] = stored.map(() => []);
    for (const [i, { source }] of features.entries()) {
      if (!this.#isNew(source)) continue;
      const [table, row] = places[i]!;
      rows[table]!.push(row);
    }
    for (const [table, columns] of stored.entries()) {
      if (rows[table]!.length === 0) continue;
      for (const { name, values } of columns) {
        let count = 0;
        for (const row of rows[table]!) if (values[row] !== undefined) count++;
        this.#account.stored(name, count);
      }
    }
  }

  /** Features are kept for the overview, which is written when the file is forgotten. */
  kept(features: readonly ShownFeature[]): void {
    for (const { source, head } of features) {
      if (this.#isNew(source)) for (const { name } of head.columns) this.#account.stored(name, 1);
    }
  }

  /** What no tile has of the features. */
  settle(features: readonly FeatureFacts[], headOf: (record: number) => FeatureHead): void {
    for (const { record } of features) {
      if (this.#counted.has(record)) continue;
      for (const { name } of headOf(record).columns) this.#account.lostCell(name, 'NOT_DRAWN');
    }
  }

  /**
   * The same for depths of water, of which a rank has one row: `columnsOf` gives the names of columns whose values that
   * row has.
   */
  settleTogether(
    features: readonly FeatureFacts[],
    headOf: (record: number) => FeatureHead,
    columnsOf: (record: number) => ReadonlySet<string> | null,
  ): void {
    for (const { record } of features) {
      const common = columnsOf(record);
      for (const { name } of headOf(record).columns) {
        if (common?.has(name)) this.#account.stored(name, 1);
        else this.#account.lostCell(name, common === null ? 'NOT_DRAWN' : 'DEPTHS_TOGETHER');
      }
    }
  }

  #isNew(source: number): boolean {
    if (source < 0) return false;
    const record = recordOf(source);
    if (this.#counted.has(record)) return false;
    this.#counted.add(record);
    return true;
  }
}
