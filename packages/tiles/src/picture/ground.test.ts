import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groundUnder } from './ground.ts';
import type { Surface } from './surfaces.ts';

const surfaceOf = (...positions: number[]) => ({ positions: Float32Array.from(positions) }) as Surface;
/** Corners as east, north, height. */
const cornersOf = (ground: Surface | null) => {
  const { positions } = ground!;
  return Array.from({ length: positions.length / 3 }, (_, i) => [...positions.subarray(3 * i, 3 * i + 3)]);
};

test('the ground reaches as far as is asked, and lies under the lowest vertex of a place', () => {
  const ground = groundUnder([surfaceOf(0, 0, 20, 1, 1, 7, 2, 2, 9)], 30, 0.5);
  const corners = cornersOf(ground);
  assert.equal(corners.length, 9);
  assert.deepEqual(
    corners.map(([east, north]) => [east, north]),
    [-30, 0, 30].flatMap((north) => [-30, 0, 30].map((east) => [east, north])),
  );
  assert.ok(corners.every(([, , height]) => height === 6.5));
  assert.deepEqual(
    [...ground!.indices],
    [0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4, 3, 4, 7, 3, 7, 6, 4, 5, 8, 4, 8, 7],
  );
  const alone = groundUnder([surfaceOf(0, 0, 20)], 30, 0);
  assert.ok(
    cornersOf(alone).every(([, , height]) => height === 20),
    'a single vertex counts',
  );
});

test('where nothing stands, or all of it is beyond, there is no ground', () => {
  assert.equal(groundUnder([], 30, 0), null);
  assert.equal(groundUnder([surfaceOf(31, 0, 1, -31, 0, 1, 0, 31, 1, 0, -31, 1)], 30, 0), null);
});

test('between places whose heights are known the ground is smooth, and under houses a mean', () => {
  // Cells of 30 m: the first is known, and the last.
  const low = surfaceOf(-85, -85, 10);
  const high = surfaceOf(85, 85, 40);
  const heights = cornersOf(groundUnder([low, high], 90, 0)).map(([, , height]) => height!);
  const side = Math.sqrt(heights.length);
  assert.equal(side, 7);
  assert.equal(heights[0], 10);
  assert.equal(heights.at(-1), 40);
  const diagonal = Array.from({ length: side }, (_, i) => heights[i * side + i]!);
  for (let i = 1; i < side; i++) assert.ok(diagonal[i]! >= diagonal[i - 1]!, diagonal.join());
  const middle = heights[(heights.length - 1) / 2]!;
  assert.ok(Math.abs(middle - 25) < 0.5, `${middle}`);
  const under = cornersOf(groundUnder([low, high], 90, 1)).map(([, , height]) => height!);
  for (const [i, height] of under.entries()) assert.ok(height <= heights[i]! - 1 + 1e-4);
});
