import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHECKS } from '../checks/index.ts';
import { type InspectSource, inspectFile, joinFiles } from '../run/inspect-package.ts';
import { openPackage } from '../run/open-package.ts';
import { placesOf } from './geojson.ts';
import { htmlReport } from './html.ts';
import { type InspectReport, reportOf } from './report.ts';
import { officialFiles } from './tables.ts';

const HEAD = `<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:bldg="http://www.opengis.net\
/citygml/building/2.0" xmlns:gml="http://www.opengis.net/gml">
<gml:boundedBy><gml:Envelope srsName="http://www.opengis.net/def/crs/EPSG/0/6697" srsDimension="3">\
<gml:lowerCorner>35 139 0</gml:lowerCorner><gml:upperCorner>35.1 139.1 9</gml:upperCorner></gml:Envelope>\
</gml:boundedBy>
`;
const building = (id: string, usage: string) => `<core:cityObjectMember><bldg:Building gml:id="${id}">
<bldg:class codeSpace="../../codelists/Building_class.xml">${usage}</bldg:class>
<bldg:lod0RoofEdge><gml:MultiSurface><gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing>\
<gml:posList>35.01 139.01 0 35.01 139.02 0 35.02 139.02 0 35.02 139.01 0 35.01 139.01 0</gml:posList>\
</gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember></gml:MultiSurface></bldg:lod0RoofEdge>
</bldg:Building></core:cityObjectMember>
`;
const LIST =
  `<gml:Dictionary xmlns:gml="http://www.opengis.net/gml"><gml:dictionaryEntry><gml:Definition>` +
  `<gml:description>普通建物</gml:description><gml:name>3001</gml:name></gml:Definition></gml:dictionaryEntry>` +
  `</gml:Dictionary>`;

async function inspected(
  files: Record<string, string>,
  objectsRefusal: string | null = null,
): Promise<InspectReport> {
  const source: InspectSource = {
    name: '13101_chiyoda-ku_city_2024_citygml_1_op',
    files: Object.entries(files).map(([path, text]) => ({ path, bytes: Buffer.byteLength(text) })),
    has: () => true,
    async *text(path) {
      // Chunks that cut tags and characters.
      const bytes = Buffer.from(files[path]!);
      for (let at = 0; at < bytes.length; at += 37) yield bytes.subarray(at, at + 37);
    },
    member: async (path) => (path === 'codelists/Building_class.xml' ? Buffer.from(LIST) : null),
  };
  const hooks = { signal: new AbortController().signal, onText: () => {} };
  const context = await openPackage(source);
  const results = [];
  for (const file of source.files) results.push(await inspectFile(file, source, CHECKS, context, hooks));
  const ofPackage = await joinFiles(results, source, CHECKS, context, hooks);
  return reportOf({
    name: source.name,
    context,
    objectsName: null,
    objectsRefusal,
    files: results,
    ofPackage,
    outside: ['extra/other.gml'],
  });
}

const uuid = (n: number) => `bldg_00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const GOOD = `${HEAD}${building(uuid(1), '3001')}</core:CityModel>`;
const BAD =
  `${HEAD}${building('Bad_&quot;1&quot;', '9<![CDATA[,9]]>')}${building('Bad_&quot;1&quot;', '3001')}` +
  `</core:CityModel>`;
const PATHS = ['udx/bldg/52396100_bldg_6697_op.gml', 'udx/bldg/input.gml'];

const errorsOf = (report: InspectReport) =>
  Object.fromEntries(
    report.checks.filter(({ errors }) => errors > 0).map(({ code, errors }) => [code, errors]),
  );

test('a report counts by check and file, and decides by errors alone', async () => {
  const report = await inspected({ [PATHS[0]!]: GOOD, [PATHS[1]!]: BAD });
  assert.equal(report.spec, 4);
  assert.equal(report.plane, 6677);
  const { L04, C01, gmlid } = errorsOf(report);
  assert.deepEqual([L04, C01, gmlid], [1, 2, 2]);
  assert.equal(report.ok, false);
  assert.equal(report.complete, false);
  const codes = report.checks.find(({ code }) => code === 'L04')!;
  assert.deepEqual(codes.files, { [PATHS[1]!]: 1 });
  assert.equal(codes.items[0]!.line, 3);
  assert.deepEqual(
    report.skipped.map(({ file }) => file),
    ['extra/other.gml', null],
  );
  assert.deepEqual(
    report.counts.find(({ file, type }) => file === PATHS[1] && type === 'Building'),
    { file: PATHS[1], type: 'Building', lod: null, n: 2 },
  );
});

test('a file that is not well-formed has that finding and no other', async () => {
  const report = await inspected({ [PATHS[1]!]: BAD.replace('</core:CityModel>', '') });
  assert.deepEqual(errorsOf(report), { L01: 1 });
  const undeclared = GOOD.replace(/<bldg:class [^>]*>3001<\/bldg:class>/, '<x:a/><x:b/>');
  assert.deepEqual(errorsOf(await inspected({ [PATHS[0]!]: undeclared })), { L01: 2 });
});

test('the path of a coded value is that of its own element, at any depth', async () => {
  const coded = (name: string) =>
    `<bldg:${name} codeSpace="../../codelists/Building_class.xml">8</bldg:${name}>`;
  const nested = GOOD.replace(
    /<bldg:class [^>]*>3001<\/bldg:class>/,
    `${coded('usage')}<bldg:consistsOfBuildingPart><bldg:BuildingPart>${coded('class')}</bldg:BuildingPart>` +
      `</bldg:consistsOfBuildingPart>`,
  );
  const report = await inspected({ [PATHS[0]!]: nested });
  const { items } = report.checks.find(({ code }) => code === 'L04')!;
  assert.deepEqual(
    items.map(({ row }) => row?.XPath),
    ['bldg:Building/bldg:usage', 'bldg:Building/bldg:consistsOfBuildingPart/bldg:BuildingPart/bldg:class'],
  );
});

test('tables have the official columns, quoted where they must be, and summaries the official names', async () => {
  const report = await inspected({ [PATHS[0]!]: GOOD, [PATHS[1]!]: BAD });
  const files = new Map([...officialFiles(report)].map(({ name, text }) => [name, text]));
  const [head, row] = files.get('01_共通_L04エラー.csv')!.replace('\ufeff', '').split('\r\n');
  assert.equal(head, 'Index,Folder,Filename,gml:id,XML Tag,XPath,CodeSpace,Code');
  assert.equal(
    row,
    '2,bldg,input.gml,"Bad_""1""",bldg:class,bldg:Building/bldg:class,../../codelists/Building_class.xml,"9,9"',
  );
  const common: Array<{ name: string; count: number }> = JSON.parse(files.get('summary_common.json')!);
  assert.equal(common.find(({ name }) => name === 'L04エラー')?.count, 1);
  assert.equal(common.find(({ name }) => name === 'gml:id重複')?.count, 2);
  assert.match(files.get('01_共通.csv')!, /^2,bldg,input\.gml,\d+,OK,/m);
  const statusOf = (of: InspectReport) =>
    [...officialFiles(of)][0]!.text.split('\r\n').map((line) => line.split(',')[5]);
  assert.deepEqual(statusOf(report).slice(1, 3), ['VALID', 'INVALID']);
  const checks = report.checks.filter(({ code }) => code !== 'L02');
  assert.deepEqual(statusOf({ ...report, checks }).slice(1, 3), ['NOT_VALIDATED', 'NOT_VALIDATED']);
});

test('a page carries what the data say as text alone, and places lie where the data do', async () => {
  const report = await inspected({
    [PATHS[1]!]: BAD.replaceAll('Bad_&quot;1&quot;', '&lt;script&gt;alert(1)&lt;/script&gt;'),
  });
  const page = htmlReport(report);
  assert.ok(!page.includes('<script>alert'));
  assert.ok(page.includes('&lt;script&gt;alert(1)'));
  assert.ok(!/(?:src|href)="(?!#)/.test(page), 'nothing is fetched');
  for (const { geometry } of placesOf(report).features) {
    const [lng, lat] = geometry.coordinates;
    assert.ok(lng! > 139 && lng! < 139.1 && lat! > 35 && lat! < 35.1);
  }
});

test('an object list that cannot be used is named', async () => {
  const { skipped } = await inspected({ [PATHS[0]!]: GOOD }, 'list.xlsx is not used: it has no sheet.');
  assert.match(skipped.at(-1)!.reason, /^list\.xlsx is not used: it has no sheet\. C05 and C06/);
});
