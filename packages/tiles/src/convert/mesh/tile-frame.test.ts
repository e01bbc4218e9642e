import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evenly } from '@citymodel/base/testing';
import { geodeticToEcef } from '@citymodel/geo';
import fc from 'fast-check';
import { toMetres } from './local-metres.ts';
import { TileFrame } from './tile-frame.ts';

const RADIANS = Math.PI / 180;
const lng = evenly(-180, 180);
const lat = evenly(-89, 89);
const height = evenly(-500, 9_000);
const near = (found: readonly number[], expected: readonly number[], within = 1e-6) =>
  assert.ok(
    found.length === expected.length && found.every((one, i) => Math.abs(one - expected[i]!) <= within),
    `${found} is not ${expected}`,
  );

test('positions of a tile lead back to where they are on the Earth, from its origin in whole metres', () => {
  const shift = evenly(-0.01, 0.01);
  fc.assert(
    fc.property(lng, lat, height, shift, shift, shift, (x, y, h, dx, dy, dh) => {
      const frame = new TileFrame(x, y, h);
      near(frame.origin, geodeticToEcef(x * RADIANS, y * RADIANS, h), 0.5);
      assert.ok(frame.origin.every(Number.isInteger));
      const [ox, oy, oz] = frame.origin;
      near(frame.translation, [ox, oz, -oy], 0);
      const positions = [x, y, h, x + dx, y + dy, h + 1_000 * dh];
      const local = [...frame.toLocal(Float64Array.from(positions))];
      assert.equal(local.length, 6);
      for (const at of [0, 3]) {
        const [east, up, south] = local.slice(at, at + 3) as [number, number, number];
        const [a, b, c] = positions.slice(at, at + 3) as [number, number, number];
        const earth = geodeticToEcef(a * RADIANS, b * RADIANS, c);
        near(frame.toEarth([east, up, south]), earth);
        // glTF has y up: z of the Earth, and its y the other way.
        near([east + ox, oy - south, up + oz], earth);
      }
    }),
  );
});

test('metres from the first position: east, north and up', () => {
  near(
    [...toMetres(Float64Array.of(139, 60, 7, 139.001, 60, 7, 139, 60.001, 9.5))],
    [0, 0, 0, 55.66, 0, 0, 0, 111.32, 2.5],
  );
  fc.assert(
    fc.property(lng, lat, height, (x, y, h) => {
      // A ten-thousandth of a degree to each side, and the distance on the ellipsoid, which differs by 0.7 % at most.
      const positions = Float64Array.of(x, y, h, x + 1e-4, y + 1e-4, h + 3);
      const [a, b] = [0, 3].map((at) =>
        geodeticToEcef(positions[at]! * RADIANS, positions[at + 1]! * RADIANS, positions[at + 2]!),
      );
      const found = Math.hypot(...toMetres(positions).subarray(3));
      const distance = Math.hypot(...a!.map((one, i) => one - b![i]!));
      assert.ok(Math.abs(found / distance - 1) < 0.008, `${found} m is not ${distance} m`);
    }),
  );
});
