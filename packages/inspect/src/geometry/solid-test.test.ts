import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { box, closed, type Point, polygonOf } from '../testing/shapes.ts';
import { type SolidIssue, solidFault, triangulated } from './solid-test.ts';
import { solidsMeet, triangleSolid } from './solids-meet.ts';

const faceOf = (corners: readonly Point[]) => polygonOf(closed(corners));
const faultOf = (faces: Point[][]): SolidIssue | null => solidFault(faces.map(faceOf))?.issue ?? null;

test('a box holds, also when its corners are a little off', () => {
  assert.equal(faultOf(box(0, 0, 0, 4, 3, 2)), null);
  const off = box(0, 0, 0, 4, 3, 2).map((face, i) => face.map(([x, y, z]): Point => [x + i * 0.001, y, z]));
  assert.equal(faultOf(off), null);
});

test('whichever face is missing, the box is not closed; whichever is turned, it looks the wrong way', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5 }), (face) => {
      const faces = box(10, 20, 30, 4, 3, 2);
      assert.equal(faultOf(faces.filter((_, i) => i !== face)), 'NotClosed');
      assert.equal(faultOf(faces.map((one, i) => (i === face ? one.toReversed() : one))), 'WrongFace');
    }),
  );
});

test('two boxes are in several pieces, whether they touch, cross or lie apart', () => {
  assert.equal(faultOf([...box(0, 0, 0, 1, 1, 1), ...box(5, 0, 0, 1, 1, 1)]), 'NotConnected');
});

test('a solid that goes through itself is found', () => {
  // A box whose top is pushed below its ground along half of it.
  const faces = box(0, 0, 0, 4, 3, 2).map((face) =>
    face.map(([x, y, z]): Point => [x, y, z > 0 && x === 4 ? -1 : z]),
  );
  assert.equal(faultOf(faces), 'SelfIntersection');
});

test('boxes meet exactly when all their spans overlap by more than touching', () => {
  const span = fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1, max: 10 }));
  fc.assert(
    fc.property(fc.tuple(span, span, span), fc.tuple(span, span, span), (one, other) => {
      const [a, b] = [one, other].map(([[x, w], [y, d], [z, h]]) =>
        triangleSolid(box(x, y, z, w, d, h).map(faceOf), [0, 0]),
      );
      const overlap = one.every(([from, length], axis) => {
        const [start, size] = other[axis]!;
        return from < start + size && start < from + length;
      });
      assert.equal(solidsMeet(a!, b!), overlap);
    }),
  );
});

test('a solid of more triangles than are compared is no fault, and no clean solid either', () => {
  const faces = box(0, 0, 0, 4, 3, 2).map(faceOf);
  assert.equal(solidFault(faces, 12), null);
  assert.equal(solidFault(faces, 11)?.issue, 'NotCompared');
});

test('a face is cut into triangles of its own corners, which have its area', () => {
  const positions = [...[0, 0, 5, 4, 0, 5, 4, 3, 5, 0, 3, 5], ...[1, 1, 5, 1, 2, 5, 2, 2, 5, 2, 1, 5]];
  const areaOf = (triangles: ReadonlyArray<readonly number[]>) =>
    triangles.reduce((sum, [a, b, c]) => {
      const [ax, ay, bx, by, cx, cy] = [a!, b!, c!].flatMap((id) => [
        positions[3 * id]!,
        positions[3 * id + 1]!,
      ]);
      return sum + Math.abs((bx! - ax!) * (cy! - ay!) - (cx! - ax!) * (by! - ay!)) / 2;
    }, 0);
  const cut = (...rings: number[][]) => triangulated({ rings } as never, positions)!;
  assert.deepEqual(cut([0, 1, 2]), [[0, 1, 2]]);
  assert.deepEqual([cut([0, 1]), cut()], [[], []]);
  assert.deepEqual([cut([0, 1, 2, 3]).length, areaOf(cut([0, 1, 2, 3]))], [2, 12]);
  assert.equal(areaOf(cut([0, 1, 2, 3], [4, 5, 6, 7])), 11);
  assert.deepEqual(cut([0, 1, 1, 0]), [], 'a face without an area');
});
