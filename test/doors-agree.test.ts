/**
 * Every door says the same of every dataset: the catalogue, Parquet files, the OGC API, STAC and operation 11 agree on
 * counts, attributes and bounds. Parquet is read by a library that knows nothing of ours.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { DATA } from '../packages/citygml/src/testing/published.ts';
import { writeSample } from '../packages/sample/src/sample.ts';
import { runProgram, tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';

/** Features of a dataset that are compared value by value; all are counted. */
const COMPARED = 25;
/** Of a real package: a larger one has no type that others lack, and takes as long as all of them. */
const MOST_BYTES = 3_000_000;
const SEED = fc.readConfigureGlobal().seed ?? 7;
/** Single precision, rounded outwards: degrees. */
const FLOAT_STEP = 2e-5;

interface CityRow {
  id: string;
  city_code: string;
  ward_code?: string;
  year: number;
  tables: Array<{ type: string; parquet_url: string; features: number; file_size: number; sha256: string }>;
}

interface Feature {
  properties: Record<string, unknown>;
  geometry: { coordinates: unknown } | null;
}

interface StacItem {
  bbox: number[];
  properties: Record<string, unknown>;
  assets: Record<string, Record<string, unknown>>;
}

type Row = Record<string, unknown> & {
  'gml:id': string | null;
  gml_file: string;
  repeated: boolean;
  /** A struct that is null is read as undefined. */
  bbox?: { xmin: number; ymin: number; xmax: number; ymax: number };
  extent_offset?: Record<string, number>;
  geometry?: Feature['geometry'];
  minAlt: number | null;
  maxAlt: number | null;
  remainder: Array<[Step[], unknown]> | null;
};
/** A name within an object, or a list of one object with it. */
type Step = string | [string];

interface Column {
  name: string;
  path: Step[];
}

test('every door says the same of every dataset of the sample', { timeout: 240_000 }, async (t) => {
  const directory = await tempDirectory(t);
  await writeSample(directory, { size: 80 });
  await compareDoors(directory, globSync(join(directory, '*_citygml_*_op.zip')));
});

test('every door says the same of every dataset of real packages', {
  skip: existsSync(DATA) ? false : 'needs ../shared/data',
  timeout: 600_000,
}, async (t) => {
  const directory = await tempDirectory(t);
  const uploads = globSync(`${DATA}packages/*.zip`).filter((path) => statSync(path).size <= MOST_BYTES);
  assert.ok(uploads.length > 8, `${uploads.length} packages`);
  await compareDoors(directory, uploads);
});

async function compareDoors(directory: string, uploads: readonly string[]): Promise<void> {
  const data = join(directory, 'data');
  const ingested = await runProgram(['ingest', ...uploads], { DATA_DIR: data, TABLES: 'published' });
  assert.equal(ingested.code, 0, ingested.stderr);
  const env = { TABLES: 'published', JOB_POLL_MS: '200' };
  await using server = await startServer(data, { env });
  const rows = await rowsWithTables(server);
  assert.equal(rows.length, uploads.length);
  const seen = new Set<string>();
  // Newest first: the OGC API has the newest edition of a type.
  for (const row of rows.sort((a, b) => b.year - a.year)) {
    const area = row.ward_code ?? row.city_code;
    const item = await server.json<StacItem>(`/stac/collections/${area}/items/${area}-${row.year}`);
    const features = row.tables.reduce((sum, table) => sum + table.features, 0);
    assert.equal(item.properties['city3d:city_objects'], features, row.id);
    for (const table of row.tables) {
      const { rows: read, columns, box } = await readTable(server, table, item);
      assert.equal(read.length, table.features, `${row.id} ${table.type}`);
      if (box !== null) assertWithin(box, item.bbox, 1e-7);
      const named = read.filter(isNamed);
      const length = Math.min(COMPARED, named.length);
      const some = fc.shuffledSubarray(named, { minLength: length, maxLength: length });
      const [compared] = fc.sample(some, { numRuns: 1, seed: SEED });
      const urls = await urlsOfFiles(server, row, table.type);
      for (const one of compared!) await compareWithAttributes(server, urls, columns, one);
      const collection = `${area}-${table.type}`;
      if (seen.has(collection)) continue;
      seen.add(collection);
      await compareWithItems(server, collection, { all: read, compared: compared!, urls });
    }
  }
}

/** All CityGML rows of the catalogue, once every one has its tables. */
async function rowsWithTables(server: TestServer): Promise<CityRow[]> {
  for (let n = 0; n < 1_000; n++) {
    const { citygml } = await server.json<{ citygml: CityRow[] }>(
      '/datacatalog/citymodel-datasets?all_years=true',
    );
    if (citygml.every(({ tables }) => tables !== undefined)) return citygml;
    await setTimeout(200);
  }
  throw new Error('no tables were made');
}

/** A table as a stranger reads it, which is what the catalogue and STAC say it is. */
async function readTable(server: TestServer, table: CityRow['tables'][number], item: StacItem) {
  const { body } = await server.request(table.parquet_url);
  assert.equal(body.length, table.file_size);
  assert.equal(createHash('sha256').update(body).digest('hex'), table.sha256);
  const asset = Object.values(item.assets).find(({ href }) => href === table.parquet_url)!;
  assert.deepEqual([asset['file:size'], asset['file:checksum']], [table.file_size, `1220${table.sha256}`]);
  const file = body.buffer.slice(body.byteOffset, body.byteOffset + body.length) as ArrayBuffer;
  const read = await parquetReadObjects({
    file,
    compressors: { ZSTD: (input) => new Uint8Array(zstdDecompressSync(input)) },
  });
  const entries = new Map(parquetMetadata(file).key_value_metadata!.map(({ key, value }) => [key, value!]));
  const geo = JSON.parse(entries.get('geo')!) as { columns: { geometry: { bbox?: number[] } } };
  const { columns } = JSON.parse(entries.get('citymodel')!) as { columns: Column[] };
  const box = geo.columns.geometry.bbox ?? null;
  const boxes = (read as Row[]).flatMap(({ bbox }) => bbox ?? []);
  if (box === null) assert.equal(boxes.length, 0);
  else {
    const union = [
      Math.min(...boxes.map(({ xmin }) => xmin)),
      Math.min(...boxes.map(({ ymin }) => ymin)),
      Math.max(...boxes.map(({ xmax }) => xmax)),
      Math.max(...boxes.map(({ ymax }) => ymax)),
    ];
    assertWithin(box, union, 0);
    assertWithin(union, box, FLOAT_STEP);
  }
  return { rows: read as Row[], columns, box };
}

/** West, south, east, north. */
function assertWithin(inner: readonly number[], outer: readonly number[], slack: number): void {
  const [w, s, e, n] = inner;
  const isWithin =
    w! >= outer[0]! - slack && s! >= outer[1]! - slack && e! <= outer[2]! + slack && n! <= outer[3]! + slack;
  assert.ok(isWithin, `${inner} is not within ${outer}`);
}

/** Operation 11 finds the first of those that share an id. */
function isNamed(row: Row): boolean {
  return row['gml:id'] !== null && !row.repeated;
}

/** URLs of the files of a package, by their path in it. */
async function urlsOfFiles(server: TestServer, row: CityRow, type: string): Promise<Map<string, string>> {
  const area = row.ward_code ?? row.city_code;
  const list = await server.json<{ files: Record<string, Array<{ url: string }>> }>(
    `/datacatalog/citygml/${area}?types=${type}&all_years=true`,
  );
  const name = /([^/]+)_\w+\.parquet$/.exec(row.tables[0]!.parquet_url)![1]!;
  const urls = Object.values(list.files).flatMap((files) => files.map(({ url }) => url));
  return new Map(
    urls
      .filter((url) => url.includes(`/${name}/`))
      .map((url) => [decodeURIComponent(url.slice(url.indexOf(`/${name}/`) + name.length + 2)), url]),
  );
}

function questionOf(urls: ReadonlyMap<string, string>, row: Row, more = ''): string {
  const url = urls.get(row.gml_file) ?? assert.fail(`no file ${row.gml_file}`);
  return `/citygml/attributes?url=${encodeURIComponent(url)}&id=${encodeURIComponent(row['gml:id']!)}${more}`;
}

/** A row has the attributes and the extent that operation 11 answers. */
async function compareWithAttributes(
  server: TestServer,
  urls: ReadonlyMap<string, string>,
  columns: readonly Column[],
  row: Row,
): Promise<void> {
  const [answer] = await server.json<Array<Record<string, unknown>>>(questionOf(urls, row));
  const { _bbox: bbox, ...attributes } = answer!;
  assert.deepEqual(attributesOf(row, columns), attributes, row['gml:id']!);
  const { min, max } = (bbox ?? {}) as { min?: Record<string, number>; max?: Record<string, number> };
  if (!row.extent_offset) assert.equal(bbox, undefined);
  else {
    const [west, south, east, north] = row.geometry ? boxOf({ geometry: row.geometry }) : [0, 0, 0, 0];
    const known = { west, south, east, north, minAlt: row.minAlt ?? 0, maxAlt: row.maxAlt ?? 0 };
    const at = (key: keyof typeof known) => known[key]! + row.extent_offset![key]!;
    assert.deepEqual([at('west'), at('south'), at('minAlt')], [min!.lng, min!.lat, min!.alt]);
    assert.deepEqual([at('east'), at('north'), at('maxAlt')], [max!.lng, max!.lat, max!.alt]);
  }
}

/** The attributes of a row as the paths of its columns say that they were. */
function attributesOf(row: Row, columns: readonly Column[]): Record<string, unknown> {
  const attributes: Record<string, unknown> = {};
  for (const { name, path } of columns) {
    if (row[name] !== null && row[name] !== undefined) put(attributes, path, row[name]);
  }
  for (const [path, value] of row.remainder ?? []) put(attributes, path, value);
  return attributes;
}

function put(into: Record<string, unknown>, path: readonly Step[], value: unknown): void {
  let at = into;
  for (const [n, step] of path.entries()) {
    const isLast = n === path.length - 1;
    const name = typeof step === 'string' ? step : step[0];
    if (isLast) {
      at[name] = typeof step === 'string' ? value : [value];
      return;
    }
    at[name] ??= typeof step === 'string' ? {} : [{}];
    at = (typeof step === 'string' ? at[name] : (at[name] as unknown[])[0]) as Record<string, unknown>;
  }
}

/** A collection has every row once; its features are those that operation 11 answers as GeoJSON. */
async function compareWithItems(
  server: TestServer,
  collection: string,
  {
    all,
    compared,
    urls,
  }: { all: readonly Row[]; compared: readonly Row[]; urls: ReadonlyMap<string, string> },
): Promise<void> {
  const features: Feature[] = [];
  let matched: number | undefined;
  for (
    let next: string | undefined = `/ogc/collections/${collection}/items?limit=1000`;
    next !== undefined;
  ) {
    const page: {
      features: Feature[];
      numberMatched?: number;
      links: Array<{ rel: string; href: string }>;
    } = await server.json(next);
    features.push(...page.features);
    matched ??= page.numberMatched;
    next = page.links.find(({ rel }) => rel === 'next')?.href;
  }
  assert.deepEqual([features.length, matched], [all.length, all.length], collection);
  const idsOf = (ids: Array<string | null | undefined>) => ids.map((id) => id ?? '').sort();
  assert.deepEqual(
    idsOf(features.map(({ properties }) => properties['gml:id'] as string | undefined)),
    idsOf(all.map((row) => row['gml:id'])),
  );
  const { extent } = await server.json<{ extent: { spatial: { bbox: number[][] } } }>(
    `/ogc/collections/${collection}`,
  );
  for (const row of compared) {
    const one = await server.json<Feature>(
      `/ogc/collections/${collection}/items/${encodeURIComponent(row['gml:id']!)}`,
    );
    const [found] = (
      await server.json<{ features: Feature[] }>(questionOf(urls, row, '&format=geojson&flatten=true'))
    ).features;
    assert.deepEqual([one.properties, one.geometry], [found!.properties, found!.geometry], row['gml:id']!);
    if (!row.bbox) continue;
    const { xmin, ymin, xmax, ymax } = row.bbox;
    const box = boxOf(one);
    assertWithin(box, [xmin, ymin, xmax, ymax], 0);
    assertWithin([xmin, ymin, xmax, ymax], box, FLOAT_STEP);
    assertWithin(box, extent.spatial.bbox[0]!, 1e-7);
  }
}

function boxOf({ geometry }: Pick<Feature, 'geometry'>): number[] {
  const text = JSON.stringify(geometry!.coordinates);
  const numbers = text.match(/-?[\d.]+(e-?\d+)?/g)!.map(Number);
  const lngs = numbers.filter((_, n) => n % 2 === 0);
  const lats = numbers.filter((_, n) => n % 2 === 1);
  return [Math.min(...lngs), Math.min(...lats), Math.max(...lngs), Math.max(...lats)];
}
