/** What a snapshot knows beyond what requests read: the next one is made from it. */
import type { PackageRow } from '@citymodel/store';
import type { CompositeGroup } from '../rows/composite-rows.ts';
import { ColumnValues, type RowBlock } from '../rows/row-block.ts';
import type { Dataset } from '../rows/snapshot-dataset.ts';
import type { CityPart } from './city-part.ts';
import { PackageList } from './package-list.ts';

/** What a snapshot knows beyond what requests read. */
export interface SnapshotState {
  /** Live and retired packages as the database has them. */
  readonly rows: PackageList;
  /** Names of areas by code, as code lists of packages know them. */
  readonly names: ReadonlyMap<string, string>;
  /** By `cityAreaOf`. */
  readonly cities: ReadonlyMap<string, CityPart>;
  readonly composites: ReadonlyMap<CompositeGroup, CompositeBlocks>;
  /** Live packages with the names that the catalogue gives them. */
  readonly live: PackageList;
  /** Package of each asset directory by the first digits of its path, since only a few change. */
  readonly byAsset: ReadonlyMap<string, ReadonlyMap<string, PackageRow>>;
  /** Datasets of a format and type, by id. */
  readonly byType: ReadonlyMap<string, readonly Dataset[]>;
  /** Of the columns of all rows. */
  readonly values: ColumnValues;
}

/** Rows of composites of one group. */
export interface CompositeBlocks {
  readonly blocks: readonly RowBlock[];
  /** Specs of those of the whole country that are listed as `latest`, by id of the row. */
  readonly nationwide: ReadonlyArray<{ id: string; specs: readonly string[] }>;
}

export const nothing = (): SnapshotState => ({
  rows: PackageList.of([]),
  names: new Map(),
  cities: new Map(),
  composites: new Map(),
  live: PackageList.of([]),
  byAsset: new Map(),
  byType: new Map(),
  values: new ColumnValues(),
});
