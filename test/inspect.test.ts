/** `citymodel inspect` as it is built: what it prints and writes, its exit codes, and packages that it refuses. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeSample } from '../packages/sample/src/sample.ts';
import { runProgram, tempDirectory } from './support/program.ts';

const CLEAN = '47950_shiomino-shi_city_2023_citygml_1_op.zip';

test('a package of the sample holds; threads find what one thread finds', async (t) => {
  const directory = await tempDirectory(t);
  await writeSample(directory, { size: 60 });
  const clean = join(directory, CLEAN);
  const one = await runProgram(['inspect', clean, '--json', '--jobs', '1'], {});
  const two = await runProgram(['inspect', clean, '--json', '--jobs', '2'], {});
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
  for (const [args, expected, words] of cases) {
    const { code, stderr } = await runProgram(['inspect', ...args], {});
    assert.equal(code, expected, stderr);
    assert.match(stderr, words);
    assert.doesNotMatch(stderr, /\n\s+at /, 'no stack');
  }
});
