import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import pino from 'pino';
import { readSettings } from '../base/settings.ts';
import { openIngesting } from '../ingest/testing/ingesting.ts';
import { JobFailed, type JobKind } from '../jobs/job-kind.ts';
import type { JobEnd } from '../jobs/job-work.ts';
import { SWEEP } from '../jobs/kinds/sweep.ts';
import { kindOf } from '../jobs/testing/job-fixture.ts';
import { createJobWorker } from './job-service.ts';

/** Starts a worker on stores of its own, which has one job of each kind; resolves when so many attempts have ended. */
async function worked(kinds: readonly JobKind[], attempts: number, env: Record<string, string> = {}) {
  await using at = await openIngesting();
  const settings = readSettings({ DATA_DIR: join(at.directory, 'data'), ...env });
  const ends: JobEnd[] = [];
  const [id] = (
    await at.stores.jobs.enqueue(
      [
        {
          kind: 'test',
          label: 'a',
          payload: 7,
          maxAttempts: 3,
          exclusive: null,
          unique: null,
          objectKey: null,
        },
      ],
      Date.now(),
    )
  ).map((row) => row.id);
  let ended = () => {};
  const all = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const worker = createJobWorker({
    settings,
    stores: { ...at.stores, jobMessages: null },
    log: pino({ level: 'silent' }),
    kinds,
    concurrency: 2,
    onEnd(end) {
      if (ends.push(end) === attempts) ended();
    },
  });
  await worker.start();
  await all;
  await worker.stop();
  assert.equal(worker.running(), 0);
  return {
    row: (await at.stores.jobs.find(id!))!,
    ends,
    kinds: await at.stores.jobs.list({}, { limit: 9, offset: 0 }),
  };
}

test('a worker runs jobs of its kinds with its settings, and tries again after JOB_RETRY_S', async () => {
  let seen: unknown;
  const failing = kindOf(async (payload, { settings, stagingDir, claim }) => {
    seen = [payload, stagingDir.startsWith(settings.DATA_DIR), claim.run];
    throw new JobFailed('NO_SPACE', 'The disk is full.');
  });
  const before = Date.now();
  const { row, ends } = await worked([failing], 1, { JOB_RETRY_S: '100' });
  assert.deepEqual(seen, [7, true, 1]);
  assert.deepEqual([row.state, row.reason], ['failed', 'The disk is full.']);
  assert.ok(row.availableAt >= before + 100_000 && row.availableAt <= Date.now() + 100_000);
  assert.deepEqual(
    ends.map(({ outcome, kind }) => [outcome, kind]),
    [['failed', 'test']],
  );
});

test('a worker that sweeps asks for it at its start, and brings its kinds into line before', async () => {
  let mended = 0;
  const kind = kindOf(async () => ({ mended }), {
    async mend() {
      mended++;
      return 1;
    },
  });
  const { row, ends, kinds } = await worked([kind, SWEEP as JobKind], 2);
  assert.equal(row.state, 'succeeded');
  assert.ok((row.result as { mended: number }).mended >= 1);
  assert.deepEqual(ends.map(({ kind: name, outcome }) => `${name} ${outcome}`).sort(), [
    'sweep succeeded',
    'test succeeded',
  ]);
  assert.deepEqual(
    kinds.map(({ kind: name }) => name),
    ['test'],
    'a sweep is forgotten',
  );
});
