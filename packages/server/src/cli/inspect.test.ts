import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { addInspect } from './inspect.ts';
import { houseStore } from './testing/house-store.ts';
import { GML_PATH, HOUSES, writeHouses } from './testing/houses.ts';

const OTHER = '13102_chuo-ku_city_2023_citygml_1_op';

test('findings of a package are a table, with what was not looked at, and end the command with 1', async (t) => {
  const store = await houseStore(t);
  const path = await writeHouses(store.directory);
  const { code, out, err } = await store.run(addInspect, 'inspect', '--jobs', '1', path);
  assert.deepEqual([code, err], [1, '']);
  const lines = out.trimEnd().split('\n');
  assert.equal(lines[0], `${HOUSES}: 1 files, product specification 4, plane EPSG:6677, object list none`);
  assert.deepEqual(
    lines.slice(1, 4).map((line) => line.split(/ {2,}/)),
    [
      ['check', 'severity', 'found', 'name', 'first in'],
      ['gmlid', 'error', '3', 'gml:id書式不正', GML_PATH],
      ['bldg.lod1.closed', 'error', '3', 'LOD1 非水密立体', GML_PATH],
    ],
  );
  assert.equal(lines[4], 'not looked at: No object list was given. C05 and C06 were not looked at.');
  assert.equal(lines[5], 'There are errors; 46 checks found nothing.');
});

test('a report in files has its own place for each of several packages', async (t) => {
  const store = await houseStore(t);
  const paths = [await writeHouses(store.directory), await writeHouses(store.directory, { name: OTHER })];
  const out = join(store.directory, 'out');
  await mkdir(out);
  const files = ['--csv', join(out, 'csv'), '--geojson', join(out, 'a.json'), '--html', join(out, 'a.html')];
  const options = ['--jobs', '1', '--checks', 'gmlid', ...files];
  const one = await store.run(addInspect, 'inspect', ...options, '--json', paths[0]!);
  assert.equal(one.code, 1);
  assert.equal(JSON.parse(one.out).package, HOUSES);
  assert.ok(readdirSync(join(out, 'csv')).some((name) => name.endsWith('.csv')));
  assert.equal(JSON.parse(readFileSync(join(out, 'a.json'), 'utf8')).type, 'FeatureCollection');
  assert.match(readFileSync(join(out, 'a.html'), 'utf8'), /^<!doctype html>/i);
  const both = await store.run(addInspect, 'inspect', ...options, '--json', ...paths);
  assert.deepEqual(
    JSON.parse(both.out).map((report: { package: string }) => report.package),
    [HOUSES, OTHER],
  );
  for (const name of [HOUSES, OTHER]) {
    assert.ok(readdirSync(join(out, 'csv', name)).length > 0);
    assert.ok(existsSync(join(out, `${name}_a.json`)));
    assert.ok(existsSync(join(out, `${name}_a.html`)));
  }
});

test('fewer checks leave a report that says so, and one without errors ends with 0', async (t) => {
  const store = await houseStore(t);
  const path = await writeHouses(store.directory);
  const some = await store.run(
    addInspect,
    'inspect',
    '--jobs',
    '1',
    '--checks',
    'L04, bldg.lod1.closed',
    path,
  );
  assert.doesNotMatch(some.out, /gmlid/);
  assert.match(some.out, /There are errors; 1 checks found nothing\./);
  const none = await store.run(addInspect, 'inspect', '--jobs', '1', '--no-schema', '--checks', 'L04', path);
  assert.equal(none.code, 0);
  assert.match(none.out, /\nnot looked at: Files were not compared with XML schemas \(L02\)\.\n/);
  assert.match(none.out, /\nNo errors in what was looked at; 1 checks found nothing\.\n$/);
  assert.doesNotMatch(none.out, /severity/);
  const options = [
    '--no-schema',
    '--spec',
    '6',
    '--plane',
    'EPSG:6678',
    '--official',
    '--json',
    '--jobs',
    '1',
  ];
  const report = JSON.parse((await store.run(addInspect, 'inspect', ...options, path)).out);
  assert.deepEqual([report.spec, report.plane, report.complete], [6, 6678, false]);
  const codes = report.checks.map(({ code }: { code: string }) => code);
  assert.equal(codes.includes('L02'), false);
  const all = JSON.parse((await store.run(addInspect, 'inspect', '--json', '--jobs', '1', path)).out);
  assert.ok(all.checks.length > codes.length + 2, 'our own rules are left out');
});

test('options and packages that do not fit end the command with 2 and a sentence', async (t) => {
  const store = await houseStore(t);
  const path = await writeHouses(store.directory);
  const refusals: Array<[string[], RegExp]> = [
    [['--queue', path], /--queue is for packages of the catalogue; give --served with it\./],
    [['--served', '--spec', '4', '--no-schema', path], /--spec, --no-schema does not work with --served/],
    [['--served', '--html', 'x.html', path], /citymodel: --html does not work with --served/],
    [['--schemas', 'x', '--no-schema', path], /--schemas and --no-schema exclude each other\./],
    [['--jobs', '1', join(store.directory, 'nothing')], /nothing/],
    [['--jobs', '1', '--objects', join(store.directory, 'no.xlsx'), path], /no\.xlsx/],
    [['--jobs', '1', '--schemas', join(store.directory, 'none'), path], /none/],
    [['--served', HOUSES, 'nobody'], /no live CityGML package is called 13101_\S+, nobody\./],
  ];
  for (const [words, reason] of refusals) {
    const { code, err } = await store.run(addInspect, 'inspect', ...words);
    assert.equal(code, 2, words.join(' '));
    assert.match(err, reason);
    assert.match(err, /^citymodel: [^\n]+\n$/);
  }
  const wrong: Array<[string, string, RegExp]> = [
    ['--plane', '999', /must be a code such as 6677/],
    ['--plane', '6677.5', /must be a code such as 6677/],
    ['--checks', 'L04,X1', /There is no check X1\./],
    ['--spec', '5', /Allowed choices are 4, 6/],
    ['--jobs', '0', /whole number from 1 to 64/],
    ['--jobs', '65', /whole number from 1 to 64/],
  ];
  for (const [option, value, reason] of wrong) {
    const { code, err } = await store.run(addInspect, 'inspect', option, value, path);
    assert.equal(code, 1);
    assert.match(err, reason);
  }
});

test('an inspection that is stopped says so, and ends with 130', async (t) => {
  const store = await houseStore(t);
  const path = await writeHouses(store.directory);
  const before = process.listenerCount('SIGINT');
  const running = store.run(addInspect, 'inspect', '--jobs', '1', path);
  while (process.listenerCount('SIGINT') === before) await new Promise((resolve) => setImmediate(resolve));
  (process.listeners('SIGINT').at(-1) as () => void)();
  assert.deepEqual(await running, { code: 130, out: '', err: 'citymodel: the inspection was stopped.\n' });
  assert.equal(process.listenerCount('SIGINT'), before);
});

test('packages of the catalogue are inspected, or jobs are queued for that', async (t) => {
  const store = await houseStore(t, { JOB_ATTEMPTS: '6' });
  await store.publish(await writeHouses(store.directory));
  await store.publish(await writeHouses(store.directory, { name: OTHER, count: 1 }));
  const text = await store.run(addInspect, 'inspect', '--served', '--jobs', '1', HOUSES);
  assert.deepEqual(text, {
    code: 1,
    out: `${HOUSES}: 6 errors, 0 warnings\n  gmlid 3, bldg.lod1.closed 3\n`,
    err: '',
  });
  const json = await store.run(addInspect, 'inspect', '--served', '--json', '--jobs', '1', OTHER);
  const [result] = JSON.parse(json.out);
  assert.deepEqual([json.code, result.package, result.errors], [1, OTHER, 2]);
  assert.equal(json.out, `${JSON.stringify([result], null, 2)}\n`);
  const queued = await store.run(addInspect, 'inspect', '--served', '--queue', HOUSES, OTHER);
  assert.equal(queued.code, 0);
  assert.match(queued.out, new RegExp(`^[0-9a-f-]{36}  ${HOUSES}\n[0-9a-f-]{36}  ${OTHER}\n$`));
  const again = await store.run(addInspect, 'inspect', '--served', '--queue', '--json', HOUSES);
  assert.deepEqual(
    JSON.parse(again.out).map((job: { kind: string; maxAttempts: number }) => [job.kind, job.maxAttempts]),
    [['inspect', 6]],
  );
});
