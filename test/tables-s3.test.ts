/**
 * The recipe of docs/tables.md as it stands there: DuckDB reads tables over HTTP from the server, and over S3 from a
 * real bucket of it.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeSample } from '../packages/sample/src/sample.ts';
import { CEPH_KEYS, Ceph, cephIsMissing } from '../packages/store/src/testing/ceph.ts';
import { runProgram, tempDirectory } from './support/program.ts';
import { startServer } from './support/server.ts';

const DOCUMENT = join(import.meta.dirname, '../docs/tables.md');
const HELPER = join(import.meta.dirname, 'ogc/read_duckdb.py');
const PYTHON = process.env.DOORS_PYTHON ?? 'python3';
const PREFIX = 'nation';

interface CityRow {
  city_code: string;
  bbox: [number, number, number, number];
  tables: Array<{ type: string; features: number }>;
}

/** Rows of each statement. */
function duckdb(statements: readonly string[], home: string): unknown[][][] {
  const { stdout, stderr } = spawnSync(PYTHON, [HELPER], {
    input: JSON.stringify(statements),
    encoding: 'utf8',
    env: { ...process.env, HOME: home },
  });
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout) as unknown[][][];
}

function duckdbIsMissing(): string | null {
  const { status } = spawnSync(PYTHON, ['-c', 'import duckdb, duckdb_extension_httpfs, duckdb_extensions']);
  return status === 0 ? null : `${PYTHON} has no duckdb with duckdb-extension-httpfs (DOORS_PYTHON)`;
}

const missing = duckdbIsMissing() ?? (await cephIsMissing());

test('DuckDB reads a city, the country and the bucket as the recipe says', {
  skip: missing ?? false,
  timeout: 240_000,
}, async (t) => {
  const directory = await tempDirectory(t);
  await using ceph = await Ceph.start();
  await writeSample(join(directory, 'sample'), { size: 60 });
  const env = { ...CEPH_KEYS, OBJECT_STORE: ceph.address(PREFIX), TABLES: 'published' };
  const data = join(directory, 'data');
  for (const args of [['ingest', join(directory, 'sample')], ['reindex']]) {
    const run = await runProgram(args, { DATA_DIR: data, ...env });
    assert.equal(run.code, 0, run.stderr);
  }
  await using server = await startServer(data, { env, reachable: true });
  const rowsOf = async (query: string) => {
    const { citygml } = await server.json<{ citygml: CityRow[] }>(`/datacatalog/citymodel-datasets${query}`);
    return citygml.filter(({ tables }) => tables.some(({ type }) => type === 'bldg'));
  };
  const countOf = (rows: readonly CityRow[]) =>
    rows
      .flatMap(({ tables }) => tables)
      .reduce((sum, one) => sum + (one.type === 'bldg' ? one.features : 0), 0);
  const [newest, all] = [await rowsOf(''), await rowsOf('?all_years=true')];
  const { city_code: city } = newest[0]!;

  const document = await readFile(DOCUMENT, 'utf8');
  const [, recipe] = /\n## DuckDB\n\n```sql\n(.*?)```/s.exec(document)!;
  const [west, south, east, north] = [0, 1, 2, 3].map((n) =>
    (n < 2 ? Math.min : Math.max)(...all.map(({ bbox }) => bbox[n]!)),
  );
  // What stands for the server, the bucket and a place; the extensions come from elsewhere.
  const replaced: Array<[string, string]> = [
    ['INSTALL spatial; LOAD spatial; INSTALL httpfs; LOAD httpfs;', ''],
    ['https://example.jp', server.publicUrl],
    ['13101-latest', `${city}-latest`],
    ["KEY_ID '…'", `KEY_ID '${CEPH_KEYS.AWS_ACCESS_KEY_ID}'`],
    ["SECRET '…'", `SECRET '${CEPH_KEYS.AWS_SECRET_ACCESS_KEY}'`],
    ["ENDPOINT 's3.example.jp'", `ENDPOINT '${new URL(ceph.endpoint).host}', USE_SSL false`],
    ['s3://bucket/', `s3://${ceph.bucket}/${PREFIX}/`],
    ['139.7 ', `${west! - 1} `],
    ['139.8 ', `${east! + 1} `],
    ['35.6 ', `${south! - 1} `],
    ['35.7;', `${north! + 1};`],
  ];
  let text = recipe!.replaceAll(/^--.*$/gm, '');
  for (const [from, to] of replaced) {
    assert.ok(text.includes(from), from);
    text = text.replaceAll(from, to);
  }
  const statements = text.split(';').filter((one) => one.trim() !== '');
  const results = duckdb(
    [
      ...statements,
      "SELECT len(getvariable('files'))",
      "SELECT count(*) FROM read_parquet(getvariable('files'), union_by_name = true)",
    ],
    directory,
  );
  const [oneCity, , tall, , inBucket, files, country] = results;
  const sum = (rows: unknown[][]) => rows.reduce((total, [, count]) => total + Number(count), 0);
  assert.equal(sum(oneCity!), countOf(newest.filter((row) => row.city_code === city)));
  assert.deepEqual([files, country], [[[newest.length]], [[countOf(newest)]]]);
  assert.ok(Number(tall![0]![0]) < countOf(newest));
  // All years are in the bucket.
  assert.ok(all.length > newest.length);
  assert.deepEqual(inBucket, [[countOf(all)]]);
});
