import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compareVersions } from './compare-versions.ts';

it('compares versions number by number, not letter by letter', () => {
  const sorted = ['2.3', '4.1', '4.9', '4.10', '5.0', '10.0'];
  assert.deepEqual(sorted.toReversed().sort(compareVersions), sorted);
  assert.equal(compareVersions('4', '4.0'), 0);
  assert.ok(compareVersions('4.0.1', '4') > 0);
  assert.equal(compareVersions('x', '0'), 0);
});
