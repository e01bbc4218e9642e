import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fiscalYear } from './fiscal-year.ts';

test('the fiscal year begins on 1 April in Japan', () => {
  assert.equal(fiscalYear(new Date('2026-03-31T14:59:59Z')), 2025);
  assert.equal(fiscalYear(new Date('2026-03-31T15:00:00Z')), 2026);
  assert.equal(fiscalYear(new Date('2026-12-31T15:00:00Z')), 2026);
});
