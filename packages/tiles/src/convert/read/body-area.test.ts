import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Body } from './bodies.ts';
import { areaOf } from './body-area.ts';

/** Metres of a degree at 35° N on the ellipsoid of WGS 84, as tables have them. */
const [EAST, NORTH] = [91_288, 110_941];

/** Polygons of rings of positions in metres from a place. */
function body(...polygons: Array<Array<Array<readonly [x: number, y: number, z: number]>>>): Body {
  const positions: number[] = [];
  const ringEnds: number[] = [];
  const polygonEnds: number[] = [];
  for (const rings of polygons) {
    for (const ring of rings) {
      for (const [x, y, z] of ring) positions.push(139 + x / EAST, 35 + y / NORTH, z);
      ringEnds.push(positions.length / 3);
    }
    polygonEnds.push(ringEnds.length);
  }
  return {
    positions: Float64Array.from(positions),
    ringEnds: Uint32Array.from(ringEnds),
    polygonEnds: Uint32Array.from(polygonEnds),
  } as Body;
}

const level = (x: number, y: number, width: number, depth: number) =>
  [
    [x, y, 5],
    [x + width, y, 5],
    [x + width, y + depth, 5],
    [x, y + depth, 5],
  ] as const;
const close = (found: number, expected: number) =>
  assert.ok(Math.abs(found / expected - 1) < 1e-4, `${found} m²`);

test('polygons are as large as they are in metres, however they stand', () => {
  close(areaOf(body([[...level(0, 0, 10, 20)]])), 200);
  close(areaOf(body([[...level(0, 0, 10, 20)].reverse()], [[...level(30, 7, 3, 4)]])), 212);
  // A wall along the longitude, one along the latitude, and a roof of 3, 4, 5.
  close(
    areaOf(
      body([
        [
          [0, 0, 0],
          [10, 0, 0],
          [10, 0, 7],
          [0, 0, 7],
        ],
      ]),
    ),
    70,
  );
  close(
    areaOf(
      body([
        [
          [0, 0, 0],
          [0, 10, 0],
          [0, 10, 7],
          [0, 0, 7],
        ],
      ]),
    ),
    70,
  );
  close(
    areaOf(
      body([
        [
          [0, 0, 0],
          [4, 0, 3],
          [4, 10, 3],
          [0, 10, 0],
        ],
      ]),
    ),
    50,
  );
});

test('holes are taken off, and a polygon is never less than nothing', () => {
  close(areaOf(body([[...level(0, 0, 10, 10)], [...level(2, 2, 3, 3)], [...level(6, 6, 2, 2)]])), 87);
  const bad = body([[...level(0, 0, 2, 2)], [...level(0, 0, 9, 9)]], [[...level(0, 0, 5, 5)]]);
  close(areaOf(bad), 25);
  assert.equal(areaOf(body()), 0);
});
