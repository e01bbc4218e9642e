import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BodyFacts, FeatureFacts } from '../read/feature-facts.ts';
import { isInsideAt, itemAt, plain, shownLod } from './lod-item.ts';

const bodyOf = (positions: number): BodyFacts => ({
  ...{ west: 139, south: 35, east: 139.002, north: 35.001, low: 40, high: 52, bottom: 3, top: 15 },
  ...{ positions, polygons: positions / 4, area: 100 },
});

/** A feature with bodies of so many positions. */
function facts(positions: Array<number | null>, more: Partial<FeatureFacts> = {}): FeatureFacts {
  return {
    ...{ record: 3, number: 3, id: 'a', type: 'bldg:Building', nameCode: null, cityCode: '13101' },
    ...{ textBytes: 500, jsonBytes: 200, hasInterior: false, whole: null, nextLod: Infinity },
    bodies: positions.map((count) => (count === null ? null : bodyOf(count))),
    ...more,
  };
}

const lodOf = (of: FeatureFacts, lod: number) => itemAt(of, lod).map((item) => item.lod);

test('a feature is shown at its highest level up to that of the package, from 1 on', () => {
  const house = facts([8, 40, null, 400, null]);
  assert.deepEqual(
    [4, 3, 2, 1].map((lod) => lodOf(house, lod)),
    [[3], [3], [1], [1]],
  );
  assert.deepEqual(lodOf(facts([8, null, null, null, null]), 4), []);
  // The next of its levels is in another record.
  const piece = facts([null, 40, null, null, null], { nextLod: 3 });
  assert.deepEqual(
    [4, 3, 2, 1].map((lod) => lodOf(piece, lod)),
    [[], [], [1], [1]],
  );
});

test('an item lies in the middle of its box, and has the size of that and of its row', () => {
  const [item, ...others] = itemAt(facts([null, 40, 400, null, null]), 2);
  assert.equal(others.length, 0);
  const { id, lng, lat, diagonal, bytes, innerBytes, coarse, vertices, pixels, pixelsAt, box } = item!;
  assert.deepEqual([id, Number(lng.toFixed(6)), Number(lat.toFixed(6))], ['a', 139.001, 35.0005]);
  // 182 by 111 by 12 metres.
  assert.ok(Math.abs(diagonal - Math.hypot(182.4, 111, 12)) < 1, `${diagonal}`);
  // Two bytes for a position; 64 for where it lies, and 100 for what others have.
  assert.deepEqual([bytes, innerBytes, vertices], [500 + 164 + 800, 300 + 164 + 800, 400]);
  // From afar it shows its body of LOD 1.
  assert.deepEqual(coarse, { bytes: 300 + 164 + 80, vertices: 40 });
  assert.deepEqual([pixels, pixelsAt, box], [0, [], bodyOf(400)]);
});

test('without a body of LOD 1 simplifying leaves a part of what there is', () => {
  const coarse = (...positions: Array<number | null>) => itemAt(facts(positions), 4)[0]!.coarse.vertices;
  assert.deepEqual(
    [
      coarse(null, 41),
      coarse(null, null, 41),
      coarse(null, null, null, 41),
      coarse(null, null, null, null, 41),
    ],
    [41, 82, 13, 13],
  );
  // A room is not shown as its house.
  const inside = facts([null, 40, null, null, 410], { hasInterior: true });
  assert.equal(itemAt(inside, 4)[0]!.coarse.vertices, 123);
});

test('what is inside alone says the highest level of CityGML 3.0', () => {
  const inside = facts([null, 40, null, 400, 40], { hasInterior: true });
  assert.deepEqual(
    [1, 3, 4].map((lod) => isInsideAt(inside, lod)),
    [false, false, true],
  );
  assert.deepEqual(
    [1, 3, 4].map((lod) => shownLod(inside, lod)),
    [1, 3, 3],
  );
  const without = facts([null, 40, null, null, null], { hasInterior: true });
  assert.deepEqual([isInsideAt(without, 4), shownLod(without, 4)], [false, 4]);
  const outside = facts([null, null, null, null, 40]);
  assert.deepEqual([isInsideAt(outside, 4), shownLod(outside, 4)], [false, 4]);
});

test('a plain item is the same without pixels', () => {
  const [item] = itemAt(facts([null, 40]), 1);
  assert.deepEqual(plain({ ...item!, pixels: 700 }), item);
});
