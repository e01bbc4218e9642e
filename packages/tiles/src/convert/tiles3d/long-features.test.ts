import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPackage, finestFeatures } from './testing/check-package.ts';
import { convertGml } from './testing/convert-gml.ts';
import { fixture, polygon } from './testing/fixture-gml.ts';

const path = 'udx/wtr/53394525_wtr_6697_op.gml';

/** Squares of two metres in rows of 400, the first row `y` metres from the south. */
const squares = (count: number, y = 0, comment = '') =>
  Array.from({ length: count }, (_, i) => {
    const [west, south] = [2 * (i % 400), y + 2 * Math.floor(i / 400)];
    return polygon([
      [
        [west, south, 5],
        [west + 2, south, 5],
        [west + 2, south + 2, 5],
        [west, south + 2, 5],
      ],
    ]).replace('<gml:Polygon>', `<gml:Polygon>${comment}`);
  }).join('');

const surface = (lod: number, squares: string) =>
  `<wtr:lod${lod}MultiSurface><gml:MultiSurface>${squares}</gml:MultiSurface></wtr:lod${lod}MultiSurface>`;

const water = (id: string, geometry: string) =>
  `<core:cityObjectMember><wtr:WaterBody gml:id="${id}">${geometry}</wtr:WaterBody></core:cityObjectMember>`;

/** Rows of each id, with the area of all, square metres; each row says where all of the feature lies. */
async function rowsIn(gml: string[], suffix: string): Promise<Map<unknown, { rows: number; area: number }>> {
  const { packages } = await convertGml([fixture(gml, { path })]);
  const found = new Map<unknown, { rows: number; area: number }>();
  const places = new Map<unknown, string>();
  for (const { row, area } of finestFeatures(await checkPackage(packages.get(suffix)!))) {
    const { rows, area: before } = found.get(row.gml_id) ?? { rows: 0, area: 0 };
    found.set(row.gml_id, { rows: rows + 1, area: before + area });
    assert.equal(row.feature_type, 'wtr:WaterBody');
    const place = [row._xmin, row._ymax, row._zmin, row._zmax].join();
    assert.equal(place, places.get(row.gml_id) ?? place);
    places.set(row.gml_id, place);
  }
  return found;
}

const isAbout = (area: number, expected: number) =>
  assert.ok(Math.abs(area / expected - 1) < 0.01, `${area} m², ${expected} expected`);

test(
  'a water body of more positions than a mesh can number is several rows, each polygon in one; a smaller one is ' +
    'whole',
  async () => {
    const found = await rowsIn(
      [water('large', surface(1, squares(17_000))), water('small', surface(1, squares(1_000)))],
      'wtr_3dtiles_lod1',
    );
    assert.deepEqual([...found.keys()].sort(), ['large', 'small']);
    assert.equal(found.get('large')!.rows, 4);
    assert.equal(found.get('small')!.rows, 1);
    isAbout(found.get('large')!.area, 4 * 17_000);
    isAbout(found.get('small')!.area, 4 * 1_000);
  },
);

test('a feature that is read in pieces shows one level of detail, all of it in its region', async () => {
  const comment = `<gml:description>${'x'.repeat(4_000)}</gml:description>`;
  // Two pieces of LOD 1, since there is another level between them.
  const surfaces = [
    surface(1, squares(1_500, 0, comment)),
    surface(2, squares(2_000, 0, comment)),
    surface(1, squares(1_500, 600, comment)),
  ];
  const gml = [water('large', surfaces.join(''))];
  isAbout((await rowsIn(gml, 'wtr_3dtiles_lod1')).get('large')!.area, 4 * 3_000);
  isAbout((await rowsIn(gml, 'wtr_3dtiles_lod2')).get('large')!.area, 4 * 2_000);
});
