/**
 * The whole catalogue in memory, immutable: what requests read. It is built in short slices beside running requests:
 * the first from all rows of the database, each next one from the one before and what has changed since. Only the
 * cities that a change touches are made again, and the composites above them; the bytes of the other rows are shared.
 */
import { setImmediate } from 'node:timers/promises';
import { compareTexts, kindOfFormat, type OutputKind, Slices } from '@citymodel/base';
import { type Bounds, unionBounds } from '@citymodel/geo';
import type { CatalogueState, CatalogueStore, PackageRow } from '@citymodel/store';
import { DocumentCache, type ReadyDocument } from '../../base/generated-document.ts';
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
import type { Dataset } from '../rows/snapshot-dataset.ts';
import { joinTables, type RowTable, rowTable } from '../rows/snapshot-table.ts';
import { formatTilesSpec } from '../specs/tiles-spec.ts';
import { assetKey, assetShelf, indexAssets } from './asset-index.ts';
import { type CityArray, type CityPart, cityPart } from './city-part.ts';
import { dirtyCities, livePackages, namesOf } from './dirty-cities.ts';
import { PackageList } from './package-list.ts';
import { type CompositeBlocks, nothing, type SnapshotState } from './snapshot-state.ts';

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
  /** Of the state that its rows are of. */
  readonly version: number;
  readonly identity: string;
  /** Live packages, by `no`. */
  readonly packages: readonly PackageRow[];
  /** Every live tile package but those of map symbols, by id. */
  readonly datasets: readonly Dataset[];
  /** Live packages of map symbols, by id. */
  readonly mapSymbols: readonly Dataset[];
  /** Live CityGML packages by ward, municipality or prefecture code, each list newest first. */
  readonly cityGml: ReadonlyMap<string, readonly PackageRow[]>;
  /** The catalogue document without parameters. */
  readonly document: ReadyDocument;
  readonly tables: Readonly<Record<ArrayName, RowTable>>;
  /** `citygml` with every year. */
  readonly allYears: RowTable;
  /** `datasets` and `latest_datasets` with map symbols; null where there are none. */
  readonly withMapSymbols: Readonly<Record<'datasets' | 'latest_datasets', RowTable>> | null;
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
  datasetsOfType(kind: OutputKind, type: string): readonly Dataset[];
  /** Datasets of exactly this ward, municipality or prefecture code, by id. */
  datasetsOfArea(code: string): readonly Dataset[];
  cityGmlOf(code: string): readonly PackageRow[];
  /** Union of the extents of all packages of a prefecture, municipality or ward; null when nothing tells. */
  boundsOf(code: string): Bounds | null;
  /** The city that a ward belongs to, 13100 for a special ward of Tokyo; null for what is no ward. */
  cityAround(code: string): string | null;
}

/** Milliseconds of work at a stretch: requests wait for it, and on a busy machine a core may be given away after it. */
const SLICE_MS = 2;
/** Bytes of documents that one snapshot keeps. */
const GENERATED_BYTES = 64 * 1024 * 1024;

export interface BuildOptions {
  /** Lets other work run; awaited every few milliseconds. */
  pause?(): Promise<void>;
  /** A snapshot of the same store and URLs: only what has changed since is read and made. */
  previous?: Snapshot | null;
  /**
   * With `previous`: the state to build, an earlier or a later one. The newest where the changes up to it are not
   * known.
   */
  until?: CatalogueState | undefined;
}

/** Builds a snapshot of what the store holds now. Throws what the store throws. */
export async function buildSnapshot(
  store: CatalogueStore,
  urls: AssetUrls,
  { pause = setImmediate, previous = null, until }: BuildOptions = {},
): Promise<Snapshot> {
  const slices = new Slices(pause, SLICE_MS);
  let changes = previous === null ? null : await store.changesSince(previous, until);
  if (previous !== null && until !== undefined) changes ??= await store.changesSince(previous);
  if (previous !== null && changes !== null) {
    const rows = previous.state.rows.with(
      new Map([
        ...changes.gone.map((no) => [no, undefined] as const),
        ...changes.added.map((row) => [row.no, row] as const),
      ]),
    );
    const touched = [...changes.gone, ...changes.added.map(({ no }) => no)];
    if (slices.due()) await slices.pause();
    return makeSnapshot(changes.state, previous.state, rows, touched, urls, slices);
  }
  const read: PackageRow[] = [];
  let state: CatalogueState = { version: 0, identity: '' };
  for await (const page of store.everything()) {
    state = page.state;
    for (const row of page.packages) read.push(row);
    if (slices.due()) await slices.pause();
  }
  const rows = PackageList.of(read);
  return makeSnapshot(
    state,
    nothing(),
    rows,
    rows.all.map(({ no }) => no),
    urls,
    slices,
  );
}

/** `touched`: numbers of the rows that differ from those of `before`, or are missing in either. */
async function makeSnapshot(
  { version, identity }: CatalogueState,
  before: SnapshotState,
  rows: PackageList,
  touched: readonly number[],
  urls: AssetUrls,
  slices: Slices,
): Promise<Snapshot> {
  const names = await namesOf(rows, slices);
  if (slices.due()) await slices.pause();
  const dirty = await dirtyCities(before, rows, touched, names, slices);
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
    else cities.set(city, await cityPart(packages, urls, before.values, slices));
  }
  if (slices.due()) await slices.pause();
  const live = before.live.with(known);
  if (slices.due()) await slices.pause();
  const parts = [...cities.values()];
  const areas = parts.flatMap((part) => part.datasets).sort((a, b) => compareTexts(a.key, b.key));
  if (slices.due()) await slices.pause();
  const datasets = areas.flatMap((area) => area.datasets);
  if (slices.due()) await slices.pause();
  const changed = [before.cities, cities].flatMap((cityParts) =>
    [...dirty].flatMap((city) => datasetsOf(cityParts.get(city))),
  );
  const mapSymbols = parts.flatMap((part) => part.symbols).sort((a, b) => compareTexts(a.id, b.id));
  const byType = await groupTypes(before.byType, [...datasets, ...mapSymbols], changed, slices);
  const composites = await updateComposites(before, datasets, changed, urls, slices);
  const byAsset = await indexAssets(before, rows, touched, dirty, cities, live, slices);
  const { values } = before;
  const state: SnapshotState = { rows, names, cities, composites, live, byAsset, byType, values };
  const table = async (blocks: RowBlock[]): Promise<RowTable> => {
    if (slices.due()) await slices.pause();
    blocks.sort(compareBlocks);
    if (slices.due()) await slices.pause();
    return rowTable(blocks, values, slices);
  };
  const tableOf = (array: CityArray) => table(parts.flatMap((part) => part.blocks[array]));
  const tables: Snapshot['tables'] = {
    datasets: await tableOf('datasets'),
    composite_tilesets: await table([...composites.values()].flatMap(({ blocks }) => blocks)),
    citygml: await tableOf('citygml'),
    latest_datasets: await tableOf('latest_datasets'),
    latest_citygml: await tableOf('latest_citygml'),
  };
  const allYears = await tableOf('all_years');
  const together = (...arrays: CityArray[]) =>
    table(parts.flatMap((part) => arrays.flatMap((array) => part.blocks[array])));
  const withMapSymbols =
    mapSymbols.length === 0
      ? null
      : {
          datasets: await together('datasets', 'map_symbols'),
          latest_datasets: await together('latest_datasets', 'latest_map_symbols'),
        };
  if (slices.due()) await slices.pause();
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
    identity,
    packages: live.all,
    datasets,
    mapSymbols,
    cityGml,
    document: joinTables(tables),
    tables,
    allYears,
    withMapSymbols,
    nationwide: [...composites.values()]
      .flatMap((group) => group.nationwide)
      .sort((a, b) => compareTexts(a.id, b.id))
      .flatMap(({ specs }) => specs),
    generated: new DocumentCache(GENERATED_BYTES),
    state,
    findAsset: ({ assetPath, packageName }) =>
      byAsset.get(assetShelf(assetPath))?.get(assetKey(assetPath, packageName)),
    packageByNo: (no) => live.get(no),
    datasetsOfType: (kind, type) => byType.get(`${kind}/${type}`) ?? none,
    datasetsOfArea: (code) => byArea.get(code) ?? none,
    cityGmlOf: (code) => cityGml.get(code) ?? none,
    boundsOf: (code) => bounds.get(code) ?? null,
    cityAround: (code) =>
      isSpecialWard(code) ? SPECIAL_WARDS_CODE : (cityOfWard(code) ?? wards.get(code) ?? null),
  };
}

function datasetsOf(part: CityPart | undefined): Dataset[] {
  return part === undefined ? [] : [...part.datasets.flatMap((area) => area.datasets), ...part.symbols];
}

async function groupTypes(
  before: SnapshotState['byType'],
  datasets: readonly Dataset[],
  changed: readonly Dataset[],
  slices: Slices,
): Promise<Map<string, readonly Dataset[]>> {
  const keyOf = ({ summary }: Dataset) => `${kindOfFormat(summary.format)}/${summary.type}`;
  const groups = new Map<string, Dataset[]>();
  for (const dataset of changed) groups.set(keyOf(dataset), []);
  await slices.each(datasets, (dataset) => void groups.get(keyOf(dataset))?.push(dataset));
  return new Map([...before, ...groups]);
}

async function updateComposites(
  before: SnapshotState,
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
  const composites = new Map(before.composites);
  for (const [group, list] of groups) {
    if (list.length === 0) {
      composites.delete(group);
      continue;
    }
    const listed = await listComposites(group, list, slices);
    composites.set(group, {
      blocks: listed.map(
        (composite) =>
          rowBlock(
            composite.id,
            [{ row: compositeRow(composite, urls), keys: compositeKeys(composite) }],
            before.values,
          )!,
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
