import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { contains, distanceToSegment, meeting, nearPairs } from './segments.ts';

const whole = fc.integer({ min: 0, max: 6 });
const place = fc.tuple(whole, whole);
const line = (...places: ReadonlyArray<readonly number[]>) => Float64Array.from(places.flat());
const segment = fc.tuple(place, place).filter(([a, b]) => String(a) !== String(b));

/** Whole numbers, so that every product is exact. */
function slowMeeting([a, b]: number[][], [c, d]: number[][]): [kind: string, x?: number, y?: number] | null {
  const [ux, uy] = [b![0]! - a![0]!, b![1]! - a![1]!];
  const [vx, vy] = [d![0]! - c![0]!, d![1]! - c![1]!];
  const [wx, wy] = [c![0]! - a![0]!, c![1]! - a![1]!];
  const across = ux * vy - uy * vx;
  if (across !== 0) {
    const [ofFirst, ofSecond] = [(wx * vy - wy * vx) / across, (wx * uy - wy * ux) / across];
    if (ofFirst < 0 || ofFirst > 1 || ofSecond < 0 || ofSecond > 1) return null;
    const isEnd = [0, 1].includes(ofFirst) || [0, 1].includes(ofSecond);
    return [isEnd ? 'touch' : 'proper', a![0]! + ofFirst * ux, a![1]! + ofFirst * uy];
  }
  if (wx * uy - wy * ux !== 0) return null;
  // Places along the first one, its length being 1.
  const at = (p: number[]) => ((p[0]! - a![0]!) * ux + (p[1]! - a![1]!) * uy) / (ux * ux + uy * uy);
  const from = Math.max(0, Math.min(at(c!), at(d!)));
  const to = Math.min(1, Math.max(at(c!), at(d!)));
  if (from > to) return null;
  return from < to ? ['along'] : ['touch', a![0]! + from * ux, a![1]! + from * uy];
}

test('how two segments meet, and where, is what fractions say', () => {
  fc.assert(
    fc.property(segment, segment, (one, other) => {
      // Not the first segments of their lines.
      const got = meeting(line([9, 9], ...one), 1, line([8, 8], [7, 9], ...other), 2);
      const expected = slowMeeting(one, other);
      assert.equal(got?.kind, expected?.[0]);
      if (got === null || got.kind === 'along') return;
      assert.ok(Math.hypot(got.x - expected![1]!, got.y - expected![2]!) < 1e-9);
    }),
    { numRuns: 2_000 },
  );
});

test('the distance to a segment is the least of all its places', () => {
  fc.assert(
    fc.property(place, place, place, (a, b, [x, y]) => {
      let least = Infinity;
      for (let k = 0; k <= 1_000; k++) {
        const [px, py] = [a[0] + ((b[0] - a[0]) * k) / 1_000, a[1] + ((b[1] - a[1]) * k) / 1_000];
        least = Math.min(least, Math.hypot(px - x, py - y));
      }
      assert.ok(Math.abs(distanceToSegment(line([5, 7], a, b), 1, x, y) - least) < 0.01);
    }),
  );
});

test('near pairs are those whose widened boxes meet', () => {
  const places = fc.array(place, { minLength: 2, maxLength: 12 });
  fc.assert(
    fc.property(places, places, fc.constantFrom(0, 0.5, 1), (one, other, margin) => {
      const [a, b] = [line(...one), line(...other)];
      const areNear = (p: number[][], i: number, q: number[][], j: number) =>
        [0, 1].every((axis) => {
          const [fromP, toP] = [p[i]![axis]!, p[i + 1]![axis]!].sort((m, n) => m - n);
          const [fromQ, toQ] = [q[j]![axis]!, q[j + 1]![axis]!].sort((m, n) => m - n);
          return fromP! <= toQ! + margin && fromQ! <= toP! + margin;
        });
      const expected = (p: number[][], q: number[][]) =>
        p
          .slice(1)
          .flatMap((_, i) =>
            q.slice(1).flatMap((_, j) => ((p !== q || i < j) && areNear(p, i, q, j) ? [`${i} ${j}`] : [])),
          );
      const pairs = (p: Float64Array, q: Float64Array) =>
        [...nearPairs(p, q, margin)].map(([i, j]) => `${i} ${j}`).sort();
      assert.deepEqual(pairs(a, b), expected(one, other).sort());
      // Two segments of one line are a pair once.
      assert.deepEqual(pairs(a, a), expected(one, one).sort());
    }),
  );
});

test('a point is inside of a ring that goes round it', () => {
  const inside = fc.tuple(
    fc.double({ min: 0, max: 6, noNaN: true }),
    fc.double({ min: 0, max: 6, noNaN: true }),
  );
  fc.assert(
    fc.property(fc.array(place, { minLength: 3, maxLength: 8 }), inside, (corners, [x, y]) => {
      const ring = [...corners, corners[0]!];
      const near = ring.slice(1).some((_, i) => distanceToSegment(line(...ring), i, x, y) < 1e-6);
      fc.pre(!near);
      // Turns of the way from the point to a corner, all the way round.
      let turns = 0;
      for (let i = 1; i < ring.length; i++) {
        const [ax, ay, bx, by] = [ring[i - 1]![0] - x, ring[i - 1]![1] - y, ring[i]![0] - x, ring[i]![1] - y];
        turns += Math.atan2(ax * by - ay * bx, ax * bx + ay * by) / (2 * Math.PI);
      }
      assert.equal(contains(line(...ring), x, y), Math.abs(Math.round(turns)) % 2 === 1);
    }),
  );
});
