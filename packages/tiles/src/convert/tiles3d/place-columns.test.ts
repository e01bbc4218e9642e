import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Column } from '../read/column.ts';
import { addPlace } from './place-columns.ts';
import { finestFeatures } from './testing/check-package.ts';
import { convertGml } from './testing/convert-gml.ts';
import { box, building, fixture, solid } from './testing/fixture-gml.ts';
import { readTiles } from './testing/read-tiles.ts';

const facts = { low: 0, high: 0, positions: 3, polygons: 1, area: 1 };
const near = (a: unknown, b: number, most: number) =>
  assert.ok(Math.abs(Number(a) - b) <= most, `${a} is not ${b}`);

test('a feature says where it lies: the middle and the edges of its box, and heights of the data', () => {
  const body = { ...facts, west: 139.1, south: 35.1, east: 139.3, north: 35.2, bottom: 6.52645, top: 9.5 };
  const columns: Column[] = [];
  addPlace(columns, { bodies: [null, body], whole: null }, 1);
  assert.deepEqual(
    columns.map(({ name, type }) => `${name} ${type}`),
    ['_x', '_y', '_xmin', '_xmax', '_ymin', '_ymax', '_zmin', '_zmax'].map((name) => `${name} FLOAT64`),
  );
  const expected = [139.2, 35.15, 139.1, 139.3, 35.1, 35.2];
  for (const [i, value] of expected.entries()) near(columns[i]!.value, value, 4e-9);
  assert.deepEqual(
    columns.slice(6).map(({ value }) => value),
    [6.526, 9.5],
  );
});

test('a piece of a feature says where all of it lies', () => {
  const piece = { ...facts, west: 1, south: 2, east: 3, north: 4, bottom: 5, top: 6 };
  const whole = { west: 0, south: 0, east: 10, north: 20, bottom: -1, top: 7 };
  const columns: Column[] = [];
  addPlace(columns, { bodies: [null, piece], whole: [null, whole] }, 1);
  assert.deepEqual(
    columns.map(({ value }) => value),
    [5, 10, 0, 10, 0, 20, -1, 7],
  );
});

test('tiles of each level of detail have the box of that level, with elevations', async () => {
  const low = solid(1, box([10, 10, 3], [20, 30, 5]));
  const high = solid(2, box([12, 12, 4], [10, 10, 9]));
  const { packages } = await convertGml([fixture([building('b', low + high)])]);
  for (const [lod, west, south, bottom, top] of [
    [1, 10, 10, 3, 8],
    [2, 12, 12, 4, 13],
  ] as const) {
    const [feature] = finestFeatures(await readTiles(packages.get(`bldg_3dtiles_lod${lod}`)!));
    const { _xmin, _ymin, _zmin, _zmax } = feature!.row;
    near(_xmin, 139.77 + west / 91_290, 1e-8);
    near(_ymin, 35.68 + south / 110_950, 1e-8);
    assert.deepEqual([_zmin, _zmax], [bottom, top]);
  }
});
