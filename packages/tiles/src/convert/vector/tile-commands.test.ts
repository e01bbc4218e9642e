import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { encodeTile } from './encode-tile.ts';
import {
  areaOf,
  BUFFER,
  EXTENT,
  encode,
  LINE,
  lengthOf,
  type Part,
  POINT,
  POLYGON,
} from './tile-commands.ts';

const LARGE = [0, 0, 40, 0, 40, 30, 0, 30];
const SMALL = [10, 10, 10, 20, 20, 20, 20, 10];

/** Weight and cover, and what another library reads of the commands. */
function encoded(
  parts: readonly Part[],
  type: typeof POINT | typeof LINE | typeof POLYGON,
  left = 0,
  top = 0,
) {
  const found = encode(parts, type, left, top);
  if (found === null) return null;
  const { commands, weight, isCover } = found;
  const record = { ...{ tile: 0, id: 1, layer: 'a', properties: Buffer.from('[]') }, commands, weight, type };
  const feature = new VectorTile(new PbfReader(encodeTile([record]).bytes)).layers.a!.feature(0);
  return { weight, isCover, paths: feature.loadGeometry().map((path) => path.flatMap(({ x, y }) => [x, y])) };
}

const closed = (ring: readonly number[]) => [...ring, ...ring.slice(0, 2)];
const turned = (ring: readonly number[]) => {
  const points = Array.from({ length: ring.length / 2 }, (_, i) => ring.slice(2 * i, 2 * i + 2));
  return points.toReversed().flat();
};

test('areas are positive for rings that run clockwise on the map, lengths are those of all steps', () => {
  assert.equal(areaOf(LARGE), 1_200);
  assert.equal(areaOf(SMALL), -100);
  assert.equal(areaOf([5, 5, 8, 5, 8, 9]), 6);
  assert.equal(areaOf([5, 5, 8, 5]), 0);
  assert.equal(lengthOf([0, 0, 3, 4, 3, 10]), 11);
  assert.equal(lengthOf([3, 4]), 0);
});

test('polygons weigh the area of their outsides, lines their length, points their count', () => {
  assert.equal(encoded([[LARGE]], POLYGON)!.weight, 1_200);
  assert.equal(encoded([[LARGE, SMALL]], POLYGON)!.weight, 1_200);
  assert.equal(encoded([[turned(LARGE)], [SMALL]], POLYGON)!.weight, 1_300);
  assert.equal(encoded([[[0, 0, 3, 4]], [[9, 9, 9, 10, 11, 10]]], LINE)!.weight, 8);
  assert.equal(encoded([[[0, 0]], [[5, 5]], [[5, 5]]], POINT)!.weight, 3);
});

test('outsides run clockwise on the map and holes the other way, from the corner of the tile', () => {
  for (const outside of [LARGE, turned(LARGE)]) {
    for (const hole of [SMALL, turned(SMALL)]) {
      const { paths } = encoded([[outside, hole]], POLYGON, -7, -3)!;
      assert.equal(paths.length, 2);
      assert.deepEqual(
        paths.map((path) => Math.sign(areaOf(path.slice(0, -2)))),
        [1, -1],
      );
      const places = paths.map((path) => new Set(path.map((value, i) => value - (i % 2 === 0 ? 7 : 3))));
      assert.deepEqual(places, [new Set([0, 40, 30]), new Set([10, 20])]);
    }
  }
});

test('what rounding leaves nothing of vanishes, holes with their outside', () => {
  const dot = [5.1, 5.1, 5.2, 5.1, 5.2, 5.2];
  assert.equal(encoded([[dot]], POLYGON), null);
  assert.equal(encoded([[dot, SMALL]], POLYGON), null);
  assert.deepEqual(encoded([[LARGE, dot, SMALL]], POLYGON)!.paths, [closed(LARGE), closed(SMALL)]);
  assert.deepEqual(encoded([[dot], [LARGE]], POLYGON)!.paths, [closed(LARGE)]);
  // There and back is no area.
  assert.equal(encoded([[[0, 0, 9, 0, 0, 0]]], POLYGON), null);
  assert.equal(encoded([[[1, 1, 1.2, 1.2]]], LINE), null);
  assert.deepEqual(encoded([[[1, 1, 1.2, 1.2]], [[2, 2, 2.1, 2, 4, 4]]], LINE)!.paths, [[2, 2, 4, 4]]);
  assert.equal(encoded([], POINT), null);
  // A ring that ends where it begins is not closed twice.
  assert.deepEqual(encoded([[[...LARGE, 0.1, 0.2, 0, 0]]], POLYGON)!.paths, [closed(LARGE)]);
});

test('a tile is covered by the one square of it and its buffer, without a hole', () => {
  const [low, high] = [-BUFFER, EXTENT + BUFFER];
  const whole = [low, low, high, low, high, high, low, high];
  assert.equal(encoded([[whole]], POLYGON)!.isCover, true);
  assert.equal(encoded([[whole.map((value) => value + EXTENT)]], POLYGON, EXTENT, EXTENT)!.isCover, true);
  assert.equal(encoded([[whole, SMALL]], POLYGON)!.isCover, false);
  assert.equal(encoded([[whole], [SMALL]], POLYGON)!.isCover, false);
  assert.equal(encoded([[[low, low, high, low, high, high - 1, low, high]]], POLYGON)!.isCover, false);
  assert.equal(encoded([[whole]], LINE)!.isCover, false);
  assert.equal(encoded([[[0, 0]]], POINT)!.isCover, false);
});

test('geometry may be larger than the room that commands are written in at first', () => {
  const line = Array.from({ length: 40_000 }, (_, i) => (i % 2 === 0 ? (i * 37) % 4_000 : (i * 53) % 4_001));
  assert.deepEqual(encoded([[line]], LINE)!.paths, [line]);
  // Points that fall together stay.
  assert.deepEqual(encoded([[[9, 7]], [[-3, 2]], [[-3, 2]]], POINT, 1, 1)!.paths, [
    [8, 6],
    [-4, 1],
    [-4, 1],
  ]);
  // Steps of all widths of integers.
  const steps = [0, 0, 63, -64, 64, 65, 8_191, -8_192, 8_192, 8_193, -2_000_000, 2_000_000, 1_500_000_000, 0];
  assert.deepEqual(encoded([[steps]], LINE)!.paths, [steps]);
});
