import assert from 'node:assert/strict';
import { test } from 'node:test';
import { geodeticToEcef } from '@citymodel/geo';
import fc from 'fast-check';
import { LocalPlane, metresBetween, ringArea } from './local-plane.ts';

const RADIANS = Math.PI / 180;
/** Degrees of longitude and latitude. */
const place = fc.tuple(
  fc.double({ min: -179, max: 179, noNaN: true }),
  fc.double({ min: -80, max: 80, noNaN: true }),
);
/** Degrees, some hundred metres. */
const nearby = fc.tuple(fc.integer({ min: -30, max: 30 }), fc.integer({ min: -30, max: 30 }));

test('metres are those of the ellipsoid, within a thousandth some hundred metres from the origin', () => {
  fc.assert(
    fc.property(place, nearby, ([lng, lat], [east, north]) => {
      fc.pre(east !== 0 || north !== 0);
      const other = [lng + east / 1e4, lat + north / 1e4] as const;
      const [from, to] = [[lng, lat] as const, other].map(([x, y]) =>
        geodeticToEcef(x * RADIANS, y * RADIANS, 0),
      );
      const chord = Math.hypot(...[0, 1, 2].map((i) => to![i]! - from![i]!));
      const metres = metresBetween([lng, lat], other);
      assert.ok(Math.abs(metres / chord - 1) < 1e-3, `${metres} m, not ${chord}`);
    }),
  );
});

test('x is metres to the east of the origin, y to the north, and both lead back to degrees', () => {
  const equator = new LocalPlane(10, 0);
  assert.ok(Math.abs(equator.x(11) - 111_319.4908) < 1e-3 && Math.abs(equator.x(9) + 111_319.4908) < 1e-3);
  assert.ok(Math.abs(equator.y(1) - 110_574.2758) < 1e-3 && Math.abs(equator.y(-1) + 110_574.2758) < 1e-3);
  assert.deepEqual([equator.x(10), equator.y(0)], [0, 0]);
  fc.assert(
    fc.property(place, nearby, ([lng, lat], [east, north]) => {
      const plane = new LocalPlane(lng, lat);
      const [x, y] = [lng + east / 1e4, lat + north / 1e4];
      assert.ok(Math.abs(plane.lng(plane.x(x)) - x) < 1e-11 && Math.abs(plane.lat(plane.y(y)) - y) < 1e-11);
    }),
  );
});

test('a ring has an x and a y for each of its positions', () => {
  const plane = new LocalPlane(139.7, 35.6);
  assert.deepEqual([...plane.ring([139.7, 35.6, 139.8, 35.7])], [0, 0, plane.x(139.8), plane.y(35.7)]);
  assert.deepEqual(plane.ring([]), new Float64Array(0));
  assert.deepEqual(plane.ring([139.8, 35.7]), Float64Array.of(plane.x(139.8), plane.y(35.7)));
});

test('the area of a ring is the sum of triangles, positive counter-clockwise, open or closed', () => {
  const corners = fc.array(fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: -50, max: 50 })), {
    minLength: 3,
    maxLength: 8,
  });
  fc.assert(
    fc.property(corners, fc.integer({ min: -9, max: 9 }), (ring, shift) => {
      let twice = 0;
      for (const [i, [x, y]] of ring.entries()) {
        const [nextX, nextY] = ring[(i + 1) % ring.length]!;
        twice += x * nextY - nextX * y;
      }
      const flat = ring.flat();
      assert.equal(ringArea(flat), twice / 2);
      assert.equal(ringArea([...flat, ...ring[0]!]), twice / 2);
      assert.equal(ringArea(flat.map((value) => value + shift)), twice / 2);
      assert.equal(ringArea(ring.toReversed().flat()) + 0, -twice / 2 + 0);
    }),
  );
  assert.equal(ringArea([0, 0, 4, 0, 4, 3]), 6);
  assert.equal(ringArea([]), 0);
});
