/** Tables of the sample city and of real packages hold what operations 11 to 13 answer, value for value. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, mock, test } from 'node:test';
import { Slices } from '@citymodel/base';
import { DATA } from '@citymodel/citygml/testing';
import type { PackageRow } from '@citymodel/store';
import { deserialize } from 'flatgeobuf/lib/mjs/geojson.js';
import type { Rect } from 'flatgeobuf/lib/mjs/packedrtree.js';
import type { Feature } from 'geojson';
import type { Progress } from '../base/progress.ts';
import { PACKAGE, writeSmallPackage } from '../convert/testing/small-package.ts';
import { type Box, boxOf, unionBoxes } from '../features/formats/geoparquet-geometry.ts';
import { tableFeatures } from '../features/tables/table-features.ts';
import { outwards } from '../features/tables/table-group.ts';
import { TableObjects } from '../features/tables/table-objects.ts';
import { readColumns, readFoot } from '../features/tables/table-reader.ts';
import { answerOf, bytesOf, type Hosted, host } from '../features/testing/hosted.ts';
import type { RawQuery } from '../http/describe/query-parameters.ts';
import { checkStores } from '../ingest/check.ts';
import { hasTables, makeTables } from './make-tables.ts';

const LIMITS = { maxBounds: 1_000, maxIds: 20_000, maxGeometryBytes: 3e6, maxItems: 1e8, maxReadBytes: 16e9 };
const QUIET = { maxGeometryBytes: 3e6, onProgress() {}, signal: new AbortController().signal };
const slices = new Slices(async () => {}, 1e9);

async function withTables(row: PackageRow, { stores }: Hosted): Promise<PackageRow> {
  const stagingDir = await mkdtemp(join(tmpdir(), 'citymodel-tables-'));
  try {
    assert.equal(hasTables(row), false);
    const steps: Progress[] = [];
    const onProgress = (step: Progress) => void steps.push(step);
    const reports = await makeTables(row, { ...stores, stagingDir }, { ...QUIET, onProgress });
    assert.equal(steps.at(-1)?.done, steps[0]?.total);
    assert.ok(steps.every(({ done, total }) => done > 0 && done <= total));
    const [now] = await stores.catalogue.findPackages({ id: row.id });
    assert.equal(hasTables(now!), true);
    assert.deepEqual(reports.map(({ type }) => type).sort(), now!.tables!.map(({ type }) => type).sort());
    assert.deepEqual(await stores.catalogue.intents(), []);
    return now!;
  } finally {
    await rm(stagingDir, { recursive: true });
  }
}

/** Answers out of tables have the rows of answers out of GML, in whatever order. */
async function assertAnswers(hosted: Hosted, row: PackageRow): Promise<void> {
  await hosted.refresh();
  const tables = new TableObjects(hosted.archives, hosted.stores.catalogue);
  const whole = hosted.another({ tables, limits: { ...LIMITS, maxReadBytes: 1 } });
  const base = { sid: '0/0/0/0', city_code: row.cityCode };
  for (const query of [
    { format: 'csv' },
    { format: 'geojson' },
    { format: 'geojson', flatten: 'true', fields: 'bldg:usage,gml:name' },
    { format: 'csv', where: 'bldg:measuredHeight>=10' },
    { format: 'csv', type: row.types[0]! },
    { format: 'flatgeobuf', type: row.types[0]! },
    { format: 'flatgeobuf', where: 'bldg:measuredHeight>=10', fields: 'bldg:usage,gml:name' },
  ]) {
    const [out, expected] = await Promise.all(
      [whole, hosted.service].map((service) =>
        bytesOf(answerOf(service, 'features', { ...base, ...query } as RawQuery)),
      ),
    );
    const rows = ROWS[query.format as keyof typeof ROWS];
    const [found, wanted] = [await rows(out!), await rows(expected!)];
    // A difference of thousands of rows would take long to print.
    const lost = wanted.find((row, n) => row !== found[n]);
    const at = lost === undefined ? -1 : wanted.indexOf(lost);
    assert.equal(found[at], lost, JSON.stringify(query));
    assert.equal(found.length, wanted.length, JSON.stringify(query));
    if (query.format === 'flatgeobuf' && found.length > 0) await assertIndexed(out!);
  }
  // Without tables such an answer reads GML, which this service may not.
  const reading = hosted.another({ limits: { ...LIMITS, maxReadBytes: 1 } });
  await assert.rejects(bytesOf(answerOf(reading, 'features', { ...base, format: 'csv' })));
}

const ROWS = { csv: recordsOfCsv, geojson: featuresOfJson, flatgeobuf: featuresOfFlatGeobuf };

async function flatGeobufIn(bytes: Buffer, rect?: Rect): Promise<Feature[]> {
  const features: Feature[] = [];
  // The library takes the whole of a memory.
  for await (const one of deserialize(Uint8Array.from(bytes), rect === undefined ? {} : { rect }))
    features.push(one as Feature);
  return features;
}

async function featuresOfFlatGeobuf(bytes: Buffer): Promise<string[]> {
  const features = await flatGeobufIn(bytes);
  // Who reads gets null for columns that a feature lacks, or nothing.
  return features
    .map(({ geometry, properties }) =>
      canonical({
        geometry,
        properties: Object.fromEntries(Object.entries(properties!).filter(([, value]) => value !== null)),
      }),
    )
    .sort();
}

/** The index finds what looking at every feature does. */
async function assertIndexed(bytes: Buffer): Promise<void> {
  // The library says each step of a search.
  const quiet = (['debug', 'info', 'log'] as const).map((name) => mock.method(console, name, () => {}));
  try {
    await compareSearches(bytes);
  } finally {
    for (const one of quiet) one.mock.restore();
  }
}

async function compareSearches(bytes: Buffer): Promise<void> {
  const features = await flatGeobufIn(bytes);
  const placed = features.flatMap(({ geometry }) => boxOf(geometry) ?? []);
  const all = placed.reduce<Box | null>(unionBoxes, null);
  if (all === null) return;
  const [width, height] = [all.xmax - all.xmin, all.ymax - all.ymin];
  for (const part of [0.1, 0.3, 0.5]) {
    const rect: Rect = {
      minX: all.xmin + part * width,
      minY: all.ymin + part * height,
      maxX: all.xmin + (part + 0.2) * width,
      maxY: all.ymin + (part + 0.2) * height,
    };
    const found = await flatGeobufIn(bytes, rect);
    const expected = features.filter(({ geometry }) => {
      const box = boxOf(geometry);
      if (box === null || box.xmin > rect.maxX || box.xmax < rect.minX) return false;
      return box.ymin <= rect.maxY && box.ymax >= rect.minY;
    });
    const [ids, wanted] = [found, expected].map((list) =>
      list.map(({ id }) => Number(id)).sort((a, b) => a - b),
    );
    assert.deepEqual(ids, wanted);
  }
}

function featuresOfJson(bytes: Buffer): string[] {
  return (JSON.parse(bytes.toString()) as { features: unknown[] }).features.map(canonical).sort();
}

/** Records by the names of columns, without empty cells. */
function recordsOfCsv(bytes: Buffer): string[] {
  const [names, ...lines] = cellsOfCsv(bytes.toString().slice(1));
  return lines
    .map((cells) =>
      canonical(
        Object.fromEntries(cells.map((cell, n) => [names![n], cell]).filter(([, cell]) => cell !== '')),
      ),
    )
    .sort();
}

function cellsOfCsv(text: string): string[][] {
  const lines: string[][] = [[]];
  for (const [, quotedCell, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    lines.at(-1)!.push(quotedCell?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\r\n') lines.push([]);
  }
  return lines.filter((cells) => cells.length > 1);
}

/** Compares tables with a GeoJSON answer about each type. */
async function assertSame(hosted: Hosted, row: PackageRow): Promise<{ parquet: number; geojson: number }> {
  const sums = { parquet: 0, geojson: 0 };
  for (const table of row.tables!) {
    const query = { sid: '0/0/0/0', type: table.type, format: 'geojson', city_code: row.cityCode };
    const answer = await bytesOf(answerOf(hosted.service, 'features', query));
    const { features } = JSON.parse(answer.toString()) as {
      features: Array<{ geometry: unknown; properties: Record<string, unknown> }>;
    };
    await using source = await hosted.stores.objects.open(table.key);
    assert.equal(source.size, table.size);
    const foot = await readFoot(source);
    assert.equal(foot.facts.features, table.features);
    assert.equal(foot.facts.leftOut, 0);
    const found: string[] = [];
    for await (const batch of tableFeatures(source, foot, { hasGeometry: true }, slices)) {
      for (const { attributes, drawn, geometry, isRepeated } of batch) {
        if (!isRepeated) found.push(canonical({ geometry, properties: { ...attributes, ...drawn } }));
      }
    }
    const expected = features.map(({ geometry, properties }) => canonical({ geometry, properties }));
    assert.equal(found.length, expected.length, `${row.name} ${table.type}`);
    assert.deepEqual(found.sort(), expected.sort(), `${row.name} ${table.type}`);
    sums.parquet += table.size;
    sums.geojson += answer.length;
    let files = 0;
    for await (const { columns } of readColumns(source, foot, ['gml_file', 'bbox', 'geometry'], slices)) {
      const paths = Array.from(columns.get('gml_file')!);
      files += new Set(paths).size;
      for (const path of paths) assert.match(String(path), /^udx\/.*\.gml$/);
    }
    assert.ok(files > 0);
  }
  return sums;
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

describe('tables of real packages', { skip: existsSync(DATA) ? false : 'needs ../shared/data' }, () => {
  for (const name of [
    '13999_standard-samples_mlit_2022_citygml_1_op',
    '13382_mikurajima-mura_pref_2024_citygml_1_op',
    '22203_numazu-shi_city_2023_citygml_3_op',
    '17206_kaga-shi_city_2024_citygml_1_op',
  ]) {
    test(`hold what is answered about ${name}`, async () => {
      await using hosted = await host([`${DATA}packages/${name}.zip`]);
      const row = await withTables(hosted.rows[0]!, hosted);
      await assertSame(hosted, row);
      await assertAnswers(hosted, row);
    });
  }
});

test('the check of a store names tables that are other bytes, shorter or gone', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'citymodel-tables-'));
  const zip = join(directory, `${PACKAGE}.zip`);
  try {
    await writeSmallPackage(zip);
    await using hosted = await host([zip]);
    const { tables } = await withTables(hosted.rows[0]!, hosted);
    const { key, size, type } = tables![0]!;
    const { catalogue, objects } = hosted.stores;
    const faults = async () => {
      const report = await checkStores({ catalogue, objects }, { names: null, onProgress() {} });
      assert.deepEqual([report.packages, report.orphans], [1, []]);
      return report.faults.map(({ place, fault }) => `${place}: ${fault}`);
    };
    assert.deepEqual(await faults(), []);
    for (const [bytes, words] of [
      [Buffer.alloc(size), 'Its SHA-256 is not the one in the database'],
      [Buffer.alloc(size - 1), `It has ${size - 1} bytes; the database says ${size}`],
    ] as const) {
      await objects.delete(key);
      await objects.put(key, Readable.from([bytes]));
      const [fault, ...more] = await faults();
      assert.ok(fault?.includes(`table of ${type}`) && fault.includes(words), fault);
      assert.deepEqual(more, []);
    }
    await objects.delete(key);
    assert.match((await faults()).join(), /reindex --all/);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('boxes of single precision contain those that they are made of', () => {
  for (const value of [139.767123456789, -139.767123456789, 0, 1e-60, -1e-60, 35.5]) {
    const box = outwards({ xmin: value, ymin: value, xmax: value, ymax: value });
    assert.ok(box.xmin <= value && box.ymax >= value);
    assert.ok(Math.abs(box.xmin - value) < 2e-5 && Math.abs(box.ymax - value) < 2e-5);
    assert.equal(Math.fround(box.xmin), box.xmin);
    assert.equal(Math.fround(box.xmax), box.xmax);
  }
});
