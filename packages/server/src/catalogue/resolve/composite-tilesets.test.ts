import assert from 'node:assert/strict';
import test from 'node:test';
import type { DatasetSub, DatasetSummary, PackageRow } from '@citymodel/store';
import { ServiceError } from '../../base/errors.ts';
import { textOf } from '../../base/testing/text-of.ts';
import { chooseTiles } from '../rows/choose-tiles.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { parseTilesSpec } from '../specs/tiles-spec.ts';
import { snapshotOf, testUrls, tilePackage } from '../testing/snapshot-rows.ts';
import { compositeFor, prepareComposites, resolveTiles } from './composite-tilesets.ts';

const wards = (code: string) => ({ cityCode: '01100', prefCode: '01', wardCode: code });

/** Ids of what a spec resolves to. */
const ids = (snapshot: Snapshot, spec: string) =>
  resolveTiles(snapshot, parseTilesSpec(spec)).map(({ id }) => id);

/** Area, LOD, year and texture of what a spec resolves to. */
const facts = (snapshot: Snapshot, spec: string) =>
  resolveTiles(snapshot, parseTilesSpec(spec)).map(
    (d) =>
      `${d.area} lod${d.summary.lodEx ?? d.lod} ${d.package.year}${d.summary.texture ? ' textured' : ''}` +
      `${d.sub && ` ${d.sub}`}`,
  );

const lod = (n: number, texture = false): Partial<DatasetSummary> => ({ lod: n, texture });
const river = (code: string): Partial<DatasetSummary> => ({
  type: 'fld',
  lodNamed: false,
  texture: false,
  sub: { code, name: code, admin: 'natl', river: code, scale: 'l1', scaleSuffix: null } satisfies DatasetSub,
});

test('what a spec cannot say is not said', async () => {
  const named = async (facts: Partial<DatasetSummary>, more: Partial<PackageRow> = {}) => {
    const snapshot = await snapshotOf(tilePackage(facts, more));
    const [dataset] = snapshot.datasets;
    for (const spec of [dataset!.spec, dataset!.latestSpec]) {
      if (spec !== null) assert.deepEqual(ids(snapshot, spec), [dataset!.id]);
    }
    return dataset!.spec !== null;
  };
  assert.equal(await named(river('natl_a_l2-gensai')), true);
  assert.equal(await named(river('a-lod1')), false);
  assert.equal(await named(river('a-notexture')), false);
  assert.equal(await named(river('川')), false);
  assert.equal(await named({ type: 'B2' }), false);
  assert.equal(await named({}, { cityCode: '131' }), false);
  assert.equal(await named({}, { year: 0 }), false);
});

test('a year takes that year, latest the newest of each area that has a match', async () => {
  const snapshot = await snapshotOf(
    tilePackage(lod(1), { cityCode: '13102', year: 2021 }),
    tilePackage(lod(1), { cityCode: '13102', year: 2023 }),
    tilePackage(lod(2), { cityCode: '13102', year: 2022 }),
    tilePackage(lod(1), { cityCode: '14201', prefCode: '14', year: 2021 }),
  );
  assert.deepEqual(facts(snapshot, 'all-bldg-lod1-latest'), ['13102 lod1 2023', '14201 lod1 2021']);
  assert.deepEqual(facts(snapshot, 'all-bldg-lod1-2021'), ['13102 lod1 2021', '14201 lod1 2021']);
  assert.deepEqual(facts(snapshot, 'all-bldg-lod2-latest'), ['13102 lod2 2022']);
  assert.deepEqual(facts(snapshot, '13-bldg-lod1-latest'), ['13102 lod1 2023']);
  assert.deepEqual(facts(snapshot, '14201-bldg-lod1-2023'), []);
});

test('maxlod takes the highest LOD of each area in its year, lod takes exactly its own', async () => {
  const snapshot = await snapshotOf(
    ...[1, 2, 3].map((n) => tilePackage(lod(n), { cityCode: '13102' })),
    tilePackage(lod(1), { cityCode: '13103' }),
    tilePackage({ ...lod(3), lodEx: 33 }, { cityCode: '13103' }),
  );
  assert.deepEqual(facts(snapshot, 'all-bldg-maxlod2-2023'), ['13102 lod2 2023', '13103 lod1 2023']);
  assert.deepEqual(facts(snapshot, 'all-bldg-maxlod4-2023'), ['13102 lod3 2023', '13103 lod33 2023']);
  assert.deepEqual(facts(snapshot, 'all-bldg-maxlod32-2023'), ['13102 lod3 2023', '13103 lod1 2023']);
  assert.deepEqual(facts(snapshot, 'all-bldg-lod3-2023'), ['13102 lod3 2023', '13103 lod33 2023']);
  assert.deepEqual(facts(snapshot, 'all-bldg-lod33-2023'), ['13103 lod33 2023']);
  assert.deepEqual(facts(snapshot, 'all-bldg-lod30-2023'), ['13102 lod3 2023']);
});

test('textured data is preferred, in whatever order it comes, and can be insisted on', async () => {
  const packages = [
    tilePackage(lod(2, true), { cityCode: '13102' }),
    tilePackage(lod(2, false), { cityCode: '13102' }),
    tilePackage(lod(2, false), { cityCode: '13103' }),
  ];
  for (const some of [packages, packages.toReversed()]) {
    const snapshot = await snapshotOf(...some);
    const datasets = snapshot.datasetsOfType('3dtiles', 'bldg');
    const choice = { ...parseTilesSpec('all-bldg-lod2-latest'), sub: null };
    for (const list of [datasets, datasets.toReversed()]) {
      assert.deepEqual(
        chooseTiles(list, choice)
          .map(({ area, summary }) => [area, summary.texture])
          .sort(),
        [
          ['13102', true],
          ['13103', false],
        ],
      );
    }
    assert.deepEqual(facts(snapshot, 'all-bldg-lod2-latest'), [
      '13102 lod2 2023 textured',
      '13103 lod2 2023',
    ]);
    assert.deepEqual(facts(snapshot, 'all-bldg-lod2-texture-latest'), ['13102 lod2 2023 textured']);
    assert.deepEqual(facts(snapshot, 'all-bldg-lod2-notexture-latest'), [
      '13102 lod2 2023',
      '13103 lod2 2023',
    ]);
  }
});

test('a designated city covers its wards, a ward has its own data or else its city’s', async () => {
  const snapshot = await snapshotOf(
    tilePackage(lod(1), wards('01101')),
    tilePackage(lod(1), wards('01102')),
    tilePackage({ type: 'brid' }, { cityCode: '01100' }),
  );
  assert.deepEqual(ids(snapshot, '01100-bldg-lod1-latest'), ['01101_bldg_lod1', '01102_bldg_lod1']);
  assert.deepEqual(ids(snapshot, '01101-bldg-lod1-latest'), ['01101_bldg_lod1']);
  assert.deepEqual(ids(snapshot, '01103-bldg-lod1-latest'), []);
  assert.deepEqual(ids(snapshot, '01103-brid-lod1-2023'), ['01100_brid_lod1']);
});

test('wards that only the data knows belong to their city too', async () => {
  const row = { cityCode: '99100', prefCode: '99', wardCode: '99101' };
  const snapshot = await snapshotOf(
    tilePackage(lod(1), row),
    tilePackage({ type: 'brid' }, { cityCode: '99100' }),
  );
  assert.deepEqual(ids(snapshot, '99100-bldg-lod1-latest'), ['99101_bldg_lod1']);
  assert.deepEqual(ids(snapshot, '99101-brid-lod1-latest'), ['99100_brid_lod1']);
});

test('13100 covers the special wards, as wards of its packages and as municipalities', async () => {
  const snapshot = await snapshotOf(
    tilePackage(lod(1), { cityCode: '13100', wardCode: '13101', year: 2022 }),
    tilePackage(lod(1), { cityCode: '13101', year: 2023 }),
    tilePackage(lod(1), { cityCode: '13102', year: 2020 }),
    tilePackage(lod(1), { cityCode: '13201', year: 2020 }),
    tilePackage({ type: 'brid' }, { cityCode: '13100', year: 2022 }),
  );
  assert.deepEqual(facts(snapshot, '13100-bldg-lod1-latest'), ['13101 lod1 2023', '13102 lod1 2020']);
  assert.deepEqual(facts(snapshot, '13100-bldg-lod1-2022'), ['13101 lod1 2022']);
  assert.deepEqual(ids(snapshot, '13105-brid-lod1-latest'), ['13100_brid_lod1']);
});

test('latest: data of a whole city and of its wards do not lie upon each other', async () => {
  const older = await snapshotOf(
    tilePackage(lod(1), { cityCode: '01100', year: 2020 }),
    tilePackage(lod(1), { ...wards('01101'), year: 2022 }),
    tilePackage(lod(1), { ...wards('01102'), year: 2023 }),
  );
  assert.deepEqual(facts(older, 'all-bldg-lod1-latest'), ['01101 lod1 2022', '01102 lod1 2023']);
  const newer = await snapshotOf(
    tilePackage(lod(1), { cityCode: '01100', year: 2023 }),
    tilePackage(lod(1), { ...wards('01101'), year: 2022 }),
  );
  assert.deepEqual(facts(newer, '01100-bldg-lod1-latest'), ['01100 lod1 2023']);
  assert.deepEqual(facts(newer, '01101-bldg-lod1-latest'), ['01101 lod1 2022']);
});

test('every river is a child, and one can be asked for alone', async () => {
  const snapshot = await snapshotOf(
    tilePackage(river('natl_a_l1'), { cityCode: '22203' }),
    tilePackage(river('natl_a_l2-gensai'), { cityCode: '22203' }),
  );
  assert.deepEqual(ids(snapshot, '22203-fld-maxlod4-latest'), [
    '22203_fld_natl_a_l1_lod1',
    '22203_fld_natl_a_l2-gensai_lod1',
  ]);
  assert.deepEqual(ids(snapshot, 'all-fld-lod1-2023').length, 2);
  assert.deepEqual(ids(snapshot, '22203-fld_natl_a_l2-gensai-lod1-2023'), [
    '22203_fld_natl_a_l2-gensai_lod1',
  ]);
});

test('indoor models are only found where they are asked for', async () => {
  const snapshot = await snapshotOf(
    tilePackage({ lod: 4, interior: true }, { cityCode: '13102' }),
    tilePackage({ lod: 2, interior: false }, { cityCode: '13102' }),
  );
  assert.deepEqual(ids(snapshot, '13102-bldg-maxlod4-latest'), ['13102_bldg_lod2']);
  assert.deepEqual(ids(snapshot, '13102-bldg-lod4-interior-latest'), ['13102_bldg_interior_lod4']);
});

test('a dataset without a LOD in its name has that of its data', async () => {
  const snapshot = await snapshotOf(
    tilePackage({ type: 'brid', lod: null, lodNamed: false }, { cityCode: '13102' }),
    tilePackage({ type: 'brid', lod: 2 }, { cityCode: '13102' }),
    tilePackage({ type: 'brid', lod: 1 }, { cityCode: '13103' }),
    tilePackage({ type: 'brid', lod: 3 }, { cityCode: '13103' }),
  );
  assert.deepEqual(ids(snapshot, 'all-brid-lod1-2023'), ['13102_brid_lod1', '13103_brid_lod1']);
  assert.deepEqual(ids(snapshot, '13102-brid-lod1-2023'), ['13102_brid_lod1']);
});

test('two providers of one area do not lie upon each other: the municipality’s own is taken', async () => {
  const snapshot = await snapshotOf(
    tilePackage(lod(1), { cityCode: '13382', provider: 'pref' }),
    tilePackage(lod(1), { cityCode: '13382', provider: 'city' }),
  );
  assert.deepEqual(ids(snapshot, '13-bldg-lod1-latest'), ['13382_bldg_lod1']);
});

test('a dataset without any volume is no child; an extent gives one', async () => {
  const none = { boundingVolume: null, region: null };
  const snapshot = await snapshotOf(
    tilePackage(none, { cityCode: '13102', bounds: null }),
    tilePackage(none, { cityCode: '13103' }),
  );
  assert.deepEqual(ids(snapshot, 'all-bldg-lod1-latest'), ['13103_bldg_lod1']);
});

const tiles = (...rows: PackageRow[]) => snapshotOf(...rows);
const uris = (snapshot: Snapshot, spec: string) =>
  JSON.parse(compositeFor(snapshot, testUrls, spec).plain().toString()).root.children.map(
    (child: { content: { uri: string } }) => child.content.uri,
  );

test('a composite holds absolute URLs and is made once per snapshot', async () => {
  const row = tilePackage(lod(1), { cityCode: '13102' });
  const snapshot = await tiles(row);
  assert.deepEqual(uris(snapshot, 'all-bldg-lod1-latest'), [
    `https://cms.example/assets/${row.assetPath}/${row.name}/tileset.json`,
  ]);
  const first = compositeFor(snapshot, testUrls, 'all-bldg-lod1-latest');
  assert.equal(compositeFor(snapshot, testUrls, 'all-bldg-lod1-latest'), first);
});

test('nothing is 404 and names the nearest that exists, or an empty tileset when that is asked for', async () => {
  const snapshot = await tiles(
    tilePackage(lod(1), { cityCode: '13102', year: 2022 }),
    tilePackage(lod(2, true), { cityCode: '13102' }),
    tilePackage({ ...river('natl_a_l1') }, { cityCode: '13102' }),
  );
  const reason = (spec: string) => {
    try {
      compositeFor(snapshot, testUrls, spec);
    } catch (error) {
      assert.ok(error instanceof ServiceError && error.status === 404 && error.message === 'not found', spec);
      return error.reason!;
    }
    return assert.fail(`${spec} was found`);
  };
  assert.match(
    reason('13102-bldg-lod3-2023'),
    /LOD 1, 2; years 2022, 2023; textured and untextured|untextured/,
  );
  assert.match(reason('13102-fld_natl_b-lod1-2023'), /parts fld_natl_a_l1/);
  assert.match(reason('13102-tran-lod1-2023'), /of the types bldg, fld/);
  assert.match(reason('47201-bldg-lod1-2023'), /No 3D Tiles are published for .*47201/);
  assert.deepEqual(
    JSON.parse(compositeFor(snapshot, testUrls, '13102-bldg-lod3-2023', { empty: true }).plain().toString())
      .root.children?.length ?? 0,
    0,
  );
  assert.match(reason('13102-bldg-lod3-2023'), /LOD 1, 2/);
});

test('the composites of the country are made in advance, and not again', async () => {
  const snapshot = await snapshotOf(
    tilePackage({}, { cityCode: '22203', year: 2021 }),
    tilePackage({}, { cityCode: '22210', year: 2023 }),
  );
  assert.deepEqual(snapshot.nationwide, ['all-bldg-lod1-latest', 'all-bldg-maxlod1-latest']);
  await prepareComposites(snapshot, testUrls, AbortSignal.abort());
  assert.equal(snapshot.generated.bytes, 0);
  await prepareComposites(snapshot, testUrls, new AbortController().signal);
  const { bytes } = snapshot.generated;
  assert.ok(bytes > 0);
  const composite = compositeFor(snapshot, testUrls, 'all-bldg-lod1-latest');
  assert.equal(compositeFor(snapshot, testUrls, 'all-bldg-lod1-latest', { empty: true }), composite);
  assert.equal(snapshot.generated.bytes, bytes);
});

test('a box keeps the tilesets that touch it', async () => {
  const at = (cityCode: string, west: number) => {
    const degrees = Math.PI / 180;
    const region: DatasetSummary['region'] = [
      west * degrees,
      35 * degrees,
      (west + 0.1) * degrees,
      35.1 * degrees,
      0,
      9,
    ];
    return tilePackage({ region }, { cityCode, identity: cityCode });
  };
  const snapshot = await snapshotOf(at('13101', 139), at('13102', 139.2), at('13103', 140));
  const box = (west: number, east: number) => ({ west, south: 35.05, east, north: 36 });
  const found = async (bbox: ReturnType<typeof box> | null, empty = false) => {
    const document = compositeFor(snapshot, testUrls, 'all-bldg-maxlod4-latest', { bbox, empty });
    const { root } = JSON.parse(await textOf(document)) as {
      root: { children?: Array<{ extras: { id: string } }> };
    };
    return (root.children ?? []).map(({ extras }) => extras.id.slice(0, 5));
  };
  assert.deepEqual(await found(null), ['13101', '13102', '13103']);
  assert.deepEqual(await found(box(139.05, 139.25)), ['13101', '13102']);
  assert.deepEqual(await found(box(140.05, 141)), ['13103']);
  assert.deepEqual(await found(box(150, 151), true), []);
  await assert.rejects(found(box(150, 151)), {
    status: 404,
    reason: /touches this box; elsewhere there are 3/,
  });
});

test('a composite says of which vertical systems its tiles are, where one is not above the ellipsoid', async () => {
  const extrasOf = async (...heights: Array<string | undefined>) => {
    const rows = heights.map((text, i) =>
      tilePackage(text === undefined ? {} : { heights: text }, { cityCode: `1310${i + 1}` }),
    );
    const document = compositeFor(await snapshotOf(...rows), testUrls, '13-bldg-lod1-latest');
    return JSON.parse(await textOf(document)).asset.extras;
  };
  assert.equal(await extrasOf(undefined, 'GSIGEO2011'), undefined);
  assert.deepEqual(await extrasOf('elevation', 'elevation'), { heights: 'elevation' });
  assert.deepEqual(await extrasOf(undefined, 'elevation', 'EGM96'), {
    heights: 'mixed: 2 of ellipsoid, 1 of elevation',
  });
});
