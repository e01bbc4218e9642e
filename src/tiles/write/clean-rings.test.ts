import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanPolygons } from './clean-rings.ts';

test('rings that vanish in a tile leave nothing behind', () => {
  const square = (size: number): Array<[number, number]> => [
    [0, 0],
    [size, 0],
    [size, size],
    [0, size],
    [0, 0],
  ];
  const hole: Array<[number, number]> = [
    [1, 1],
    [1, 2],
    [2, 2],
    [2, 1],
    [1, 1],
  ];
  const doubled = square(4).flatMap((point) => [point, point]);
  const geometryOf = (...geometry: unknown[]) =>
    cleanPolygons([{ type: 3, geometry }]).map((feature) => feature.geometry);
  assert.deepEqual(geometryOf(square(4), hole), [[square(4), hole]]);
  assert.deepEqual(geometryOf(doubled), [[square(4)]]);
  assert.deepEqual(geometryOf(square(0)), []);
  // The hole of an outside without an area is no outside.
  assert.deepEqual(geometryOf([...square(4).slice(0, 2), [0, 0]], hole), []);
  assert.deepEqual(geometryOf(square(4), [...hole.slice(0, 2), [1, 1]]), [[square(4)]]);
});
