import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Bounds,
  boundsIntersect,
  boundsOverlap,
  meshAncestors,
  meshBounds,
  meshesIn,
  meshOf,
} from '@citymodel/geo';
import fc from 'fast-check';
import { meshFilter, relatedMeshes, selectBoxes, selectMeshes, selectPoint } from './mesh-selection.ts';

/** Meshes of all orders around Tokyo. */
const point = fc.tuple(
  fc.double({ min: 139.2, max: 140.2, noNaN: true }),
  fc.double({ min: 35.2, max: 36.2, noNaN: true }),
);
const mesh = fc
  .tuple(point, fc.constantFrom(4, 6, 8, 9, 10, 11))
  .map(([[lng, lat], digits]) => meshOf(lng, lat, digits as 4));
const box = fc
  .tuple(point, fc.constantFrom(0, 0, 0.001, 0.02, 0.4), fc.constantFrom(0, 0.003, 0.1, 0.5))
  .map(
    ([[west, south], width, depth]): Bounds => ({ west, south, east: west + width, north: south + depth }),
  );

/** Whether a selection's own words, those for the database, name a mesh. */
const isNamed = ({ meshPrefixes, meshes }: ReturnType<typeof selectBoxes>, code: string) =>
  meshes.includes(code) || meshPrefixes.some((prefix) => code.startsWith(prefix));

test('files of meshes are those inside, and those of the meshes around; exact ones of the same alone', () => {
  fc.assert(
    fc.property(fc.array(mesh, { minLength: 1, maxLength: 4 }), mesh, (codes, code) => {
      const isRelated = codes.some((one) => one.startsWith(code) || code.startsWith(one));
      const selection = selectMeshes(codes, false);
      assert.equal(selection.accepts(code), isRelated);
      assert.equal(isNamed(selection, code), isRelated);
      assert.equal(relatedMeshes(codes)(code), isRelated);
      const exact = selectMeshes(codes, true);
      assert.deepEqual([exact.meshPrefixes, exact.meshes], [[], [...new Set(codes)]]);
      assert.equal(exact.accepts(code), codes.includes(code));
    }),
  );
  const [own] = [selectMeshes(['53394525'], false)];
  assert.ok(own!.accepts('5339452511') && own!.accepts('5339') && !own!.accepts(''));
});

test('files around a point are those whose mesh has it, of every order', () => {
  fc.assert(
    fc.property(point, mesh, ([lng, lat], code) => {
      const selection = selectPoint(lng, lat);
      const isAround = meshOf(lng, lat, code.length as 4) === code;
      assert.equal(selection.accepts(code), isAround);
      assert.equal(isNamed(selection, code), isAround);
      assert.equal(selection.meshes.length, 6);
    }),
  );
  assert.deepEqual(selectPoint(-100, -50).meshes, [], 'no mesh reaches there');
});

test('files in boxes share an area with one, or touch what is a point or a line', () => {
  const meets = (code: string, { west, south, east, north }: Bounds) => {
    const hasArea = west < east && south < north;
    return (hasArea ? boundsOverlap : boundsIntersect)(meshBounds(code), { west, south, east, north });
  };
  fc.assert(
    fc.property(
      fc.array(box, { minLength: 1, maxLength: 5 }),
      fc.array(mesh, { maxLength: 8 }),
      (boxes, codes) => {
        const [filter, selection] = [meshFilter(boxes), selectBoxes(boxes)];
        for (const code of [...codes, ...codes]) {
          const isMet = boxes.some((one) => meets(code, one));
          assert.equal(filter(code), isMet, code);
          assert.equal(selection.accepts(code), isMet, code);
          // The database may give more, and never less.
          assert.ok(!isMet || isNamed(selection, code), code);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('of meshes that a box covers only the edges are told apart', () => {
  const cell = meshBounds('533945');
  const filter = meshFilter([cell, { ...cell, west: cell.west - 1, east: cell.west }]);
  for (const [code, isMet] of [
    ['53394500', true],
    ['53394599', true],
    ['53394409', true],
    ['53394600', false],
    ['53395500', false],
    ['5339', true],
  ] as const)
    assert.equal(filter(code), isMet, code);
  assert.equal(filter('no mesh'), false);
  assert.equal(filter(''), false);
});

test('a box stands for 64 cells of one order at most, the finest of those', () => {
  const cells = (east: number, north: number) => {
    const { west, south } = meshBounds('53394500');
    const { meshPrefixes, meshes } = selectBoxes([{ west, south, east: west + east, north: south + north }]);
    const parents = new Set(meshPrefixes.flatMap((code) => [...meshAncestors(code)]));
    assert.deepEqual([...meshes].sort(), [...parents].sort());
    return [meshPrefixes.length, meshPrefixes[0]!.length];
  };
  const [width, depth] = [1 / 80, 1 / 120];
  assert.deepEqual(cells(width * 7.5, depth * 7.5), [64, 8]);
  assert.deepEqual(cells(width * 8.5, depth * 7.5)[1], 6);
  assert.equal(cells(1.2, 0.9)[1], 4);
  const all = { west: 122, south: 24, east: 146, north: 46 };
  assert.equal(selectBoxes([all]).meshPrefixes.length, [...meshesIn(all, 4)].length);
});
