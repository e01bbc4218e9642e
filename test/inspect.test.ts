/** `citymodel inspect` as it is built: what it prints and writes, its exit codes, and packages that it refuses. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { writeSample } from '../packages/sample/src/sample.ts';
import { writeBroken } from './support/broken-package.ts';
import { here, runHere } from './support/here.ts';
import { gml, goodPackage, PACKAGE, writeZip } from './support/packages.ts';
import {
  finished,
  type RunResult,
  removeDirectory,
  runProgram,
  spawnProgram,
  tempDirectory,
} from './support/program.ts';
import { startServer } from './support/server.ts';

const CLEAN = '47950_shiomino-shi_city_2023_citygml_1_op.zip';

interface Report {
  package: string;
  checks: Array<{ code: string; items: unknown[] }>;
}

/** The sample in CityGML 2.0, and what an inspection of `CLEAN` in it by one thread printed. */
let sample = '';
let inspected: RunResult | null = null;

before(async () => {
  sample = await tempDirectory();
  await writeSample(sample, { size: 60 });
});
after(() => removeDirectory(sample));

test('a package of the sample holds; threads find what one thread finds', async () => {
  const clean = join(sample, CLEAN);
  const one = await runProgram(['inspect', clean, '--json', '--jobs', '1'], {});
  const two = await runProgram(['inspect', clean, '--json', '--jobs', '2'], {});
  inspected = one;
  assert.equal(one.code, 0, one.stderr);
  assert.equal(two.stdout, one.stdout);
  const report = JSON.parse(one.stdout);
  assert.deepEqual([report.ok, report.complete, report.spec], [true, false, 4]);
  assert.ok(report.files.length >= 2 && report.checks.length > 30);
  const reasons = (skipped: Array<{ reason: string }>) => skipped.map(({ reason }) => reason).join('\n');
  assert.match(reasons(report.skipped), /No schema is known for \S+uro\/2\.0/);
  const without = JSON.parse((await runProgram(['inspect', clean, '--json', '--no-schema'], {})).stdout);
  assert.deepEqual(
    without.checks.filter(({ code }: { code: string }) => code.startsWith('L02')),
    [],
  );
  assert.match(reasons(without.skipped), /not compared with XML schemas/);
  assert.equal(without.complete, false);
});

for (const citygml of [2, 3] as const) {
  test(`no package of the sample in CityGML ${citygml} has a finding`, async (t) => {
    const directory = citygml === 2 ? sample : await tempDirectory(t);
    if (citygml !== 2) await writeSample(directory, { size: 60, citygml });
    const zips = (await readdir(directory)).filter((name) => /_citygml_\d+_op\.zip$/.test(name));
    assert.equal(zips.length, 3);
    const known = citygml === 2 ? inspected : null;
    const others = zips.filter((zip) => known === null || zip !== CLEAN);
    // One thread: two would compile schemas and code twice, and find the same.
    const args = ['inspect', ...others.map((zip) => join(directory, zip)), '--json', '--jobs', '1'];
    const { code, stdout, stderr } = await runProgram(args, {});
    assert.equal(code, 0, stderr);
    const reports: Report[] = JSON.parse(stdout);
    if (known !== null) reports.push(JSON.parse(known.stdout));
    assert.equal(reports.length, zips.length);
    for (const { package: name, checks } of reports) {
      assert.ok(checks.length > 30);
      assert.deepEqual(
        checks.flatMap((check) => check.items.map((item) => [check.code, item])),
        [],
        name,
      );
    }
  });
}

test('--schemas compares with the XSDs of a directory, and refuses those that cannot be used', async (t) => {
  const directory = await tempDirectory(t);
  const folder = join(directory, '13101_chiyoda-ku_city_2024_citygml_1_op', 'udx/bldg');
  await mkdir(folder, { recursive: true });
  const gml =
    '<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:gml="http://www.opengis.net/gml">\n' +
    '<gml:name>a name</gml:name></core:CityModel>';
  for (const mesh of ['53393599', '53393690']) await writeFile(join(folder, `${mesh}_bldg_6697_op.gml`), gml);
  const schemas = join(directory, 'schemas');
  await mkdir(schemas);
  // In this process where no thread begins.
  const run = (...more: string[]) =>
    (more.includes('--jobs') ? runProgram : runHere)(
      ['inspect', join(folder, '../..'), '--schemas', schemas, ...more],
      {},
    );
  const empty = await run();
  assert.deepEqual([empty.code, /schemas has no XSD\./.test(empty.stderr)], [2, true], empty.stderr);
  const xsd = (namespace: string, inside: string) =>
    `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:gml="http://www.opengis.net/gml" ` +
    `targetNamespace="${namespace}">${inside}</xs:schema>`;
  const city =
    '<xs:import namespace="http://www.opengis.net/gml" schemaLocation="http://schemas.example/gml.xsd"/>' +
    '<xs:element name="CityModel"><xs:complexType><xs:sequence><xs:element ref="gml:name"/></xs:sequence>' +
    '</xs:complexType></xs:element>';
  await writeFile(join(schemas, 'city.xsd'), xsd('http://www.opengis.net/citygml/2.0', city));
  for (const jobs of ['1', '2']) {
    const missing = await run('--jobs', jobs);
    assert.equal(missing.code, 2, missing.stdout);
    assert.match(
      missing.stderr,
      /city\.xsd imports the namespace http:\/\/www\.opengis\.net\/gml .* has no XSD/,
    );
  }
  const number = xsd('http://www.opengis.net/gml', '<xs:element name="name" type="xs:int"/>');
  await writeFile(join(schemas, 'gml.xsd'), number);
  for (const jobs of ['1', '2']) {
    const { code, stdout, stderr } = await run('--jobs', jobs, '--json', '--checks', 'L01,L02');
    assert.equal(code, 1, stderr);
    const report = JSON.parse(stdout);
    const { errors, items } = report.checks.find((check: { code: string }) => check.code === 'L02');
    assert.deepEqual([report.schemas, errors, items[0].line], ['schemas', 2, 2]);
    assert.match(items[0].message, /'a name' is not a valid value of the atomic type 'xs:int'/);
  }
  assert.match((await run('--no-schema')).stderr, /--schemas and --no-schema exclude each other/);
  assert.match((await run('--served')).stderr, /--schemas does not work with --served/);
});

test('a broken package has findings in every form, and the exit code says so', async (t) => {
  const directory = await tempDirectory(t);
  const udx = join(directory, '13101_chiyoda-ku_city_2024_citygml_1_op', 'udx/bldg');
  await mkdir(udx, { recursive: true });
  const polygon = (heights: number[]) =>
    `<gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>35.6 139.7 ${heights[0]} 35.6 139.701 ` +
    `${heights[1]} 35.601 139.701 ${heights[2]} 35.601 139.7 ${heights[3]} 35.6 139.7 ${heights[0]}</gml:posList>` +
    `</gml:LinearRing></gml:exterior></gml:Polygon>`;
  await writeFile(
    join(udx, '53393599_bldg_6697_op.gml'),
    `<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:bldg="http://www.opengis.net/citygml` +
      `/building/2.0" xmlns:gml="http://www.opengis.net/gml"><gml:boundedBy>` +
      `<gml:Envelope srsName="http://www.opengis.net/def/crs/EPSG/0/6697" srsDimension="3">` +
      `<gml:lowerCorner>35.6 139.7 0</gml:lowerCorner><gml:upperCorner>35.61 139.71 30</gml:upperCorner>` +
      `</gml:Envelope></gml:boundedBy><core:cityObjectMember>` +
      `<bldg:Building gml:id="bldg_0a8b7c6d-0000-4000-8000-000000000001"><bldg:lod1Solid><gml:Solid>` +
      `<gml:exterior><gml:CompositeSurface><gml:surfaceMember>${polygon([0, 0, 20, 0])}` +
      `</gml:surfaceMember></gml:CompositeSurface></gml:exterior></gml:Solid></bldg:lod1Solid>` +
      `</bldg:Building></core:cityObjectMember></core:CityModel>`,
  );
  const out = join(directory, 'out');
  const files = [
    '--csv',
    out,
    '--geojson',
    join(directory, 'x.geojson'),
    '--html',
    join(directory, 'x.html'),
  ];
  const { code, stdout, stderr } = await runProgram(['inspect', join(udx, '../..'), ...files], {});
  assert.equal(code, 1, stderr);
  assert.match(stdout, /bldg\.lod1\.boundary\s+error\s+1/);
  assert.match(stdout, /bldg\.lod1\.closed\s+error\s+1/);
  assert.match(stdout, /There are errors/);
  assert.ok((await readdir(out)).includes('02_建築物_非水密体.csv'));
  const { features } = JSON.parse(await readFile(join(directory, 'x.geojson'), 'utf8'));
  assert.deepEqual(features[0].geometry.coordinates.slice(0, 2), [139.7, 35.6]);
  assert.match(await readFile(join(directory, 'x.html'), 'utf8'), /bldg\.lod1\.closed/);
});

test('what is no package, no object list or no check is refused with a reason', async (t) => {
  const directory = await tempDirectory(t);
  const text = join(directory, 'no.zip');
  await writeFile(text, 'no zip');
  await mkdir(join(directory, 'package/udx/bldg'), { recursive: true });
  await writeFile(join(directory, 'package/udx/bldg/a.gml'), '<a/>');
  const cases: Array<[string[], number, RegExp]> = [
    [[text], 2, /zip/],
    [[join(directory, 'absent.zip')], 2, /does not exist/],
    [[join(directory, 'package'), '--objects', text], 2, /spreadsheet/],
    [[join(directory, 'package'), '--plane', '4326'], 2, /plane system/],
    [[join(directory, 'package'), '--checks', 'L99'], 1, /no check L99/],
  ];
  for (const [i, [args, expected, words]] of cases.entries()) {
    // Of each code one by the program.
    const run = i === 0 || expected === 1 ? runProgram : runHere;
    const { code, stderr } = await run(['inspect', ...args], {});
    assert.equal(code, expected, stderr);
    assert.match(stderr, words);
    assert.doesNotMatch(stderr, /\n\s+at /, 'no stack');
  }
});

interface QualityPage {
  quality: { spec: number; errors: number; warnings: number; complete: boolean; scope?: string } | null;
  checks: Array<{ code: string; errors: number; title: { ja: string; en: string } | null }>;
  places: Array<{ position: number; code: string; place: number[] | null }>;
  next: number | null;
}

test('what is found is kept with a served package, counted in the catalogue, and served in all forms', async (t) => {
  const directory = await tempDirectory(t);
  const dataDir = join(directory, 'data');
  const broken = await writeBroken(directory);
  const env = { DATA_DIR: dataDir, INSPECT: 'published' };
  const ingested = await runHere(['ingest', broken], env);
  assert.equal(ingested.code, 0, ingested.stderr);
  await using server = await startServer(dataDir);
  const address = '/datacatalog/citygml/13101-2024/quality';

  // The ingestion has looked at what needs no geometry.
  const before = await server.json<QualityPage>(address);
  assert.deepEqual([before.quality?.scope, before.quality?.complete], ['ingestion', false]);
  assert.equal(
    before.checks.find(({ code }) => code === 'bldg.lod1.boundary'),
    undefined,
  );
  assert.ok(before.places.some(({ code }) => code === 'L04' || code === 'codeSpace'));
  assert.match((await server.request(`${address}?format=html`)).text, /no geometry/);

  const served = ['inspect', '--served', '13101_chiyoda-ku_city_2024_citygml_1_op'];
  const queued = await runProgram([...served, '--queue'], env);
  assert.equal(queued.code, 0, queued.stderr);
  const worked = await runProgram(['worker', '--until-idle', '1'], env);
  assert.equal(worked.code, 0, worked.stderr);

  const found = await server.json<QualityPage>(`${address}?limit=2`);
  const errors = found.checks.reduce((sum, check) => sum + check.errors, 0);
  assert.ok(found.quality !== null && found.quality.errors > 6 && found.quality.errors <= errors);
  assert.equal(found.checks.find(({ code }) => code === 'bldg.lod1.boundary')?.errors, 3);
  assert.match(found.checks.find(({ code }) => code === 'L04')?.title?.ja ?? '', /コードリスト/);

  // Pages have every place once.
  const places = [...found.places];
  for (let next = found.next; next !== null; ) {
    const page = await server.json<QualityPage>(`${address}?limit=5&after=${next}`);
    places.push(...page.places);
    next = page.next;
  }
  assert.deepEqual(
    places.map(({ position }) => position),
    places.map((_, i) => i),
  );
  const ofCheck = await server.json<QualityPage>(`${address}?check=bldg.lod1.closed`);
  assert.deepEqual(
    ofCheck.places,
    places.filter(({ code }) => code === 'bldg.lod1.closed'),
  );
  assert.deepEqual(ofCheck.places[0]?.place, [139.7, 35.6, 0]);

  // All forms, and the sums wherever the package is listed.
  const csv = await server.request(`${address}?format=csv`);
  assert.equal(csv.text.trim().split('\r\n').length, places.length + 1);
  assert.match(
    csv.headers['content-disposition'] ?? '',
    /13101_chiyoda-ku_city_2024_citygml_1_op_quality\.csv/,
  );
  const geojson = (await server.request(`${address}?format=geojson`)).json<{ features: unknown[] }>();
  assert.equal(geojson.features.length, places.filter(({ place }) => place !== null).length);
  assert.match((await server.request(`${address}?format=html`)).text, /bldg\.lod1\.closed/);
  const { citygml } = await server.json<{ citygml: Array<{ quality?: object }> }>(
    '/datacatalog/citymodel-datasets',
  );
  assert.deepEqual(citygml[0]?.quality, found.quality);
  const graphql = await server.json<{ data: { citygmlDatasets: object[] } }>('/datacatalog/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      query: '{ citygmlDatasets { quality { spec errors warnings complete scope checkedAt } } }',
    }),
  });
  assert.deepEqual(graphql.data.citygmlDatasets, [{ quality: found.quality }]);

  // Another inspection takes the place of the first.
  const again = await runProgram([...served, '--json'], env);
  assert.equal(again.code, 1, again.stderr);
  assert.equal(JSON.parse(again.stdout)[0].errors, found.quality.errors);
  for (const [query, reason] of [
    ['format=xml', /format/],
    ['limit=1001', /limit/],
    ['after=x', /after/],
  ] as const) {
    const reply = await server.request(`${address}?${query}`);
    assert.equal(reply.status, 400);
    assert.match(reply.json<{ reason: string }>().reason, reason);
  }
  assert.equal((await server.request('/datacatalog/citygml/01100-2024/quality')).status, 404);
});

test('an inspection that is killed goes on with the files that are left, and finds the same', async (t) => {
  const directory = await tempDirectory(t);
  const dataDir = join(directory, 'data');
  const env = { DATA_DIR: dataDir, JOB_LEASE_S: '2', JOB_POLL_MS: '20', JOB_RETRY_S: '0' };
  const members = goodPackage();
  // Four files have the same buildings each time, so that some of what is found lies in two files.
  for (let i = 0; i < 48; i++) {
    members[`udx/bldg/3927${2500 + i}_bldg_6697_op.gml`] = gml(3, { from: 3 * (i % 12) });
  }
  const count = Object.keys(members).filter((path) => path.endsWith('.gml')).length;
  const zip = await writeZip(join(directory, `${PACKAGE}.zip`), members);
  assert.equal((await runHere(['ingest', zip], env)).code, 0);
  const served = ['inspect', '--served', PACKAGE, '--json'];
  const [whole] = JSON.parse((await runProgram(served, env)).stdout);
  assert.equal(whole.reused, 0);

  const [job] = JSON.parse((await runHere([...served, '--queue'], env)).stdout);
  const results = join(dataDir, 'inspect');
  const done = async () => {
    const names = await readdir(results, { recursive: true }).catch(() => []);
    return names.filter((name) => /\/\w{40}$/.test(name)).length;
  };
  assert.equal(await done(), 0, 'what was kept goes with the end of an inspection');
  const worker = spawnProgram(['worker'], env);
  const dead = finished(worker);
  while ((await done()) < 2 && worker.exitCode === null) await setTimeout(2);
  worker.kill('SIGKILL');
  await dead;
  const found = await done();
  assert.ok(found >= 2 && found < count, `${found} of ${count} files were done`);

  assert.equal((await runProgram(['worker', '--until-idle', '1'], env)).code, 0);
  const ended = JSON.parse((await runHere(['jobs', 'show', job.id], env)).stdout);
  assert.deepEqual(ended.result, { ...whole, reused: found });
  assert.equal(await done(), 0);
});

test('workers inspect what they publish where the operator wants it', async (t) => {
  const directory = await tempDirectory(t);
  const env = { DATA_DIR: join(directory, 'data'), INSPECT: 'published' };
  const broken = await writeBroken(directory);
  const queued = await runProgram(['ingest', '--queue', broken], env);
  assert.equal(queued.code, 0, queued.stderr);
  const worked = await runProgram(['worker', '--until-idle', '1'], env);
  assert.equal(worked.code, 0, worked.stderr);
  const [listed] = await here.list(env.DATA_DIR);
  assert.ok((listed?.quality?.errors ?? 0) > 6, JSON.stringify(listed));
});
