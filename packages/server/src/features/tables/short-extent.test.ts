/** Extents come back as they were, or a table has no differences of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Extent } from '@citymodel/geo';
import { placeOf } from '../formats/geoparquet-geometry.ts';
import { EXTENT_COLUMNS, extentDifference, extentOf } from './short-extent.ts';

const { wkb, box } = placeOf({
  type: 'LineString',
  coordinates: [
    [8, 32],
    [16, 64],
  ],
})!;
const EXTENT: Extent = { west: 7, south: 30, east: 20, north: 70, minAlt: 3, maxAlt: 12.5 };

/** What a row with the difference and these other columns says of its extent. */
function again(difference: Extent | null, row: Record<string, unknown>): Extent | null {
  const columns: Record<string, unknown> = { geometry: null, minAlt: null, maxAlt: null, ...row };
  columns.extent_offset = difference;
  return extentOf((column) => {
    assert.ok(EXTENT_COLUMNS.includes(column));
    return columns[column];
  });
}

test('a table has what footprint and heights do not say of an extent, and gives all of it back', () => {
  const whole = extentDifference(EXTENT, { box, minAlt: 1, maxAlt: 10 });
  assert.deepEqual(whole, { west: -1, south: -2, east: 4, north: 6, minAlt: 2, maxAlt: 2.5 });
  assert.deepEqual(again(whole, { geometry: wkb, minAlt: 1, maxAlt: 10 }), EXTENT);
  const same = { west: 8, south: 32, east: 16, north: 64, minAlt: 1, maxAlt: 10 };
  const none = { west: 0, south: 0, east: 0, north: 0, minAlt: 0, maxAlt: 0 };
  assert.deepEqual(extentDifference(same, { box, minAlt: 1, maxAlt: 10 }), none);
});

test('what a row lacks counts as zero', () => {
  const alone = extentDifference(EXTENT, { box: null, minAlt: null, maxAlt: null });
  assert.deepEqual(alone, EXTENT);
  assert.deepEqual(again(alone, {}), EXTENT);
  const flat = extentDifference(EXTENT, { box, minAlt: null, maxAlt: null });
  assert.deepEqual(flat, { west: -1, south: -2, east: 4, north: 6, minAlt: 3, maxAlt: 12.5 });
  assert.deepEqual(again(flat, { geometry: wkb }), EXTENT);
  assert.equal(again(null, { geometry: wkb, minAlt: 1, maxAlt: 10 }), null);
});

test('an extent that rounding would change has no difference, whichever of its numbers it is', () => {
  for (const key of Object.keys(EXTENT) as Array<keyof Extent>) {
    const odd = { ...EXTENT, [key]: 1e-17 };
    const beside = { box, minAlt: 1, maxAlt: 10 };
    assert.equal(extentDifference(odd, beside), null, key);
  }
});
