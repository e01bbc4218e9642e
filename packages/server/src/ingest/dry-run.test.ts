import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { DATA, publishedPackages } from '@citymodel/citygml/testing';
import type { IngestReport } from './report.ts';
import { type Ingesting, openIngesting, writeFiles } from './testing/ingesting.ts';

const NAME = '13101_chiyoda-ku_city_2023_citygml_1_op';
const GML = 'udx/bldg/53394509_bldg_6697_op.gml';

const building = (id: string, more = '') =>
  `<core:cityObjectMember><bldg:Building gml:id="${id}">${more}<bldg:lod0FootPrint>` +
  `<gml:MultiSurface srsName="http://www.opengis.net/def/crs/EPSG/0/6697"><gml:surfaceMember><gml:Polygon>` +
  `<gml:exterior><gml:LinearRing><gml:posList>35.675 139.74 0 35.675 139.741 0 35.676 139.741 0 35.675 139.74 ` +
  `0</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember></gml:MultiSurface>` +
  `</bldg:lod0FootPrint></bldg:Building></core:cityObjectMember>`;
const model = (members: string) =>
  `<?xml version="1.0"?><core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:bldg="http:/` +
  `/www.opengis.net/citygml/building/2.0" xmlns:gml="http://www.opengis.net/gml">${members}</core:CityModel>`;

/** What a report says of the package and of its faults: everything but what only an ingestion can say. */
function outline({ outcome, package: pkg, guessed, issues, issueCounts, refusal }: IngestReport) {
  return {
    goesIn: outcome === 'understood' || outcome === 'published',
    package: pkg === null ? null : { ...pkg, id: null, archiveSize: null },
    guessed,
    issues,
    issueCounts,
    refusal,
  };
}

/** Ingests a path after a dry run of it, holds both reports against each other, and returns the second. */
async function both(at: Ingesting, path: string): Promise<IngestReport> {
  const [dry] = await at.ingest(path, { until: 'describe' });
  assert.deepEqual(await readdir(join(at.directory, 'data/staging')), [], 'nothing is left of it');
  const [real] = await at.ingest(path);
  assert.deepEqual(outline(dry!), outline(real!), path);
  return real!;
}

test('a dry run reports what an ingestion of the same files reports, and publishes nothing', async () => {
  await using at = await openIngesting();
  const faulty = await writeFiles(join(at.directory, NAME), {
    [GML]: model(
      building('a', '<bldg:class codeSpace="../../codelists/Building_class.xml">3001</bldg:class>'),
    ),
    'udx/bldg/odd.gml': model(building('b')),
    'udx/bldg/53394519_bldg_6697_op.gml': model(building('c')).replace('</bldg:Building>', ''),
    '.DS_Store': '',
  });
  const [dry] = await at.ingest(faulty, { until: 'describe' });
  assert.equal(dry!.outcome, 'understood');
  assert.deepEqual([...new Set(dry!.issues.map(({ severity, code }) => `${severity} ${code}`))].sort(), [
    'error MISMATCHED_TAG',
    'info MEMBER_JUNK',
    'info MESH_GUESSED',
    'info ODD_NAME',
    'warning MISSING_CODE_LIST',
  ]);
  assert.deepEqual([dry!.package!.features, dry!.package!.id], [2, null]);
  assert.deepEqual(await at.stores.catalogue.findPackages({ identity: 'citygml/13101/city/2023' }), []);
  const real = await both(at, faulty);
  assert.equal(real.outcome, 'published');
  const [again] = await at.ingest(faulty);
  const [dryAgain] = await at.ingest(faulty, { until: 'describe' });
  assert.equal(again!.outcome, 'unchanged');
  assert.deepEqual(again!.issueCounts, real.issueCounts, 'what is live has its issues still');
  assert.deepEqual(outline(dryAgain!), outline(again!));

  const useless = await writeFiles(join(at.directory, NAME.replace('13101', '13102')), { [GML]: 'no XML' });
  assert.equal((await both(at, useless)).issues[0]!.code, 'NOT_XML');
  const other = await writeFiles(join(at.directory, 'other', NAME), { [GML]: model(building('d')) });
  assert.equal((await both(at, other)).refusal?.code, 'SAME_REVISION_OTHER_CONTENT');
  const tiles = await writeFiles(join(at.directory, `${NAME}_bldg_3dtiles_lod2`), {
    'tileset.json': JSON.stringify({
      asset: { version: '1.0' },
      geometricError: 5,
      root: {
        geometricError: 9,
        boundingVolume: { region: [2.43, 0.62, 2.44, 0.63, 0, 9] },
        content: { uri: 'a.b3dm' },
      },
    }),
  });
  assert.deepEqual(
    (await both(at, tiles)).issues.map(({ code }) => code),
    ['CONTENT_MISSING', 'TILE_ERROR_ODD'],
  );
});

test('a look at names alone says so, reads no file, and says what was not looked at', async () => {
  await using at = await openIngesting();
  const root = await writeFiles(join(at.directory, NAME), {
    [GML]: 'no XML',
    'udx/tran/53394509_tran_6697_op.gml': '',
  });
  const [report] = await at.ingest(root, { until: 'identify' });
  assert.equal(report!.outcome, 'named');
  const { city, year, types, files, features } = report!.package!;
  assert.deepEqual([city, year, types, files, features], ['千代田区', 2023, ['bldg', 'tran'], 2, 0]);
  assert.deepEqual(report!.guessed, ['registrationYear', 'spec', 'license']);
  assert.equal(report!.bytes, 0);
  const tiles = await writeFiles(join(at.directory, `${NAME}_bldg_3dtiles_lod2`), { 'tileset.json': '{' });
  const [tileReport] = await at.ingest(tiles, { until: 'identify' });
  assert.deepEqual(
    [tileReport!.package!.lod, tileReport!.package!.texture, tileReport!.package!.types],
    [2, null, ['bldg']],
  );
  const [refused] = await at.ingest(await writeFiles(join(at.directory, 'delivery'), { [GML]: '' }), {
    until: 'identify',
  });
  assert.equal(refused!.refusal?.code, 'UNKNOWN_NAME');
});

const missing = existsSync(DATA) ? false : `no real data at ${DATA}`;

test('a dry run reports what an ingestion reports of every real package', { skip: missing }, async () => {
  await using at = await openIngesting();
  const zips = [...(await publishedPackages()), ...globSync(join(DATA, '{tiles,conversion}/**/*.zip'))];
  assert.ok(zips.length > 30);
  let issues = 0;
  for (const zip of zips) issues += (await both(at, zip)).issues.length;
  assert.ok(issues > 100, `${issues} issues`);
});

test('a dry run reports what an ingestion reports of every broken file', { skip: missing }, async () => {
  await using at = await openIngesting();
  let year = 2000;
  for (const file of globSync(join(DATA, 'broken/*.gz'))) {
    const path = `udx/bldg/${basename(file, '.gz')}`;
    const root = join(at.directory, NAME.replace('2023', String(year++)));
    const report = await both(at, await writeFiles(root, { [path]: gunzipSync(readFileSync(file)) }));
    assert.ok(report.issues.length > 0, file);
  }
});
