import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeFootprint, encodeFootprint, PartKind } from './footprint.ts';
import { FootprintBuilder } from './footprint-builder.ts';

test('encoding loses nothing, near and far, in Japan and elsewhere', () => {
  const lng = fc.oneof(
    fc.double({ min: 139.7, max: 139.7001, noNaN: true }),
    fc.double({ min: 127.999, max: 128.001, noNaN: true }),
    fc.double({ min: -180, max: 180, noNaN: true }),
  );
  const lat = fc.oneof(
    fc.double({ min: 35.6, max: 35.6001, noNaN: true }),
    fc.double({ min: 31.9, max: 32.1, noNaN: true }),
    fc.double({ min: -90, max: 90, noNaN: true }),
  );
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.tuple(lng, lat), { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
      (parts) => {
        const vertices = Float64Array.from(parts.flat(2));
        const lengths = Int32Array.from(parts, (part) => part.length);
        const starts = lengths.map((_, i) => lengths.subarray(0, i).reduce((a, b) => a + b, 0));
        const west = Math.min(...parts.flat().map(([x]) => x));
        const south = Math.min(...parts.flat().map(([, y]) => y));
        const kinds = Uint8Array.from(parts, () => PartKind.line);
        const bytes = encodeFootprint({ count: parts.length, kinds, starts, lengths, vertices }, west, south);
        const decoded = decodeFootprint(bytes, west, south);
        // -0 and 0 are the same place.
        assert.deepEqual(
          decoded.lines.map((line) => [...line].map((value) => value + 0)),
          parts.map((part) => part.flat().map((value) => value + 0)),
        );
      },
    ),
    { numRuns: 1000 },
  );
});

test('a building takes ten bytes a vertex', () => {
  const vertices = Float64Array.of(139.70012345678, 35.60012345678, 139.70022345671, 35.6, 139.7, 35.60031);
  const parts = {
    count: 1,
    kinds: Uint8Array.of(PartKind.polygon),
    starts: Int32Array.of(0),
    lengths: Int32Array.of(3),
    vertices,
  };
  assert.equal(encodeFootprint(parts, 139.7, 35.6).length, 6 + 2 + 3 * 10);
});

/** Footprint of parts as the scanner would hand them over. */
function reduce(...parts: Array<[kind: number, ...vertices: Array<[number, number]>]>) {
  const builder = new FootprintBuilder();
  for (const [kind, ...vertices] of parts) {
    builder.begin();
    for (const [x, y] of vertices) builder.vertex(x, y);
    builder.end(kind);
  }
  const all = parts.flatMap(([, ...vertices]) => vertices);
  const west = Math.min(...all.map(([x]) => x));
  const south = Math.min(...all.map(([, y]) => y));
  const bytes = builder.finish(west, south);
  return bytes === null ? null : decodeFootprint(bytes, west, south);
}

const { polygon, hole, line, point } = PartKind;
const square: Array<[number, number]> = [
  [1, 1],
  [3, 1],
  [3, 3],
  [1, 3],
  [1, 1],
];
const inner: Array<[number, number]> = [
  [1.5, 1.5],
  [2, 1.5],
  [2, 2],
  [1.5, 1.5],
];

test('top and bottom are one, from whichever vertex and in whichever direction', () => {
  const turned = [...square.slice(2, 4), ...square.slice(0, 3)].reverse();
  assert.equal(reduce([polygon, ...square], [polygon, ...turned])!.polygons.length, 1);
  const holed = reduce([polygon, ...square], [hole, ...inner], [polygon, ...turned], [hole, ...inner])!;
  assert.deepEqual(
    holed.polygons.map((rings) => rings.length),
    [2],
  );
  assert.equal(reduce([polygon, ...square], [polygon, ...turned], [hole, ...inner])!.polygons.length, 2);
});

test('walls go where an edge covers them, and stay where none does', () => {
  const wall = (a: [number, number], b: [number, number]): [number, ...Array<[number, number]>] => [
    polygon,
    a,
    b,
    b,
    a,
    a,
  ];
  const covered = reduce(
    [polygon, ...square],
    wall([3, 1], [3, 3]),
    wall([3, 3], [3, 1]),
    wall([1, 3], [1, 1]),
  )!;
  assert.deepEqual([covered.polygons.length, covered.lines.length], [1, 0]);
  const fence = reduce([polygon, ...square], wall([3, 3], [5, 5]), wall([5, 5], [3, 3]))!;
  assert.deepEqual([fence.polygons.length, fence.lines.length], [1, 1]);
  const diagonal = reduce([polygon, ...square], wall([1, 1], [3, 3]))!;
  assert.equal(diagonal.lines.length, 1);
});

test('a line of several edges stays, also where its first one is covered', () => {
  const along: Array<[number, number]> = [
    [1, 1],
    [3, 1],
    [7, 7],
  ];
  assert.equal(reduce([polygon, ...square], [line, ...along])!.lines.length, 1);
  assert.equal(reduce([polygon, ...square], [line, ...along], [line, ...along])!.lines.length, 1);
  // A point that is kept covers nothing but itself.
  const apart = reduce([point, [9, 9]], [point, [9, 9]], [line, [9, 9], [9, 8]])!;
  assert.deepEqual([apart.points.length, apart.lines.length], [1, 1]);
});

test('lines and points stay, a polygon without extent is a point', () => {
  const all = reduce([line, [1, 1], [2, 2], [4, 4]], [point, [9, 9]], [polygon, [5, 5], [5, 5], [5, 5]])!;
  assert.deepEqual([all.polygons.length, all.lines.length, all.points.length], [0, 1, 2]);
});

test('what is too large is left in the text', () => {
  const many = Array.from({ length: 600 }, (_, i): [number, number] => [i, i * i]);
  assert.equal(reduce([polygon, ...many]), null);
  assert.equal(reduce([polygon, ...many.slice(0, 500)])!.polygons[0]![0]!.length, 1000);
  assert.equal(
    reduce(...many.slice(1, 70).map(([x, y]): [number, [number, number]] => [point, [x, y]])),
    null,
  );
});

test('a line is not closed, a point is covered by a vertex at both coordinates alone, and flat holes go', () => {
  const path: [number, ...Array<[number, number]>] = [line, [1, 1], [4, 1], [4, 4]];
  const closing = reduce(path, [line, [4, 4], [1, 1]])!;
  assert.equal(closing.lines.length, 2);
  assert.equal(reduce(path, [line, [4, 1], [1, 1]])!.lines.length, 1);
  for (const [at, points] of [
    [[3, 3], 0],
    [[3, 2], 1],
    [[2, 3], 1],
  ] as Array<[[number, number], number]>)
    assert.equal(reduce([polygon, ...square], [point, at])!.points.length, points, `${at}`);
  const flat: Array<[number, number]> = [
    [1.5, 1.5],
    [2, 2],
    [1.5, 1.5],
  ];
  assert.deepEqual(
    reduce([polygon, ...square], [hole, ...flat], [hole, ...inner])!.polygons.map((rings) => rings.length),
    [2],
  );
});

test('a footprint has 64 parts and 512 vertices at most, out of 512 parts and 2,048 vertices that are read', () => {
  const dots = (count: number): Array<[number, [number, number]]> =>
    Array.from({ length: count }, (_, i) => [point, [i + 1, 2 * i + 1]]);
  assert.equal(reduce(...dots(64))!.points.length, 64);
  assert.equal(reduce(...dots(65)), null);
  // What is read more than once is kept once.
  const again = (count: number): Array<[number, ...Array<[number, number]>]> =>
    Array.from({ length: count }, () => [polygon, ...square]);
  assert.equal(reduce(...again(409))!.polygons.length, 1, '2,045 vertices');
  assert.equal(reduce(...again(410).map((part): typeof part => [line, ...(part.slice(1) as [])])), null);
  assert.equal(
    reduce(...Array.from({ length: 512 }, (): [number, [number, number]] => [point, [1, 1]]))!.points.length,
    1,
  );
  assert.equal(
    reduce(...Array.from({ length: 513 }, (): [number, [number, number]] => [point, [1, 1]])),
    null,
  );
  const path = (count: number) =>
    Array.from({ length: count }, (_, i): [number, number] => [i + 1, i * i + 1]);
  assert.equal(reduce([line, ...path(512)])!.lines[0]!.length, 1_024);
  assert.equal(reduce([line, ...path(513)]), null);
  const twice = [...path(255), ...path(255)];
  assert.equal(
    reduce([line, ...path(256)], [line, ...path(256)], [line, ...twice.slice(0, 256)])!.lines.length,
    2,
  );
});

test('a builder that gave up, or has nothing, has no footprint until it is cleared', () => {
  const builder = new FootprintBuilder();
  const add = () => {
    builder.begin();
    builder.vertex(1, 1);
    builder.end(point);
  };
  assert.equal(builder.finish(0, 0), null);
  add();
  builder.giveUp();
  assert.equal(builder.finish(0, 0), null);
  builder.clear();
  assert.equal(builder.finish(0, 0), null);
  add();
  assert.equal(decodeFootprint(builder.finish(0.5, 0.5)!, 0.5, 0.5).points.length, 1);
  // A part without vertices is none.
  builder.clear();
  builder.begin();
  builder.end(polygon);
  assert.equal(builder.finish(0, 0), null);
});

test('a vertical hole goes with its wall, and an exterior after it begins anew', () => {
  const flat: Array<[number, number]> = [
    [1, 1],
    [3, 1],
    [3, 1],
    [1, 1],
  ];
  const wall = reduce([polygon, ...flat], [hole, [1.5, 1], [2, 1], [2, 1], [1.5, 1]])!;
  assert.deepEqual([wall.polygons.length, wall.lines.length, wall.points.length], [0, 1, 0]);
  const after = reduce([polygon, ...flat], [polygon, ...square], [hole, ...inner])!;
  assert.deepEqual(
    after.polygons.map((rings) => rings.length),
    [2],
  );
  assert.equal(after.lines.length, 0, 'an edge of the square covers the wall');
});

test('rings are the same when all of their vertices are', () => {
  const turned = (ring: Array<[number, number]>, at: number) => [...ring.slice(at), ...ring.slice(0, at)];
  const corners = square.slice(0, 4);
  for (let at = 0; at < 4; at++) {
    for (const ring of [turned(corners, at), turned(corners, at).reverse()])
      assert.equal(reduce([polygon, ...corners], [polygon, ...ring])!.polygons.length, 1);
  }
  // The same sum of coordinates, and another order or another vertex.
  const crossed: typeof square = [corners[0]!, corners[2]!, corners[1]!, corners[3]!];
  assert.equal(reduce([polygon, ...corners], [polygon, ...crossed])!.polygons.length, 2);
  const moved: typeof square = [corners[0]!, [3, 2], [3, 2], corners[3]!];
  assert.equal(reduce([polygon, ...corners], [polygon, ...moved])!.polygons.length, 2);
  assert.equal(reduce([polygon, ...corners], [polygon, ...corners.slice(0, 3)])!.polygons.length, 2);
});

/** One part whose vertices have these offsets from 139° E, in units of the last place, and lie at 35° N. */
function encodedOffsets(offsets: readonly number[], kind: number = PartKind.line): Buffer {
  const vertices = Float64Array.from(offsets.flatMap((q) => [139 + q / 2 ** 45, 35]));
  const [starts, lengths] = [Int32Array.of(0), Int32Array.of(offsets.length)];
  const parts = { count: 1, kinds: Uint8Array.of(kind), starts, lengths, vertices };
  return Buffer.from(encodeFootprint(parts, 139, 35));
}

test('the bytes are those that the index has: counts, widths, exponents, kinds, integers', () => {
  assert.equal(
    encodedOffsets([1, 0x10203]).toString('hex'),
    // One part; longitudes in three bytes and latitudes in one; 2^-45 and 2^-47; a line of two vertices.
    `0100${'0301'}${'2d2f'}0280${'010000'}00${'030201'}00`,
  );
  const kinds = [PartKind.polygon, PartKind.hole, PartKind.line, PartKind.point];
  assert.deepEqual(
    kinds.map((kind) => encodedOffsets([0], kind).readUInt16LE(6)),
    [0x0001, 0x4001, 0x8001, 0xc001],
  );
});

test('a coordinate takes as many bytes as the largest one needs, and eight where it is no such integer', () => {
  for (const [largest, width] of [
    [0, 1],
    [255, 1],
    [256, 2],
    [65_535, 2],
    [65_536, 3],
    [2 ** 24 - 1, 3],
    [2 ** 24, 4],
    [2 ** 32 - 1, 4],
    [2 ** 32, 5],
    [2 ** 40, 6],
    [2 ** 48 - 1, 6],
    [2 ** 48, 7],
  ] as const) {
    const bytes = encodedOffsets([largest, 0]);
    assert.equal(bytes[2], width, `${largest}`);
    assert.equal(bytes.length, 6 + 2 + 2 * (width + 1));
    const [line] = decodeFootprint(bytes, 139, 35).lines;
    assert.deepEqual([...line!], [139 + largest / 2 ** 45, 35, 139, 35]);
  }
  // West of the corner, and near the meridian of Greenwich.
  assert.equal(encodedOffsets([-1])[2], 8);
  const [starts, lengths] = [Int32Array.of(0), Int32Array.of(1)];
  for (const [west, isRaw] of [
    [2 ** -20, true],
    [2 ** -19, false],
    [0, true],
    [-1, true],
  ] as const) {
    const vertices = Float64Array.of(west, 35);
    const parts = { count: 1, kinds: Uint8Array.of(PartKind.point), starts, lengths, vertices };
    const bytes = encodeFootprint(parts, west, 35);
    assert.equal(bytes[2] === 8, isRaw, `${west}`);
    assert.deepEqual(decodeFootprint(bytes, west, 35).points, [vertices]);
  }
});
