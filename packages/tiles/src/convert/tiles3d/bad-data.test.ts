import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ecefToGeodetic } from '@citymodel/geo/testing';
import { checkPackage, finestFeatures } from './testing/check-package.ts';
import { convertGml } from './testing/convert-gml.ts';
import { box, building, fixture, polygon, type Ring, solid } from './testing/fixture-gml.ts';

const withPolygon = (id: string, ring: Ring) =>
  building(id, solid(1, [...box([50, 0, 0], [10, 10, 10]), polygon([ring])]));

test('rings that cross are cut as far as they can be', async () => {
  const bowTie: Ring = [
    [0, 0, 0],
    [10, 10, 0],
    [10, 0, 0],
    [0, 9, 0],
  ];
  const { packages } = await convertGml([fixture([withPolygon('a', bowTie)])]);
  assert.equal(finestFeatures(await checkPackage(packages.get('bldg_3dtiles_lod1')!)).length, 1);
});

test('a large feature of which nothing can be drawn gives no package by itself', async () => {
  const line: Ring = [
    [0, 0, 0],
    [0, 0, 100],
    [0, 0, 50],
  ];
  const { packages, issues } = await convertGml([fixture([building('a', solid(1, [polygon([line])]))])]);
  assert.deepEqual([...packages.keys()], []);
  assert.deepEqual(
    issues.map(({ code }) => code),
    ['POLYGON_TINY'],
  );
});

test('what a file holds twice, and references in circles, are read once', async () => {
  const shared = box([0, 0, 0], [10, 10, 10], 's');
  const twice =
    `${solid(2, shared)}<bldg:boundedBy><bldg:WallSurface><bldg:lod2MultiSurface><gml:MultiSurface>` +
    `${shared.map((_, i) => `<gml:surfaceMember xlink:href="#s-p${i}"/>`).join('')}</gml:MultiSurface>` +
    `</bldg:lod2MultiSurface></bldg:WallSurface></bldg:boundedBy>`;
  const { packages } = await convertGml([fixture([building('a', twice)])]);
  const [feature] = finestFeatures(await checkPackage(packages.get('bldg_3dtiles_lod2')!));
  assert.ok(Math.abs(feature!.area / 600 - 1) < 0.02, `${feature!.area} m²`);
});

test('heights above the ellipsoid that only the geometry names stay as they are', async () => {
  const text = solid(1, box([50, 0, 0], [10, 10, 10]));
  const ellipsoidal = building('a', text.replace('<gml:Solid', '$& srsName="EPSG:4979"'));
  const { packages, issues } = await convertGml([
    fixture([ellipsoidal, building('b', solid(1, box([0, 0, 0], [10, 10, 10])))]),
  ]);
  assert.deepEqual(issues, []);
  const lows = new Map<unknown, number>();
  for (const { row, vertices } of finestFeatures(await checkPackage(packages.get('bldg_3dtiles_lod1')!))) {
    lows.set(row.gml_id, Math.min(...vertices.map((vertex) => ecefToGeodetic(vertex)[2])));
  }
  assert.ok(Math.abs(lows.get('a')!) < 0.02, `${lows.get('a')} m`);
  // The height of the geoid at the fixture's place.
  assert.ok(Math.abs(lows.get('b')! - 36.7) < 0.3, `${lows.get('b')} m`);
});

test('a feature of more than 16 MB has its elevations as attributes, as any other', async () => {
  const padding = `<gml:description>${'x'.repeat(1_000)}</gml:description>`.repeat(17_000);
  const small = building('small', solid(1, box([0, 0, 3], [10, 10, 7])));
  const members = [`<gml:surfaceMember>${padding}</gml:surfaceMember>`, ...box([50, 0, 3], [10, 10, 7])];
  const { packages } = await convertGml([fixture([small, building('large', solid(1, members))])]);
  const features = finestFeatures(await checkPackage(packages.get('bldg_3dtiles_lod1')!));
  const heights = features.map(({ row }) => {
    const { min, max } = JSON.parse(String(row.attributes))._bbox;
    return [row.gml_id, min.alt, max.alt];
  });
  assert.deepEqual(heights.sort(), [
    ['large', 3, 10],
    ['small', 3, 10],
  ]);
});

/** Whether triangles are seen from both sides, and their number, of each mesh of the only tile. */
async function sidesOf(geometry: string, type = 'bldg_3dtiles_lod2') {
  const { packages, issues } = await convertGml([fixture([building('a', geometry)])], {
    compression: 'none',
  });
  const [tile] = (await checkPackage(packages.get(type)!)).filter(({ isLeaf }) => isLeaf);
  const { materials, meshes, accessors } = tile!.json as {
    materials: Array<{ doubleSided?: boolean }>;
    meshes: Array<{ primitives: Array<{ material: number; indices: number }> }>;
    accessors: Array<{ count: number }>;
  };
  const sides = meshes[0]!.primitives.map(({ material, indices }) => [
    materials[material]!.doubleSided ?? false,
    accessors[indices]!.count / 3,
  ]);
  return { sides: sides.sort(), codes: issues.map(({ code, count }) => [code, count]) };
}
const walls = (inside: string) =>
  `<bldg:boundedBy><bldg:WallSurface><bldg:lod2MultiSurface><gml:MultiSurface>${inside}</gml:MultiSurface>` +
  `</bldg:lod2MultiSurface></bldg:WallSurface></bldg:boundedBy>`;
const shared = box([0, 0, 0], [10, 10, 10], 's');
const references = (wrap: (reference: string) => string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => wrap(`xlink:href="#s-p${from + i}"`)).join('');
const member = (reference: string) => `<gml:surfaceMember ${reference}/>`;
const turned = (reference: string) =>
  `<gml:surfaceMember><gml:OrientableSurface orientation="-"><gml:baseSurface ${reference}/>` +
  `</gml:OrientableSurface></gml:surfaceMember>`;

test('what no solid has is seen from both sides, and so is what is referred to in both orientations', async () => {
  const both = async (geometry: string) => (await sidesOf(geometry)).sides;
  assert.deepEqual(await both(solid(2, shared)), [[false, 12]]);
  assert.deepEqual(await both(walls(shared.join(''))), [[true, 12]]);
  // Boundary surfaces of a solid, before and behind it.
  const solidOf = solid(2, [references(member, 0, 6)]);
  assert.deepEqual(await both(walls(shared.join('')) + solidOf), [[false, 12]]);
  assert.deepEqual(await both(solidOf + walls(shared.join(''))), [[false, 12]]);
  // Two of the sides are those of a room, too.
  assert.deepEqual(await both(solid(2, shared) + walls(references(turned, 0, 2))), [
    [false, 8],
    [true, 4],
  ]);
});

test('small triangles of something larger are kept; what is small by itself, or a line, is not', async () => {
  // A handle: a strip of 40 triangles of 0.5 cm² each.
  const strip = Array.from({ length: 40 }, (_, i): Ring => {
    const [x, y] = [i * 0.01, (i % 2) * 0.01];
    return [
      [x, y, 20],
      [x + 0.01, 0.01 - y, 20],
      [x + 0.02, y, 20],
    ];
  });
  const line: Ring = [
    [0, 0, 30],
    [5, 0, 30],
    [2, 0, 30],
  ];
  const polygons = (rings: readonly Ring[]) => rings.map((ring) => polygon([ring])).join('');
  const kept = await sidesOf(solid(2, shared) + walls(polygons([...strip, line])));
  assert.deepEqual(kept, {
    codes: [['POLYGON_TINY', 1]],
    sides: [
      [false, 12],
      [true, 40],
    ],
  });
  const lost = await sidesOf(solid(2, shared) + walls(polygons(strip.slice(0, 1))));
  assert.deepEqual(lost, { codes: [['POLYGON_TINY', 1]], sides: [[false, 12]] });
});
