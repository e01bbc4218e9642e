import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { evenly } from '@citymodel/base/testing';
import { type FeatureShape, meetsBox, meetsPolygon } from '@citymodel/citygml';
import {
  type Bounds,
  type SpatialId,
  spatialIdAltitudes,
  spatialIdBounds,
  spatialIdOf,
} from '@citymodel/geo';
import fc from 'fast-check';
import { Region, type RegionParts } from './region.ts';

const degrees = evenly(0, 0.01);
const id = fc
  .record({ lng: degrees, lat: degrees, alt: fc.option(evenly(-200, 800)) })
  .chain(({ lng, lat, alt }) =>
    fc.integer({ min: 12, max: 22 }).map((z) => spatialIdOf(139 + lng, 35 + lat, alt, z)),
  );
const box = fc
  .record({
    x: degrees,
    y: degrees,
    w: degrees,
    h: degrees,
    low: fc.integer({ min: -99, max: 500 }),
    flat: fc.boolean(),
  })
  .map(({ x, y, w, h, low, flat }) => ({
    bounds: { west: 139 + x, south: 35 + y, east: 139 + x + w, north: 35 + y + h },
    altitudes: flat ? null : { min: low, max: low + 40 },
  }));
const polygon = fc
  .array(
    fc.tuple(degrees, degrees).map(([x, y]): [number, number] => [139 + x, 35 + y]),
    { minLength: 3, maxLength: 6 },
  )
  .map((ring) => [ring]);
const parts: fc.Arbitrary<RegionParts> = fc.record({
  ids: fc.option(fc.array(id, { minLength: 1, maxLength: 5 })),
  box: fc.option(box),
  polygons: fc.option(fc.array(polygon, { minLength: 1, maxLength: 2 })),
});
const shape: fc.Arbitrary<{ shape: FeatureShape; bounds: Bounds }> = fc
  .record({
    x: degrees,
    y: degrees,
    size: evenly(1e-6, 3e-3),
    low: fc.option(fc.integer({ min: -150, max: 700 })),
  })
  .map(({ x, y, size, low }) => {
    const [west, south, east, north] = [139 + x, 35 + y, 139 + x + size, 35 + y + size];
    return {
      shape: {
        polygons: [[Float64Array.of(west, south, east, south, east, north)]],
        lines: [],
        points: [],
        altitudes: low === null ? null : { min: low, max: low + 25 },
      },
      bounds: { west, south, east, north },
    };
  });

/** The definition, one test after the other. */
function slowly(
  { ids, box: within, polygons }: RegionParts,
  { shape: own }: { shape: FeatureShape },
): boolean {
  return (
    (ids?.some((id: SpatialId) => meetsBox(own, spatialIdBounds(id), spatialIdAltitudes(id))) ?? true) &&
    (within === null || meetsBox(own, within.bounds, within.altitudes, 'closed')) &&
    (polygons?.some((polygon) => meetsPolygon(own, polygon, null)) ?? true)
  );
}

describe('a region', () => {
  test('is met by what meets each of its parts', () => {
    let met = 0;
    fc.assert(
      fc.property(parts, shape, (wanted, feature) => {
        const region = new Region(wanted);
        const expected = slowly(wanted, feature);
        met += expected ? 1 : 0;
        assert.equal(region.meets(feature.shape, feature.bounds), expected);
        const outline = region.meetsOutline({ bounds: feature.bounds, altitudes: feature.shape.altitudes });
        if (outline !== null) assert.equal(outline, expected, 'an outline that is sure is right');
        if (expected) assert.ok(region.mayMeet(feature.bounds));
      }),
      { numRuns: 5_000 },
    );
    assert.ok(met > 100, `${met} met`);
  });

  test('is everything for the spatial IDs that mean it, and for these alone', () => {
    const only = (ids: SpatialId[]) => new Region({ ids, box: null, polygons: null });
    assert.ok(only([{ z: 0, x: 0, y: 0, f: 0 }]).everything);
    assert.ok(
      only([
        { z: 20, x: 0, y: 0, f: 0 },
        { z: 0, x: 0, y: 0, f: null },
      ]).everything,
    );
    assert.ok(!only([{ z: 0, x: 0, y: 0, f: -1 }]).everything);
    assert.ok(!only([{ z: 1, x: 1, y: 0, f: null }]).everything);
    const bounds = { west: 1, south: 1, east: 2, north: 2 };
    const boxed = new Region({
      ids: [{ z: 0, x: 0, y: 0, f: 0 }],
      box: { bounds, altitudes: null },
      polygons: null,
    });
    assert.ok(!boxed.everything);
    assert.deepEqual(boxed.searchBoxes, [bounds]);
  });

  test('counts as many parts as a feature is compared with', () => {
    const ring: Array<[number, number]> = [
      [1, 1],
      [2, 1],
      [1, 2],
      [1, 1],
    ];
    const parts = (some: Partial<RegionParts>) =>
      new Region({ ids: null, box: null, polygons: null, ...some }).parts;
    assert.equal(parts({}), 1);
    assert.equal(parts({ polygons: [[ring, ring], [ring]] }), 12);
    const cell = spatialIdOf(139.5, 35.5, null, 18);
    assert.equal(parts({ ids: [cell, { ...cell, x: cell.x + 1 }], polygons: [[ring]] }), 6);
  });

  test('may be met in different places', () => {
    const region = new Region({
      ids: [{ z: 3, x: 7, y: 3, f: null }],
      box: { bounds: { west: 1, south: 1, east: 2, north: 2 }, altitudes: null },
      polygons: null,
    });
    assert.ok(!region.mayMeet({ west: 1, south: 1, east: 2, north: 2 }));
    assert.ok(region.mayMeet({ west: 1, south: 1, east: 140, north: 2 }));
  });

  test('leaves a feature that touches an edge from inside to its footprint', () => {
    const cell = spatialIdOf(139.5, 35.5, null, 18);
    const { west, south, east, north } = spatialIdBounds(cell);
    const box = { bounds: { west, south, east, north }, altitudes: null };
    const [x, y] = [(east - west) / 10, (north - south) / 10];
    const within = { west: west + x, south: south + y, east: east - x, north: north - y };
    for (const region of [
      new Region({ ids: [cell], box: null, polygons: null }),
      new Region({ ids: null, box, polygons: null }),
    ]) {
      assert.equal(region.meetsOutline({ bounds: within, altitudes: null }), true);
      for (const edge of [{ west }, { south }, { east }, { north }]) {
        assert.equal(region.meetsOutline({ bounds: { ...within, ...edge }, altitudes: null }), null);
      }
    }
  });
});

test('an outline beyond every cell, above or below them, is known to miss without a look at the footprint', () => {
  const cell = spatialIdOf(139.005, 35.005, 10, 20);
  const region = new Region({ ids: [cell], box: null, polygons: null });
  const { west, south, east, north } = spatialIdBounds(cell);
  const { min, max } = spatialIdAltitudes(cell)!;
  const middle = (min + max) / 2;
  const within = { min: middle, max: middle };
  const around = { west: west - 1e-5, south, east: east + 1e-5, north };
  const beside = { ...around, west: east + 1e-6, east: east + 1e-5 };
  assert.equal(region.meetsOutline({ bounds: around, altitudes: within }), null);
  assert.equal(region.meetsOutline({ bounds: beside, altitudes: within }), false);
  assert.equal(region.meetsOutline({ bounds: around, altitudes: { min: max + 1, max: max + 2 } }), false);
  assert.equal(region.meetsOutline({ bounds: around, altitudes: { min: min - 2, max: min - 1 } }), false);
});
