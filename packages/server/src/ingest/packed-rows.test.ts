import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PackedRows } from './packed-rows.ts';

test('rows come out as they went in, as often as they are asked for', () => {
  const rows = new PackedRows<{ path: string; lods: Array<number | null>; bounds: { west: number } | null }>({
    path: true,
    lods: true,
    bounds: true,
  });
  const first = { path: 'udx/本.gml', lods: [1, null], bounds: { west: 139.70000000000002 } };
  const second = { bounds: null, lods: [], path: '' };
  rows.push(first);
  rows.push(second);
  assert.equal(rows.count, 2);
  assert.deepEqual([...rows], [first, second]);
  assert.deepEqual([...rows], [first, second]);
});

test('rows of more than one list come out in their order', () => {
  const rows = new PackedRows<{ n: number }>({ n: true });
  for (let n = 0; n < 10_000; n++) rows.push({ n });
  assert.equal(rows.count, 10_000);
  assert.deepEqual(
    Array.from(rows, ({ n }) => n),
    Array.from({ length: 10_000 }, (_, n) => n),
  );
});
