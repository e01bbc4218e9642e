import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import { unzip } from '@citymodel/citygml/testing';
import { createZip } from './package-file.ts';

test('members are deflated in other threads and lie in the order in which they were added', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'package-file-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'a.zip');
  const texts = Array.from({ length: 30 }, (_, i) => {
    return Buffer.from(
      Array.from({ length: 30_000 }, (_, k) => (k * 7_919 * (i + 1)).toString(36)).join(' '),
    );
  });
  const before = performance.eventLoopUtilization();
  const zip = await createZip(path, 0);
  for (const [i, text] of texts.entries()) await zip.add(`${30 - i}`, text);
  const { members } = await zip.finish();
  const { utilization } = performance.eventLoopUtilization(before);
  assert.equal(members, texts.length);
  assert.ok(utilization < 0.85, `this thread worked for ${utilization} of the time`);
  const read = await unzip(path, /./);
  assert.deepEqual(
    [...read.keys()],
    Array.from(texts.keys(), (i) => `${30 - i}`),
  );
  assert.deepEqual([...read.values()], texts);
});
