import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isClosed, windingOf } from './winding.ts';

const ring = (corners: ReadonlyArray<readonly number[]>) =>
  Float64Array.from([...corners, corners[0]!].flat());

test('a simple ring turns as its area says, wherever it begins and with corners twice', () => {
  // Corners around a place, ascending by their angle: such a ring crosses itself nowhere.
  const star = fc
    .tuple(
      fc.uniqueArray(fc.integer({ min: 0, max: 59 }), { minLength: 3, maxLength: 9 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 9, maxLength: 9 }),
      fc.nat(8),
      fc.boolean(),
      fc.array(fc.nat(8), { maxLength: 3 }),
    )
    .map(([angles, radii, start, isTurned, twice]) => {
      let corners = angles
        .sort((a, b) => a - b)
        .map((angle, i) => {
          const turn = (angle * Math.PI) / 30;
          return [radii[i]! * Math.cos(turn), radii[i]! * Math.sin(turn), i];
        });
      for (const i of twice) {
        const at = i % corners.length;
        corners = corners.toSpliced(at, 0, [corners[at]![0]!, corners[at]![1]!, 99]);
      }
      const from = start % corners.length;
      const turned = [...corners.slice(from), ...corners.slice(0, from)];
      return { angles, corners: isTurned ? turned.reverse() : turned, isTurned };
    })
    // No gap of half a turn, over which the place itself would be outside.
    .filter(({ angles }) =>
      angles.every((angle, i) => ((angles[i + 1] ?? angles[0]! + 60) - angle) % 60 < 29),
    );
  fc.assert(
    fc.property(star, ({ corners, isTurned }) => {
      assert.equal(windingOf(ring(corners)), isTurned ? 'clockwise' : 'counterclockwise');
    }),
  );
});

test('lines, points, and what is not closed turn no way', () => {
  for (const corners of [
    [[0, 0, 0]],
    [
      [0, 0, 0],
      [1, 0, 0],
    ],
    [
      [0, 0, 0],
      [1, 1, 0],
      [2, 2, 0],
    ],
    [
      [3, 3, 0],
      [3, 3, 1],
      [3, 3, 2],
    ],
  ]) {
    assert.equal(windingOf(ring(corners)), 'none');
  }
  const open = Float64Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0);
  assert.equal(windingOf(open), 'none');
  for (const axis of [0, 1, 2]) {
    const closed = ring([
      [0, 0, 0],
      [1, 0, 0],
      [1, 1, 0],
    ]);
    assert.ok(isClosed(closed));
    closed[closed.length - 3 + axis]! += 1;
    assert.ok(!isClosed(closed));
    assert.equal(windingOf(closed), 'none');
  }
  assert.ok(!isClosed(Float64Array.of(1, 2, 3)));
});
