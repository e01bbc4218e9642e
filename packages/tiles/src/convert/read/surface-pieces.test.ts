import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Surface } from '@citymodel/citygml';
import { SurfacePieces } from './surface-pieces.ts';

/** A surface of rings with so many positions each. */
const surface = (...counts: number[]) =>
  ({ rings: counts.map((count) => new Float64Array(3 * count)) }) as unknown as Surface;

function piecesOf(work: (pieces: SurfacePieces) => void): Array<[lod: number, surfaces: number]> {
  const taken: Array<[number, number]> = [];
  work(new SurfacePieces((lod, surfaces) => taken.push([lod, surfaces.length])));
  return taken;
}

test('a piece has surfaces of one level of detail, and nothing is handed on twice', () => {
  const taken = piecesOf((pieces) => {
    pieces.add(1, [surface(4), surface(4)]);
    pieces.add(1, [surface(4)]);
    pieces.add(2, [surface(4)]);
    pieces.add(1, []);
    pieces.add(1, [surface(4)]);
    pieces.flush();
    pieces.flush();
  });
  assert.deepEqual(taken, [
    [1, 3],
    [2, 1],
    [1, 1],
  ]);
});

test('a piece ends once it has more than 30,000 positions, those of holes among them', () => {
  const full = piecesOf((pieces) => {
    pieces.add(1, [surface(20_000, 10_000)]);
    pieces.add(1, [surface(1)]);
    pieces.add(1, [surface(29_999)]);
    pieces.add(1, [surface(1)]);
    pieces.add(1, [surface(1)]);
  });
  assert.deepEqual(full, [
    [1, 2],
    [1, 3],
  ]);
});
