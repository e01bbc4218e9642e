import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOfPolygons } from '../read/bodies.ts';
import { toMetres } from './local-metres.ts';
import { loadSimplifier, simplifyBody } from './simplify.ts';

const METRE = 1 / 111_320;

/** Squares of a metre in rows, level but for `bump` metres in the middle. */
function field(side: number, bump = 0) {
  const at = (x: number, y: number) => [
    139 + x * METRE,
    y * METRE,
    x === side / 2 && y === side / 2 ? 5 + bump : 5,
  ];
  const positions: number[] = [];
  for (let x = 0; x < side; x++) {
    for (let y = 0; y < side; y++) {
      positions.push(...at(x, y), ...at(x + 1, y), ...at(x + 1, y + 1), ...at(x, y + 1));
    }
  }
  const ends = Uint32Array.from({ length: side * side }, (_, i) => i + 1);
  return bodyOfPolygons(
    Float64Array.from(positions),
    ends.map((end) => 4 * end),
    ends,
    false,
  );
}

test('level squares become two triangles with the corners of the field', async () => {
  const left = simplifyBody(await loadSimplifier(), field(10), { error: 0.1 })!;
  assert.equal(left.body.polygonEnds.length, 2);
  assert.ok(left.error < 0.01);
  const corners = toMetres(left.body.positions);
  const extent = Math.max(...corners) - Math.min(...corners);
  assert.ok(Math.abs(extent - 10) < 0.01, `${extent} m`);
});

test('what is larger than the error stays', async () => {
  const simplifier = await loadSimplifier();
  const [low, high] = [0.1, 3].map((error) => simplifyBody(simplifier, field(10, 2), { error })!);
  assert.ok(low!.body.positions.includes(7));
  assert.ok(!high!.body.positions.includes(7));
});

test('triangles that are asked for stay', async () => {
  const left = simplifyBody(await loadSimplifier(), field(10), { error: 0.1, triangles: 100 })!;
  assert.ok(left.body.polygonEnds.length > 90 && left.body.polygonEnds.length <= 100);
});

test('nothing is left of what is smaller than the error', async () => {
  assert.equal(simplifyBody(await loadSimplifier(), field(2), { error: 50 }), null);
});
