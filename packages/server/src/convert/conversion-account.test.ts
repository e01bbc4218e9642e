import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  type ConvertIssue,
  emptyTally,
  Fate,
  LEVELS,
  NO_LOD,
  type PartAccount,
  PartAccountBuilder,
} from '@citymodel/tiles';
import fc from 'fast-check';
import { AccountBook, gapsOf, joinIssues } from './conversion-account.ts';
import { convertZip, type ZipChange } from './testing/convert-zip.ts';
import { gml, PACKAGE, writePackage } from './testing/small-package.ts';

const root = mkdtempSync(join(tmpdir(), 'citymodel-account-'));
after(() => rmSync(root, { recursive: true, force: true }));

let packages = 0;
async function convert(members: Array<{ path: string; text: string }>, change: ZipChange = {}) {
  const directory = join(root, String(packages++));
  const path = join(root, `${PACKAGE}.zip`);
  await writePackage(path, members);
  return await convertZip(path, directory, change);
}

const roads = { path: 'udx/tran/52385500_tran_6697_op.gml', text: gml('tran', '52385500', 4, 'a') };
const uses = { path: 'udx/luse/52385500_luse_6697_op.gml', text: gml('luse', '52385500', 2, 'a') };
const terrain = {
  path: 'udx/dem/523855_dem_6697_op.gml',
  text: gml('luse', '52385500', 1, 'a').replaceAll('luse:LandUse', 'dem:ReliefFeature'),
};

test('roads of LOD 1 have no rows in 3D Tiles, which show none of them', async () => {
  const { account } = await convert([roads]);
  const of = (output: string) => account!.cells.find((cells) => cells.output === output)!;
  assert.deepEqual([of('3dtiles').in, of('3dtiles').rest], [0, {}]);
  assert.ok(of('mvt').in > 0 && of('mvt').in === of('mvt').out);
  for (const { output, in: into, rest } of account!.attributes)
    if (output === '3dtiles') assert.deepEqual(rest, { WITHOUT_ROW: into });
});

test('features that have one fate count as they do one by one', () => {
  const fates = [Fate.none, Fate.there, Fate.claimed, Fate.shown, 'FLAT_DATA', 'ID_TWICE'] as const;
  const feature = fc.tuple(
    fc.constantFrom('bldg:Building', 'bldg:Room'),
    fc.array(fc.constantFrom(...fates), { minLength: LEVELS, maxLength: LEVELS }),
  );
  const partOf = (features: ReadonlyArray<readonly [string, ReadonlyArray<(typeof fates)[number]>]>) => {
    const builder = new PartAccountBuilder();
    for (const [number, [type, levels]] of features.entries()) {
      builder.feature(number, type);
      for (const [level, fate] of levels.entries()) {
        if (typeof fate === 'string') builder.lost(number, level, fate);
        else builder.fate(number, level, fate);
      }
    }
    return builder.finish();
  };
  const sumsOf = (files: readonly PartAccount[]) => {
    const book = new AccountBook([0, 1, 2, 3]);
    for (const [i, part] of files.entries()) {
      book.addFile(`${i}`);
      book.addPart(`${i}`, '3dtiles', part);
    }
    const issues: ConvertIssue[] = [];
    const { features } = book.finish(issues);
    const counts = new Map<string, number>();
    for (const { code, message, count } of issues)
      counts.set(`${code} ${message}`, (counts.get(`${code} ${message}`) ?? 0) + count);
    return { features, counts };
  };
  fc.assert(
    fc.property(fc.array(feature, { minLength: 1, maxLength: 12 }), (features) => {
      assert.deepEqual(sumsOf([partOf(features)]), sumsOf(features.map((one) => partOf([one]))));
    }),
  );
  // Neighbours that differ in one thing alone.
  const alike = Array.from({ length: LEVELS }, (): (typeof fates)[number] => Fate.shown);
  const others = [
    ...alike.map((_, level) => ['bldg:Building', alike.with(level, Fate.none)] as const),
    ['bldg:Room', alike] as const,
  ];
  for (const other of others) {
    const features = [['bldg:Building', alike] as const, other];
    assert.deepEqual(sumsOf([partOf(features)]), sumsOf(features.map((one) => partOf([one]))));
  }
});

test('a clean package comes out as it went in', async () => {
  const begun = performance.now();
  const { account, issues, seconds } = await convert([roads, uses]);
  assert.ok(seconds > 0 && seconds <= (performance.now() - begun) / 1_000, `${seconds} s`);
  assert.deepEqual(issues, []);
  assert.equal(account!.complete, true);
  assert.deepEqual(account!.files, { in: 2, out: 2, rest: {} });
  assert.deepEqual(account!.packages, { in: 2, out: 2, rest: {} });
  assert.deepEqual(account!.features, [
    { type: 'luse:LandUse', lod: 1, in: 2, out: 2, rest: {} },
    { type: 'tran:Road', lod: 1, in: 4, out: 4, rest: {} },
  ]);
});

test('the sums close where rings cross, and where polygons are bent', async () => {
  // Of the corners in south-west, south-east, north-east, north-west.
  const rings = [
    ([sw, se, ne, nw]: string[]) => [sw, ne, se, nw, sw],
    ([sw, se, ne, nw]: string[]) => [
      sw,
      se!.replace(/^\S+/, ne!.split(' ')[0]!),
      se,
      nw!.replace(/^\S+/, '35.001'),
      sw,
    ],
    ([sw, se, ne, nw]: string[]) => [sw, se!.replace(/0$/, '15'), ne, nw!.replace(/0$/, '15'), sw],
  ];
  let count = 0;
  const text = roads.text
    .replaceAll('lod1MultiSurface', 'lod3MultiSurface')
    .replace(/(?<=<gml:posList>)[^<]+/g, (list) =>
      rings[Math.min(count++, 2)]!(list.match(/\S+ \S+ \S+/g)!).join(' '),
    );
  const { account, issues } = await convert([{ ...roads, text }]);
  assert.deepEqual(issues.map(({ code, count }) => [code, count]).sort(), [
    ['POLYGON_BENT', 2],
    ['POLYGON_CROSSED', 2],
  ]);
  const [surfaces] = account!.surfaces;
  assert.deepEqual([surfaces!.in, surfaces!.out, surfaces!.rest], [4, 3, { POLYGON_CROSSED: 1 }]);
  assert.equal(account!.complete, true);
});

test('features that nothing is made of are an issue with their number, and so are files', async () => {
  const text = roads.text
    .replace('tran:lod1MultiSurface', 'tran:lod4MultiSurface')
    .replace('tran:lod1MultiSurface', 'tran:lod4MultiSurface')
    .replace(/<tran:lod1MultiSurface>.*?<\/tran:lod1MultiSurface>/, '');
  const empty = { path: 'udx/luse/52385501_luse_6697_op.gml', text: gml('luse', '52385501', 0, 'a') };
  const { account, issues } = await convert([{ ...roads, text }, empty]);
  assert.deepEqual(
    issues.map(({ code, count, severity }) => [code, count, severity]),
    [
      ['FILE_EMPTY', 1, 'warning'],
      ['FEATURE_WITHOUT_OUTPUT', 1, 'warning'],
      ['FEATURE_WITHOUT_OUTPUT', 1, 'warning'],
    ],
  );
  assert.match(issues[1]!.message, /tran:Road/);
  assert.equal(account!.complete, true);
  assert.deepEqual(account!.files, { in: 2, out: 1, rest: { FILE_EMPTY: 1 } });
  assert.deepEqual(account!.features, [
    { type: 'tran:Road', lod: 1, in: 2, out: 2, rest: {} },
    { type: 'tran:Road', lod: 4, in: 1, out: 0, rest: { FEATURE_WITHOUT_OUTPUT: 1 } },
    { type: 'tran:Road', lod: null, in: 1, out: 0, rest: { FEATURE_WITHOUT_OUTPUT: 1 } },
  ]);
});

test('plans of i-UR 1.4 at LOD 0 convert', async () => {
  const text = uses.text
    .replaceAll(/luse:(LandUse\b)/g, 'urf:DistrictsAndZones')
    .replaceAll('luse:lod1', 'urf:lod0')
    .replaceAll('luse:class', 'urf:class')
    .replace(
      'xmlns:luse="http://www.opengis.net/citygml/landuse/2.0"',
      'xmlns:urf="http://www.kantei.go.jp/jp/singi/tiiki/toshisaisei/itoshisaisei/iur/urf/1.4"',
    );
  const { account, issues, packages } = await convert([{ path: 'udx/urf/523855_urf_6668_op.gml', text }]);
  assert.deepEqual(issues, []);
  assert.deepEqual(account!.features, [{ type: 'urf:DistrictsAndZones', lod: 0, in: 2, out: 2, rest: {} }]);
  assert.deepEqual(
    packages.map(({ name, features }) => [name, features]),
    [[`${PACKAGE}_urf_DistrictsAndZones_mvt_lod0`, 2]],
  );
});

test('terrain among other features is named, and not taken for one of them', async () => {
  const text = `${uses.text}`
    .replace('<luse:LandUse ', '<dem:ReliefFeature xmlns:dem="http://www.opengis.net/citygml/relief/2.0" ')
    .replace('</luse:LandUse>', '</dem:ReliefFeature>');
  const { account, issues, packages } = await convert([{ ...uses, text }]);
  assert.deepEqual(
    issues.map(({ code, count }) => [code, count]),
    [['FEATURE_WITHOUT_OUTPUT', 1]],
  );
  assert.match(issues[0]!.message, /dem:ReliefFeature/);
  assert.equal(packages[0]!.features, 1);
  assert.equal(account!.complete, true);
});

test('what was not asked for is no issue', async () => {
  const { account, issues } = await convert([roads, uses, terrain], {
    options: { lods: [2] },
    request: { types: ['tran'] },
  });
  assert.deepEqual(
    issues.map(({ code }) => code),
    ['PACKAGE_EMPTY'],
  );
  assert.deepEqual(account!.files, { in: 3, out: 1, rest: { NOT_ASKED: 2 } });
  assert.deepEqual(account!.features, [{ type: 'tran:Road', lod: 1, in: 4, out: 0, rest: { NOT_ASKED: 4 } }]);
  assert.equal(account!.complete, true);
});

test('a package that nobody wants is named with nothing in it', async () => {
  const { account, packages } = await convert([uses], { request: { isWanted: async () => false } });
  assert.deepEqual(
    packages.map(({ path, bytes, members, features }) => [path, bytes, members, features]),
    [[null, 0, 0, 2]],
  );
  assert.deepEqual(account!.packages, { in: 1, out: 0, rest: { NOT_ASKED: 1 } });
});

test('the account is the same when parts are there from before', async () => {
  const directory = join(root, 'again');
  const path = join(root, `${PACKAGE}.zip`);
  await writePackage(path, [roads, uses, terrain]);
  const [first, second] = [await convertZip(path, directory), await convertZip(path, directory)];
  assert.equal(second.reused, second.parts);
  assert.deepEqual(second.account, first.account);
  assert.deepEqual(second.issues, first.issues);
});

function bookOf(...parts: Array<(builder: PartAccountBuilder) => void>) {
  const book = new AccountBook(null);
  book.addFile('a.gml');
  for (const fill of parts) {
    const builder = new PartAccountBuilder();
    builder.feature(0, 'bldg:Building');
    builder.fate(0, 1, Fate.there);
    fill(builder);
    book.addPart('a.gml', '3dtiles', builder.finish());
  }
  const issues: ConvertIssue[] = [];
  return { account: book.finish(issues), issues: issues.map(({ code }) => code) };
}

test('one maker that shows a feature is enough; one that claimed it and lost it is a fault', () => {
  const shown = bookOf(
    (a) => a.lost(0, 1, 'FLAT_DATA'),
    (b) => b.fate(0, 1, Fate.shown),
  );
  assert.deepEqual(shown, { account: shown.account, issues: [] });
  assert.equal(shown.account.features[0]!.out, 1);
  const lost = bookOf((a) => a.fate(0, 1, Fate.claimed));
  assert.deepEqual(lost.issues, ['UNACCOUNTED']);
  assert.equal(lost.account.complete, false);
  const surfaces = bookOf((a) => {
    a.fate(0, 1, Fate.shown);
    Object.assign(a.surfaces('bldg:Building', 1), { in: 6, out: 5, areaIn: 600, areaOut: 500 });
  });
  assert.deepEqual(surfaces.issues, ['UNACCOUNTED', 'UNACCOUNTED']);
});

test('an issue names the level of what was not converted, if it has one', () => {
  const messageAt = (level: number) => {
    const book = new AccountBook(null);
    const builder = new PartAccountBuilder();
    builder.feature(0, 'bldg:Building');
    builder.fate(0, level, Fate.there);
    book.addFile('a');
    book.addPart('a', '3dtiles', builder.finish());
    const issues: ConvertIssue[] = [];
    book.finish(issues);
    return issues.map(({ code, message }) => [code, /bldg:Building(, LOD \d)?/.exec(message)?.[0]]);
  };
  assert.deepEqual(messageAt(2), [['FEATURE_WITHOUT_OUTPUT', 'bldg:Building, LOD 2']]);
  assert.deepEqual(messageAt(NO_LOD), [['FEATURE_WITHOUT_OUTPUT', 'bldg:Building']]);
});

test('sums that do not close are told in words', () => {
  const whole = { files: emptyTally(), packages: emptyTally(), images: emptyTally() };
  const account = { ...whole, features: [], surfaces: [], attributes: [], cells: [] };
  assert.deepEqual(gapsOf(account), []);
  const named = { in: 3, out: 1, rest: { IMAGE_MISSING: 2 } };
  assert.deepEqual(gapsOf({ ...account, images: named }), []);
  assert.deepEqual(gapsOf({ ...account, images: { ...named, out: 0 } }), ['1 of 3 images']);
  const walls = { type: 'bldg:Building', lod: 2, in: 5, out: 4, rest: { FLAT_DATA: 1 } };
  const surfaces = [{ ...walls, areaIn: 600, areaOut: 480.25, areaRest: { FLAT_DATA: 20 } }];
  assert.deepEqual(gapsOf({ ...account, surfaces }), ['99.8 of 600.0 m² of bldg:Building, LOD 2']);
  // Half a square metre is rounding, and two thousandths of all.
  const areas = (areaIn: number, areaOut: number) =>
    gapsOf({ ...account, surfaces: [{ ...walls, areaIn, areaOut, areaRest: {} }] }).length;
  assert.deepEqual([areas(10, 9.49), areas(10, 9.47), areas(10, 10.51), areas(10, 10.53)], [0, 1, 0, 1]);
  assert.deepEqual([areas(10_000, 9_979.6), areas(10_000, 9_979.4)], [0, 1]);
  const values = { output: 'mvt', type: 'bldg:Building', property: 'bldg:usage', in: 3, out: 1, rest: {} };
  const cells = [{ output: 'mvt', in: 4, out: 2, rest: {}, missing: { usage: 2 } }];
  assert.deepEqual(gapsOf({ ...account, attributes: [values], cells } as never), [
    '2 of 3 values of bldg:Building bldg:usage in mvt',
    '2 cells of usage in mvt',
  ]);
  // More than went in is wrong, too.
  assert.deepEqual(gapsOf({ ...account, images: { ...named, out: 2 } }), ['-1 of 3 images']);
});

test('what two makers tell of one thing is one issue', () => {
  const issue: ConvertIssue = {
    ...{ code: 'ID_TWICE', severity: 'warning', file: 'a', id: null, count: 2 },
    ...{ message: 'm', remedy: 'r' },
  };
  const joined = joinIssues([issue, { ...issue, id: 'x', count: 3 }, { ...issue, file: 'b' }]);
  assert.deepEqual(
    joined.map(({ file, id, count }) => [file, id, count]),
    [
      ['a', 'x', 3],
      ['b', null, 2],
    ],
  );
});
