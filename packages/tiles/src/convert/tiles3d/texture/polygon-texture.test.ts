import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Appearances } from '../../read/appearances.ts';
import { type Body, bodyOfPolygons } from '../../read/bodies.ts';
import type { LaidImages } from './laid-images.ts';
import { metresPerPixel, type PolygonTexture, piece, repeats, textureOf } from './polygon-texture.ts';

/** Two polygons: a triangle without ids; a square with a triangular hole, whose rings have the keys 7 and 8. */
function body(): Body {
  const rings = [
    [0, 0, 1, 0, 0, 1],
    [0, 0, 9, 0, 9, 9, 0, 9],
    [1, 1, 1, 2, 2, 1],
  ];
  const positions = rings.flatMap((ring) =>
    ring.flatMap((x, i) => (i % 2 === 0 ? [x, ring[i + 1]!, 5] : [])),
  );
  const of = bodyOfPolygons(
    Float64Array.from(positions),
    Uint32Array.of(3, 7, 10),
    Uint32Array.of(1, 3),
    false,
  );
  of.ringKeys.set([6, 7, 8]);
  // As files have them: the last position is the first again.
  of.ringWritten.set([4, 5, 4]);
  of.surfaceKeys.set([11, 12, 13, 21, 22, 23]);
  return of;
}

/** Coordinates by the keys of rings. */
function appearances(rings: Record<number, { image?: number; uvs: number[] }>, laidOn: number | null = null) {
  return {
    textureOf(key: number) {
      const found = rings[key];
      return found === undefined ? null : { image: found.image ?? 4, uvs: Float32Array.from(found.uvs) };
    },
    laidOn: (keys: Iterable<number>) => ([...keys].join() === '21,22,23' ? laidOn : null),
    laid: [{ image: 2 }, { image: 9 }],
  } as unknown as Appearances;
}

const NOTHING_LAID = { isGround: () => assert.fail('nothing is laid') } as unknown as LaidImages;
const OUTSIDE = [0, 0, 0.5, 0, 0.5, 0.5, 0, 0.5];
const HOLE = [0.125, 0.125, 0.125, 0.25, 0.25, 0.125];
const look = (rings: Record<number, { image?: number; uvs: number[] }>, change = (_: Body) => {}) => {
  const of = body();
  change(of);
  const found = textureOf(of, 1, appearances(rings), NOTHING_LAID);
  return found === null || typeof found === 'string' ? found : { ...found, uvs: [...found.uvs] };
};

test('each position has the coordinates that its place in its ring has, with the last one repeated or not', () => {
  const expected = { image: 4, uvs: [...OUTSIDE, ...HOLE], left: 0, right: 0.5, low: 0, high: 0.5 };
  assert.deepEqual(look({ 7: { uvs: OUTSIDE }, 8: { uvs: HOLE } }), expected);
  assert.deepEqual(look({ 7: { uvs: [...OUTSIDE, 0, 0] }, 8: { uvs: [...HOLE, 0.125, 0.125] } }), expected);
  assert.equal(look({}), null);
  assert.equal(
    textureOf(body(), 0, appearances({ 7: { uvs: OUTSIDE } }), NOTHING_LAID),
    null,
    'the other polygon',
  );
  const first = textureOf(body(), 0, appearances({ 6: { uvs: HOLE } }), NOTHING_LAID) as PolygonTexture;
  assert.deepEqual([...first.uvs], HOLE);
});

test('where positions of the file are left out, others keep their coordinates', () => {
  const leaveOut = (of: Body) => {
    // The second of five written positions is not there, nor is the first of the hole.
    of.ringWritten.set([4, 6, 5]);
    of.written = Uint32Array.of(0, 1, 2, 0, 2, 3, 4, 1, 2, 3);
  };
  const outside = [0, 0, 9, 9, 0.5, 0, 0.5, 0.5, 0, 0.5];
  const hole = [9, 9, ...HOLE];
  const found = look({ 7: { uvs: outside }, 8: { uvs: hole } }, leaveOut) as { uvs: number[] };
  assert.deepEqual(found.uvs, [...OUTSIDE, ...HOLE]);
  // Of a last position that is there twice, and whose coordinates are not, the first ones count.
  const closed = (of: Body) => {
    of.ringWritten[1] = 5;
    of.written = Uint32Array.of(0, 1, 2, 1, 2, 3, 4, 0, 1, 2);
  };
  const again = look({ 7: { uvs: OUTSIDE }, 8: { uvs: HOLE } }, closed) as { uvs: number[] };
  assert.deepEqual(again.uvs, [...OUTSIDE.slice(2), 0, 0, ...HOLE]);
});

test('coordinates that do not fit the rings are none', () => {
  for (const rings of [
    { 7: { uvs: OUTSIDE } },
    { 7: { uvs: OUTSIDE }, 8: { image: 5, uvs: HOLE } },
    { 7: { uvs: OUTSIDE.slice(2) }, 8: { uvs: HOLE } },
    { 7: { uvs: [...OUTSIDE, 0, 0, 0, 0] }, 8: { uvs: HOLE } },
    { 7: { uvs: [...OUTSIDE, 0] }, 8: { uvs: HOLE } },
    { 7: { uvs: OUTSIDE }, 8: { uvs: [...HOLE.slice(1), Number.NaN] } },
  ])
    assert.equal(look(rings), 'misfit', JSON.stringify(rings));
});

test('coordinates are moved by whole images into the first, which rounding does not leave', () => {
  const at = (across: number, up: number) => {
    const uvs = OUTSIDE.map((value, i) => value + (i % 2 === 0 ? across : up));
    const hole = HOLE.map((value, i) => value + (i % 2 === 0 ? across : up));
    const found = look({ 7: { uvs }, 8: { uvs: hole } }) as Exclude<ReturnType<typeof look>, string | null>;
    return [...found.uvs.slice(0, 2), found.left, found.right, found.low, found.high].map(
      (value) => Math.round(value * 1e4) / 1e4,
    );
  };
  assert.deepEqual(at(3, -2), [0, 0, 0, 0.5, 0, 0.5]);
  assert.deepEqual(at(1.25, 0), [0.25, 0, 0.25, 0.75, 0, 0.5]);
  assert.deepEqual(at(-0.001, 0.999), [-0.001, -0.001, -0.001, 0.499, -0.001, 0.499]);
  assert.deepEqual(at(-0.003, 0), [0.997, 0, 0.997, 1.497, 0, 0.5]);
});

test('an image that is laid over a surface has coordinates by where it is; one of the ground ends at its edges', () => {
  const laid = (isGround: boolean | null, coordinates: number[]) => {
    const found = textureOf(body(), 1, appearances({}, 1), {
      isGround: () => isGround,
      coordinates: (number: number, _: Float64Array, from: number, to: number) => {
        assert.deepEqual([number, from, to], [1, 3, 10]);
        return Float32Array.from(coordinates);
      },
    } as unknown as LaidImages);
    return found === null || typeof found === 'string'
      ? found
      : [found.image, found.left, found.right, found.high];
  };
  const uvs = [...OUTSIDE, ...HOLE];
  assert.deepEqual(laid(true, uvs), [9, 0, 0.5, 0.5]);
  assert.deepEqual(laid(false, uvs), [9, 0, 0.5, 0.5]);
  assert.equal(laid(null, uvs), null);
  assert.equal(laid(true, [Number.NaN, ...uvs.slice(1)]), 'misfit');
  assert.equal(laid(false, [Infinity, ...uvs.slice(1)]), 'misfit');
  for (const beyond of [-0.01, 1.01]) {
    assert.equal(laid(true, [beyond, ...uvs.slice(1)]), 'outside');
    assert.notEqual(laid(false, [beyond, ...uvs.slice(1)]), 'outside');
  }
  // By rounding only.
  assert.deepEqual(laid(true, [-0.001, 1.001, ...uvs.slice(2)]), [9, 0, 0.5, 1]);
  assert.equal(textureOf(body(), 0, appearances({}, 1), NOTHING_LAID), null);
});

const textureAt = (left: number, right: number, low: number, high: number): PolygonTexture => ({
  ...{ image: 0, left, right, low, high },
  uvs: Float32Array.of(left, low, right, low, right, high, left, high),
});

test('an image repeats where a polygon goes beyond its end by more than rounding', () => {
  assert.deepEqual(
    [textureAt(0, 1.001, 0, 1.001), textureAt(0, 1.003, 0, 1), textureAt(0, 1, 0, 1.003)].map(repeats),
    [false, true, true],
  );
});

test('a piece has all pixels that are touched, one at least, from the upper left', () => {
  const facts = { width: 100, height: 50 } as Parameters<typeof piece>[1];
  const rect = (...of: Parameters<typeof textureAt>) => piece(textureAt(...of), facts);
  assert.deepEqual(rect(0, 1, 0, 1), { left: 0, top: 0, right: 100, bottom: 50 });
  assert.deepEqual(rect(0.255, 0.505, 0.1, 0.25), { left: 25, top: 37, right: 51, bottom: 45 });
  assert.deepEqual(rect(0.5, 0.5, 0.5, 0.5), { left: 50, top: 25, right: 51, bottom: 26 });
  assert.deepEqual(rect(1, 1, 0, 0), { left: 99, top: 49, right: 100, bottom: 50 });
  assert.deepEqual(rect(-0.001, 1.001, -0.001, 1.001), { left: 0, top: 0, right: 100, bottom: 50 });
});

test('a pixel has as many metres as the areas say, wherever the polygon is and however it stands', () => {
  const metre = 111_320;
  const facts = { width: 100, height: 50 } as Parameters<typeof piece>[1];
  // Ten by twenty metres, flat and upright, behind another polygon; it shows half of the image.
  for (const [lng, lat] of [
    [139, 35],
    [10, 60],
  ] as const) {
    const east = metre * Math.cos((lat * Math.PI) / 180);
    for (const corners of [
      [
        [0, 0, 5],
        [10, 0, 5],
        [10, 20, 5],
        [0, 20, 5],
      ],
      [
        [0, 0, 5],
        [10, 0, 5],
        [10, 0, 25],
        [0, 0, 25],
      ],
      [
        [0, 0, 5],
        [0, 10, 5],
        [0, 10, 25],
        [0, 0, 25],
      ],
    ]) {
      // A polygon of twelve positions comes first.
      const others = Array.from({ length: 12 }, (_, i) => [i % 4, i / 4, 0]);
      const places = [...others, ...corners].flatMap(([x, y, z]) => [lng + x! / east, lat + y! / metre, z!]);
      const of = bodyOfPolygons(
        Float64Array.from(places),
        Uint32Array.of(12, 16),
        Uint32Array.of(1, 2),
        false,
      );
      const found = metresPerPixel(of, 1, textureAt(0.25, 0.75, 0, 1), facts);
      const expected = Math.sqrt((10 * 20) / (0.5 * 100 * 50));
      assert.ok(Math.abs(found / expected - 1) < 1e-4, `${found} is not ${expected}`);
      assert.equal(metresPerPixel(of, 1, textureAt(0.5, 0.5, 0, 1), facts), Infinity);
    }
  }
});
