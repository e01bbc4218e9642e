/**
 * The whole catalogue in memory, immutable: what requests read. It is built from the rows of the database in
 * short slices beside running requests, with every row of the catalogue document serialised once.
 */

import { DocumentCache, GeneratedDocument } from '../../base/generated-document.ts';
import { Slices, sortInSlices } from '../../base/turns.ts';
import { type Bounds, unionBounds } from '../../geo/bounds.ts';
import type { CatalogueStore } from '../../store/catalogue-store.ts';
import type { PackageRow } from '../../store/rows.ts';
import { cityOfWard, isSpecialWard, SPECIAL_WARDS_CODE } from '../names/areas.ts';
import type { AssetUrls } from '../names/asset-urls.ts';
import {
  areaOf,
  cityGmlByArea,
  cityGmlKeys,
  cityGmlRow,
  latestCityGmlRow,
  withIds,
} from '../rows/citygml-rows.ts';
import { compositeKeys, compositeRow, listComposites } from '../rows/composite-rows.ts';
import { datasetKeys, datasetRow } from '../rows/dataset-rows.ts';
import { assignSpecs } from '../rows/dataset-spec.ts';
import { latestDatasets, latestKeys, latestOrder, latestRow } from '../rows/latest-rows.ts';
import { assignIds, type Dataset, toDataset } from '../rows/snapshot-dataset.ts';
import { DocumentWriter, type RowTable, TableWriter } from '../rows/snapshot-table.ts';
import { formatTilesSpec } from '../specs/tiles-spec.ts';

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

/** What a dataset adds to the document, in all arrays together: nearly 1,000 bytes in a catalogue of a whole country. */
const BYTES_PER_DATASET = 1_200;
/** Bytes of documents that one snapshot keeps. */
const GENERATED_BYTES = 64 * 1024 * 1024;

/**
 * Reads the packages and builds the picture of them. `pause` lets other work run; it is awaited every few
 * milliseconds. Throws what the store throws.
 */
export async function buildSnapshot(
  store: CatalogueStore,
  urls: AssetUrls,
  { pause }: { pause(): Promise<void> },
): Promise<Snapshot> {
  const slices = new Slices(pause);
  const version = await store.version();
  const packages = await readPackages(store, slices);
  const datasets = await readDatasets(packages.live, slices);
  const cityGml = cityGmlByArea(packages.live);
  const places = await indexPlaces(packages.live, slices);
  const byType = await groupBy(datasets, (d) => `${d.facts.format}/${d.facts.type}`, slices);
  const byArea = await groupBy(datasets, (d) => d.area, slices);
  const boundsOf = (row: PackageRow) =>
    row.bounds ?? places.bounds.get(areaOf(row)) ?? places.bounds.get(row.cityCode) ?? null;
  const { document, tables, allYears, nationwide } = await writeTables(
    datasets,
    cityGml,
    urls,
    boundsOf,
    slices,
  );
  const none: readonly never[] = [];
  return {
    version,
    packages: packages.live,
    datasets,
    cityGml,
    document,
    tables,
    allYears,
    nationwide,
    generated: new DocumentCache(GENERATED_BYTES),
    findAsset: (asset) => packages.byAsset.get(`${asset.assetPath}/${asset.packageName}`),
    packageByNo: (no) => packages.byNo.get(no),
    datasetsOfType: (format, type) => byType.get(`${format}/${type}`) ?? none,
    datasetsOfArea: (code) => byArea.get(code) ?? none,
    cityGmlOf: (code) => cityGml.get(code) ?? none,
    boundsOf: (code) => places.bounds.get(code) ?? null,
    cityAround: (code) =>
      isSpecialWard(code) ? SPECIAL_WARDS_CODE : (cityOfWard(code) ?? places.cityOfWard.get(code) ?? null),
  };
}

async function readPackages(store: CatalogueStore, slices: Slices) {
  const rows: PackageRow[] = [];
  const names = new Map<string, { name: string; year: number }>();
  for await (const page of store.packages(['live', 'retired'])) {
    for (const row of page) {
      rows.push(row);
      if (row.state !== 'live') continue;
      for (const [code, name] of Object.entries(row.areaNames)) {
        if (row.year >= (names.get(code)?.year ?? 0)) names.set(code, { name, year: row.year });
      }
    }
    if (slices.due()) await slices.pause();
  }
  const live: PackageRow[] = [];
  const byNo = new Map<number, PackageRow>();
  const byAsset = new Map<string, PackageRow>();
  await slices.each(rows, (given) => {
    const row = withKnownNames(given, names);
    const key = `${row.assetPath}/${row.name}`;
    if (row.state === 'live') {
      live.push(row);
      byNo.set(row.no, row);
      byAsset.set(key, row);
    } else if (!byAsset.has(key)) {
      byAsset.set(key, row);
    }
  });
  return { live, byNo, byAsset };
}

/** A row whose municipality or ward was named by guess gets the name that another package's code list knows. */
function withKnownNames(row: PackageRow, names: ReadonlyMap<string, { name: string }>): PackageRow {
  const city = row.guessed.includes('city') ? names.get(row.cityCode) : undefined;
  const ward = row.guessed.includes('ward') ? names.get(row.wardCode ?? '') : undefined;
  if (city === undefined && ward === undefined) return row;
  return { ...row, city: city?.name ?? row.city, ward: ward?.name ?? row.ward };
}

async function readDatasets(live: readonly PackageRow[], slices: Slices): Promise<Dataset[]> {
  const datasets: Dataset[] = [];
  await slices.each(live, (row) => {
    const dataset = toDataset(row);
    if (dataset !== null) datasets.push(dataset);
  });
  await assignIds(datasets, slices);
  await assignSpecs(datasets, slices);
  return sortInSlices(datasets, (dataset) => dataset.id, 2, slices);
}

async function indexPlaces(live: readonly PackageRow[], slices: Slices) {
  const bounds = new Map<string, Bounds>();
  const cities = new Map<string, string>();
  await slices.each(live, (row) => {
    if (row.wardCode !== null) cities.set(row.wardCode, row.cityCode);
    if (row.bounds !== null) {
      for (const code of [row.prefCode, row.cityCode, row.wardCode]) {
        if (code) bounds.set(code, unionBounds(bounds.get(code) ?? null, row.bounds)!);
      }
    }
  });
  return { bounds, cityOfWard: cities };
}

async function groupBy<T>(items: readonly T[], keyOf: (item: T) => string, slices: Slices) {
  const groups = new Map<string, T[]>();
  await slices.each(items, (item) => {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  });
  return groups;
}

/** Serialises every row, in the order of the document. */
async function writeTables(
  datasets: readonly Dataset[],
  cityGml: ReadonlyMap<string, readonly PackageRow[]>,
  urls: AssetUrls,
  boundsOf: (row: PackageRow) => Bounds | null,
  slices: Slices,
) {
  const tiles = datasets.filter((dataset) => dataset.facts.format === '3D Tiles');
  const composites = await sortInSlices(await listComposites(tiles, slices), (c) => c.id, 4, slices);
  const latest = await sortInSlices(await latestDatasets(datasets, slices), latestOrder, 10, slices);
  const cityRows = await sortInSlices([...cityGml.values()].flatMap(withIds), ({ id }) => id, 2, slices);
  const newest = [...cityGml.keys()].sort().map((code) => cityGml.get(code)![0]!);

  const writer = new DocumentWriter(datasets.length * BYTES_PER_DATASET);
  const table = async <T>(name: ArrayName, items: readonly T[], add: (to: TableWriter, item: T) => void) => {
    writer.write(`${name === 'datasets' ? '{' : ','}"${name}":[`);
    const rows = await writeRows(writer, items, add, slices);
    writer.write(name === 'latest_citygml' ? ']}' : ']');
    return rows;
  };
  const readers = {
    datasets: await table('datasets', datasets, (to, dataset) => {
      const bounds = boundsOf(dataset.package);
      to.add(datasetRow(dataset, urls, bounds), datasetKeys(dataset, bounds));
    }),
    composite_tilesets: await table('composite_tilesets', composites, (to, composite) => {
      to.add(compositeRow(composite, urls), compositeKeys(composite));
    }),
    citygml: await table('citygml', newest, (to, row) => {
      const bounds = boundsOf(row);
      to.add(cityGmlRow(row, areaOf(row), urls, bounds), cityGmlKeys(row, String(row.year), bounds));
    }),
    latest_datasets: await table('latest_datasets', latest, (to, dataset) => {
      const bounds = boundsOf(dataset.package);
      to.add(latestRow(dataset, urls, bounds), latestKeys(dataset, bounds));
    }),
    latest_citygml: await table('latest_citygml', newest, (to, row) => {
      const bounds = boundsOf(row);
      to.add(latestCityGmlRow(row, urls, bounds), cityGmlKeys(row, 'latest', bounds));
    }),
  };
  const { body, etag } = await writer.finish(slices);

  const yearsWriter = new DocumentWriter();
  const years = await writeRows(
    yearsWriter,
    cityRows,
    (to, { row, id }) => {
      const bounds = boundsOf(row);
      to.add(cityGmlRow(row, id, urls, bounds), cityGmlKeys(row, String(row.year), bounds));
    },
    slices,
  );
  return {
    document: new GeneratedDocument(body, etag),
    tables: {
      datasets: readers.datasets(body),
      composite_tilesets: readers.composite_tilesets(body),
      citygml: readers.citygml(body),
      latest_datasets: readers.latest_datasets(body),
      latest_citygml: readers.latest_citygml(body),
    },
    allYears: years((await yearsWriter.finish(slices)).body),
    nationwide: composites
      .filter(({ pref, spec }) => pref === null && spec.year === 'latest')
      .flatMap(({ id, spec }) => [
        id,
        formatTilesSpec({ ...spec, lod: { max: true, value: spec.lod!.value } }),
      ]),
  };
}

async function writeRows<T>(
  writer: DocumentWriter,
  items: readonly T[],
  add: (to: TableWriter, item: T) => void,
  slices: Slices,
) {
  const rows = new TableWriter(writer);
  await slices.each(items, (item) => add(rows, item));
  return rows.end();
}
