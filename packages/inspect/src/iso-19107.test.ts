/**
 * For each code of checkers of ISO 19107 that a check names, a shape with the fault that val3dity's documentation
 * describes under it. None of them is taken from there: they are the smallest that have the fault.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { solidFault } from './geometry/solid-test.ts';
import { solidsMeet, triangleSolid } from './geometry/solids-meet.ts';
import { surfaceIssues } from './geometry/surface-test.ts';
import { CHECKS } from './index.ts';
import { box, closed, hole, type Point, polygonOf, SQUARE } from './testing/shapes.ts';

const surface = (...rings: ReadonlyArray<readonly Point[]>) => surfaceIssues(polygonOf(...rings.map(closed)));

/** The faces of a cube, looking outwards. */
const cube = (x: number, y: number, z: number, size: number) => box(x, y, z, size, size, size);
const solid = (faces: readonly Point[][]) =>
  solidFault(faces.map((face) => polygonOf(closed(face))))?.issue ?? null;

/** By code, what is found of a shape with the fault. */
const SURFACES: Record<number, () => string[]> = {
  101: () => surface(SQUARE.slice(0, 2)),
  102: () => surface([SQUARE[0]!, ...SQUARE]),
  103: () => surfaceIssues(polygonOf(SQUARE)),
  104: () => surface([SQUARE[0]!, SQUARE[2]!, SQUARE[1]!, SQUARE[3]!]),
  201: () => surface(SQUARE, hole(9, 4, 2)),
  203: () => surface([SQUARE[0]!, SQUARE[1]!, [10, 10, 1], SQUARE[3]!]),
  206: () => surface(SQUARE, hole(20, 20, 2)),
  207: () => surface(SQUARE, hole(2, 2, 6), hole(4, 4, 2)),
  208: () => surface(SQUARE, hole(2, 2, 2).toReversed()),
};
const OPEN = 'NotClosed';
const SOLIDS: Record<number, readonly [faces: Point[][], found: (issue: string | null) => boolean]> = {
  301: [cube(0, 0, 0, 4).slice(0, 3), (issue) => issue === OPEN],
  302: [cube(0, 0, 0, 4).slice(1), (issue) => issue === OPEN],
  // They share one edge, which four faces have.
  303: [[...cube(0, 0, 0, 4), ...cube(4, 4, 0, 4)], (issue) => issue === OPEN],
  305: [[...cube(0, 0, 0, 4), ...cube(9, 0, 0, 4)], (issue) => issue === 'NotConnected'],
  306: [
    cube(0, 0, 0, 4).map((face) => face.map(([x, y, z]): Point => [x, y, z > 0 && x === 4 ? -1 : z])),
    (issue) => issue === 'SelfIntersection',
  ],
  307: [
    cube(0, 0, 0, 4).map((face, n) => (n === 2 ? face.toReversed() : face)),
    (issue) => issue === 'WrongFace',
  ],
};
/** Codes of whole files, whose tests are in `mutations.test.ts`. */
const ELSEWHERE = [901, 902];

describe('faults by their codes in ISO 19107', () => {
  for (const [code, find] of Object.entries(SURFACES)) {
    test(`${code}: of a surface`, () => assert.equal(find().length, 1, String(find())));
  }
  for (const [code, [faces, isFound]] of Object.entries(SOLIDS)) {
    test(`${code}: of a solid`, () => assert.ok(isFound(solid(faces)), String(solid(faces))));
  }
  test('601: of two solids', () => {
    const [one, other] = [0, 3].map((x) =>
      triangleSolid(
        cube(x, 0, 0, 4).map((face) => polygonOf(closed(face))),
        [0, 0],
      ),
    );
    assert.ok(solidsMeet(one!, other!));
  });
  test('clean shapes have none', () => {
    assert.deepEqual(surface(SQUARE, hole(2, 2, 2)), []);
    assert.equal(solid(cube(0, 0, 0, 4)), null);
  });
  test('each code that a check names has a shape here', () => {
    const named = new Set(CHECKS.flatMap(({ iso19107 = [] }) => iso19107));
    const shown = [...Object.keys(SURFACES), ...Object.keys(SOLIDS)].map(Number);
    assert.deepEqual([...named].sort(), [...shown, 601, ...ELSEWHERE].sort());
  });
});
