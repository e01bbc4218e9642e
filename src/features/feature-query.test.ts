import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../base/errors.ts';
import { requiredRegion } from './feature-query.ts';

const LIMITS = { maxBounds: 1_000, maxIds: 1_000 };

test('digits without end are refused, and named in short', () => {
  const long = `${'1'.repeat(500_000)}x`;
  for (const query of [
    { bbox: `${long},1,1,1` },
    { polygon: `${long},1,2,2,3,3` },
    { polygon: `POLYGON((${long} 1, 2 2, 3 3))` },
    { bbox: `${'0'.repeat(90)}200,0,1,1` },
  ]) {
    assert.throws(
      () => requiredRegion(query, LIMITS),
      (error) => error instanceof ServiceError && error.status === 400 && error.reason!.length < 500,
    );
  }
});
