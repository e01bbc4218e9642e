import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  ecefToGeodetic,
  geodeticToEcef,
  maximumScale,
  meridianRadius,
  multiply,
  transformDirection,
  transformPoint,
} from './ecef.ts';
import { eastNorthUp } from './testing/volumes.ts';

const number = fc.integer({ min: -9, max: 9 });
/** Affine: the last row is 0, 0, 0, 1. */
const matrix = fc
  .tuple(...Array.from({ length: 12 }, () => number))
  .map((m) => [0, 1, 2, 3].flatMap((c) => [...m.slice(3 * c, 3 * c + 3), c === 3 ? 1 : 0] as number[]));
const vector = fc.tuple(number, number, number);

test('a product of matrices applies the second one first', () => {
  fc.assert(
    fc.property(matrix, matrix, vector, (a, b, p) => {
      const product = multiply(a, b);
      assert.equal(product.length, 16);
      assert.deepEqual(transformPoint(product, p), transformPoint(a, transformPoint(b, p)));
      assert.deepEqual(transformDirection(product, p), transformDirection(a, transformDirection(b, p)));
      assert.deepEqual([product[3], product[7], product[11], product[15]], [0, 0, 0, 1]);
    }),
  );
});

test('a direction is the difference of two points', () => {
  fc.assert(
    fc.property(matrix, vector, (m, p) => {
      const [x, y, z] = transformPoint(m, p);
      const [ox, oy, oz] = transformPoint(m, [0, 0, 0]);
      assert.deepEqual(transformDirection(m, p), [x - ox, y - oy, z - oz]);
    }),
  );
});

test('no direction gets longer than the maximum scale says, and one along an axis as long without shears', () => {
  fc.assert(
    fc.property(matrix, vector, (m, p) => {
      const scale = maximumScale(m);
      assert.ok(Math.hypot(...transformDirection(m, p)) <= scale * Math.hypot(...p) * (1 + 1e-12));
    }),
  );
  assert.equal(maximumScale([3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 4, 0, 7, 8, 9, 1]), 5);
  const turned = multiply(eastNorthUp(1, 0.5, 0), [2, 0, 0, 0, 0, 6, 0, 0, 0, 0, 3, 0, 0, 0, 0, 1]);
  assert.ok(Math.abs(maximumScale(turned) - 6) < 1e-9);
  // A shear: the exact factor is the golden ratio, 1.618; the bound is the square root of 4.
  assert.equal(maximumScale([1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]), Math.hypot(1, Math.SQRT2, 1));
});

test('local axes point east, north and up', () => {
  const [lng, lat, height] = [2.4, 0.6, 30];
  const frame = eastNorthUp(lng, lat, height);
  assert.deepEqual(transformPoint(frame, [0, 0, 0]), geodeticToEcef(lng, lat, height));
  const at = (p: number[]) => ecefToGeodetic(transformPoint(frame, p));
  assert.ok(at([10, 0, 0])[0] > lng + 1e-6 && Math.abs(at([10, 0, 0])[1] - lat) < 1e-9);
  assert.ok(at([0, 10, 0])[1] > lat + 1e-6 && Math.abs(at([0, 10, 0])[0] - lng) < 1e-12);
  assert.ok(Math.abs(at([0, 0, 10])[2] - 40) < 1e-6);
  // Ten metres north are ten metres of the meridian.
  assert.ok(Math.abs((at([0, 10, 0])[1] - lat) * (meridianRadius(lat) + height) - 10) < 1e-3);
});

test('the radius of the meridian is that of the ellipsoid at the equator and at a pole', () => {
  assert.ok(Math.abs(meridianRadius(0) - 6_335_439.327) < 0.001);
  assert.ok(Math.abs(meridianRadius(Math.PI / 2) - 6_399_593.626) < 0.001);
});
