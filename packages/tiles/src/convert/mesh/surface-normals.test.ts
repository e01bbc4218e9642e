import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Vec3 } from '@citymodel/geo';
import { isClockwise, SurfaceNormals } from './surface-normals.ts';
import { TileFrame } from './tile-frame.ts';

const [LNG, LAT] = [139.7, 35.6];
/** Metres of a degree as the sphere has them, near enough for directions. */
const EAST = 111_320 * Math.cos((LAT * Math.PI) / 180);

/** Metres east and north of a place, and height. */
const positions = (...places: ReadonlyArray<readonly [number, number, number]>) =>
  Float64Array.from(places.flatMap(([x, y, z]) => [LNG + x / EAST, LAT + y / 111_320, z]));

const frame = new TileFrame(LNG, LAT, 0);
const axes = (['east', 'north', 'up'] as const).map((_, axis) => {
  const ends = [0, 1].map((far) =>
    frame.toLocal(positions(axis === 0 ? [far, 0, 0] : axis === 1 ? [0, far, 0] : [0, 0, far])),
  );
  const along = [0, 1, 2].map((k) => ends[1]![k]! - ends[0]![k]!) as Vec3;
  return along.map((part) => part / Math.hypot(...along)) as Vec3;
});

/** East, north and up of the first unit vector in the frame of a tile. */
function seen(normals: Float32Array): number[] {
  return axes.map(
    (axis) => Number(axis.reduce((sum, part, k) => sum + part * normals[k]!, 0).toFixed(2)) + 0,
  );
}

test('a plane faces as it lies, whichever way its triangles run', () => {
  // It rises by one metre for each metre to the east: it faces up and to the west.
  const corners = [
    [0, 0, 0],
    [10, 0, 10],
    [0, 10, 0],
  ] as const;
  for (const order of [corners, corners.toReversed()]) {
    const normals = new SurfaceNormals();
    const ring = positions(...order);
    normals.add(ring, 0, 3);
    for (let i = 0; i < 3; i++) assert.deepEqual(seen(normals.of(ring, i, i + 1)), [-0.71, 0, 0.71]);
    assert.equal(isClockwise(ring, 0, 3), order !== corners);
  }
});

test('at a ridge the surface faces as the mean of its sides, the larger one more', () => {
  const normals = new SurfaceNormals();
  const west = positions([0, 0, 10], [0, 10, 10], [-10, 0, 0]);
  const east = positions([0, 0, 10], [10, 0, 0], [0, 10, 10]);
  normals.add(west, 0, 3);
  normals.add(east, 0, 3);
  assert.deepEqual(seen(normals.of(west, 0, 1)), [0, 0, 1]);
  assert.deepEqual(seen(normals.of(west, 2, 3)), [-0.71, 0, 0.71]);
  const wide = positions([0, 0, 10], [30, 0, -20], [0, 30, 10]);
  normals.add(wide, 0, 3);
  const [outwards] = seen(normals.of(east, 0, 1));
  assert.ok(outwards! > 0.4, `${outwards}`);
});

test('a ring behind others faces as by itself', () => {
  const ring = [
    [50, 50, 0],
    [60, 50, 3],
    [50, 60, -4],
  ] as const;
  const others = Array.from({ length: 9 }, (_, i) => [i % 3 === 1 ? 4 : 0, i % 3 === 2 ? 4 : 0, 0] as const);
  const all = positions(...others, ...ring);
  const [behind, alone] = [new SurfaceNormals(), new SurfaceNormals()];
  behind.add(all, 9, 12);
  alone.add(positions(...ring), 0, 3);
  const found = behind.of(all, 9, 12);
  assert.deepEqual([...found], [...alone.of(positions(...ring), 0, 3)]);
  const length = Math.hypot(0.3, 0.4, 1);
  assert.deepEqual(
    seen(found),
    [-0.3, 0.4, 1].map((part) => Number((part / length).toFixed(2))),
  );
  // The others were not added.
  assert.deepEqual(seen(behind.of(all, 0, 1)), [0, 0, 1]);
  assert.equal(isClockwise(all, 9, 12), false);
  assert.equal(isClockwise(positions(...others, ...ring.toReversed()), 9, 12), true);
});

test('what is a millimetre away is the same place, and a wall has two', () => {
  const normals = new SurfaceNormals();
  const low = positions([0, 0, 0], [10, 0, 0], [0, 10, 0]);
  normals.add(low, 0, 3);
  assert.deepEqual(seen(normals.of(positions([0, 0, 0.0004]), 0, 1)), [0, 0, 1]);
  const high = positions([0, 0, 5], [-10, 0, 15], [0, -10, 15]);
  normals.add(high, 0, 3);
  assert.deepEqual(seen(normals.of(low, 0, 1)), [0, 0, 1]);
  assert.ok(seen(normals.of(high, 0, 1))[2]! < 0.8);
});

test('a place that was not added, and one without a surface, face up', () => {
  const normals = new SurfaceNormals();
  assert.deepEqual(seen(normals.of(positions([0, 0, 0]), 0, 1)), [0, 0, 1]);
  const point = positions([1, 0, 0], [1, 0, 0], [1, 0, 0]);
  normals.add(point, 0, 3);
  assert.deepEqual(seen(normals.of(point, 0, 1)), [0, 0, 1]);
});

test('of thousands of places each is found again', () => {
  const normals = new SurfaceNormals();
  const at = (i: number) => positions([0, i, 0], [10, i, i % 7], [0, i + 1, 0]);
  for (let i = 0; i < 3_000; i++) normals.add(at(10 * i), 0, 3);
  for (let i = 0; i < 3_000; i += 97) {
    const rise = ((10 * i) % 7) / 10;
    const length = Math.hypot(rise, 1);
    const [east, , up] = seen(normals.of(at(10 * i), 0, 1));
    assert.ok(Math.abs(east! + rise / length) < 0.02 && Math.abs(up! - 1 / length) < 0.02, `place ${i}`);
  }
});
