import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeatureEntry } from '@citymodel/citygml';
import { RecordCache } from './record-cache.ts';

const entry = (index: number, id: string | null = `bldg_${index}`) => ({ index, id }) as FeatureEntry;

test('a record is found by its file, number and id, with all its characters', () => {
  const cache = new RecordCache(100_000);
  cache.put('a', entry(1), '{"gml:name":"都庁 😀"}');
  assert.equal(cache.get('a', entry(1)), '{"gml:name":"都庁 😀"}');
  assert.equal(cache.get('b', entry(1)), undefined);
  assert.equal(cache.get('a', entry(2)), undefined);
  assert.equal(cache.get('a', entry(1, 'bldg_same_hash')), undefined, 'the feature has another id');
  assert.equal(cache.get('a', entry(1, null)), undefined);
});

test('it keeps what was asked for last within its bytes, nothing that is large, and nothing without memory', () => {
  const cache = new RecordCache(100_000);
  const record = 'x'.repeat(1_000);
  for (let i = 0; i < 1_000; i++) {
    cache.put('a', entry(i), record);
    cache.get('a', entry(0));
  }
  const kept = Array.from({ length: 1_000 }, (_, i) => i).filter(
    (i) => cache.get('a', entry(i)) !== undefined,
  );
  assert.ok(kept.length > 50 && kept.length * record.length <= 100_000, `${kept.length}`);
  assert.ok(kept.includes(0) && kept.includes(999) && !kept.includes(500));
  cache.put('a', entry(1), 'x'.repeat(10_000));
  assert.equal(cache.get('a', entry(1)), undefined);
  const none = new RecordCache(0);
  none.put('a', entry(1), record);
  assert.equal(none.get('a', entry(1)), undefined);
});
