import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { refusedFindings } from '../inspection/refused-findings.ts';
import { openIngesting, writeFiles } from './testing/ingesting.ts';

const NAME = '13101_chiyoda-ku_city_2023_citygml_1_op';
const PATH = 'udx/bldg/53394509_bldg_6697_op.gml';

const HEAD =
  '<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:gml="http://www.opengis.net/gml" ' +
  'xmlns:bldg="http://www.opengis.net/citygml/building/2.0" ' +
  'xmlns:uro="https://www.geospatial.jp/iur/uro/3.1">\n<gml:boundedBy><gml:Envelope ' +
  'srsName="http://www.opengis.net/def/crs/EPSG/0/6697" srsDimension="3"><gml:lowerCorner>35.67 139.75 0' +
  '</gml:lowerCorner><gml:upperCorner>35.68 139.76 50</gml:upperCorner></gml:Envelope></gml:boundedBy>\n';

const idOf = (n: number) => `bldg_00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

function building(n: number, { id = idOf(n), usage = '401', height = 0 } = {}): string {
  const ring = `35.671 139.751 ${height} 35.671 139.752 0 35.672 139.752 0 35.671 139.751 ${height}`;
  return (
    `<core:cityObjectMember>\n<bldg:Building gml:id="${id}">` +
    `<bldg:usage codeSpace="../../codelists/Building_usage.xml">${usage}</bldg:usage>` +
    '<bldg:lod0RoofEdge><gml:MultiSurface><gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing>' +
    `<gml:posList>${ring}</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember>` +
    '</gml:MultiSurface></bldg:lod0RoofEdge><uro:bldgDataQualityAttribute><uro:DataQualityAttribute>' +
    '<uro:geometrySrcDescLod0>000</uro:geometrySrcDescLod0></uro:DataQualityAttribute>' +
    '</uro:bldgDataQualityAttribute></bldg:Building></core:cityObjectMember>\n'
  );
}

const USAGES =
  '<gml:Dictionary xmlns:gml="http://www.opengis.net/gml" gml:id="x"><gml:name>Building_usage</gml:name>' +
  '<gml:dictionaryEntry><gml:Definition gml:id="a"><gml:description>office</gml:description><gml:name>401' +
  '</gml:name></gml:Definition></gml:dictionaryEntry></gml:Dictionary>';

async function writePackage(directory: string, members: string): Promise<string> {
  return writeFiles(join(directory, NAME), {
    [PATH]: `${HEAD}${members}</core:CityModel>`,
    'codelists/Building_usage.xml': USAGES,
  });
}

const found = (checks: ReadonlyArray<{ code: string; errors: number }>) =>
  Object.fromEntries(checks.filter(({ errors }) => errors > 0).map(({ code, errors }) => [code, errors]));

test('a dry run says what the checks find that need no geometry, of every feature', async () => {
  await using at = await openIngesting();
  const many = Array.from({ length: 40 }, (_, n) => building(n)).join('');
  const root = await writePackage(
    at.directory,
    many + building(40, { id: 'BLDG_1' }) + building(41, { usage: '999' }) + building(42, { height: 60 }),
  );
  const [report] = await at.ingest(root, { until: 'describe' });
  assert.deepEqual(found(report!.quality!.checks), { C08: 86, L04: 1, L06: 1, gmlid: 1 });
  assert.equal(report!.quality!.errors, 89);
  const [place] = report!.quality!.checks.find(({ code }) => code === 'L04')!.places;
  assert.deepEqual([place!.id, place!.line], [idOf(41), 3 + 2 * 41]);
});

test('of many small files one in four is looked at beyond the first ones, and all of them in a dry run', async () => {
  await using at = await openIngesting();
  const files = Object.fromEntries(
    Array.from({ length: 300 }, (_, n) => [
      PATH.replace('_6697', `_6697_${String(n).padStart(3, '0')}`),
      `${HEAD}${building(n, { usage: '999', height: 60 })}</core:CityModel>`,
    ]),
  );
  const root = await writeFiles(join(at.directory, NAME), {
    ...files,
    'codelists/Building_usage.xml': USAGES,
  });
  const [dry] = await at.ingest(root, { until: 'describe' });
  assert.deepEqual(found(dry!.quality!.checks), { C08: 600, L04: 300, L06: 300 });
  const [report] = await at.ingest(root);
  assert.equal(report!.outcome, 'published');
  const [row] = await at.stores.catalogue.findPackages({ name: NAME });
  const kept = JSON.parse((await at.stores.catalogue.qualityReport(row!.no))!);
  const looked = 256 + (300 - 256) / 4;
  assert.deepEqual(found(kept.checks), { C08: 2 * looked, L04: looked, L06: 300 });
  const left = kept.skipped.filter(({ reason }: { reason: string }) => reason.includes('takes a sample'));
  assert.equal(left.length, 300 - looked);
});

test('an ingestion keeps what it finds: extents of all features, attributes of a sample, and says so', async () => {
  await using at = await openIngesting();
  // Members of more than one chunk, so that features lie across two.
  const many = Array.from({ length: 400 }, (_, n) => building(n, { usage: n === 16 ? '999' : '401' })).join(
    '',
  );
  const root = await writePackage(at.directory, many + building(400, { height: 60 }));
  const [report] = await at.ingest(root);
  assert.equal(report!.outcome, 'published');
  const [row] = await at.stores.catalogue.findPackages({ name: NAME });
  const { quality } = row!;
  assert.deepEqual(
    [quality?.spec, quality?.errors, quality?.complete, quality?.scope],
    [4, 2 * 26 + 2, false, 'ingestion'],
  );
  const kept = JSON.parse((await at.stores.catalogue.qualityReport(row!.no))!);
  assert.deepEqual(found(kept.checks), { C08: 52, L04: 1, L06: 1 });
  const left = kept.skipped.find(({ file }: { file: string | null }) => file === PATH);
  assert.equal(left.count, 401 - 26, 'features whose attributes were passed over are counted');
  const places = await at.stores.catalogue.findings({
    packageNo: row!.no,
    code: 'L04',
    after: -1,
    limit: 10,
  });
  assert.deepEqual(
    places.map(({ id, file }) => [id, file]),
    [[idOf(16), PATH]],
  );
});

test('of a large package fewer features are sampled, and those that are passed over are counted', async () => {
  await using at = await openIngesting();
  const coded = (n: number) => building(n, { usage: n === 16 || n === 128 ? '999' : '401' });
  const NEXT = 'udx/bldg/53394510_bldg_6697_op.gml';
  const ELSEWHERE = 'udx/fld/natl/tama/53394510_fld_6697_op.gml';
  const root = await writeFiles(join(at.directory, NAME), {
    [PATH]: `${HEAD}${Array.from({ length: 200 }, (_, n) => coded(n)).join('')}</core:CityModel>`,
    [NEXT]: `${HEAD}${building(200, { usage: '999' })}</core:CityModel>`,
    [ELSEWHERE]: `${HEAD}${' '.repeat(33 << 20)}${building(201)}</core:CityModel>`,
    'codelists/Building_usage.xml': USAGES,
  });
  const [report] = await at.ingest(root);
  assert.equal(report!.outcome, 'published');
  const [row] = await at.stores.catalogue.findPackages({ name: NAME });
  const kept = JSON.parse((await at.stores.catalogue.qualityReport(row!.no))!);
  const left = kept.skipped.find(({ file }: { file: string | null }) => file === PATH);
  assert.equal(left.count, 200 - 4, 'one of 64');
  const wanted = { packageNo: row!.no, code: 'L04', after: -1, limit: 10 };
  const places = await at.stores.catalogue.findings(wanted);
  assert.deepEqual(
    places.map(({ id, file }) => [id, file]),
    [
      [idOf(128), PATH],
      [idOf(200), NEXT],
    ],
  );
});

test('a file in no folder of its type is kept, and named as one that no check looked at', async () => {
  await using at = await openIngesting();
  const OUTSIDE = 'udx/53394510_bldg_6697_op.gml';
  const root = await writeFiles(join(at.directory, NAME), {
    [PATH]: `${HEAD}${building(1)}</core:CityModel>`,
    [OUTSIDE]: `${HEAD}${building(2, { usage: '999' })}</core:CityModel>`,
    'codelists/Building_usage.xml': USAGES,
  });
  const [report] = await at.ingest(root);
  assert.equal(report!.outcome, 'published');
  const [row] = await at.stores.catalogue.findPackages({ name: NAME });
  assert.equal(row!.features, 2);
  const kept = JSON.parse((await at.stores.catalogue.qualityReport(row!.no))!);
  assert.deepEqual(found(kept.checks), { C08: 2 });
  assert.deepEqual(
    kept.skipped.filter(({ file }: { file: string | null }) => file !== null),
    [{ file: OUTSIDE, reason: 'The file lies in no folder below udx.', count: 1 }],
  );
});

test('a text that is not well-formed is one finding, and no other counts', async () => {
  await using at = await openIngesting();
  const root = await writeFiles(join(at.directory, NAME), {
    [PATH]: `${HEAD}${building(1, { usage: '999' })}<core:cityObjectMember>`,
    'udx/bldg/53394510_bldg_6697_op.gml': `${HEAD}${building(2)}</core:CityModel>`,
  });
  const [report] = await at.ingest(root, { until: 'describe' });
  assert.deepEqual(found(report!.quality!.checks), { L01: 1, C08: 2, codeSpace: 1, 'own.place': 1 });
});

test('the operator refuses packages by findings, also by those that only an inspection makes', async () => {
  await using at = await openIngesting();
  const root = await writePackage(at.directory, building(1) + building(1));
  const refused = async (setting: string) => {
    const [report] = await at.ingest(root, { until: 'describe', ...refusedFindings(setting) });
    return report!.refusal;
  };
  assert.equal(await refused(''), null, 'nothing is refused unless the operator says so');
  assert.equal(await refused('L04, bldg.lod0.surface'), null);
  assert.deepEqual(await refused('C08,L04'), {
    code: 'FINDINGS_REFUSED',
    reason: `${NAME} has findings of C08 (4). REFUSE_FINDINGS of this server refuses packages that have any.`,
  });
  const whole = await refused('L04,C01');
  assert.match(whole!.reason, /has findings of C01 \(2\)\./);
  assert.throws(() => refusedFindings('C99'), /REFUSE_FINDINGS names C99/);
});

test('files of another version than the first one are said, with the rules that looked at them', async () => {
  await using at = await openIngesting();
  const later = `${HEAD}${building(2)}</core:CityModel>`
    .replaceAll(/citygml\/(building\/)?2\.0/g, 'citygml/$13.0')
    .replace('opengis.net/gml"', 'opengis.net/gml/3.2"');
  const NEXT = 'udx/bldg/53394510_bldg_6697_op.gml';
  const root = await writeFiles(join(at.directory, NAME), {
    [PATH]: `${HEAD}${building(1)}</core:CityModel>`,
    [NEXT]: later,
    'codelists/Building_usage.xml': USAGES,
  });
  const [report] = await at.ingest(root);
  assert.equal(report!.outcome, 'published');
  const [row] = await at.stores.catalogue.findPackages({ name: NAME });
  const kept = JSON.parse((await at.stores.catalogue.qualityReport(row!.no))!);
  assert.deepEqual(
    [kept.spec, kept.skipped.filter(({ file }: { file: string | null }) => file !== null)],
    [
      4,
      [
        {
          file: NEXT,
          reason:
            'The file has CityGML 3.0, and was compared with the rules of specification 4, which are for CityGML 2.0.',
          count: 1,
        },
      ],
    ],
  );
});
