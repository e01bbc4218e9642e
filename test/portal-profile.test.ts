/** The section along a measured line, without a browser. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { drawProfile, PROFILE_PLACES, type ProfilePoint } from '../packages/portal/src/three/profile.ts';

const POINTS: ProfilePoint[] = [
  { along: 0, ground: 40, top: 40 },
  { along: 50, ground: 40, top: 60 },
  { along: 100, ground: 42, top: 42 },
];

describe('a section', () => {
  test('has ground and tops at the places of the line', () => {
    const { tops, ground, highest } = drawProfile(POINTS, 200, 100);
    assert.match(tops, /^M0 100L100 [\d.]+L200 [\d.]+L200 [\d.]+L100 100L0 100z$/);
    assert.match(ground, /^M0 100L100 100L200 [\d.]+V100H0z$/);
    assert.deepEqual([highest.height, highest.x], [20, 100]);
    assert.ok(Math.abs(highest.y - (100 - (20 / 23) * 90)) < 0.1, `${highest.y}`);
  });

  test('counts heights from its lowest ground, in round steps', () => {
    const { lines } = drawProfile(POINTS, 200, 100);
    assert.deepEqual(
      lines.map(({ height }) => height),
      [0, 10, 20],
    );
    assert.equal(lines[0]!.y, 100);
  });

  test('has up to four lines above the lowest, at the smallest step that gives so few', () => {
    for (const [range, step, count] of [
      [7.9, 2, 4],
      [8.1, 5, 2],
      [19.9, 5, 4],
      [20.1, 10, 3],
      [39.9, 10, 4],
      [40.1, 20, 3],
      [79.9, 20, 4],
      [80.1, 50, 2],
      [199, 50, 4],
      [201, 100, 3],
      [399, 100, 4],
      [401, 200, 3],
      [799, 200, 4],
      [801, 500, 2],
      [2_600, 500, 6],
    ] as const) {
      // An eighth of the height is left free above.
      const points = [0, 100].map((along) => ({ along, ground: 7, top: 7 + (range / 1.15) * (along / 100) }));
      const { lines } = drawProfile(points, 200, 100);
      assert.deepEqual(
        lines.map(({ height }) => height),
        Array.from({ length: count }, (_, i) => i * step),
        `${range}`,
      );
    }
  });

  test('is nothing without places, and a line within a metre is as long as one', () => {
    assert.deepEqual(drawProfile([], 200, 100), {
      ...{ tops: '', ground: '' },
      lines: [
        { height: 0, y: Number.NaN },
        { height: 2, y: Number.NaN },
        { height: 4, y: Number.NaN },
      ],
      highest: { height: 0, x: 0, y: 100 },
    });
    const short = [3, 3.5].map((along) => ({ along, ground: 0, top: 0 }));
    assert.equal(drawProfile(short, 200, 100).ground, 'M0 100L100 100V100H0z');
    const [one] = short;
    assert.equal(drawProfile([one!], 200, 100).tops, 'M0 100L0 100z');
    const equals = [0, 10, 20].map((along) => ({ along, ground: along, top: along + 5 }));
    assert.equal(drawProfile(equals, 200, 100).highest.x, 0, 'the first of equals');
    assert.equal(PROFILE_PLACES, 64);
  });

  test('stays in its box, whatever it is', () => {
    const point = fc
      .record({
        along: fc.double({ min: 0, max: 5_000, noNaN: true }),
        ground: fc.double({ min: -10, max: 900, noNaN: true }),
        above: fc.double({ min: 0, max: 400, noNaN: true }),
      })
      .map(({ along, ground, above }) => ({ along, ground, top: ground + above }));
    fc.assert(
      fc.property(fc.array(point, { maxLength: 20 }), (unsorted) => {
        const points = unsorted.sort((a, b) => a.along - b.along);
        const { tops, lines, highest } = drawProfile(points, 200, 100);
        const numbers = [...tops.matchAll(/[-\d.]+/g)].map(Number);
        assert.ok(
          numbers.every((number, i) => number >= 0 && number <= (i % 2 === 0 ? 200 : 100)),
          tops,
        );
        assert.ok(lines.length >= 1 && lines.length <= 5);
        assert.ok(highest.height >= 0 && highest.y <= 100);
      }),
    );
  });
});
