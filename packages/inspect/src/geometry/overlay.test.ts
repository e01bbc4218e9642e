import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { overlapArea, overlapsOf, type Region, unionOf } from './overlay.ts';

/** Far from the origin, as on a plane system. */
const [EAST, NORTH] = [-11_000.5, -35_000.25];
const whole = fc.integer({ min: 0, max: 7 });
const side = fc.integer({ min: 1, max: 5 });
type Rectangle = readonly [x: number, y: number, width: number, height: number];
const rectangle = fc.tuple(whole, whole, side, side);

function ringOf([x, y, width, height]: Rectangle, isTurned = false): Float64Array {
  const corners = [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
    [x, y],
  ];
  return Float64Array.from(
    (isTurned ? corners.reverse() : corners).flatMap(([a, b]) => [a! + EAST, b! + NORTH]),
  );
}

function areaOf(rings: readonly Float64Array[]): number {
  let area = 0;
  for (const ring of rings) {
    const count = ring.length / 2;
    for (let i = 0; i < count; i++) {
      const j = (i + 1) % count;
      area += ((ring[2 * i]! - EAST) * (ring[2 * j + 1]! - NORTH)) / 2;
      area -= ((ring[2 * j]! - EAST) * (ring[2 * i + 1]! - NORTH)) / 2;
    }
  }
  return Math.abs(area);
}

/** Squares of one metre that any of the rectangles covers. */
function squares(rectangles: readonly Rectangle[]): number {
  const covered = new Set<string>();
  for (const [x, y, width, height] of rectangles) {
    for (let i = 0; i < width; i++) for (let j = 0; j < height; j++) covered.add(`${x + i} ${y + j}`);
  }
  return covered.size;
}

test('two rectangles overlap where their narrowed sides do, whichever way they turn', () => {
  fc.assert(
    fc.property(
      rectangle,
      rectangle,
      fc.boolean(),
      fc.constantFrom(0, 0.25, 0.5),
      (a, b, isTurned, narrowing) => {
        const isShared = [0, 1].every((axis) => {
          const to = Math.min(a[axis]! + a[axis + 2]!, b[axis]! + b[axis + 2]!);
          const areWide = a[axis + 2]! > 2 * narrowing && b[axis + 2]! > 2 * narrowing;
          return areWide && to - Math.max(a[axis]!, b[axis]!) > 2 * narrowing;
        });
        assert.equal(overlapsOf([ringOf(a)], [ringOf(b, isTurned)], narrowing), isShared ? 1 : 0);
      },
    ),
  );
});

test('a hole is no part of an overlap, pieces are counted, and nothing overlaps with nothing', () => {
  const frame: Region = [ringOf([0, 0, 6, 6]), ringOf([2, 2, 2, 2])];
  assert.equal(overlapsOf(frame, [ringOf([2, 2, 2, 2])], 0), 0);
  // All around the hole, and on two sides of it.
  assert.equal(overlapsOf(frame, [ringOf([1, 1, 4, 4])], 0), 1);
  assert.equal(overlapsOf([ringOf([1, 2, 4, 2])], frame, 0), 2);
  const one: Region = [ringOf([0, 0, 1, 1])];
  for (const [a, b] of [
    [[], []],
    [one, []],
    [[], one],
  ] as const) {
    assert.equal(overlapsOf(a, b, 0), 0);
  }
});

test('the area of an overlap is that of the squares that both cover, without holes', () => {
  /** A frame of one metre, where there is room for a hole. */
  const framed = (one: Rectangle): [Region, Rectangle[]] => {
    const [x, y, width, height] = one;
    if (width < 3 || height < 3) return [[ringOf(one)], [one]];
    return [
      [ringOf(one), ringOf([x + 1, y + 1, width - 2, height - 2], true)],
      [
        [x, y, width, 1],
        [x, y + height - 1, width, 1],
        [x, y, 1, height],
        [x + width - 1, y, 1, height],
      ],
    ];
  };
  fc.assert(
    fc.property(rectangle, rectangle, (a, b) => {
      const [[one, ofOne], [other, ofOther]] = [framed(a), framed(b)];
      const both = squares(ofOne) + squares(ofOther) - squares([...ofOne, ...ofOther]);
      assert.ok(Math.abs(overlapArea(one, other) - both) < 0.01);
    }),
  );
  assert.equal(overlapArea([], []), 0);
});

test('a union covers each square that any of the rectangles covers, once', () => {
  fc.assert(
    fc.property(fc.array(rectangle, { maxLength: 6 }), fc.nat(5), (rectangles, copied) => {
      const rings = rectangles.map((one, i) => ringOf(one, i % 2 === 1));
      // The same corners in another order, begun elsewhere.
      const again = rings[copied];
      if (again !== undefined) {
        const corners = Array.from({ length: 4 }, (_, i) => [...again.slice(2 * i, 2 * i + 2)]).reverse();
        rings.push(Float64Array.from([...corners, corners[0]!].flat()));
      }
      const union = unionOf(rings.map((ring) => [ring]));
      assert.ok(Math.abs(areaOf(union) - squares(rectangles)) < 0.01);
    }),
  );
});
