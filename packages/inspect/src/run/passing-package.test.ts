/** Checks that look while something else reads: the same findings however the text is cut, and what is said of the rest. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GmlScanner } from '@citymodel/citygml';
import fc from 'fast-check';
import type { InspectReport } from '../report/report.ts';
import { PassingPackage } from './passing-package.ts';

const NAME = '13101_chiyoda-ku_city_2023_citygml_1_op';
const PATH = 'udx/bldg/53394509_bldg_6697_op.gml';
const USAGES =
  '<gml:Dictionary xmlns:gml="http://www.opengis.net/gml" gml:id="x"><gml:name>Building_usage</gml:name>' +
  '<gml:dictionaryEntry><gml:Definition gml:id="a"><gml:description>office</gml:description><gml:name>401' +
  '</gml:name></gml:Definition></gml:dictionaryEntry></gml:Dictionary>';

const ROOT =
  '<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:gml="http://www.opengis.net/gml" ' +
  'xmlns:bldg="http://www.opengis.net/citygml/building/2.0">\n';
const envelope = (srsName = 'http://www.opengis.net/def/crs/EPSG/0/6697') =>
  `<gml:boundedBy><gml:Envelope srsName="${srsName}" srsDimension="3"><gml:lowerCorner>35.67 139.75 0` +
  '</gml:lowerCorner><gml:upperCorner>35.68 139.76 50</gml:upperCorner></gml:Envelope></gml:boundedBy>\n';

const idOf = (n: number) => `bldg_00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

function building(n: number, { usage = '401', height = 0, inside = '' } = {}): string {
  const ring = `35.671 139.751 ${height} 35.671 139.752 0 35.672 139.752 0 35.671 139.751 ${height}`;
  return (
    `<core:cityObjectMember>\n<bldg:Building gml:id="${idOf(n)}">${inside}` +
    `<bldg:usage codeSpace="../../codelists/Building_usage.xml">${usage}</bldg:usage>` +
    '<bldg:lod0RoofEdge><gml:MultiSurface><gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing>' +
    `<gml:posList>${ring}</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember>` +
    '</gml:MultiSurface></bldg:lod0RoofEdge></bldg:Building></core:cityObjectMember>\n'
  );
}

const cityOf = (members: string, before = envelope()) => `${ROOT}${before}${members}</core:CityModel>`;

/** Reads files in chunks of these sizes, over and over; the buffer of a chunk is used for the next one. */
async function passed(
  files: Record<string, string>,
  { sizes = [1 << 20], every = 1, places = 100 } = {},
): Promise<InspectReport | null> {
  const inspected = new PassingPackage(
    {
      name: NAME,
      files: [],
      async *text(path) {
        yield Buffer.from(files[path]!);
      },
      has: () => false,
      async member(path) {
        return path === 'codelists/Building_usage.xml' ? Buffer.from(USAGES) : null;
      },
    },
    { places, every },
  );
  for (const [path, text] of Object.entries(files)) {
    const bytes = Buffer.from(text);
    const file = inspected.open({ path, bytes: bytes.length });
    const scanner = new GmlScanner({
      member: path,
      onIssue: () => {},
      onFeature: (feature) => file?.feature(feature),
    });
    const chunk = Buffer.alloc(Math.min(bytes.length, Math.max(...sizes)));
    for (let at = 0, n = 0; at < bytes.length; n++) {
      const length = bytes.copy(chunk, 0, at, at + sizes[n % sizes.length]!);
      scanner.push(chunk.subarray(0, length));
      file?.text(chunk.subarray(0, length), scanner);
      await file?.settled();
      at += length;
    }
    const { wellFormed } = scanner.end();
    await file?.end(wellFormed, scanner);
  }
  return inspected.report();
}

const found = (report: InspectReport | null) =>
  Object.fromEntries(
    report!.checks.filter(({ errors }) => errors > 0).map(({ code, errors }) => [code, errors]),
  );
const itemsOf = (report: InspectReport | null, wanted: string) =>
  report!.checks.find(({ code }) => code === wanted)!.items.map(({ file, id, line }) => [file, id, line]);
const reasons = (report: InspectReport | null, of = PATH) =>
  report!.skipped.filter(({ file }) => file === of).map(({ reason, count }) => [reason, count]);

/** Of five buildings the second has an unknown usage, the third leaves the envelope, and the last does both. */
const CITY = cityOf(
  building(0) +
    building(1, { usage: '999' }) +
    building(2, { height: 60 }) +
    building(3) +
    building(4, { usage: '998', height: 51 }),
);

test('findings are the same however the text is cut', async () => {
  const whole = await passed({ [PATH]: CITY });
  assert.deepEqual(found(whole), { L04: 2, L06: 2 });
  assert.deepEqual(itemsOf(whole, 'L04'), [
    [PATH, idOf(1), 5],
    [PATH, idOf(4), 11],
  ]);
  assert.deepEqual(itemsOf(whole, 'L06'), [
    [PATH, idOf(2), 7],
    [PATH, idOf(4), 11],
  ]);
  const sizes = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(sizes, async (cut) =>
      assert.deepEqual(await passed({ [PATH]: CITY }, { sizes: cut }), whole),
    ),
    { numRuns: 12 },
  );
});

test('of a sample attributes are looked at, of all features extents; what is passed over is counted', async () => {
  for (const [every, codes, left] of [
    [2, 1, 2],
    [4, 1, 3],
    [3, 0, 3],
  ] as const) {
    const report = await passed({ [PATH]: CITY }, { every, sizes: [100] });
    assert.deepEqual([found(report).L06, found(report).L04 ?? 0], [2, codes], `one in ${every}`);
    assert.deepEqual(reasons(report), [
      ['Attributes of the feature were not looked at: an ingestion takes a sample.', left],
    ]);
  }
});

test('a report in passing says so, and that it looks at no geometry', async () => {
  const report = (await passed({ [PATH]: cityOf(building(0)) }))!;
  assert.deepEqual([report.inPassing, report.complete, report.ok], [true, false, true]);
  assert.deepEqual(report.skipped, [
    {
      file: null,
      reason: 'Reading a package in passing looks at no geometry; an inspection does.',
      count: 1,
    },
  ]);
  assert.equal(await passed({}), null);
});

test('a file below no folder of udx is named, and looked at by no check', async () => {
  const outside = 'udx/53394509_bldg_6697_op.gml';
  const report = await passed({ [PATH]: cityOf(building(0)), [outside]: CITY });
  assert.deepEqual(found(report), {});
  assert.deepEqual(reasons(report, outside), [['The file lies in no folder below udx.', 1]]);
  assert.equal(await passed({ [outside]: CITY }), null);
});

test('files without findings are listed once for each folder', async () => {
  const named = (folder: string, n: number) => `udx/${folder}/5339450${n}_${folder}_6697_op.gml`;
  const clean = cityOf(building(0));
  const files = {
    [named('bldg', 1)]: clean,
    [named('bldg', 9)]: clean,
    [named('bldg', 0)]: CITY.replaceAll('4000-8000', '4000-8001'),
    [named('brid', 9)]: cityOf(''),
    [named('brid', 8)]: cityOf(''),
  };
  assert.deepEqual(
    (await passed(files))!.files.map(({ path }) => path),
    [named('bldg', 0), named('bldg', 1), named('brid', 9)],
  );
});

test('so many places of a check are kept of the whole package, and all are counted', async () => {
  const next = PATH.replace('09_', '08_');
  const files = { [PATH]: CITY, [next]: CITY.replaceAll('4000-8000', '4000-8001') };
  const report = (await passed(files, { places: 3 }))!;
  const ofL06 = report.checks.find(({ code }) => code === 'L06')!;
  assert.deepEqual([ofL06.errors, ofL06.items.length, ofL06.left], [4, 3, 1]);
});

test('an envelope counts wherever it stands before the first feature, under any prefix', async () => {
  const members = building(0, { height: 60 });
  const before = `<gml:name>boundedBy</gml:name><!-- <a boundedBy -->${'\n'.repeat(60_000)}`;
  assert.deepEqual(found(await passed({ [PATH]: cityOf(members, before + envelope()) }, { sizes: [777] })), {
    L06: 1,
  });
  const renamed = cityOf(members).replaceAll('gml:', 'g:').replace('xmlns:gml', 'xmlns:g');
  assert.deepEqual(found(await passed({ [PATH]: renamed })), { L06: 1 });
  // None is found beyond what is kept of the beginning, or where there is none.
  const late = cityOf(members, '\n'.repeat(70_000) + envelope());
  assert.deepEqual(found(await passed({ [PATH]: late }, { sizes: [777] })), {});
  assert.deepEqual(found(await passed({ [PATH]: cityOf(members, '') })), {});
});

test('a feature leaves its envelope on any of six sides', async () => {
  const [south, west, low, north, east, high] = [35.671, 139.751, 0, 35.672, 139.752, 50];
  const around = (...[s, w, l, n, e, h]: number[]) =>
    envelope()
      .replace(/35\.67 139\.75 0/, `${s} ${w} ${l}`)
      .replace(/35\.68 139\.76 50/, `${n} ${e} ${h}`);
  const whole = [south, west, low, north, east, high];
  for (const every of [1, 9]) {
    const leaves = async (sides: number[]) =>
      found(await passed({ [PATH]: cityOf(building(0, { height: 50 }), around(...sides)) }, { every })).L06 ??
      0;
    assert.equal(await leaves(whole), 0);
    for (let side = 0; side < 6; side++) {
      const step = side < 3 ? 1e-6 : -1e-6;
      assert.equal(await leaves(whole.with(side, whole[side]! + step)), 1, `side ${side}`);
    }
  }
});

test('extents in another reference system than degrees of JGD2011 are compared with no envelope', async () => {
  const members = building(0, { height: 60 });
  for (const [code, errors] of [
    ['6697', { L06: 1 }],
    ['6668', { L06: 1 }],
    ['10169', { L05: 1 }],
  ] as const) {
    const srsName = `http://www.opengis.net/def/crs/EPSG/0/${code}`;
    assert.deepEqual(
      found(await passed({ [PATH]: cityOf(members, envelope(srsName)) }, { every: 9 })),
      errors,
      code,
    );
  }
});

test('a feature larger than what is kept of one is said, and those around it are looked at', async () => {
  const comments = `<!--${' '.repeat(1000)}-->`.repeat(9000);
  const large = building(1, { usage: '999', inside: comments });
  const members = building(0, { usage: '999' }) + large + building(2, { usage: '999' });
  const report = await passed({ [PATH]: cityOf(members) }, { sizes: [64 << 10] });
  assert.deepEqual(
    itemsOf(report, 'L04').map(([, id]) => id),
    [idOf(0), idOf(2)],
  );
  assert.deepEqual(reasons(report), [['The feature is too large for its attributes to be looked at.', 1]]);
});

test('a file of another version is compared with the rules of the first one, and that is said', async () => {
  const next = PATH.replace('09_', '08_');
  const later = cityOf(building(9))
    .replaceAll('/2.0"', '/3.0"')
    .replaceAll('opengis.net/gml"', 'opengis.net/gml/3.2"');
  const report = (await passed({ [PATH]: cityOf(building(0)), [next]: later }))!;
  assert.equal(report.spec, 4);
  assert.match(
    String(reasons(report, next)[0]![0]),
    /^The file has CityGML 3\.0, and was compared with the rules/,
  );
  assert.equal((await passed({ [next]: later }))!.spec, 6);
});

test('of a text that is not well-formed that is the one finding', async () => {
  const report = await passed({ [PATH]: CITY.replace('</core:CityModel>', '') }, { sizes: [500] });
  assert.deepEqual(found(report), { L01: 1 });
});

test('what reading a code list throws is thrown at the end', async () => {
  const inspected = new PassingPackage(
    {
      name: NAME,
      files: [],
      async *text() {},
      has: () => false,
      member: () => Promise.reject(new Error('the store is down')),
    },
    { places: 1, every: 1 },
  );
  const file = inspected.open({ path: PATH, bytes: 1 })!;
  const scanner = new GmlScanner({ member: PATH, onIssue: () => {}, onFeature: (one) => file.feature(one) });
  const bytes = Buffer.from(CITY);
  scanner.push(bytes);
  file.text(bytes, scanner);
  await file.settled();
  const { wellFormed } = scanner.end();
  await assert.rejects(file.end(wellFormed, scanner), /the store is down/);
});
