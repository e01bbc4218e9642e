import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalidSpec, quoteSpec } from './invalid-spec.ts';

test('a spec is quoted up to a hundred characters', () => {
  assert.equal(quoteSpec('x'.repeat(100)), `"${'x'.repeat(100)}"`);
  assert.equal(quoteSpec('x'.repeat(101)), `"${'x'.repeat(100)}…"`);
});

test('a malformed spec is a 400 that says the rule', () => {
  const error = invalidSpec('13', 'has no year.');
  assert.deepEqual([error.status, error.message, error.reason], [400, 'invalid spec', '"13" has no year.']);
});
