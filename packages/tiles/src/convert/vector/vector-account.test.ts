/** What the maker of vector tiles says became of features: by their level of detail, and under which issue. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Fate, featuresOf, LOST, NO_LOD } from '../account/part-account.ts';
import type { ConvertOptions, GmlSource } from '../part-maker.ts';
import { partContext } from '../read/testing/gml-source.ts';
import { fixture, polygon, type Ring } from '../tiles3d/testing/fixture-gml.ts';
import { vectorMaker } from './maker.ts';

const SQUARE: Ring = [
  [10, 10, 0],
  [30, 10, 0],
  [30, 30, 0],
  [10, 30, 0],
];
/** 80 km north of the mesh. */
const FAR: Ring = SQUARE.map(([x, y, z]) => [x, y + 80_000, z] as const);
/** A millimetre. */
const TINY: Ring = SQUARE.map(([x, y, z]) => [x / 20_000, y / 20_000, z] as const);
const BROKEN =
  '<gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>35.68 139.77 0 35.68</gml:posList>' +
  '</gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember>';

const area = (lod: number, ...polygons: string[]) =>
  `<tran:lod${lod}MultiSurface><gml:MultiSurface>${polygons.join('')}</gml:MultiSurface></tran:lod${lod}MultiSurface>`;
const road = (id: string, inside: string) =>
  `<core:cityObjectMember><tran:Road gml:id="${id}">${inside}</tran:Road></core:cityObjectMember>`;
const symbol = (latitude: number) =>
  `<uro:tranDmAttribute><uro:DmAnnotation><uro:lod0anchorPoint><gml:Point><gml:pos>${latitude} 139.7702 0</gml:pos>` +
  '</gml:Point></uro:lod0anchorPoint></uro:DmAnnotation></uro:tranDmAttribute>';

/** For each feature its levels, as `1 shown`; issues as code, first feature and count; features by output. */
async function accountOf(gml: GmlSource, options: Partial<ConvertOptions> = {}) {
  const root = mkdtempSync(join(tmpdir(), 'vector-account-'));
  try {
    const context = partContext(join(root, 'scratch'), options);
    const outputs = await vectorMaker.makePart(gml, root, context);
    const account = context.account.finish();
    const nameOf = (fate: number) =>
      fate >= LOST
        ? account.codes[fate - LOST]
        : Object.entries(Fate).find(([, value]) => value === fate)![0];
    return {
      account,
      // The fates of one feature overwrite those of the one before.
      fates: Array.from(featuresOf(account), ({ fates }) =>
        [...fates]
          .flatMap((fate, level) => (fate === Fate.none ? [] : [`${level} ${nameOf(fate)}`]))
          .join(', '),
      ),
      issues: context.issues.map(({ code, id, count }) => `${code} ${id} ${count}`).sort(),
      counts: Object.fromEntries(outputs.map(({ key, features }) => [`${key.lod} ${key.symbols}`, features])),
    };
  } finally {
    rmSync(root, { recursive: true });
  }
}

const PATH = 'udx/tran/53394525_tran_6697_op.gml';

test('a level of detail is shown, or lost for the reason that its issue says; others stay as they are', async () => {
  const members = [
    road('whole', area(1, polygon([SQUARE])) + area(3, polygon([SQUARE]))),
    road('far', area(1, polygon([FAR]))),
    road('partly', area(1, polygon([FAR]), polygon([SQUARE]))),
    road('broken', area(1, BROKEN) + area(2, polygon([SQUARE]))),
    road(
      'abroad',
      area(1, polygon([SQUARE])).replace('<gml:MultiSurface>', '<gml:MultiSurface srsName="EPSG:1">'),
    ),
  ];
  const { fates, issues, counts } = await accountOf(fixture(members, { path: PATH }));
  assert.deepEqual(fates, [
    '1 shown, 3 there',
    '1 GEOMETRY_FAR_OFF',
    '1 shown',
    '1 POLYGON_BROKEN, 2 shown',
    '1 CRS_UNKNOWN',
  ]);
  assert.deepEqual(issues, ['CRS_UNKNOWN abroad 1', 'GEOMETRY_FAR_OFF far 2', 'POLYGON_BROKEN broken 1']);
  assert.deepEqual(counts, { '1 null': 2, '2 null': 1 });
  const tiny = await accountOf(fixture([road('tiny', area(1, polygon([TINY])))], { path: PATH }));
  assert.deepEqual(
    [tiny.fates, tiny.issues, tiny.counts],
    [['1 SHAPE_TOO_SMALL'], ['SHAPE_TOO_SMALL tiny 1'], {}],
  );
});

test('a map symbol far off is the reason why nothing is at its level, unless another one is shown', async () => {
  const members = [
    road('far', area(1, polygon([SQUARE])) + symbol(36.5)),
    road('both', area(1, polygon([SQUARE])) + symbol(36.5) + symbol(35.6802)),
    road('near', area(1, polygon([SQUARE])) + symbol(35.6802)),
  ];
  const { fates, counts } = await accountOf(fixture(members, { path: PATH }));
  assert.deepEqual(fates, ['0 GEOMETRY_FAR_OFF, 1 shown', '0 shown, 1 shown', '0 shown, 1 shown']);
  assert.deepEqual(counts, { '1 null': 3, 'null dm_annotations': 2 });
  // Nobody asks for symbols.
  const slim = await accountOf(fixture(members.slice(2), { path: PATH }), { lods: [1] });
  assert.deepEqual([slim.fates, slim.counts], [['0 there, 1 shown'], { '1 null': 1 }]);
});

test('a file without a system loses all that its features have', async () => {
  const members = [road('a', area(1, polygon([SQUARE])) + area(2, polygon([SQUARE])))];
  const { fates, issues, counts } = await accountOf(fixture(members, { path: PATH, srs: null }));
  assert.deepEqual(fates, ['1 CRS_UNKNOWN, 2 CRS_UNKNOWN']);
  assert.deepEqual([issues, counts], [['CRS_UNKNOWN a 1'], {}]);
});

test('a feature of more than 16 MiB is lost without a level, unless 3D Tiles account for its type', async () => {
  const text = `<gml:description>${'x'.repeat(17 << 20)}</gml:description>`;
  const near = road('near', area(1, polygon([SQUARE])) + symbol(35.6802));
  const large = await accountOf(
    fixture([road('large', text + area(1, polygon([SQUARE]))), near], { path: PATH }),
  );
  assert.deepEqual(large.fates, [`${NO_LOD} FEATURE_TOO_LARGE`, '0 shown, 1 shown']);
  assert.deepEqual(large.issues, [`FEATURE_TOO_LARGE ${PATH}#0 1`]);
  assert.deepEqual(large.counts, { '1 null': 1, 'null dm_annotations': 1 });
  const path = 'udx/frn/53394525_frn_6697_op.gml';
  const lamp = (inside: string) =>
    `<core:cityObjectMember><frn:CityFurniture>${inside}</frn:CityFurniture></core:cityObjectMember>`;
  const other = await accountOf(fixture([lamp(text), near], { path }));
  assert.deepEqual([other.fates.length, other.fates[0], other.issues.length], [2, '', 1]);
});
