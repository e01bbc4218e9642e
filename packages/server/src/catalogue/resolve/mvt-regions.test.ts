import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Bounds } from '@citymodel/geo';
import fc from 'fast-check';
import type { Dataset } from '../rows/snapshot-dataset.ts';
import { extentOfRegion, MOST_TOGETHER } from './mvt-regions.ts';

interface Place {
  bounds: Bounds | null;
  minzoom?: number | undefined;
  maxzoom?: number | undefined;
}

const datasetsOf = (places: readonly Place[]) =>
  places.map(({ bounds, ...summary }) => ({ summary, package: { bounds } }) as unknown as Dataset);

/** Whether a box lies in a tile, edges included, by the corners of the tile. */
function liesIn({ west, south, east, north }: Bounds, z: number, x: number, y: number): boolean {
  const n = 2 ** z;
  const lat = (row: number) => (Math.atan(Math.sinh(Math.PI * (1 - (2 * row) / n))) * 180) / Math.PI;
  const lng = (column: number) => (column / n) * 360 - 180;
  return west < lng(x + 1) && east >= lng(x) && north > lat(y + 1) && south <= lat(y);
}

/** By looking at every tile around a place: the lowest zoom at which no tile is of too many. */
function slowMinzoom(places: readonly Place[]): number {
  const maxzoom = Math.max(0, ...places.map(({ maxzoom: most = 14 }) => most));
  let z = Math.min(maxzoom, ...places.map(({ minzoom: least = 0 }) => least));
  for (; z < maxzoom; z++) {
    const n = 2 ** z;
    let most = 0;
    const [x0, y0] = [Math.floor(((135 + 180) / 360) * n) - 1, Math.floor(0.39 * n) - 1];
    for (let x = Math.max(0, x0); x <= Math.min(n - 1, (140 / 360 + 0.5) * n + 1); x++) {
      for (let y = Math.max(0, y0); y <= Math.min(n - 1, 0.41 * n + 1); y++) {
        const together = places.filter(
          ({ bounds, minzoom = 0, maxzoom: end = 14 }) =>
            bounds !== null && z >= minzoom && z <= end && liesIn(bounds, z, x, y),
        );
        most = Math.max(most, together.length);
      }
    }
    if (most <= MOST_TOGETHER) break;
  }
  return z;
}

test('tiles begin at the lowest zoom at which none is made of too many', () => {
  const degrees = (least: number, most: number) => fc.double({ min: least, max: most, noNaN: true });
  const place = fc.record<Place>({
    bounds: fc.option(
      fc
        .tuple(degrees(136, 139), degrees(34, 36), degrees(0.001, 0.3), degrees(0.001, 0.3))
        .map(([west, south, width, height]) => ({ west, south, east: west + width, north: south + height })),
      { freq: 20 },
    ),
    minzoom: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, fc.integer({ min: 0, max: 6 })),
    maxzoom: fc.option(fc.integer({ min: 6, max: 9 }), { nil: undefined }),
  });
  let raised = 0;
  fc.assert(
    fc.property(fc.array(place, { minLength: 50, maxLength: 90, size: 'max' }), (places) => {
      // Beyond zoom 9 there are thousands of tiles to look at.
      const some = places.map((one) => ({ ...one, maxzoom: one.maxzoom ?? 9 }));
      const { minzoom, maxzoom } = extentOfRegion(datasetsOf(some));
      assert.equal(minzoom, slowMinzoom(some));
      assert.equal(maxzoom, Math.max(...some.map((one) => one.maxzoom)));
      raised += minzoom > 0 ? 1 : 0;
    }),
    { numRuns: 30 },
  );
  assert.ok(raised > 5, `${raised}`);
});

test('a dataset that says no zooms has tiles from 0 to 14, and one without bounds lies in no tile', () => {
  const bounds = { west: 139, south: 35, east: 139.01, north: 35.01 };
  assert.deepEqual(extentOfRegion(datasetsOf([{ bounds }, { bounds: null, minzoom: 3, maxzoom: 5 }])), {
    ...{ minzoom: 0, maxzoom: 14, bounds },
  });
  const same = Array.from({ length: MOST_TOGETHER + 1 }, () => ({ bounds }));
  assert.equal(extentOfRegion(datasetsOf(same)).minzoom, 14);
  assert.equal(extentOfRegion(datasetsOf(same.slice(1))).minzoom, 0);
  const nowhere = same.map((_, i) => (i === 0 ? { bounds: null } : { bounds }));
  assert.equal(extentOfRegion(datasetsOf(nowhere)).minzoom, 0);
  const later = same.map((_, i) => (i === 0 ? { bounds, minzoom: 5 } : { bounds }));
  assert.equal(extentOfRegion(datasetsOf(later)).minzoom, 0, 'one has no tiles there');
  const earlier = same.map((_, i) => (i < 2 ? { bounds, maxzoom: 3 } : { bounds }));
  assert.equal(extentOfRegion(datasetsOf(earlier)).minzoom, 4, 'two have no more tiles there');
});
