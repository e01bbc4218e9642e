import assert from 'node:assert/strict';
import { existsSync, rmSync, truncateSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { FeatureRecord } from './feature-record.ts';
import { RecordSpill } from './record-spill.ts';

const recordOf = (id: string, length: number) =>
  ({ id, note: '木'.repeat(length) }) as unknown as FeatureRecord;

test('records come back in any order, those that wait to be written and those that are', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'spill-'));
  t.after(() => rm(directory, { recursive: true }));
  const path = join(directory, 'records');
  await writeFile(path, 'what was there before');
  // Together more than is written at once.
  const records = Array.from({ length: 30 }, (_, i) => recordOf(`r${i}`, i * 2_000));
  {
    using spill = new RecordSpill(path);
    spill.add(records[0]!);
    assert.deepEqual(spill.read(0), records[0]);
    for (const record of records.slice(1)) spill.add(record);
    for (const i of [29, 0, 15, 15, 1]) assert.deepEqual(spill.read(i), records[i]);
    spill.add(recordOf('last', 0));
    assert.deepEqual(spill.read(30), recordOf('last', 0));
    truncateSync(path, 100);
    assert.throws(() => spill.read(29), { message: `${path} ended too soon.` });
  }
  assert.equal(existsSync(path), false);
});

test('a file that somebody has deleted already goes without a word', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'spill-'));
  t.after(() => rm(directory, { recursive: true }));
  const path = join(directory, 'records');
  using spill = new RecordSpill(path);
  spill.add(recordOf('one', 1));
  rmSync(path);
  assert.deepEqual(spill.read(0), recordOf('one', 1));
});
