/**
 * The whole catalogue in memory, immutable: what requests read. It is built in short slices beside running requests: the
 * first from all rows of the database, each next one from the one before and what has changed since. Only the cities that
 * a change touches are made again, and the composites above them; the other rows are copied as bytes.
 */

import { setImmediate } from 'node:timers/promises';
import { DocumentCache, GeneratedDocument } from '../../base/generated-document.ts';
import { Slices } from '../../base/turns.ts';
import { type Bounds, unionBounds } from '../../geo/bounds.ts';
import type { CatalogueStore } from '../../store/catalogue-store.ts';
import type { PackageRow } from '../../store/rows.ts';
import { cityOfWard, isSpecialWard, SPECIAL_WARDS_CODE } from '../names/areas.ts';
import type { AssetUrls } from '../names/asset-urls.ts';
import {
  type CompositeGroup,
  compositeGroups,
  compositeKeys,
  compositeRow,
  listComposites,
} from '../rows/composite-rows.ts';
import { compareBlocks, type RowBlock, rowBlock } from '../rows/row-block.ts';
import { cityAreaOf, type Dataset } from '../rows/snapshot-dataset.ts';
import { joinTables, type RowTable } from '../rows/snapshot-table.ts';
import { formatTilesSpec } from '../specs/tiles-spec.ts';
import { type CityArray, type CityPart, cityPart } from './city-part.ts';
import { PackageList } from './package-list.ts';

/** The five arrays of the catalogue document, in its order. */
export const ARRAYS = [
  'datasets',
  'composite_tilesets',
  'citygml',
  'latest_datasets',
  'latest_citygml',
] as const;
export type ArrayName = (typeof ARRAYS)[number];

export interface Snapshot {
  /** `CatalogueStore.version()` at or before which its rows were read. */
  readonly version: number;
  /** Live packages, by `no`. */
  readonly packages: readonly PackageRow[];
  /** Every live tile package, by id. */
  readonly datasets: readonly Dataset[];
  /** Live CityGML packages by ward, municipality or prefecture code, each list newest first. */
  readonly cityGml: ReadonlyMap<string, readonly PackageRow[]>;
  /** The catalogue document without parameters. */
  readonly document: GeneratedDocument;
  readonly tables: Readonly<Record<ArrayName, RowTable>>;
  /** `citygml` with every year. */
  readonly allYears: RowTable;
  /** Specs of the composites of the whole country that the catalogue lists as `latest`, and the same with `maxlod`. */
  readonly nationwide: readonly string[];
  /** Documents made from this snapshot: filtered catalogues, composites, TileJSON. */
  readonly generated: DocumentCache;

  /** The package that an asset URL names, live or replaced. */
  findAsset(asset: { assetPath: string; packageName: string }): PackageRow | undefined;
  /** What the next snapshot is made from. */
  readonly state: SnapshotState;
  /** A live package by its number. */
  packageByNo(no: number): PackageRow | undefined;
  /** Datasets of a format and type, by id. */
  datasetsOfType(format: '3D Tiles' | 'MVT', type: string): readonly Dataset[];
  /** Datasets of exactly this ward, municipality or prefecture code, by id. */
  datasetsOfArea(code: string): readonly Dataset[];
  cityGmlOf(code: string): readonly PackageRow[];
  /** Union of the extents of all packages of a prefecture, municipality or ward; null when nothing tells. */
  boundsOf(code: string): Bounds | null;
  /** The city that a ward belongs to, 13100 for a special ward of Tokyo; null for what is no ward. */
  cityAround(code: string): string | null;
}

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
  /** Package of each asset directory. */
  readonly byAsset: ReadonlyMap<string, PackageRow>;
  /** Datasets of a format and type, by id. */
  readonly byType: ReadonlyMap<string, readonly Dataset[]>;
}

interface CompositeBlocks {
  readonly blocks: readonly RowBlock[];
  /** Specs of those of the whole country that are listed as `latest`, by id of the row. */
  readonly nationwide: ReadonlyArray<{ id: string; specs: readonly string[] }>;
}

const NOTHING: SnapshotState = {
  rows: new PackageList(),
  names: new Map(),
  cities: new Map(),
  composites: new Map(),
  live: new PackageList(),
  byAsset: new Map(),
  byType: new Map(),
};

/** Bytes of documents that one snapshot keeps. */
const GENERATED_BYTES = 64 * 1024 * 1024;

export interface BuildOptions {
  /** Lets other work run; awaited every few milliseconds. */
  pause?(): Promise<void>;
  /** A snapshot of the same store and URLs: only what has changed since is read and made. */
  previous?: Snapshot | null;
}

/** Builds a snapshot of what the store holds now. Throws what the store throws. */
export async function buildSnapshot(
  store: CatalogueStore,
  urls: AssetUrls,
  { pause = setImmediate, previous = null }: BuildOptions = {},
): Promise<Snapshot> {
  const slices = new Slices(pause);
  const changes = previous === null ? null : await store.changesSince(previous.version);
  if (previous !== null && changes !== null) {
    const rows = previous.state.rows.with([
      ...changes.gone.map((no) => [no, undefined] as const),
      ...changes.added.map((row) => [row.no, row] as const),
    ]);
    const touched = [...changes.gone, ...changes.added.map(({ no }) => no)];
    if (slices.due()) await slices.pause();
    return makeSnapshot(changes.version, previous.state, rows, touched, urls, slices);
  }
  const version = await store.version();
  const read: PackageRow[] = [];
  for await (const page of store.packages(['live', 'retired'])) {
    for (const row of page) read.push(row);
    if (slices.due()) await slices.pause();
  }
  const rows = new PackageList(read);
  return makeSnapshot(
    version,
    NOTHING,
    rows,
    rows.all.map(({ no }) => no),
    urls,
    slices,
  );
}

/** `touched`: numbers of the rows that differ from those of `before`, or are missing in either. */
async function makeSnapshot(
  version: number,
  before: SnapshotState,
  rows: PackageList,
  touched: readonly number[],
  urls: AssetUrls,
  slices: Slices,
): Promise<Snapshot> {
  const names = await namesOf(rows, slices);
  const dirty = dirtyCities(before, rows, touched, names);
  if (slices.due()) await slices.pause();
  const known = new Map<number, PackageRow | undefined>();
  for (const city of dirty)
    for (const { no } of before.cities.get(city)?.packages ?? []) known.set(no, undefined);
  const cities = new Map(before.cities);
  const rowsOfCity = await livePackages(before, rows, touched, dirty, names, slices);
  for (const city of dirty) {
    const packages = rowsOfCity.get(city) ?? [];
    for (const row of packages) known.set(row.no, row);
    if (packages.length === 0) cities.delete(city);
    else cities.set(city, await cityPart(packages, urls, slices));
  }
  const live = before.live.with(known);
  const parts = [...cities.values()];
  const datasets = parts
    .flatMap((part) => part.datasets)
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .flatMap((area) => area.datasets);
  if (slices.due()) await slices.pause();
  const changed = [before.cities, cities].flatMap((cityParts) =>
    [...dirty].flatMap((city) => datasetsOf(cityParts.get(city))),
  );
  const byType = await groupTypes(before.byType, datasets, changed, slices);
  const composites = await updateComposites(before.composites, datasets, changed, urls, slices);
  const byAsset = await indexAssets(before, rows, touched, dirty, cities, live, slices);
  const state: SnapshotState = { rows, names, cities, composites, live, byAsset, byType };
  const arrays = {
    datasets: blocksOf(parts, 'datasets'),
    composite_tilesets: [...composites.values()].flatMap(({ blocks }) => blocks).sort(compareBlocks),
    citygml: blocksOf(parts, 'citygml'),
    latest_datasets: blocksOf(parts, 'latest_datasets'),
    latest_citygml: blocksOf(parts, 'latest_citygml'),
  };
  if (slices.due()) await slices.pause();
  const { body, etag, tables } = await joinTables(arrays, slices);
  const years = await joinTables({ all_years: blocksOf(parts, 'all_years') }, slices);
  const cityGml = new Map<string, readonly PackageRow[]>();
  const byArea = new Map<string, readonly Dataset[]>();
  const bounds = new Map<string, Bounds>();
  const wards = new Map<string, string>();
  await slices.each(parts, (part) => {
    for (const [code, packages] of part.cityGml) cityGml.set(code, packages);
    for (const area of part.datasets) byArea.set(area.key.slice(0, -1), area.datasets);
    for (const [code, extent] of part.bounds) {
      bounds.set(code, unionBounds(bounds.get(code) ?? null, extent)!);
    }
    for (const [ward, city] of part.cityOfWard) wards.set(ward, city);
  });
  const none: readonly never[] = [];
  return {
    version,
    packages: live.all,
    datasets,
    cityGml,
    document: new GeneratedDocument(body, etag),
    tables,
    allYears: years.tables.all_years,
    nationwide: [...composites.values()]
      .flatMap((group) => group.nationwide)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .flatMap(({ specs }) => specs),
    generated: new DocumentCache(GENERATED_BYTES),
    state,
    findAsset: (asset) => byAsset.get(assetKey(asset.assetPath, asset.packageName)),
    packageByNo: (no) => live.get(no),
    datasetsOfType: (format, type) => byType.get(`${format}/${type}`) ?? none,
    datasetsOfArea: (code) => byArea.get(code) ?? none,
    cityGmlOf: (code) => cityGml.get(code) ?? none,
    boundsOf: (code) => bounds.get(code) ?? null,
    cityAround: (code) =>
      isSpecialWard(code) ? SPECIAL_WARDS_CODE : (cityOfWard(code) ?? wards.get(code) ?? null),
  };
}

/** What code lists of live packages call areas, the newest year's name where they differ. */
async function namesOf(rows: PackageList, slices: Slices): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  const years = new Map<string, number>();
  await slices.each(rows.all, (row) => {
    if (row.state !== 'live') return;
    for (const code in row.areaNames) {
      if (row.year < (years.get(code) ?? 0)) continue;
      names.set(code, row.areaNames[code]!);
      years.set(code, row.year);
    }
  });
  return names;
}

/** Cities with a package that has come, gone or changed, or is called otherwise. */
function dirtyCities(
  before: SnapshotState,
  rows: PackageList,
  touched: readonly number[],
  names: ReadonlyMap<string, string>,
): Set<string> {
  const dirty = new Set<string>();
  for (const no of touched) {
    for (const row of [before.rows.get(no), rows.get(no)]) {
      if (row?.state === 'live') dirty.add(cityAreaOf(row));
    }
  }
  const renamed = new Set<string>();
  for (const [code, name] of names) if (before.names.get(code) !== name) renamed.add(code);
  for (const code of before.names.keys()) if (!names.has(code)) renamed.add(code);
  if (renamed.size === 0) return dirty;
  for (const row of rows.all) {
    if (row.state !== 'live' || row.guessed.length === 0) continue;
    if (renamed.has(row.cityCode) || renamed.has(row.wardCode ?? '')) dirty.add(cityAreaOf(row));
  }
  return dirty;
}

/** Live packages of the dirty cities, by `no`, named as far as code lists know. */
async function livePackages(
  before: SnapshotState,
  rows: PackageList,
  touched: readonly number[],
  dirty: ReadonlySet<string>,
  names: ReadonlyMap<string, string>,
  slices: Slices,
): Promise<Map<string, PackageRow[]>> {
  const numbers = new Set(touched);
  for (const city of dirty) for (const { no } of before.cities.get(city)?.packages ?? []) numbers.add(no);
  const packages = new Map<string, PackageRow[]>();
  await slices.each(
    [...numbers].sort((a, b) => a - b),
    (no) => {
      const row = rows.get(no);
      if (row?.state !== 'live') return;
      const city = cityAreaOf(row);
      const list = packages.get(city);
      const named = withKnownNames(row, names);
      if (list) list.push(named);
      else packages.set(city, [named]);
    },
  );
  return packages;
}

/** A row whose municipality or ward was named by guess gets the name that another package's code list knows. */
function withKnownNames(row: PackageRow, names: ReadonlyMap<string, string>): PackageRow {
  const city = row.guessed.includes('city') ? names.get(row.cityCode) : undefined;
  const ward = row.guessed.includes('ward') ? names.get(row.wardCode ?? '') : undefined;
  if (city === undefined && ward === undefined) return row;
  return { ...row, city: city ?? row.city, ward: ward ?? row.ward };
}

function datasetsOf(part: CityPart | undefined): Dataset[] {
  return part?.datasets.flatMap((area) => area.datasets) ?? [];
}

function blocksOf(parts: readonly CityPart[], array: CityArray): RowBlock[] {
  return parts.flatMap((part) => part.blocks[array]).sort(compareBlocks);
}

async function groupTypes(
  before: SnapshotState['byType'],
  datasets: readonly Dataset[],
  changed: readonly Dataset[],
  slices: Slices,
): Promise<Map<string, readonly Dataset[]>> {
  const keyOf = ({ summary }: Dataset) => `${summary.format}/${summary.type}`;
  const groups = new Map<string, Dataset[]>();
  for (const dataset of changed) groups.set(keyOf(dataset), []);
  await slices.each(datasets, (dataset) => void groups.get(keyOf(dataset))?.push(dataset));
  return new Map([...before, ...groups]);
}

async function updateComposites(
  before: SnapshotState['composites'],
  datasets: readonly Dataset[],
  changed: readonly Dataset[],
  urls: AssetUrls,
  slices: Slices,
): Promise<Map<CompositeGroup, CompositeBlocks>> {
  const groups = new Map<CompositeGroup, Dataset[]>(
    changed.flatMap(compositeGroups).map((group) => [group, []]),
  );
  const kinds = new Set(changed.map(({ kind }) => kind));
  await slices.each(datasets, (dataset) => {
    if (!kinds.has(dataset.kind)) return;
    for (const group of compositeGroups(dataset)) groups.get(group)?.push(dataset);
  });
  const composites = new Map(before);
  for (const [group, list] of groups) {
    if (list.length === 0) {
      composites.delete(group);
      continue;
    }
    const listed = await listComposites(group, list, slices);
    composites.set(group, {
      blocks: listed.map(
        (composite) =>
          rowBlock(composite.id, [{ row: compositeRow(composite, urls), keys: compositeKeys(composite) }])!,
      ),
      nationwide: listed
        .filter(({ pref, spec }) => pref === null && spec.year === 'latest')
        .map(({ id, spec }) => ({
          id,
          specs: [id, formatTilesSpec({ ...spec, lod: { max: true, value: spec.lod!.value } })],
        })),
    });
  }
  return composites;
}

/** Which package an asset directory is of: the live one that was published last, else the first retired one. */
async function indexAssets(
  before: SnapshotState,
  rows: PackageList,
  touched: readonly number[],
  dirty: ReadonlySet<string>,
  cities: ReadonlyMap<string, CityPart>,
  live: PackageList,
  slices: Slices,
): Promise<Map<string, PackageRow>> {
  const byAsset = new Map(before.byAsset);
  const paths = new Set<string>();
  const forget = (row: PackageRow | undefined) => {
    if (row === undefined) return;
    paths.add(row.assetPath);
    byAsset.delete(assetKey(row.assetPath, row.name));
  };
  await slices.each(touched, (no) => {
    forget(before.rows.get(no));
    forget(rows.get(no));
  });
  for (const city of dirty) {
    for (const row of cities.get(city)?.packages ?? []) forget(row);
    if (slices.due()) await slices.pause();
  }
  await slices.each(rows.all, (row) => {
    if (!paths.has(row.assetPath)) return;
    const key = assetKey(row.assetPath, row.name);
    const current = live.get(row.no);
    if (current !== undefined) byAsset.set(key, current);
    else if (!byAsset.has(key)) byAsset.set(key, row);
  });
  return byAsset;
}

function assetKey(assetPath: string, name: string): string {
  return `${assetPath}/${name}`;
}
