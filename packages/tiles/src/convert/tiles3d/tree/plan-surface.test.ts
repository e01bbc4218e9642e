import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PolygonList, planSurface, type SurfaceNode } from './plan-surface.ts';

const CELL = { west: 139.75, south: 35.625, east: 139.8125, north: 35.6875 };
const MIDDLE = { lng: 139.78125, lat: 35.65625 };
/** Some centimetres, in degrees. */
const STEP = 1e-6;

/** Polygons of ten positions at places in degrees from the middle of the cell. */
function listOf(places: ReadonlyArray<readonly [lng: number, lat: number]>): PolygonList {
  return {
    lng: Float32Array.from(places, ([lng]) => lng),
    lat: Float32Array.from(places, ([, lat]) => lat),
    origin: MIDDLE,
    positions: new Uint32Array(places.length).fill(10),
    count: places.length,
  };
}

const leavesOf = (node: SurfaceNode): SurfaceNode[] =>
  node.children.length === 0 ? [node] : node.children.flatMap(leavesOf);

test('a cell with as many positions as a leaf takes stays whole', () => {
  const list = listOf([
    [-STEP, 0],
    [STEP, 0],
  ]);
  assert.deepEqual(planSurface(list, CELL, 20), { polygons: Uint32Array.of(0, 1), cell: CELL, children: [] });
  assert.deepEqual(planSurface(listOf([]), CELL), { polygons: new Uint32Array(), cell: CELL, children: [] });
  assert.equal(planSurface(list, CELL, 19).children.length, 2);
});

test('polygons a few centimetres beside the middle go into the quarter that they lie in', () => {
  const list = listOf([
    [STEP, STEP],
    [-STEP, STEP],
    [STEP, -STEP],
    [-STEP, -STEP],
    [0, 0],
  ]);
  const root = planSurface(list, CELL, 20);
  const { lng, lat } = MIDDLE;
  assert.deepEqual(root, {
    ...{ polygons: new Uint32Array(), cell: CELL },
    children: [
      { polygons: Uint32Array.of(3), cell: { ...CELL, east: lng, north: lat }, children: [] },
      { polygons: Uint32Array.of(2), cell: { ...CELL, west: lng, north: lat }, children: [] },
      { polygons: Uint32Array.of(1), cell: { ...CELL, east: lng, south: lat }, children: [] },
      // What lies on both lines goes north and east.
      { polygons: Uint32Array.of(0, 4), cell: { ...CELL, west: lng, south: lat }, children: [] },
    ],
  });
});

test('a polygon that is too large is a leaf of its own; many at one place are, after 24 levels', () => {
  const large = planSurface(listOf([[0.001, 0.001]]), CELL, 5);
  assert.deepEqual([large.children.length, large.polygons.length], [0, 1]);
  const same = planSurface(listOf(Array(3).fill([0.001, 0.001])), CELL, 5);
  const [leaf, ...others] = leavesOf(same);
  assert.equal(others.length, 0);
  assert.deepEqual([...leaf!.polygons], [0, 1, 2]);
  assert.equal(leaf!.cell.east - leaf!.cell.west, (CELL.east - CELL.west) / 2 ** 24);
});
