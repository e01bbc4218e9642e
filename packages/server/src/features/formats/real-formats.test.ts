/** Formats over real packages: CityJSON is valid by its schema, and GDAL opens every file. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { cityJsonFeature, cityJsonHeader, DATA, publishedPackages } from '@citymodel/citygml/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parquetReadObjects } from 'hyparquet';
import { answerOf, bytesOf, type Hosted, host } from '../testing/hosted.ts';

const packages = await publishedPackages('{packages,conversion/*}/*citygml_*_op.zip');
const gdal = spawnSync('ogr2ogr', ['--version']).error === undefined;
/** Packages whose formats GDAL opens. */
const OPENED = [
  '13999_standard-samples_mlit_2022_citygml_1_op',
  '13382_mikurajima-mura_pref_2024_citygml_1_op',
  '22203_numazu-shi_city_2023_citygml_3_op',
  '14130_kawasaki-shi_2022_citygml_1_op',
].map((name) => `${DATA}packages/${name}.zip`);

describe('formats', { skip: existsSync(DATA) ? false : 'needs ../shared/data' }, () => {
  const ajv = new Ajv2020({ strict: false });
  const valid = { header: ajv.compile(cityJsonHeader), feature: ajv.compile(cityJsonFeature) };
  test('are opened of packages that are there', () => {
    assert.deepEqual(
      OPENED.filter((path) => !packages.includes(path)),
      [],
    );
  });
  for (const path of packages) {
    // A sample whose name says too little to ingest it.
    if (path.includes('takeshiba')) continue;
    test(`of ${basename(path)}`, async (t) => {
      await using hosted = await host([path]);
      await t.test('CityJSON is valid', () => checkCityJson(hosted));
      if (!OPENED.includes(path)) return;
      await t.test('GDAL opens every format', { skip: !gdal && 'needs ogr2ogr' }, async () => {
        const directory = await mkdtemp(join(tmpdir(), 'citymodel-formats-'));
        try {
          await checkPackage(hosted, directory);
        } finally {
          await rm(directory, { recursive: true, force: true });
        }
      });
    });
  }

  async function checkCityJson(hosted: Hosted): Promise<void> {
    const query = { sid: '0/0/0/0', format: 'cityjsonseq', skip_code_list_fetch: 'true' };
    const text = (await bytesOf(answerOf(hosted.service, 'features', query))).toString();
    const [header, ...features] = text.trimEnd().split('\n');
    assert.ok(valid.header(JSON.parse(header!)), ajv.errorsText(valid.header.errors));
    for (const line of features) {
      const one = JSON.parse(line) as { id: string; CityObjects: Record<string, { parents?: string[] }> };
      assert.ok(valid.feature(one), `${one.id}: ${ajv.errorsText(valid.feature.errors).slice(0, 500)}`);
      assert.ok(Object.hasOwn(one.CityObjects, one.id));
    }
  }

  async function checkPackage(hosted: Hosted, directory: string): Promise<void> {
    const save = async (file: string, query: Record<string, string>) => {
      const path = join(directory, file);
      const answer = answerOf(hosted.service, 'features', { sid: '0/0/0/0', ...query });
      await writeFile(path, await bytesOf(answer));
      return path;
    };
    const flat = await save('flat.geojson', { format: 'geojson', flatten: 'true' });
    const table = await save('flat.fgb', { format: 'flatgeobuf' });
    const csv = await save('flat.csv', { format: 'csv' });
    await checkParquet(await save('flat.parquet', { format: 'geoparquet' }), flat);
    const { features } = JSON.parse(readFileSync(flat, 'utf8')) as {
      features: Array<{ properties: Record<string, unknown> }>;
    };
    const columns = new Set(features.flatMap(({ properties }) => Object.keys(properties)));
    for (const { properties } of features) {
      for (const value of Object.values(properties)) assert.ok(value === null || typeof value !== 'object');
    }
    for (const [to, driver] of [
      ['out.gpkg', 'GPKG'],
      ['out.fgb', 'FlatGeobuf'],
    ] as const) {
      for (const from of [flat, table]) {
        const out = join(directory, `${from.endsWith('fgb') ? 'b' : 'a'}-${to}`);
        const run = spawnSync('ogr2ogr', ['-f', driver, out, from, '-nln', 'x'], { encoding: 'utf8' });
        assert.equal(run.status, 0, run.stderr);
        assert.equal(run.stderr, '');
      }
    }
    for (const layer of ['a-out.gpkg', 'b-out.gpkg']) {
      const sql = 'SELECT count(*) AS invalid FROM x WHERE ST_IsEmpty(geom) = 0 AND ST_IsValid(geom) = 0';
      const args = ['-q', '-dialect', 'sqlite', '-sql', sql, join(directory, layer)];
      const run = spawnSync('ogrinfo', args, { encoding: 'utf8' });
      // GDAL without SpatiaLite cannot tell.
      if (!/no such function/.test(run.stderr))
        assert.match(run.stdout, /invalid \(Integer\) = 0/, run.stderr);
    }
    const described = describeFile(table);
    assert.equal(described.count, features.length);
    assert.ok(described.fields.length > 5);
    for (const field of described.fields) assert.ok(columns.has(field), field);
    const rows = describeFile(csv);
    assert.equal(rows.count, features.length);
    assert.deepEqual([...rows.fields].sort(), [...described.fields].sort());
  }

  /** The same features, attributes and geometry as the GeoJSON has, in whatever order. */
  async function checkParquet(file: string, flat: string): Promise<void> {
    const bytes = Uint8Array.from(readFileSync(file)).buffer;
    const rows = await parquetReadObjects({
      file: bytes,
      compressors: { ZSTD: (input) => zstdDecompressSync(input) },
    });
    const { features } = JSON.parse(readFileSync(flat, 'utf8')) as {
      features: Array<{ geometry: unknown; properties: Record<string, unknown> }>;
    };
    const types = new Map<string, string>();
    for (const { properties } of features)
      for (const [name, value] of Object.entries(properties)) {
        if (value !== null)
          types.set(name, types.has(name) && types.get(name) !== typeof value ? 'string' : typeof value);
      }
    const keyed = (properties: Record<string, unknown>, geometry: unknown) =>
      JSON.stringify([
        Object.entries(properties)
          .filter(([, value]) => value !== null)
          .map(([name, value]) => [name, types.get(name) === 'string' ? String(value) : value])
          .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
        geometry,
      ]);
    const found = rows.map(({ geometry, bbox: _, ...properties }) => keyed(properties, geometry ?? null));
    assert.deepEqual(
      found.sort(),
      features.map(({ properties, geometry }) => keyed(properties, geometry)).sort(),
    );
  }

  function describeFile(path: string): { count: number; fields: string[] } {
    const run = spawnSync('ogrinfo', ['-so', '-al', path], { encoding: 'utf8', maxBuffer: 1 << 28 });
    assert.equal(run.stderr, '');
    return {
      count: Number(/Feature Count: (\d+)/.exec(run.stdout)![1]),
      fields: [...run.stdout.matchAll(/^(\S.*): (?:String|Real|Integer\w*)(?:\(\S*\))? \(\d+\.\d+\)/gm)].map(
        (match) => match[1]!,
      ),
    };
  }
});
