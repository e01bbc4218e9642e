import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evenly } from '@citymodel/base/testing';
import type { Vec3 } from '@citymodel/geo';
import fc from 'fast-check';
import { cameraAt } from './camera.ts';

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
const near = (found: number, expected: number) =>
  assert.ok(Math.abs(found - expected) < 1e-9 * (1 + Math.abs(expected)), `${found} is not ${expected}`);

test('a camera looks down from the south-south-east at its target, upright, and sees all of the radius', () => {
  const target = fc.tuple(evenly(-9_000, 9_000), evenly(-9_000, 9_000), evenly(-100, 3_000));
  fc.assert(
    fc.property(target, evenly(1, 5_000), evenly(0.5, 3), (target, radius, aspect) => {
      const { eye, ahead, right, up, halfWidth, halfHeight, shift } = cameraAt(target, radius, aspect);
      for (const axis of [ahead, right, up]) near(dot(axis, axis), 1);
      for (const [a, b] of [
        [ahead, right],
        [right, up],
        [up, ahead],
      ] as const)
        near(dot(a, b), 0);
      // Right-handed: right × ahead is up.
      const cross: Vec3 = [
        right[1] * ahead[2] - right[2] * ahead[1],
        right[2] * ahead[0] - right[0] * ahead[2],
        right[0] * ahead[1] - right[1] * ahead[0],
      ];
      near(dot(cross, up), 1);
      assert.ok(up[2] > 0 && right[0] > 0);
      near(right[2], 0);
      // Degrees from north to east, and up from the horizon.
      near((Math.atan2(ahead[0], ahead[1]) * 180) / Math.PI, -24);
      near((Math.asin(ahead[2]) * 180) / Math.PI, -20);
      near((Math.atan(halfWidth) * 360) / Math.PI, 54);
      near(halfWidth / halfHeight, aspect);
      assert.equal(shift, 0.2);
      const distance = Math.hypot(...eye.map((value, i) => value - target[i]!));
      for (const [i, value] of eye.entries()) near(value + ahead[i]! * distance, target[i]!);
      near(distance * halfWidth, 1.05 * radius);
    }),
    { numRuns: 40 },
  );
});
