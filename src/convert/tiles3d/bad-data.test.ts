import assert from 'node:assert/strict';
import { test } from 'node:test';
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

test('what a file holds twice, and references in circles, are read once', async () => {
  const shared = box([0, 0, 0], [10, 10, 10], 's');
  const twice = `${solid(2, shared)}<bldg:boundedBy><bldg:WallSurface><bldg:lod2MultiSurface><gml:MultiSurface>${shared.map((_, i) => `<gml:surfaceMember xlink:href="#s-p${i}"/>`).join('')}</gml:MultiSurface></bldg:lod2MultiSurface></bldg:WallSurface></bldg:boundedBy>`;
  const { packages } = await convertGml([fixture([building('a', twice)])]);
  const [feature] = finestFeatures(await checkPackage(packages.get('bldg_3dtiles_lod2')!));
  assert.ok(Math.abs(feature!.area / 600 - 1) < 0.02, `${feature!.area} m²`);
});
