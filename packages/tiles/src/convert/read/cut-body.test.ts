import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Body } from './bodies.ts';
import { cutBody } from './cut-body.ts';

/** A body of a triangle at each place. */
function trianglesAt(places: ReadonlyArray<readonly [lng: number, lat: number]>): Body {
  const size = 1e-6;
  const count = places.length;
  return {
    positions: Float64Array.from(
      places.flatMap(([lng, lat]) => [lng, lat, 0, lng + size, lat, 0, lng, lat + size, 0]),
    ),
    ringEnds: Uint32Array.from(places, (_, n) => 3 * (n + 1)),
    polygonEnds: Uint32Array.from(places, (_, n) => n + 1),
    twoSided: new Uint8Array(count),
    ringKeys: Float64Array.from(places, (_, n) => n),
    ringWritten: new Uint32Array(count).fill(3),
    written: null,
    surfaceKeys: new Float64Array(3 * count),
  };
}

test('a body is cut across what is longer on the ground: degrees of longitude are shorter in the north', () => {
  const corners = [
    [0, 0],
    [1.5, 0],
    [0, 1],
    [1.5, 1],
  ] as const;
  const halvesAt = (latitude: number) => {
    const body = trianglesAt(corners.map(([x, y]) => [18 + x / 1e3, latitude + y / 1e3]));
    return cutBody(body, 6).map(({ ringKeys }) => [...ringKeys].sort());
  };
  // 1.5 degrees are 1.35 of those of latitude in Okinawa, and 0.77 in Sweden.
  assert.deepEqual(halvesAt(26), [
    [0, 2],
    [1, 3],
  ]);
  assert.deepEqual(halvesAt(59), [
    [0, 1],
    [2, 3],
  ]);
});

test('halves have as many positions each as can be, and one polygon at least', () => {
  /** Squares of a ring each, with so many positions; from west to east. */
  const row = (...counts: number[]): Body => {
    const body = trianglesAt(counts.map((_, i) => [139 + i / 1e3, 35]));
    const ends = counts.map((_, i) => counts.slice(0, i + 1).reduce((sum, count) => sum + count, 0));
    const positions = counts.flatMap((count, i) =>
      Array.from({ length: count }, (_, k) => [139 + i / 1e3 + k / 1e9, 35, 0]).flat(),
    );
    return { ...body, positions: Float64Array.from(positions), ringEnds: Uint32Array.from(ends) };
  };
  const cut = (most: number, ...counts: number[]) =>
    cutBody(row(...counts), most).map(({ ringKeys }) => [...ringKeys]);
  assert.deepEqual(cut(33, 3, 3, 30), [[0, 1], [2]]);
  assert.deepEqual(cut(33, 30, 3, 3), [[0], [1, 2]]);
  assert.deepEqual(cut(12, 3, 3, 3, 3, 3, 3), [
    [0, 1, 2],
    [3, 4, 5],
  ]);
  assert.deepEqual(cut(12, 4, 4, 4), [[0, 1, 2]]);
});

test('pieces have so many positions at most, and each polygon once', () => {
  const body = trianglesAt(Array.from({ length: 50 }, (_, n) => [139 + ((n * 7) % 50) / 1e4, 35 + n / 1e4]));
  const pieces = cutBody(body, 12);
  assert.ok(pieces.every(({ positions }) => positions.length <= 3 * 12));
  assert.deepEqual(
    pieces.flatMap(({ ringKeys }) => [...ringKeys]).sort((a, b) => a - b),
    Array.from({ length: 50 }, (_, n) => n),
  );
  assert.deepEqual(cutBody(body, 150), [body]);
  assert.equal(cutBody(body, 1).length, 50, 'a polygon of more is a piece');
});
