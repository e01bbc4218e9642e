import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { addIngest } from './ingest.ts';
import { houseStore } from './testing/house-store.ts';
import { GML_PATH, HOUSES, housesGml, writeHouses } from './testing/houses.ts';

const OTHER = '13102_chuo-ku_city_2023_citygml_1_op';
const YEAR = String.raw`20\d\d`;

/** Lines without what differs from run to run: seconds, rates, sizes. */
const linesOf = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .map((line) =>
      line.replace(/ {2}(\d.*) in, archive .*/, '  (bytes)').replace(/registered 20\d\d/, 'registered'),
    );

test('a new package is reported with what it has, what was guessed and what quality checks found', async (t) => {
  const store = await houseStore(t);
  const path = await writeHouses(store.directory);
  const { code, out, err } = await store.run(addIngest, 'ingest', path);
  assert.deepEqual([code, err], [0, '']);
  assert.deepEqual(linesOf(out), [
    `✓ ${HOUSES}  new`,
    '  東京都 千代田区 (13101), 2023, CityGML: bldg',
    '  1 GML files, 3 features; specification 3.0; licence not stated; registered',
    '  (bytes)',
    '  guessed: spec, registrationYear',
    '  quality (specification 4, checks without geometry): 3 errors, 0 warnings; `citymodel inspect` looks at all',
    '    error gmlid Format of gml:ids: 3',
    `      ${GML_PATH}, line 4: The gml:id house_0 is not bldg_UUID.`,
  ]);
  assert.match(out, /\n {2}\d\.\d\d kB in, archive \d{3} B, \d+\.\d s, [\d.]+ k?B\/s\n/);
  assert.match(out, new RegExp(`registered ${YEAR}\n`));
  const again = await store.run(addIngest, 'ingest', path);
  assert.deepEqual(linesOf(again.out), [
    `✓ ${HOUSES}  is live already, nothing to do`,
    '  東京都 千代田区 (13101), 2023, CityGML: bldg',
    '  1 GML files, 3 features; specification 3.0; licence not stated; registered',
    '  guessed: spec, registrationYear',
  ]);
  const newer = await writeHouses(store.directory, {
    name: HOUSES.replace('citygml_1', 'citygml_2'),
    count: 4,
  });
  const replaced = await store.run(addIngest, 'ingest', newer);
  assert.match(replaced.out, /_citygml_2_op {2}replaces another revision\n/);
  assert.match(replaced.out, / in, archive /);
});

test('tables of a new package are queued, and of no other', async (t) => {
  const store = await houseStore(t, { JOB_ATTEMPTS: '7' });
  const path = await writeHouses(store.directory);
  const kinds = () =>
    store.use(async ({ jobs }) =>
      (await jobs.list({}, { limit: 9, offset: 0 })).map(({ kind, maxAttempts }) => `${kind} ${maxAttempts}`),
    );
  await store.run(addIngest, 'ingest', '--dry-run', path);
  assert.deepEqual(await kinds(), []);
  store.env.TABLES = 'off';
  await store.run(addIngest, 'ingest', path);
  assert.deepEqual(await kinds(), []);
  delete store.env.TABLES;
  await store.run(addIngest, 'ingest', path);
  assert.deepEqual(await kinds(), [], 'it was there');
  await store.run(addIngest, 'ingest', await writeHouses(store.directory, { name: OTHER }));
  assert.deepEqual(await kinds(), ['tables 7']);
  const newer = await writeHouses(store.directory, {
    name: OTHER.replace('citygml_1', 'citygml_2'),
    count: 4,
  });
  await store.run(addIngest, 'ingest', newer);
  assert.deepEqual(await kinds(), ['tables 7', 'tables 7']);
});

test('a dry run and a look at names report what they can, and publish nothing', async (t) => {
  const store = await houseStore(t);
  const path = await writeHouses(store.directory);
  const dry = linesOf((await store.run(addIngest, 'ingest', '--dry-run', path)).out);
  assert.equal(dry[0], `✓ ${HOUSES}  dry run: all of it was read, nothing was published`);
  assert.deepEqual([dry[3], dry.at(-1)], ['  guessed: spec, registrationYear', '  no issues']);
  store.env.LANG = 'ja_JP.UTF-8';
  const japanese = linesOf((await store.run(addIngest, 'ingest', '--dry-run', path)).out);
  assert.equal(japanese.at(-1), '  指摘なし');
  delete store.env.LANG;
  const names = linesOf((await store.run(addIngest, 'ingest', '--names-only', path)).out);
  assert.deepEqual(names, [
    `✓ ${HOUSES}  names only: no file was read, and nothing is said of what is in them`,
    '  東京都 千代田区 (13101), 2023, CityGML: bldg',
    '  1 GML files',
    '  guessed: registrationYear, spec, license',
  ]);
  assert.deepEqual(await store.rows(), []);
});

test('what is refused has its reason, the others go in, and a table shows all', async (t) => {
  const store = await houseStore(t);
  const note = '<bldg:class codeSpace="../../codelists/Building_class.xml">3001</bldg:class>';
  const good = await writeHouses(store.directory, { note });
  const bad = join(store.directory, `${OTHER}.zip`);
  await writeFile(bad, 'no zip');
  const { code, out } = await store.run(addIngest, 'ingest', bad, good);
  assert.equal(code, 1);
  const lines = linesOf(out);
  assert.equal(lines[0], `✗ ${bad}`);
  assert.match(lines[1]!, /^ {2}refused \([A-Z_]+\): \S/);
  assert.equal(lines[2], `✓ ${HOUSES}  new`);
  const at = lines.indexOf('  issues: 0 errors, 1 warnings, 0 notes');
  assert.match(lines[at + 1]!, /^ {4}warning MISSING_CODE_LIST /);
  const [title, ...rows] = lines.slice(lines.indexOf('') + 1).map((line) => line.split(/ {2,}/));
  assert.deepEqual(title, [
    ...['package', 'outcome', 'types', 'files', 'features', 'archive', 'errors', 'warnings', 'notes'],
  ]);
  assert.equal(rows[0]![0], bad);
  assert.equal(rows[0]![1], 'refused');
  assert.deepEqual(rows[1]!.with(5, ''), [HOUSES, 'published', 'bldg', '1', '3', '', '0', '1', '0']);
  assert.match(rows[1]![5]!, /^\d+ B$/);
  const json = await store.run(addIngest, 'ingest', '--json', bad, good);
  const reports = JSON.parse(json.out);
  assert.deepEqual(
    reports.map(({ outcome }: { outcome: string }) => outcome),
    ['refused', 'unchanged'],
  );
  assert.equal(json.out, `${JSON.stringify(reports, null, 2)}\n`);
  const one = await store.run(addIngest, 'ingest', good);
  assert.doesNotMatch(one.out, /outcome/);
});

test('what is no package in a directory is named, up to twenty of it', async (t) => {
  const store = await houseStore(t);
  const shelf = join(store.directory, 'shelf');
  await writeHouses(shelf);
  await writeFile(join(shelf, 'notes-00.txt'), '');
  const few = await store.run(addIngest, 'ingest', '--names-only', shelf);
  assert.match(few.err, /^citymodel: 1 entries are no packages and were left out: \S*notes-00\.txt\.\n$/);
  for (let i = 1; i < 20; i++) await writeFile(join(shelf, `notes-${String(i).padStart(2, '0')}.txt`), '');
  const twenty = await store.run(addIngest, 'ingest', '--names-only', shelf);
  assert.match(twenty.err, /^citymodel: 20 entries .*notes-19\.txt\.\n$/);
  for (const name of ['notes-20.txt', 'notes-21.txt']) await writeFile(join(shelf, name), '');
  const more = await store.run(addIngest, 'ingest', '--names-only', shelf);
  assert.match(more.err, /^citymodel: 22 entries .*notes-19\.txt and 2 more\.\n$/);
});

test('options that exclude each other end the command with 2, before anything is read', async (t) => {
  const store = await houseStore(t);
  const paths = [
    await writeHouses(store.directory),
    await writeHouses(store.directory, { name: OTHER }),
  ] as const;
  const refusals: Array<[string[], RegExp]> = [
    [['--name', 'x', ...paths], /--name and --asset-path are for one package; give one path\./],
    [['--asset-path', '59/984b81', ...paths], /--name and --asset-path are for one package/],
    [['--queue', '--tiles', paths[0]], /--tiles does not work with --queue/],
    [['--queue', '--inspect', paths[0]], /--inspect does not work with --queue/],
    [['--queue', '--names-only', paths[0]], /--names-only does not work with --queue/],
  ];
  for (const [words, reason] of refusals) {
    const { code, out, err } = await store.run(addIngest, 'ingest', ...words);
    assert.deepEqual([code, out], [2, ''], words.join(' '));
    assert.match(err, reason);
    assert.match(err, /^citymodel: [^\n]+\n$/);
  }
});

test('options replace what the name of an upload says, within what they may be', async (t) => {
  const store = await houseStore(t);
  const path = join(store.directory, 'unnamed');
  await mkdir(join(path, 'udx/bldg'), { recursive: true });
  await writeFile(join(path, GML_PATH), housesGml(1));
  const words = [
    '--code',
    '13101',
    '--year',
    '2020',
    '--provider',
    'pref',
    '--revision',
    '2',
    '--spec',
    '4.1',
  ];
  const more = ['--license', 'CC BY 4.0', '--name', 'houses', '--registration-year', '2021'];
  const { code, out } = await store.run(addIngest, 'ingest', '--json', ...words, ...more, path);
  assert.equal(code, 0, out);
  const [{ package: pkg }] = JSON.parse(out);
  assert.deepEqual(
    [pkg.name, pkg.year, pkg.provider, pkg.revision, pkg.license, pkg.registrationYear],
    ['houses', 2020, 'pref', '2', 'CC BY 4.0', 2021],
  );
  const wrong: Array<[string, string, RegExp]> = [
    ['--name', 'a/b', /name of one directory, without slashes/],
    ['--name', '..', /name of one directory/],
    ['--name', ' ', /name of one directory/],
    ['--level', '0', /whole number from 1 to 9/],
    ['--year', '1899', /whole number from 1900 to 2999/],
    ['--year', '3000', /whole number from 1900 to 2999/],
    ['--registration-year', '1899', /whole number from 1900 to 2999/],
    ['--registration-year', '3000', /whole number from 1900 to 2999/],
    ['--provider', 'City', /word of small letters and digits/],
    ['--revision', ' ', /must not be empty/],
    ['--spec', '4.', /must look like 4\.1/],
    ['--ward-code', '1310', /must have 5 digits/],
    ['--lod', '5', /whole number from 0 to 4/],
    ['--asset-path', '59-984b81', /must look like 59\//],
  ];
  for (const [option, value, reason] of wrong) {
    const run = await store.run(addIngest, 'ingest', option, value, path);
    assert.equal(run.code, 1, `${option} ${value}`);
    assert.match(run.err, reason);
  }
  for (const [option, value] of [
    ['--year', '1900'],
    ['--year', '2999'],
    ['--registration-year', '1900'],
    ['--registration-year', '2999'],
    ['--ward-code', '13101'],
    ['--lod', '0'],
  ] as const) {
    const run = await store.run(
      addIngest,
      'ingest',
      '--names-only',
      '--json',
      option,
      value,
      '--code',
      '13101',
      path,
    );
    assert.doesNotMatch(run.err, /error: option/, `${option} ${value}`);
  }
});

test('findings that the operator refuses keep a package out', async (t) => {
  const store = await houseStore(t, { REFUSE_FINDINGS: 'gmlid' });
  const { code, out } = await store.run(addIngest, 'ingest', await writeHouses(store.directory));
  assert.equal(code, 1);
  assert.match(out, /^✗ .*\n {2}refused \([A-Z_]+\): .*gmlid/);
  assert.deepEqual(await store.rows(), []);
});

test('a package that was published is inspected and converted where that is asked for', async (t) => {
  const store = await houseStore(t);
  const path = await writeHouses(store.directory);
  const dry = await store.run(addIngest, 'ingest', '--dry-run', '--inspect', '--tiles', path);
  assert.doesNotMatch(dry.out, /errors, 0 warnings\n {2}gmlid|package of tiles/);
  const { code, out } = await store.run(addIngest, 'ingest', '--inspect', '--tiles', path);
  assert.equal(code, 0, 'errors of quality are no failure of the ingestion');
  assert.match(out, new RegExp(`\n${HOUSES}: 6 errors, 0 warnings\n {2}gmlid 3, bldg\\.lod1\\.closed 3\n`));
  assert.match(out, /_bldg_mvt_lod0 +3 +\d+ +\d\.\d\d kB +published\n/);
  const tiles = (await store.rows()).filter(({ kind }) => kind !== 'citygml');
  assert.equal(tiles.length, 2);
  const again = await store.run(addIngest, 'ingest', '--summary', '--inspect', path);
  assert.equal(again.out, '');
});
