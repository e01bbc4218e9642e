import assert from 'node:assert/strict';
import test from 'node:test';
import { isMeshCode } from '../../packages/geo/src/mesh.ts';
import { nationalPackages } from './generate.ts';

const SMALL = { seed: 'test', cities: 30, years: [2022, 2023], datasets: 2_500, files: 3_001 };
const country = [...nationalPackages(SMALL)];
const packages = country.map((content) => content.package);

test('the country has exactly as much as was asked for', () => {
  assert.equal(packages.filter((row) => row.kind === 'citygml').length, 60);
  assert.equal(packages.filter((row) => row.dataset !== null).length, 2_500);
  assert.equal(
    country.reduce((sum, { files }) => sum + [...files].length, 0),
    3_001,
  );
  assert.throws(() => [...nationalPackages({ ...SMALL, datasets: 10 })], RangeError);
});

test('no two packages are the same, nor two files or places of a package', () => {
  for (const key of ['id', 'identity', 'name', 'assetPath'] as const) {
    assert.equal(new Set(packages.map((row) => row[key])).size, packages.length, key);
  }
  for (const { files, places } of country) {
    const paths = [...files].map((file) => file.path);
    assert.equal(new Set(paths).size, paths.length);
    const names = [...places].map((place) => `${place.kind}/${place.name}`);
    assert.equal(new Set(names).size, names.length);
  }
});

test('files have mesh codes, and lie in the extent of their package but for what reaches over its edge', () => {
  for (const { package: row, files } of country) {
    for (const { mesh, bounds } of files) {
      assert.ok(isMeshCode(mesh), mesh);
      const box = row.bounds!;
      assert.ok(bounds!.west < box.east && bounds!.east > box.west, mesh);
      assert.ok(bounds!.south < box.north && bounds!.north > box.south, mesh);
    }
  }
});

test('the same seed gives the same country, another seed another', () => {
  const text = (seed: string) => JSON.stringify([...nationalPackages({ ...SMALL, seed })]);
  assert.equal(text('test'), JSON.stringify(country));
  assert.notEqual(text('other'), JSON.stringify(country));
});
