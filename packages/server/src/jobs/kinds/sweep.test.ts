import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedNow, THIS_HOST } from '@citymodel/base';
import type { JobStores } from '../job-kind.ts';
import { sweepStores } from './sweep.ts';

const TIMES = { RETIRED_GRACE_S: 7_200, JOB_RETENTION_S: 86_400, PACK_TIMEOUT_S: 600, PACK_RETENTION_S: 300 };

/** Stores with one retired package, whose time is over; whatever is asked of them is kept in `heard`. */
function stores({ isKept = false, handleOutlivesDelete = true } = {}) {
  const heard: Record<string, unknown> = {};
  const intent = { id: 'i', keys: ['k'], staging: null, host: THIS_HOST, pid: process.pid };
  const alive = { ...intent, heartbeatAt: sharedNow() };
  const fakes = {
    packs: {
      mend: async (times: object) => {
        heard.mend = times;
      },
      expired: async () => [],
      find: async () => [],
      endLook: async () => {},
      refersTo: async (key: string) => {
        heard.refersTo = key;
        return isKept;
      },
    },
    jobs: {
      finished: async (before: number) => {
        heard.finished = before;
        return [];
      },
    },
    catalogue: {
      intents: async () => [alive],
      sweepable: async (before: number) => {
        heard.sweepable = before;
        return [{ no: 7, archiveKey: 'archives/a' }];
      },
      forget: async (no: number) => {
        heard.forgotten = no;
      },
      beginIntent: async () => {},
      claimGarbage: async (_id: string, before: number) => {
        heard.garbage = before;
        return [];
      },
      endIntent: async () => {},
    },
    objects: {
      traits: { handleOutlivesDelete },
      async *list() {},
      deleteMany: async () => {},
      abortUploads: async (before: Date) => {
        heard.uploads = before.getTime();
        return 3;
      },
    },
  };
  return { stores: fakes as unknown as JobStores, heard };
}

test('a sweep counts its times in seconds from now on', async () => {
  const { stores: at, heard } = stores();
  const from = sharedNow();
  const report = await sweepStores(at, TIMES);
  const to = sharedNow();
  assert.deepEqual(report, { intents: 0, packages: 1, objects: 0, uploads: 3 });
  const within = (value: unknown, seconds: number) => {
    const now = Number(value) - seconds * 1_000;
    assert.ok(now >= from && now <= to + 1, `${now - from} ms after the start`);
  };
  const { now, expiresAt } = heard.mend as { now: number; expiresAt: number };
  within(now, 0);
  assert.equal(expiresAt - now, 300_000);
  within(heard.finished, -86_400);
  within(heard.sweepable, -7_200);
  within(heard.garbage, -7_200);
  // An hour longer than a pack may take.
  within(heard.uploads, -600 - 3_600);
  assert.deepEqual([heard.forgotten, heard.refersTo], [7, 'archives/a']);
});

test('a package stays whose archive a pack refers to', async () => {
  const { stores: at, heard } = stores({ isKept: true });
  assert.equal((await sweepStores(at, TIMES)).packages, 0);
  assert.equal(heard.forgotten, undefined);
});

test('where deleted objects cannot be read to their end, an hour is the least grace', async () => {
  const short = { ...TIMES, RETIRED_GRACE_S: 0 };
  const [lasting, ending] = [stores(), stores({ handleOutlivesDelete: false })];
  await sweepStores(lasting.stores, short);
  await sweepStores(ending.stores, short);
  const apart = Number(lasting.heard.sweepable) - Number(ending.heard.sweepable);
  assert.ok(Math.abs(apart - 3_600_000) < 5_000, `${apart} ms`);
});
