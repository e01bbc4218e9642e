/** The section along a measured line, without a browser. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { drawProfile, type ProfilePoint } from '../packages/portal/src/three/profile.ts';

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
