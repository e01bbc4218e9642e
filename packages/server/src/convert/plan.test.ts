/** What a conversion plans, over sources without bytes: parts and their hashes, packages, and what is left out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FEATURE_TYPES } from '@citymodel/base';
import type { ConvertOptions, GmlFacts, HeightGrid, OutputKey } from '@citymodel/tiles';
import { companionDigests } from './companions.ts';
import { AccountBook } from './conversion-account.ts';
import { noteUnplanned, tooLarge, withoutTiles } from './left-out.ts';
import { MAKERS } from './makers.ts';
import type { PackageSource } from './package-source.ts';
import { foreseeOutputs, type MadePart, planConversion, planJoins } from './plan.ts';
import { USUAL_OPTIONS } from './testing/convert-zip.ts';
import { gml } from './testing/small-package.ts';

type SourcePackage = PackageSource['package'];

const OPTIONS: ConvertOptions = { ...USUAL_OPTIONS, heights: 'elevation' };
const CITY: SourcePackage = {
  name: 'a_city_2023',
  cityCode: '13101',
  cityName: '千代田区',
  wards: [],
  year: 2023,
};

/** A package of these members, by path and stamp. */
function sourceOf(
  stamps: Record<string, string>,
  { city = {} as Partial<SourcePackage>, text = '' } = {},
): PackageSource {
  return {
    package: { ...CITY, ...city },
    provider: 'city',
    said: {},
    members: () => Object.keys(stamps).map((path) => ({ path, size: path.length })),
    has: (path) => path in stamps,
    stampOf: async (path) => stamps[path] ?? null,
    async *read() {
      yield Buffer.from(text);
    },
    member: async () => null,
    [Symbol.asyncDispose]: async () => {},
  };
}

const [TRAN, LUSE, BLDG] = ['tran', 'luse', 'bldg'].map(
  (type) => `udx/${type}/53394525_${type}_6697_op.gml`,
) as [string, string, string];

test('companions of a file are all code lists, and what its name stands before in its directory', async () => {
  const files = [BLDG, TRAN].map((path): GmlFacts => ({ path, type: 'x', mesh: null, size: 1 }));
  const members = {
    [BLDG]: '1',
    [TRAN]: '1',
    'codelists/a.xml': '1',
    'udx/bldg/53394525_bldg_6697_appearance/a.jpg': '1',
    'udx/bldg/53394526_bldg_6697_appearance/a.jpg': '1',
    'metadata/a.xml': '1',
    '53394525_notes.txt': '1',
  };
  const digests = async (changes: Record<string, string> = {}) => {
    const stamps = { ...members, ...changes };
    const found = await companionDigests(sourceOf(stamps), files);
    return [found.get(BLDG)!, found.get(TRAN)!] as const;
  };
  const changed = async (path: string, stamp = '2') => {
    const [before, after] = [await digests(), await digests({ [path]: stamp })];
    return [before[0] !== after[0], before[1] !== after[1]];
  };
  assert.deepEqual(await changed('codelists/a.xml'), [true, true]);
  assert.deepEqual(await changed('codelists/b.xml'), [true, true], 'another list');
  assert.deepEqual(await changed('udx/bldg/53394525_bldg_6697_appearance/a.jpg'), [true, false]);
  assert.deepEqual(await changed('udx/bldg/53394525_more/b.jpg'), [true, false], 'another image');
  assert.deepEqual(await changed('udx/tran/53394525.jpg'), [false, true]);
  for (const path of [
    BLDG,
    'udx/bldg/53394526_bldg_6697_appearance/a.jpg',
    'udx/bldg/5339452_x/a.jpg',
    'udx/none/53394525_a.jpg',
    'metadata/a.xml',
    '53394525_notes.txt',
  ])
    assert.deepEqual(await changed(path), [false, false], path);
  const reversed = Object.fromEntries(Object.entries(members).reverse());
  const other = await companionDigests(sourceOf(reversed), files);
  assert.equal(other.get(BLDG), (await digests())[0], 'in whatever order');
});

test('each file has a part of each maker of its type, by path', async () => {
  const source = sourceOf({ [TRAN]: '1', [LUSE]: '1', [BLDG]: '1', 'udx/dem/53394525_dem_6697_op.gml': '1' });
  const of = async (options: Partial<ConvertOptions> = {}, types: string[] | null = null) => {
    const parts = await planConversion(source, { ...OPTIONS, ...options }, types, null);
    return parts.map(({ maker, gml: { type } }) => `${type} ${maker}`);
  };
  const all = await of();
  assert.deepEqual(all, all.toSorted());
  for (const one of ['bldg 3dtiles', 'luse mvt', 'dem 3dtiles']) assert.ok(all.includes(one), one);
  assert.ok(!all.includes('dem mvt'));
  assert.deepEqual([...new Set((await of({}, ['tran', 'none'])).map((one) => one.slice(0, 4)))], ['tran']);
});

test('a part is another one when any of its ingredients is, and the same when others are', async () => {
  const members = { [TRAN]: '1', [LUSE]: '1', 'codelists/a.xml': '1' };
  const hashes = async (
    stamps: Record<string, string> = {},
    options: Partial<ConvertOptions> = {},
    more: { city?: Partial<SourcePackage>; grid?: HeightGrid | null } = {},
  ) => {
    const source = sourceOf({ ...members, ...stamps }, more);
    const parts = await planConversion(source, { ...OPTIONS, ...options }, ['tran'], more.grid ?? null);
    return new Map(parts.map(({ maker, hash }) => [maker, hash]));
  };
  const usual = await hashes();
  assert.ok([...usual.values()].every((hash) => /^[0-9a-f]{64}$/.test(hash)));
  assert.equal(new Set(usual.values()).size, usual.size);
  const differs = async (found: ReturnType<typeof hashes>) => {
    const own = await found;
    return [...usual].map(([maker, hash]) => Number(own.get(maker) !== hash)).join('');
  };
  assert.equal(usual.size, 2);
  assert.equal(await differs(hashes()), '00');
  assert.equal(await differs(hashes({ [LUSE]: '2' })), '00', 'another file');
  assert.equal(await differs(hashes({ [TRAN]: '2' })), '11');
  assert.equal(await differs(hashes({ 'codelists/a.xml': '2' })), '11');
  for (const city of [
    { cityCode: '13102' },
    { cityName: '中央区' },
    { year: 2024 },
    { wards: [{ code: '1', name: 'x' }] as unknown as SourcePackage['wards'] },
  ])
    assert.equal(await differs(hashes({}, {}, { city })), '11', JSON.stringify(city));
  assert.equal(
    await differs(hashes({}, {}, { city: { name: 'other' } })),
    '00',
    'the name is not in the tiles',
  );
  const order = [...usual.keys()];
  const compressed = await differs(hashes({}, { compression: 'none' } as Partial<ConvertOptions>));
  assert.equal(compressed[order.indexOf('mvt')], '0');
  const gridOf = (...metres: number[]) =>
    ({ name: 'g', metres: Float32Array.from(metres) }) as unknown as HeightGrid;
  const grids = [null, gridOf(1, 2), gridOf(2, 1), gridOf(1, 2.001), gridOf(Number.NaN, 1, 2)];
  const ofGrids: Array<string | undefined> = [];
  for (const grid of grids) ofGrids.push((await hashes({}, {}, { grid })).get('3dtiles'));
  assert.equal(new Set(ofGrids).size, 4, 'holes of a grid have no height');
  assert.equal(ofGrids[1], ofGrids[4]);
});

const keyOf = (changes: Partial<OutputKey> = {}): OutputKey =>
  ({
    ...{ kind: '3dtiles', type: 'bldg', sub: null, scale: null, wardCode: null, lod: 1, noTexture: false },
    ...{ interior: false, symbols: null },
    ...changes,
  }) as OutputKey;

const partOf = (
  path: string,
  outputs: Array<[key: OutputKey, features: number]>,
  maker: '3dtiles' | 'mvt' = '3dtiles',
) =>
  ({
    task: {
      kind: 'part',
      maker,
      hash: `hash of ${path}`,
      gml: { path, type: outputs[0]![0].type, mesh: null, size: 10 },
    },
    outputs: outputs.map(([key, features]) => ({ key, features })),
  }) as unknown as MadePart;

test('parts of one type become a package for each output, with the features that it gets', () => {
  const [one, two] = [keyOf(), keyOf({ lod: 2 })];
  const ward = keyOf({ wardCode: '99999' });
  const known = keyOf({ wardCode: '14101' });
  const road = keyOf({ type: 'tran', kind: 'mvt' });
  const parts = [
    partOf('a', [
      [one, 3],
      [two, 1],
    ]),
    partOf('b', [[one, 4]]),
    partOf('c', [
      [ward, 1],
      [known, 2],
    ]),
    partOf('d', [[road, 5]], 'mvt'),
  ];
  const joins = planJoins('city', parts, { 99999: 'aoba-ku' });
  assert.deepEqual(
    joins.map(({ name, maker, features, bytes, parts: own }) => [
      name,
      maker,
      features,
      bytes,
      own.map(({ gml: { path }, hash }) => `${path} ${hash}`).join(),
    ]),
    [
      ['city_bldg_3dtiles_14101_tsurumi-ku_lod1', '3dtiles', 2, 30, 'a hash of a,b hash of b,c hash of c'],
      ['city_bldg_3dtiles_99999_aoba-ku_lod1', '3dtiles', 1, 30, 'a hash of a,b hash of b,c hash of c'],
      ['city_bldg_3dtiles_lod1', '3dtiles', 7, 30, 'a hash of a,b hash of b,c hash of c'],
      ['city_bldg_3dtiles_lod2', '3dtiles', 1, 30, 'a hash of a,b hash of b,c hash of c'],
      ['city_tran_mvt_lod1', 'mvt', 5, 10, 'd hash of d'],
    ],
  );
  assert.equal(
    planJoins('city', [partOf('c', [[ward, 1]])], {})[0]!.name,
    'city_bldg_3dtiles_99999_99999_lod1',
  );
  assert.deepEqual(planJoins('city', [], {}), []);
});

test('packages are foreseen by the texts of the files, with their files and bytes', async () => {
  const paths = ['52385500', '52385501'].map((mesh) => `udx/luse/${mesh}_luse_6697_op.gml`);
  const text = gml('luse', '52385500', 1, 'a');
  const source = sourceOf(Object.fromEntries(paths.map((path) => [path, '1'])), { text });
  const parts = await planConversion(source, OPTIONS, null, null);
  let heard = 0;
  const outputs = await foreseeOutputs(source, OPTIONS, parts, {}, (bytes) => {
    heard += bytes;
  });
  assert.deepEqual(
    outputs.map(({ name, files, bytes }) => [name, files, bytes]),
    [['a_city_2023_luse_mvt', 2, 2 * paths[0]!.length]],
  );
  assert.equal(heard, 2 * Buffer.byteLength(text), 'each file is read once, for all makers');
});

test('parts are made of files of every type, of types that nobody knows, too', () => {
  for (const type of [...FEATURE_TYPES, 'xyz']) {
    const file: GmlFacts = { path: `udx/${type}/53394525_${type}_6697_op.gml`, type, mesh: null, size: 1 };
    assert.ok(
      MAKERS.some((maker) => maker.plan(file, OPTIONS).length > 0),
      type,
    );
  }
});

test('files that no part is made of are counted as not asked for', () => {
  const [first, second] = ['53394525', '53394526'].map((mesh) => `udx/dem/${mesh}_dem_6697_op.gml`) as [
    string,
    string,
  ];
  const source = sourceOf({ [TRAN]: '1', [LUSE]: '1', [first]: '1', [second]: '1', 'a.txt': '1' });
  const of = (planned: string[]) => {
    const book = new AccountBook(null);
    const parts = planned.map((path) => ({ gml: { path } })) as unknown as Parameters<
      typeof noteUnplanned
    >[1];
    noteUnplanned(source, parts, book);
    return { in: book.files.in, rest: book.files.rest };
  };
  assert.deepEqual(of([TRAN]), { in: 3, rest: { NOT_ASKED: 3 } });
  assert.deepEqual(of([TRAN, LUSE, first, second]), { in: 0, rest: {} });
});

test('what is left out as a whole is one issue of its file or package', () => {
  assert.deepEqual(
    [tooLarge('a.gml'), withoutTiles('city')].map(({ code, severity, file, id, count }) => [
      code,
      severity,
      file,
      id,
      count,
    ]),
    [
      ['PART_TOO_LARGE', 'error', 'a.gml', null, 1],
      ['PACKAGE_EMPTY', 'warning', 'city', null, 1],
    ],
  );
});
