import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Progress } from '../base/progress.ts';
import { PACKAGE, writeSmallPackage } from '../convert/testing/small-package.ts';
import { openIngesting } from './testing/ingesting.ts';

test('progress counts the text of all members, from nothing to all of it', async () => {
  await using at = await openIngesting();
  const path = join(at.directory, `${PACKAGE}.zip`);
  await writeSmallPackage(path, 'a', 2);
  const steps: Progress[] = [];
  const [report] = await at.ingest(path, { onProgress: (step) => void steps.push(step) });
  assert.equal(report!.outcome, 'published');
  const reading = steps.filter(({ phase }) => phase === 'reading');
  assert.ok(reading.length >= 9, 'each member at least');
  let before = 0;
  for (const { label, done, total } of reading) {
    assert.deepEqual([label, total], [PACKAGE, report!.bytes]);
    assert.ok(done >= before && done <= total);
    before = done;
  }
  assert.equal(before, report!.bytes);
});
