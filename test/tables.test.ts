/** Tables of features as the built program makes and serves them: after a publication, as assets, until they go. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { writeSample } from '../packages/sample/src/sample.ts';
import { fetchPack, membersOf } from './support/packs.ts';
import { runProgram, tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';

const SHIOMINO = '47950_shiomino-shi_city_2023_citygml_1_op';

interface Table {
  type: string;
  parquet_url: string;
  features: number;
  file_size: number;
  sha256: string;
}

interface StatisticsAnswer {
  groups: Array<{
    count: number;
    of: Record<string, { sum: number; min: number; max: number; mean: number }>;
  }>;
  without_table: { packages: number };
}

/** The catalogue's tables of a municipality, once it has them. */
async function tablesOf(server: TestServer, city: string): Promise<Table[]> {
  for (let n = 0; n < 300; n++) {
    const catalogue = await server.request(`/datacatalog/citymodel-datasets?city_code=${city}`);
    const { citygml } = catalogue.json<{ citygml: Array<{ tables?: Table[] }> }>();
    if (citygml[0]?.tables !== undefined) return citygml[0].tables;
    await setTimeout(100);
  }
  throw new Error('no tables were made');
}

/** Features that GDAL finds in a file, in a box or everywhere. */
function countOf(path: string, spat: ReadonlyArray<string | number>): number {
  const { stdout, stderr } = spawnSync('ogrinfo', ['-ro', '-so', '-al', ...spat.map(String), path], {
    encoding: 'utf8',
  });
  const [, count] = /Feature Count: (\d+)/.exec(stdout) ?? assert.fail(stderr);
  return Number(count);
}

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

test('a publication makes tables, which are assets, until the package goes', {
  timeout: 120_000,
}, async (t) => {
  const directory = await tempDirectory(t);
  const dataDir = join(directory, 'data');
  await writeSample(directory, { size: 60 });
  const env = { DATA_DIR: dataDir, TABLES: 'published' };
  const ingested = await runProgram(['ingest', join(directory, `${SHIOMINO}.zip`)], env);
  assert.equal(ingested.code, 0, ingested.stderr);
  {
    await using server = await startServer(dataDir, { env: { TABLES: 'published', JOB_POLL_MS: '200' } });
    const tables = await tablesOf(server, '47950');
    const bldg = tables.find(({ type }) => type === 'bldg')!;
    assert.match(bldg.parquet_url, new RegExp(`/${SHIOMINO}_bldg\\.parquet$`));
    const path = new URL(bldg.parquet_url).pathname.replace('/base', '');
    const whole = await server.request(path);
    assert.equal(whole.status, 200);
    assert.equal(whole.headers['content-type'], 'application/vnd.apache.parquet');
    assert.equal(whole.headers['accept-ranges'], 'bytes');
    assert.equal(createHash('sha256').update(whole.body).digest('hex'), bldg.sha256);
    assert.equal(whole.body.length, bldg.file_size);
    const etag = whole.headers.etag!;
    const part = await server.request(path, { headers: { range: 'bytes=4-99' } });
    assert.equal(part.status, 206);
    assert.deepEqual(part.body, whole.body.subarray(4, 100));
    assert.equal((await server.request(path, { headers: { 'if-none-match': etag } })).status, 304);
    const file = Uint8Array.from(whole.body).buffer;
    assert.equal(parquetMetadata(file).num_rows, BigInt(bldg.features));
    const rows = await parquetReadObjects({
      file,
      compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) },
    });
    assert.equal(rows.length, bldg.features);
    // Another reader than the one of this repository, and its filter over the box of each row.
    const kept = join(directory, 'bldg.parquet');
    await writeFile(kept, whole.body);
    const duck = await (await DuckDBInstance.create()).connect();
    const answer = await duck.runAndReadAll(
      `SELECT count(*)::INTEGER AS n, count(DISTINCT "gml:id")::INTEGER AS ids, max(bbox.ymax) < 90 AS isPlaced ` +
        `FROM read_parquet('${kept}')`,
    );
    assert.deepEqual(answer.getRowObjects(), [{ n: bldg.features, ids: bldg.features, isPlaced: true }]);
    // Filters of ids, by which a reader passes over whole groups of rows.
    const probe = async (id: unknown) => {
      const found = await duck.runAndReadAll(
        `SELECT * FROM parquet_bloom_probe('${kept}', 'gml:id', '${id}')`,
      );
      return found.getRowObjects().map((row) => row.bloom_filter_excludes);
    };
    assert.deepEqual(await probe((rows[0] as Record<string, unknown>)['gml:id']), [false]);
    assert.deepEqual(await probe('nobody has this one'), [true]);
    const { ymax } = (rows[0] as { bbox: { ymax: number } }).bbox;
    const south = rows.filter(({ bbox }) => (bbox as { ymax: number }).ymax <= ymax).length;
    const filtered = await duck.runAndReadAll(
      `SELECT count(*)::INTEGER AS n FROM read_parquet('${kept}') WHERE bbox.ymax <= ${ymax}::FLOAT`,
    );
    assert.deepEqual(filtered.getRowObjects(), [{ n: south }]);
    // What is added up out of columns is what another reader adds up.
    const height = '"bldg:measuredHeight"';
    const sums = await duck.runAndReadAll(
      `SELECT count(*)::INTEGER AS n, sum(${height}) AS sum, min(${height}) AS least, max(${height}) AS most ` +
        `FROM read_parquet('${kept}') WHERE ${height} NOT IN (-9999, 9999) AND ${height} >= 5`,
    );
    const query = 'area=47950&type=bldg&of=bldg:measuredHeight&where=bldg:measuredHeight>=5';
    const { groups, without_table } = await server.json<StatisticsAnswer>(`/citygml/statistics?${query}`);
    const [{ n, sum, least, most }] = sums.getRowObjects() as [Record<string, number>];
    const { of, count } = groups[0]!;
    const found = of['bldg:measuredHeight']!;
    assert.ok(count > 10);
    assert.deepEqual([groups.length, count, found.min, found.max], [1, n, least, most]);
    assert.ok(Math.abs(found.sum - sum!) < 1e-6 * sum!);
    assert.equal(found.mean, found.sum / count);
    assert.equal(without_table.packages, 0);
    const again = await server.request(`/citygml/statistics?${query}`);
    const isSame = { 'if-none-match': again.headers.etag! };
    assert.equal((await server.request(`/citygml/statistics?${query}`, { headers: isSame })).status, 304);
    duck.closeSync();
    // A whole city with its spatial index, as a program reads it that looks into files by their index.
    const city = 'sid=0/0/0/0&city_code=47950&type=bldg';
    const flat = await server.request(`/citygml/features?${city}&format=flatgeobuf`);
    assert.equal(flat.status, 200);
    await writeFile(join(directory, 'bldg.fgb'), flat.body);
    const json = await server.request(`/citygml/features?${city}&format=geojson&flatten=true`);
    await writeFile(join(directory, 'bldg.geojson'), json.body);
    if (spawnSync('ogrinfo', ['--version']).error !== undefined)
      t.diagnostic('GDAL is missing: FlatGeobuf unread');
    else {
      const { xmin, xmax, ymin } = (rows[0] as { bbox: Record<string, number> }).bbox;
      for (const spat of [[], ['-spat', xmin! - 0.001, ymin! - 0.001, xmax!, ymin! + 0.0005]]) {
        const [found, expected] = ['bldg.fgb', 'bldg.geojson'].map((name) =>
          countOf(join(directory, name), spat),
        );
        assert.equal(found, expected, `${spat}`);
        assert.ok(found! > 0 && (found === bldg.features) === (spat.length === 0));
      }
    }
    // A lasting address, and what it says of others.
    const lasting = await server.request('/datacatalog/citygml/47950-latest/bldg.parquet');
    assert.equal(lasting.status, 302);
    assert.equal(lasting.headers.location, bldg.parquet_url);
    for (const [wrong, status, words] of [
      ['/datacatalog/citygml/47950-latest/brid2.parquet', 404, /has no .*brid2/],
      ['/datacatalog/citygml/47950-1999/bldg.parquet', 404, /published for the years/],
      ['/datacatalog/citygml/47950/bldg.parquet', 400, /form/],
      ['/datacatalog/citygml/47950-latest/bldg.csv', 404, /parquet/],
      [path.replace('_bldg.', '_brid2.'), 404, /No hosted package/],
    ] as const) {
      const refused = await server.request(wrong);
      assert.equal(refused.status, status, wrong);
      assert.match(refused.text, words);
    }
    const packed = await membersOf((await fetchPack(server, { urls: [bldg.parquet_url] })).zip);
    assert.deepEqual([...packed.keys()], [`${SHIOMINO}/${SHIOMINO}_bldg.parquet`]);
    assert.ok([...packed.values()][0]!.equals(whole.body), 'a pack has the table as it is');
    const search = await server.request('/stac/search?limit=100');
    const assets = search
      .json<{ features: Array<{ assets: Record<string, Record<string, unknown>> }> }>()
      .features.flatMap((item) => Object.entries(item.assets));
    const [, asset] = assets.find(([, { href }]) => href === bldg.parquet_url)!;
    assert.equal(asset['file:checksum'], `1220${bldg.sha256}`);
    assert.equal(asset['file:size'], bldg.file_size);
  }
  const check = await runProgram(['check', '--json'], env);
  assert.equal(check.code, 0, check.stdout);
  const files = await filesBelow(join(dataDir, 'store/objects/tables'));
  assert.ok(files.length > 0, 'tables are objects');
  // Damage is found, and never served as a whole file.
  await writeFile(files[0]!, Buffer.alloc(100));
  const damaged = await runProgram(['check', '--json'], env);
  assert.equal(damaged.code, 1);
  assert.match(damaged.stdout, /table of/);
  const again = await runProgram(['reindex', '--all', '--json'], env);
  assert.equal(again.code, 0, again.stderr);
  assert.deepEqual(JSON.parse(again.stdout).tables, [SHIOMINO]);
  assert.equal((await runProgram(['check', '--json'], env)).code, 0);
  const nothing = await runProgram(['reindex', '--json'], env);
  assert.deepEqual(JSON.parse(nothing.stdout).tables, []);
  // Tables go with their package, but for one that a pack has.
  const gone = { ...env, RETIRED_GRACE_S: '0' };
  assert.equal((await runProgram(['remove', SHIOMINO], gone)).code, 0);
  const kept = await filesBelow(join(dataDir, 'store/objects/tables'));
  assert.deepEqual(
    kept.map((path) => /tables\/(\w+)/.exec(path)![1]),
    ['bldg'],
  );
});
