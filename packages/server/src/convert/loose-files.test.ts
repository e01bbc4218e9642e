/** Files of CityGML that are no package, as anybody would first try them. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { unzip } from '@citymodel/citygml/testing';
import { box, building, fixture, readTiles, solid } from '@citymodel/tiles/testing';
import sharp from 'sharp';
import { PackageRefused } from '../ingest/upload.ts';
import type { ConvertReport } from './convert.ts';
import { convertZip } from './testing/convert-zip.ts';
import { gml } from './testing/small-package.ts';
import { DUTCH, GERMAN, worldGml } from './testing/world-gml.ts';

const root = mkdtempSync(join(tmpdir(), 'citymodel-loose-'));
after(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content: string | Uint8Array): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

const refused = (code: string) => (error: unknown) => error instanceof PackageRefused && error.code === code;

let conversions = 0;
function convert(path: string, overrides = {}): Promise<ConvertReport> {
  const directory = join(root, `work${conversions++}`);
  const address = { kind: 'upload', path, overrides, isNameless: true } as const;
  return convertZip(path, directory, { request: { address } });
}

const namesOf = ({ packages }: ConvertReport) => packages.map(({ name, features }) => `${name} ${features}`);
const codesOf = ({ issues }: ConvertReport) => issues.map(({ code }) => code).sort();
const tilesOf = async ({ packages }: ConvertReport) =>
  (await readTiles(await unzip(packages[0]!.path!, /./))).length;

test('one file becomes tiles under its own name, as .gml, .xml and with gzip', async () => {
  const text = worldGml(DUTCH);
  const tiles: Uint8Array[] = [];
  for (const [i, [name, content]] of (
    [
      ['Huis (1).gml', text],
      ['Huis (1).xml', text],
      ['Huis (1).gml.gz', gzipSync(text)],
      ['Huis (1).citygml', text],
    ] as const
  ).entries()) {
    const report = await convert(write(`single${i}/${name}`, content));
    assert.deepEqual(namesOf(report), ['Huis_1__bldg_3dtiles_lod2 1', 'Huis_1__bldg_mvt_lod0 1'], name);
    assert.deepEqual(codesOf(report), ['GEOID_OUTSIDE'], name);
    assert.equal(report.issues[0]!.file, 'udx/bldg/Huis (1).gml');
    tiles.push(
      ...([...(await unzip(report.packages[0]!.path!, /./))]
        .filter(([path]) => path.endsWith('.glb'))[0]!
        .slice(1) as Uint8Array[]),
    );
  }
  for (const tile of tiles) assert.deepEqual(tile, tiles[0]);
});

test('a file finds its images below it, and none elsewhere', async () => {
  const image = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#c03030' } })
    .jpeg()
    .toBuffer();
  write('images/appearance/roof.jpg', image);
  const file = write('images/town.gml', worldGml({ ...GERMAN, image: 'appearance/roof.jpg' }));
  const report = await convert(file);
  assert.deepEqual(namesOf(report), [
    'town_bldg_3dtiles_lod2 1',
    'town_bldg_3dtiles_lod2_no_texture 1',
    'town_bldg_mvt_lod0 1',
  ]);
  assert.deepEqual(codesOf(report), ['GEOID_OUTSIDE']);
  assert.ok((await tilesOf(report)) > 0);
  write('outside.jpg', image);
  symlinkSync(join(root, 'outside.jpg'), join(root, 'images/appearance/link.jpg'));
  for (const path of ['../outside.jpg', 'appearance/link.jpg', 'http://127.0.0.1/roof.jpg', '/etc/passwd']) {
    const other = await convert(write('images/other.gml', worldGml({ ...GERMAN, image: path })));
    assert.ok(codesOf(other).includes('IMAGE_MISSING'), path);
  }
});

test('a directory of files is one city, by feature type', async () => {
  write('Stadt/a/haus.gml', worldGml(GERMAN));
  write('Stadt/b/haus2.gml.gz', gzipSync(worldGml(GERMAN).replaceAll('"house"', '"house2"')));
  write('Stadt/land.xml', gml('luse', '52385500', 3, 'a'));
  write('Stadt/metadata.xml', '<metadata>no city</metadata>');
  write('Stadt/broken.gml', '<CityModel');
  const report = await convert(join(root, 'Stadt'));
  assert.deepEqual(
    namesOf(report).filter((name) => !name.includes('gen')),
    ['Stadt_bldg_3dtiles_lod2 2', 'Stadt_bldg_mvt_lod0 2', 'Stadt_luse_mvt 3'],
  );
  assert.deepEqual(
    report.issues
      .filter(({ code }) => code === 'GML_BREAKS_OFF')
      .map(({ file }) => file)
      .slice(0, 1),
    ['udx/gen/broken.gml'],
  );
});

test('buildings of whatever municipality are kept, and a file finds the code lists of its package', async () => {
  const city =
    '<uro:buildingIDAttribute><uro:BuildingIDAttribute><uro:city codeSpace="../../codelists/city.xml">13103<' +
    '/uro:city></uro:BuildingIDAttribute></uro:buildingIDAttribute>';
  let text = '';
  const house = solid(1, box([0, 0, 0], [10, 10, 10]));
  for await (const chunk of fixture([building('a', house, city), building('b', house)]).text())
    text += Buffer.from(chunk).toString();
  write(
    'pkg/codelists/city.xml',
    '<gml:Dictionary xmlns:gml="http://www.opengis.net/gml"><gml:dictionaryEntry><gml:Definition>' +
      '<gml:description>東京都港区</gml:description><gml:name>13103</gml:name></gml:Definition></gml:dictionaryEntry>' +
      '</gml:Dictionary>',
  );
  const report = await convert(write('pkg/udx/bldg/53394525_bldg_6697_op.gml', text));
  assert.deepEqual(namesOf(report), [
    '53394525_bldg_6697_op_bldg_3dtiles_lod1 2',
    '53394525_bldg_6697_op_bldg_mvt_lod0 2',
  ]);
  assert.deepEqual(codesOf(report), []);
  const tiles = await readTiles(await unzip(report.packages[0]!.path!, /./));
  assert.deepEqual(
    tiles.flatMap(({ features }) => features.map(({ row }) => row.city_name)),
    ['東京都港区', null],
  );
});

test(
  'what is no CityGML is refused by name, and a package of no municipality only where it is to be ' +
    'ingested',
  async () => {
    const refused = (code: string) => (error: unknown) =>
      error instanceof PackageRefused && error.code === code;
    for (const [name, content] of [
      ['page.xml', '<html/>'],
      ['empty.gml', ''],
      ['noise.gml', readFileSync(process.execPath).subarray(0, 100_000)],
    ] as const) {
      await assert.rejects(convert(write(name, content)), refused('NOT_CITYGML'), name);
    }
    mkdirSync(join(root, 'nothing'));
    await assert.rejects(convert(join(root, 'nothing')), refused('NOT_A_PACKAGE'));
    const file = write('alone.gml', worldGml(GERMAN));
    await assert.rejects(convertZip(file, join(root, 'strict')), refused('UNKNOWN_NAME'));
    const report = await convert(file, { code: '99001', year: 2024, city: 'Köln' });
    assert.match(namesOf(report)[0]!, /^99001_.*_2024_citygml_1_bldg_3dtiles_lod2 1$/);
  },
);

test('gzip that inflates without end, or breaks off, is named', async () => {
  const file = write('bomb.gml.gz', gzipSync(worldGml(GERMAN) + ' '.repeat(40_000_000)));
  await assert.rejects(convert(file), refused('UNREADABLE'));
  await assert.rejects(
    convert(write('cut.gml.gz', gzipSync(worldGml(GERMAN)).subarray(0, 500))),
    refused('UNREADABLE'),
  );
  write('zips/cut.gml.gz', gzipSync(worldGml(GERMAN)).subarray(0, 500));
  const report = await convert(join(root, 'zips'));
  assert.deepEqual(namesOf(report), []);
  assert.ok(codesOf(report).includes('PART_FAILED'));
});
