import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { CatalogueStore } from '../catalogue-store.ts';
import {
  type JobClaim,
  type JobClaimOptions,
  type JobState,
  type JobStore,
  MAX_JOB_JSON,
  MAX_JOB_TEXT,
  type NewJob,
} from '../job-store.ts';

/** Where the stores of one test keep their database. */
export interface JobStoreFixture extends AsyncDisposable {
  /** Stores over the same database each time, migrated or not. */
  open(): Promise<{ catalogue: CatalogueStore; jobs: JobStore }>;
}

const NOW = 1_000_000;
const KINDS = ['ingest', 'reindex'];

function job(label: string, changes: Partial<NewJob> = {}): NewJob {
  return {
    kind: 'ingest',
    label,
    payload: { path: `/見本/${label}.zip` },
    maxAttempts: 3,
    exclusive: null,
    unique: null,
    objectKey: null,
    ...changes,
  };
}

function claiming(changes: Partial<JobClaimOptions> = {}): JobClaimOptions {
  return { worker: 'w1', now: NOW, leaseUntil: NOW + 100, kinds: KINDS, ...changes };
}

/** Registers the tests that every JobStore has to pass; `create` makes an empty database for each. */
export function jobStoreConformance(name: string, create: () => Promise<JobStoreFixture>): void {
  const withJobs = (title: string, run: (jobs: JobStore, fixture: JobStoreFixture) => Promise<void>) =>
    test(title, async () => {
      await using fixture = await create();
      const { catalogue, jobs } = await fixture.open();
      try {
        await catalogue.migrate();
        await run(jobs, fixture);
      } finally {
        await catalogue.close();
      }
    });
  const stateOf = async (jobs: JobStore, { id }: { id: string }) => (await jobs.find(id))?.state;

  describe(`job store: ${name}`, () => {
    withJobs('takes a job through its states', async (jobs) => {
      const [row] = await jobs.enqueue([job('a')], NOW);
      assert.deepEqual(row, {
        ...job('a'),
        id: row!.id,
        state: 'queued',
        attempts: 0,
        run: 0,
        reason: null,
        progress: null,
        createdAt: NOW,
        availableAt: NOW,
        startedAt: null,
        finishedAt: null,
        worker: null,
        isCancelling: false,
        result: null,
      });
      assert.deepEqual(await jobs.find(row!.id), row);
      assert.equal(await jobs.find('none'), null);
      const claim = (await jobs.claim(claiming({ now: NOW + 1 })))!;
      assert.deepEqual(
        [claim.id, claim.run, claim.kind, claim.attempts, claim.payload],
        [row!.id, 1, 'ingest', 1, row!.payload],
      );
      assert.deepEqual(await jobs.holders(), ['w1']);
      const progress = { done: 2 ** 41 + 1, total: 2 ** 42, unit: 'bytes', text: 'reading 見本.gml' };
      assert.equal(await jobs.touch(claim, progress, NOW + 200), 'held');
      const running = (await jobs.find(row!.id))!;
      assert.deepEqual(
        [running.state, running.progress, running.startedAt, running.worker],
        ['running', progress, NOW + 1, 'w1'],
      );
      assert.equal(await jobs.succeed(claim, { outcome: 'published' }, NOW + 2), true);
      const done = (await jobs.find(row!.id))!;
      assert.deepEqual(
        [done.state, done.finishedAt, done.worker, done.result, done.progress],
        ['succeeded', NOW + 2, null, { outcome: 'published' }, progress],
      );
      assert.deepEqual(await jobs.holders(), []);
    });

    withJobs(
      'hands out the job with the fewest attempts, then the oldest, of the wanted kinds',
      async (jobs) => {
        const [a, b] = await jobs.enqueue([job('a'), job('b')], NOW);
        const [c] = await jobs.enqueue([job('c', { kind: 'reindex' })], NOW - 1);
        assert.equal(await jobs.claim(claiming({ kinds: [] })), null);
        assert.equal(await jobs.claim(claiming({ kinds: ['sweep'] })), null);
        const first = (await jobs.claim(claiming({ kinds: ['ingest'] })))!;
        assert.equal(first.id, a!.id);
        await jobs.fail(first, { reason: 'No.', now: NOW, retryAt: NOW });
        assert.equal((await jobs.claim(claiming()))!.id, c!.id);
        assert.equal((await jobs.claim(claiming()))!.id, b!.id);
        assert.equal((await jobs.claim(claiming()))!.id, a!.id);
        assert.equal(await jobs.claim(claiming()), null);
      },
    );

    withJobs('claims one job by its id', async (jobs) => {
      const [, b] = await jobs.enqueue([job('a'), job('b')], NOW);
      assert.equal((await jobs.claim(claiming({ id: b!.id })))!.id, b!.id);
      assert.equal(await jobs.claim(claiming({ id: b!.id })), null);
      assert.equal(await jobs.claim(claiming({ id: 'none' })), null);
    });

    withJobs('claims by its id a job whose time has not come by a clock that is late', async (jobs) => {
      const [a] = await jobs.enqueue([job('a')], NOW);
      const late = { now: NOW - 90_000 };
      assert.equal(await jobs.claim(claiming(late)), null);
      assert.equal((await jobs.claim(claiming({ ...late, id: a!.id })))!.id, a!.id);
    });

    withJobs('tries again from the given time on, and gives up after the last attempt', async (jobs) => {
      const [row] = await jobs.enqueue([job('a', { maxAttempts: 2 })], NOW);
      const first = (await jobs.claim(claiming()))!;
      assert.equal(
        await jobs.fail(first, { reason: 'The disk is full.', now: NOW, retryAt: NOW + 50 }),
        true,
      );
      const failed = (await jobs.find(row!.id))!;
      assert.deepEqual(
        [failed.state, failed.reason, failed.availableAt, failed.finishedAt],
        ['failed', 'The disk is full.', NOW + 50, null],
      );
      assert.equal(await jobs.claim(claiming({ now: NOW + 49 })), null);
      const second = (await jobs.claim(claiming({ now: NOW + 50 })))!;
      assert.equal(second.attempts, 2);
      await jobs.fail(second, { reason: 'Again.', result: [1], now: NOW + 51, retryAt: NOW + 99 });
      const dead = (await jobs.find(row!.id))!;
      assert.deepEqual(
        [dead.state, dead.reason, dead.result, dead.finishedAt],
        ['dead', 'Again.', [1], NOW + 51],
      );
    });

    withJobs('gives a job up at once when trying again is of no use', async (jobs) => {
      await jobs.enqueue([job('a')], NOW);
      const claim = (await jobs.claim(claiming()))!;
      await jobs.fail(claim, { reason: 'It is no zip.', now: NOW, retryAt: null });
      assert.equal(await stateOf(jobs, claim), 'dead');
    });

    withJobs('hands a job back without counting the attempt', async (jobs) => {
      await jobs.enqueue([job('a')], NOW);
      const claim = (await jobs.claim(claiming()))!;
      assert.equal(await jobs.release(claim, 'The worker stops.', { now: NOW, availableAt: NOW + 1 }), true);
      const row = (await jobs.find(claim.id))!;
      assert.deepEqual(
        [row.state, row.attempts, row.reason, row.worker],
        ['queued', 0, 'The worker stops.', null],
      );
      assert.equal(await jobs.claim(claiming()), null);
      assert.equal((await jobs.claim(claiming({ now: NOW + 1 })))!.attempts, 1);
    });

    withJobs('takes jobs back from workers that are dead or silent', async (jobs) => {
      await jobs.enqueue([job('a', { maxAttempts: 2 }), job('b')], NOW);
      const a = (await jobs.claim(claiming()))!;
      const b = (await jobs.claim(claiming({ worker: 'w2', leaseUntil: NOW + 1_000 })))!;
      assert.equal(await jobs.recover({ now: NOW + 99, dead: ['w3'] }), 0);
      assert.equal(await jobs.recover({ now: NOW + 99, dead: ['w2'] }), 1);
      assert.deepEqual([await stateOf(jobs, a), await stateOf(jobs, b)], ['running', 'failed']);
      assert.equal(await jobs.recover({ now: NOW + 100, dead: [] }), 1);
      assert.equal((await jobs.find(a.id))!.reason, 'Its worker went away in the middle of it.');
      // A worker that was only slow can change nothing any more, also when somebody else has the job.
      const again = (await jobs.claim(
        claiming({ id: a.id, worker: 'w4', now: NOW + 101, leaseUntil: NOW + 200 }),
      ))!;
      assert.equal(again.run, a.run + 1);
      assert.equal(await jobs.touch(a, null, NOW + 999), 'lost');
      assert.equal(await jobs.succeed(a, null, NOW), false);
      assert.equal(await jobs.fail(a, { reason: 'No.', now: NOW, retryAt: null }), false);
      assert.equal(await jobs.release(a, 'No.', { now: NOW, availableAt: NOW }), false);
      assert.equal(await jobs.endCancelled(a, NOW), false);
      assert.equal(await jobs.recover({ now: NOW + 200, dead: [] }), 1);
      assert.equal(await stateOf(jobs, a), 'dead', 'two attempts were allowed');
    });

    withJobs('cancels waiting jobs at once and running ones by their workers', async (jobs) => {
      const [a, b] = await jobs.enqueue([job('a'), job('b')], NOW);
      const claim = (await jobs.claim(claiming()))!;
      assert.equal((await jobs.cancel(b!.id, NOW + 1))!.state, 'cancelled');
      const asked = (await jobs.cancel(a!.id, NOW + 1))!;
      assert.deepEqual([asked.state, asked.isCancelling], ['running', true]);
      assert.equal(await jobs.touch(claim, null, NOW + 200), 'cancelled');
      assert.equal(await jobs.endCancelled(claim, NOW + 2), true);
      const row = (await jobs.find(a!.id))!;
      assert.deepEqual([row.state, row.isCancelling, row.finishedAt], ['cancelled', false, NOW + 2]);
      assert.equal(await jobs.cancel('none', NOW), null);
      assert.equal(await jobs.claim(claiming({ now: NOW + 9 })), null);
    });

    withJobs('cancels a job whose worker died before it could', async (jobs) => {
      await jobs.enqueue([job('a')], NOW);
      const claim = (await jobs.claim(claiming()))!;
      await jobs.cancel(claim.id, NOW);
      await jobs.recover({ now: NOW + 100, dead: [] });
      assert.equal(await stateOf(jobs, claim), 'cancelled');
    });

    withJobs('retries what is dead, cancelled or waits for its next attempt', async (jobs) => {
      const [a, b, c, d] = await jobs.enqueue([job('a'), job('b'), job('c'), job('d')], NOW);
      const dead = (await jobs.claim(claiming()))!;
      await jobs.fail(dead, { reason: 'No.', now: NOW, retryAt: null });
      await jobs.cancel(b!.id, NOW);
      const failed = (await jobs.claim(claiming({ id: c!.id })))!;
      await jobs.fail(failed, { reason: 'No.', now: NOW, retryAt: NOW + 1e6 });
      for (const { id } of [a!, b!, c!]) assert.equal(await jobs.retry(id, NOW + 5), true);
      for (const { id } of [a!, b!, c!]) {
        const row = (await jobs.find(id))!;
        assert.deepEqual([row.state, row.attempts, row.reason, row.finishedAt], ['queued', 0, null, null]);
      }
      assert.equal(await jobs.retry(d!.id, NOW), false);
      assert.equal(await jobs.retry('none', NOW), false);
      assert.equal(await jobs.succeed(dead, null, NOW), false, 'the earlier attempt is another run');
    });

    withJobs('runs jobs that exclude each other one after the other', async (jobs) => {
      const exclusive = 'package x';
      const [a, b] = await jobs.enqueue([job('a', { exclusive }), job('b', { exclusive }), job('c')], NOW);
      const first = (await jobs.claim(claiming()))!;
      assert.equal(first.id, a!.id);
      assert.equal(await jobs.claim(claiming({ id: b!.id })), null);
      assert.equal((await jobs.claim(claiming()))!.label, 'c');
      assert.equal(await jobs.claim(claiming()), null);
      await jobs.succeed(first, null, NOW);
      assert.equal((await jobs.claim(claiming()))!.id, b!.id);
    });

    withJobs('lets an open job stand for others of the same unique text', async (jobs) => {
      const unique = 'sweep';
      const [a, b] = await jobs.enqueue([job('a', { unique }), job('b', { unique })], NOW);
      assert.equal(b!.id, a!.id);
      const claim = (await jobs.claim(claiming()))!;
      assert.equal((await jobs.enqueue([job('c', { unique })], NOW))[0]!.id, a!.id);
      await jobs.fail(claim, { reason: 'No.', now: NOW, retryAt: null });
      const [d] = await jobs.enqueue([job('d', { unique })], NOW);
      assert.notEqual(d!.id, a!.id);
      assert.equal(await jobs.retry(a!.id, NOW), false, 'another one is open');
    });

    withJobs('lists jobs, the newest first, by state and kind, in pages; and counts them', async (jobs) => {
      await jobs.enqueue([job('a'), job('b', { kind: 'reindex' }), job('c')], NOW);
      await jobs.enqueue([job('d')], NOW + 1);
      const claim = (await jobs.claim(claiming({ now: NOW + 1 })))!;
      await jobs.succeed(claim, null, NOW + 2);
      const labels = async (filter: Parameters<JobStore['list']>[0], limit = 9, offset = 0) =>
        (await jobs.list(filter, { limit, offset })).map(({ label }) => label);
      assert.deepEqual(await labels({}), ['d', 'c', 'b', 'a']);
      assert.deepEqual(await labels({}, 2, 1), ['c', 'b']);
      assert.deepEqual(await labels({ states: ['queued'] }), ['d', 'c', 'b']);
      assert.deepEqual(await labels({ kinds: ['reindex'], states: ['queued', 'succeeded'] }), ['b']);
      assert.deepEqual(await jobs.counts({}), {
        queued: 3,
        running: 0,
        failed: 0,
        succeeded: 1,
        dead: 0,
        cancelled: 0,
      });
      assert.deepEqual(await labels({ without: ['reindex'] }), ['d', 'c', 'a']);
      assert.equal((await jobs.counts({ without: ['reindex'] })).queued, 2);
      assert.equal((await jobs.counts({ kinds: ['reindex'] })).queued, 1);
      const [d] = await jobs.list({}, { limit: 1, offset: 0 });
      assert.deepEqual(await jobs.findByPrefix(d!.id.slice(0, 8), 2), [d]);
      assert.deepEqual(await jobs.findByPrefix('x', 2), []);
      assert.equal((await jobs.findByPrefix('', 2)).length, 2);
    });

    withJobs('forgets finished jobs, with their objects', async (jobs) => {
      const [a, b] = await jobs.enqueue([job('a', { objectKey: 'incoming/a.zip' }), job('b')], NOW);
      assert.deepEqual(await jobs.ownedObjects(['incoming/a.zip', 'incoming/x.zip']), ['incoming/a.zip']);
      await jobs.cancel(b!.id, NOW + 1);
      await jobs.cancel(a!.id, NOW + 2);
      assert.deepEqual(await jobs.finished(NOW + 2, 9), [{ id: b!.id, run: 0, objectKey: null }]);
      assert.equal((await jobs.finished(NOW + 3, 1)).length, 1);
      assert.deepEqual((await jobs.finished(NOW + 3, 9))[1], {
        id: a!.id,
        run: 0,
        objectKey: 'incoming/a.zip',
      });
      await jobs.retry(a!.id, NOW + 4);
      assert.equal(await jobs.forget(a!.id, 0), false);
      assert.equal(await jobs.forget(b!.id, 0), true);
      assert.equal(await jobs.find(b!.id), null);
    });

    withJobs('bounds what a job says', async (jobs) => {
      const long = 'x'.repeat(MAX_JOB_JSON);
      await assert.rejects(async () => jobs.enqueue([job('a', { payload: long })], NOW), RangeError);
      const [row] = await jobs.enqueue([job('長'.repeat(MAX_JOB_TEXT + 1))], NOW);
      assert.equal(row!.label.length, MAX_JOB_TEXT);
      const claim = (await jobs.claim(claiming()))!;
      await assert.rejects(async () => jobs.succeed(claim, long, NOW), RangeError);
      await jobs.fail(claim, { reason: long, now: NOW, retryAt: null });
      assert.equal((await jobs.find(claim.id))!.reason!.length, MAX_JOB_TEXT);
    });

    withJobs('gives every job to one worker when many ask at once', async (_jobs, fixture) => {
      const stores = await Promise.all([1, 2, 3, 4].map(() => fixture.open()));
      try {
        await stores[0]!.jobs.enqueue(
          Array.from({ length: 20 }, (_, i) => job(`j${i}`)),
          NOW,
        );
        const taken: string[] = [];
        const work = async (jobs: JobStore, worker: string) => {
          for (;;) {
            const claim = await jobs.claim(claiming({ worker }));
            if (claim === null) return;
            taken.push(claim.id);
          }
        };
        await Promise.all(stores.map(({ jobs }, i) => work(jobs, `w${i}`)));
        assert.equal(taken.length, 20);
        assert.equal(new Set(taken).size, 20);
      } finally {
        for (const { catalogue } of stores) await catalogue.close();
      }
    });

    withJobs('agrees with a plain model, whatever happens in which order', async (jobs) => {
      const step = fc.record({
        what: fc.constantFrom(
          'enqueue',
          'claim',
          'succeed',
          'fail',
          'giveUp',
          'release',
          'cancel',
          'retry',
          'recover',
        ),
        which: fc.nat(9),
        lock: fc.constantFrom(null, 'x'),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
          const model = new Model();
          for (const { what, which, lock } of steps) await model.step(jobs, what, which, lock);
          for (const [id, { state, attempts }] of model.jobs) {
            const row = (await jobs.find(id))!;
            assert.deepEqual([row.state, row.attempts], [state, attempts]);
          }
          for (const id of model.jobs.keys()) {
            await jobs.cancel(id, NOW);
            await jobs.recover({ now: NOW + 1_000, dead: [] });
          }
        }),
        { numRuns: 40 },
      );
    });
  });
}

/** Jobs in a map, with the rules of the diagram in `job-store.ts` written down once more. */
class Model {
  readonly jobs = new Map<
    string,
    { state: JobState; attempts: number; cancelling: boolean; lock: string | null }
  >();
  readonly #claims: JobClaim[] = [];

  async step(jobs: JobStore, what: string, which: number, lock: string | null): Promise<void> {
    if (what === 'enqueue') {
      const [row] = await jobs.enqueue([job('m', { exclusive: lock, maxAttempts: 2 })], NOW);
      this.jobs.set(row!.id, { state: 'queued', attempts: 0, cancelling: false, lock });
    } else if (what === 'claim') {
      const claim = await jobs.claim(claiming());
      const free = [...this.jobs.values()].filter(
        ({ state, lock }) => (state === 'queued' || state === 'failed') && !this.#isHeld(lock),
      );
      assert.equal(claim !== null, free.length > 0);
      if (claim === null) return;
      const mine = this.jobs.get(claim.id)!;
      assert.ok(free.includes(mine));
      assert.equal(mine.attempts, Math.min(...free.map(({ attempts }) => attempts)));
      Object.assign(mine, { state: 'running', attempts: mine.attempts + 1 });
      this.#claims.push(claim);
    } else if (what === 'recover') {
      await jobs.recover({ now: NOW + 100, dead: [] });
      for (const mine of this.jobs.values()) {
        if (mine.state !== 'running') continue;
        mine.state = mine.cancelling ? 'cancelled' : mine.attempts >= 2 ? 'dead' : 'failed';
        mine.cancelling = false;
      }
      // Available from then on; the other steps are at the time before.
      for (const [id, { state }] of this.jobs) if (state === 'failed') await this.#retry(jobs, id);
    } else if (what === 'cancel' || what === 'retry') {
      const id = [...this.jobs.keys()][which];
      if (id === undefined) return;
      if (what === 'retry') return this.#retry(jobs, id);
      await jobs.cancel(id, NOW);
      const mine = this.jobs.get(id)!;
      if (mine.state === 'running') mine.cancelling = true;
      else if (mine.state === 'queued' || mine.state === 'failed') mine.state = 'cancelled';
    } else await this.#end(jobs, what, which);
  }

  async #end(jobs: JobStore, what: string, which: number): Promise<void> {
    const claim = this.#claims[which];
    if (claim === undefined) return;
    const mine = this.jobs.get(claim.id)!;
    const latest = this.#claims.findLast(({ id }) => id === claim.id);
    const isHeld = mine.state === 'running' && latest === claim;
    const ends: Record<string, () => Promise<boolean>> = {
      succeed: () => jobs.succeed(claim, null, NOW),
      fail: () => jobs.fail(claim, { reason: 'No.', now: NOW, retryAt: NOW }),
      giveUp: () => jobs.fail(claim, { reason: 'No.', now: NOW, retryAt: null }),
      release: () => jobs.release(claim, 'Stop.', { now: NOW, availableAt: NOW }),
    };
    assert.equal(await ends[what]!(), isHeld);
    if (!isHeld) return;
    const states: Record<string, JobState> = {
      succeed: 'succeeded',
      fail: mine.attempts >= 2 ? 'dead' : mine.cancelling ? 'cancelled' : 'failed',
      giveUp: 'dead',
      release: mine.cancelling ? 'cancelled' : 'queued',
    };
    mine.state = states[what]!;
    if (what === 'release') mine.attempts--;
    mine.cancelling = false;
  }

  async #retry(jobs: JobStore, id: string): Promise<void> {
    const mine = this.jobs.get(id)!;
    const may = ['dead', 'cancelled', 'failed'].includes(mine.state);
    assert.equal(await jobs.retry(id, NOW), may);
    if (may) Object.assign(mine, { state: 'queued', attempts: 0, cancelling: false });
  }

  #isHeld(lock: string | null): boolean {
    return (
      lock !== null && [...this.jobs.values()].some((one) => one.state === 'running' && one.lock === lock)
    );
  }
}
