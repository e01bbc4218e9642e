/** `citymodel convert` in this process: what it makes of its words, and what it prints. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSettings } from '../base/settings.ts';
import { writePackage } from '../convert/testing/small-package.ts';
import { addConvert, convertFiles, threads } from './convert.ts';
import { houseStore } from './testing/house-store.ts';
import { GML_PATH, HOUSES, housesGml, writeHouses } from './testing/houses.ts';

const OTHER = '13102_chuo-ku_city_2023_citygml_1_op';

test('packages of tiles are written, with a table and an account of them', async (t) => {
  const store = await houseStore(t);
  const path = await writeHouses(store.directory);
  const out = join(store.directory, 'tiles');
  const run = await store.run(addConvert, 'convert', '--jobs', '0', '--out', out, path);
  assert.deepEqual([run.code, run.err], [0, '']);
  const lines = run.out.trimEnd().split('\n');
  assert.match(
    lines[0]!,
    new RegExp(`^✓ ${HOUSES}  2 parts, 0 of them from an earlier run; \\d\\.\\d\\d kB of CityGML in `),
  );
  assert.deepEqual(
    lines.slice(1, 4).map((line) => line.replace(/[\d.]+ kB/, 'size').split(/ {2,}/)),
    [
      ['package of tiles', 'features', 'files', 'bytes'],
      [`${HOUSES}_bldg_3dtiles_lod1`, '3', '4', 'size'],
      [`${HOUSES}_bldg_mvt_lod0`, '3', '16', 'size'],
    ],
  );
  assert.deepEqual(
    lines.slice(4).map((line) => line.split(/ {2,}/)),
    [
      ['what', 'in', 'out', 'the rest'],
      ['GML files', '1', '1'],
      ['bldg:Building LOD 1, features', '3', '3'],
      ['bldg:Building LOD 1, surfaces', '6', '6'],
      ['bldg:Building LOD 1, m²', '603', '603'],
      ['cells of rows, 3dtiles', '18', '18'],
      ['cells of rows, mvt', '6', '6'],
      ['packages of tiles', '2', '2'],
      ['', 'complete: what went in came out, or an issue names it'],
    ],
  );
  assert.deepEqual(readdirSync(out), [`${HOUSES}_bldg_3dtiles_lod1.zip`, `${HOUSES}_bldg_mvt_lod0.zip`]);
  const json = await store.run(addConvert, 'convert', '--jobs', '0', '--json', '--out', out, path);
  const [report] = JSON.parse(json.out);
  assert.deepEqual([report.package, report.reused], [HOUSES, 2]);
  assert.equal(json.out, `${JSON.stringify([report], null, 2)}\n`);
});

test('a package of the sample gets threads from a megabyte on, and the same tiles', async (t) => {
  let started = 0;
  const count = () => {
    started++;
  };
  process.on('worker', count);
  t.after(() => process.off('worker', count));
  const contents: Buffer[][] = [];
  for (const [filling, isThreaded] of [
    [990_000, false],
    [1_000_000, true],
  ] as const) {
    const store = await houseStore(t);
    const path = join(store.directory, `${HOUSES}.zip`);
    await writePackage(path, [
      { path: GML_PATH, text: housesGml(3) },
      { path: 'misc/filling.bin', text: randomBytes(filling) },
    ]);
    const out = join(store.directory, 'tiles');
    await mkdir(out);
    started = 0;
    const paths = await convertFiles([path], out, readSettings(store.env));
    assert.equal(started > 0, isThreaded, `${started} threads`);
    assert.equal(paths.length, 2);
    contents.push(await Promise.all(paths.map((tiles) => readFile(tiles))));
  }
  assert.deepEqual(contents[0], contents[1]);
});

test('a dry run plans what would be made, for the types and LODs that are asked for', async (t) => {
  const store = await houseStore(t);
  const path = await writeHouses(store.directory);
  const plan = await store.run(addConvert, 'convert', '--dry-run', path);
  assert.deepEqual(
    plan.out
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/[\d.]+ kB/, 'size').split(/ {2,}/)),
    [
      [`${HOUSES}: 2 parts`],
      ['package of tiles', 'files', 'CityGML'],
      [`${HOUSES}_bldg_3dtiles_lod1`, '1', 'size'],
      [`${HOUSES}_bldg_mvt_lod0`, '1', 'size'],
    ],
  );
  const none = await store.run(addConvert, 'convert', '--dry-run', '--json', '--types', 'tran, luse', path);
  assert.deepEqual(JSON.parse(none.out)[0].outputs, []);
  const lod = await store.run(addConvert, 'convert', '--dry-run', '--json', '--lods', '0,4', path);
  assert.equal(lod.code, 0);
});

test('tiles are ingested, and replaced only where they are of this program or that is asked for', async (t) => {
  const store = await houseStore(t);
  await store.publish(await writeHouses(store.directory));
  const first = await store.run(addConvert, 'convert', '--jobs', '0', '--ingest', HOUSES);
  assert.deepEqual([first.code, first.err], [0, '']);
  assert.match(first.out, /_bldg_3dtiles_lod1 .* published\n.*_bldg_mvt_lod0 .* published\n/);
  const out = join(store.directory, 'tiles');
  const again = await store.run(addConvert, 'convert', '--jobs', '0', '--ingest', '--out', out, HOUSES);
  assert.match(again.out, /_bldg_mvt_lod0 .* (unchanged|replaced)\n/);
  assert.equal(readdirSync(out).length, 2);
});

test('words that do not fit end the command with 2, before anything is read', async (t) => {
  const store = await houseStore(t);
  const path = await writeHouses(store.directory);
  const refusals: Array<[string[], RegExp]> = [
    [[path], /say where tiles go: --out DIR, --ingest or both\./],
    [['--out', 'x', '--name', 'n', path, path], /--name is for one package; give one package\./],
    [['--ingest', '--heights', 'elevation', path], /--heights elevation does not fit .* setting HEIGHTS is /],
    [['--queue', '--heights', 'elevation', path], /--heights elevation does not fit/],
  ];
  for (const [words, reason] of refusals) {
    const { code, out, err } = await store.run(addConvert, 'convert', ...words);
    assert.deepEqual([code, out], [2, ''], words.join(' '));
    assert.match(err, reason);
  }
  for (const [option, value, reason] of [
    ['--types', 'bldg,X!', /"X!" is no feature type such as bldg/],
    ['--lods', '1,5', /numbers from 0 to 4 with commas between/],
    ['--lods', 'a', /numbers from 0 to 4/],
    ['--jobs', '65', /whole number from 0 to 64/],
    ['--helpers', '65', /whole number from 0 to 64/],
    ['--year', '1899', /whole number from 1900 to 2999/],
    ['--year', '3000', /whole number from 1900 to 2999/],
    ['--tiles', '1.2', /Allowed choices are 1\.0, 1\.1/],
  ] as const) {
    const { code, err } = await store.run(addConvert, 'convert', option, value, path);
    assert.equal(code, 1);
    assert.match(err, reason);
  }
  const dry = await store.run(addConvert, 'convert', '--dry-run', '--heights', 'elevation', path);
  assert.equal(dry.code, 0, 'what is not ingested may have other heights');
});

test('a package that is refused ends with 1, and the next one is converted', async (t) => {
  const store = await houseStore(t);
  const bad = join(store.directory, `${OTHER}.zip`);
  await writeFile(bad, 'no zip');
  const good = await writeHouses(store.directory);
  const { code, out, err } = await store.run(addConvert, 'convert', '--dry-run', '--json', bad, good);
  assert.equal(code, 1);
  assert.match(err, /^citymodel: [^\n]+\n$/);
  assert.deepEqual(
    JSON.parse(out).map((plan: { package: string }) => plan.package),
    [HOUSES],
  );
  const unknown = await store.run(addConvert, 'convert', '--dry-run', 'nobody');
  assert.deepEqual([unknown.code, unknown.out], [1, '']);
  assert.match(unknown.err, /neither a file nobody nor a CityGML package/);
});

test('a conversion that is stopped says so, and ends with 130', async (t) => {
  const store = await houseStore(t);
  const path = await writeHouses(store.directory);
  const before = process.listenerCount('SIGTERM');
  const running = store.run(addConvert, 'convert', '--jobs', '0', '--out', join(store.directory, 'x'), path);
  while (process.listenerCount('SIGTERM') === before) await new Promise((resolve) => setImmediate(resolve));
  (process.listeners('SIGTERM').at(-1) as () => void)();
  assert.deepEqual(await running, {
    code: 130,
    out: '',
    err: 'citymodel: the conversion was stopped; the same command continues it.\n',
  });
  assert.equal(process.listenerCount('SIGTERM'), before);
});

test('jobs are queued for live packages, with helpers', async (t) => {
  const store = await houseStore(t, { JOB_ATTEMPTS: '4' });
  await store.publish(await writeHouses(store.directory));
  const one = await store.run(addConvert, 'convert', '--queue', HOUSES);
  assert.equal(one.code, 0);
  assert.match(one.out, new RegExp(`^[0-9a-f-]{36}  ${HOUSES}[^\n]*\n$`));
  const words = [
    '--helpers',
    '2',
    '--slim',
    '--unlit',
    '--pmtiles',
    '--tiles',
    '1.0',
    '--compression',
    'none',
  ];
  const more = ['--types', 'bldg', '--lods', '1,2', '--replace', '--json'];
  const run = await store.run(addConvert, 'convert', '--queue', ...words, ...more, HOUSES);
  const jobs = JSON.parse(run.out);
  const main = jobs.find(({ kind }: { kind: string }) => kind === 'convert');
  assert.equal(main.maxAttempts, 4);
  assert.equal(run.out, `${JSON.stringify(jobs, null, 2)}\n`);
  const unknown = await store.run(addConvert, 'convert', '--queue', 'nobody');
  assert.deepEqual([unknown.code, unknown.out], [1, '']);
  assert.match(unknown.err, /^citymodel: [^\n]+\n$/);
});

test('as many threads as processors, but not more than four', () => {
  assert.equal(threads(), Math.min(availableParallelism(), 4));
});
