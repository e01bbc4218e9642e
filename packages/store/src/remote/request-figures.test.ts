import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestFigures } from './request-figures.ts';

test('requests are counted by operation and outcome, with their seconds', () => {
  const figures = new RequestFigures();
  figures.note('GetObject', 'ok', 500);
  figures.note('GetObject', 'ok', 250);
  figures.note('GetObject', 'refused', 100);
  figures.note('PutObject', 'ok', 2_000);
  const expected = [
    { operation: 'GetObject', outcome: 'ok', count: 2, seconds: 0.75 },
    { operation: 'GetObject', outcome: 'refused', count: 1, seconds: 0.1 },
    { operation: 'PutObject', outcome: 'ok', count: 1, seconds: 2 },
  ];
  const all = figures.all();
  assert.deepEqual(all, expected);
  figures.note('GetObject', 'ok', 1);
  assert.deepEqual(all, expected, 'what was asked for stays as it was');
  assert.equal(figures.slowStreams, 0);
});
