import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { chunks, MemoryStore, SqlCatalogueStore, SqliteDriver } from '@citymodel/store/testing';
import pino from 'pino';
import { readSettings } from '../../base/settings.ts';
import { type JobContext, JobFailed, JobRefused } from '../job-kind.ts';
import { INGEST } from './ingest.ts';

test('an object store that gives something else, or nothing, makes another attempt, never a refusal', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'ingest-kind-'));
  t.after(() => rm(directory, { recursive: true }));
  const catalogue = new SqlCatalogueStore(await SqliteDriver.open(join(directory, 'catalogue.sqlite')));
  t.after(() => catalogue.close());
  await catalogue.migrate();
  const objects = new MemoryStore();
  const context = {
    settings: readSettings({}),
    stores: { catalogue, objects },
    stagingDir: join(directory, 'staging'),
    log: pino({ level: 'silent' }),
    signal: new AbortController().signal,
    progress() {},
  } as unknown as JobContext;
  const run = (facts: { size?: number; sha256?: string }) =>
    INGEST.run(
      {
        source: { object: 'incoming/jobs/a', name: 'a.zip', ...facts },
        overrides: {},
        replace: false,
        dryRun: true,
        level: 6,
      },
      context,
    );
  const facts = { size: 5, sha256: '0'.repeat(64) };
  await assert.rejects(
    run(facts),
    (error) => error instanceof JobFailed && /not in the object store/.test(error.message),
  );
  for (const wrong of ['', 'other', '<html>']) {
    await objects.put('incoming/jobs/a', chunks(Buffer.from(wrong)));
    await assert.rejects(run(facts), JobFailed);
  }
  // What came as it was put there, and is no package, is refused.
  await assert.rejects(run({ size: 6 }), JobRefused);
});
