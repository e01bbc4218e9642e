import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dayExists } from './day-exists.ts';

test('days that the calendar has exist, whatever follows them, and no others', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 250_000_000 }), (minutes) => {
      assert.equal(dayExists(new Date(minutes * 60_000).toISOString()), true);
    }),
  );
  for (const day of ['2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'])
    assert.equal(dayExists(day), true, day);
  for (const day of ['2023-02-29', '1900-02-29', '2023-04-31', '2023-01-32', '2023-01-00'])
    assert.equal(dayExists(`${day}T00:00:00Z`), false, day);
});
