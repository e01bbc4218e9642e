import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { describe, it } from 'node:test';
import { StoreUnavailable } from '@citymodel/store';
import { workerName } from '../base/worker-name.ts';
import { TableFeed } from './table-feed.ts';
import { aborted, type JobFixture, jobFixture, kindOf } from './testing/job-fixture.ts';

/** Emits `end` with each attempt that ended. */
function feedOf(fixture: JobFixture, run: Parameters<typeof kindOf>[0], pollMs = 60_000) {
  const ended = new EventEmitter();
  const work = fixture.work([kindOf(run)], { onEnd: (end) => ended.emit('end', end) });
  const faults: unknown[] = [];
  const feed = new TableFeed({
    jobs: fixture.jobs,
    work,
    worker: workerName(),
    leaseMs: 60_000,
    pollMs,
    pidIsAlive: () => false,
    onError: (error) => faults.push(error),
  });
  return { work, feed, ended, faults };
}

describe('jobs found by looking', () => {
  it('runs all that wait, as many at once as there is room, without waiting for the next look', async () => {
    await using fixture = await jobFixture();
    await fixture.enqueue({}, {}, {}, {}, {});
    let now = 0;
    let most = 0;
    let left = 5;
    const { feed, work, ended } = feedOf(fixture, async () => {
      most = Math.max(most, ++now);
      await new Promise(setImmediate);
      now--;
    });
    const all = new Promise<void>((resolve) => ended.on('end', () => --left === 0 && resolve()));
    await feed.start();
    await all;
    await feed.stop();
    await work.stop();
    assert.equal(most, 2);
    assert.equal((await fixture.jobs.counts({})).succeeded, 5);
  });

  it('begins jobs that somebody waits for before those of patient kinds', async () => {
    await using fixture = await jobFixture();
    await fixture.enqueue({ kind: 'patient' }, { kind: 'patient' }, {}, { kind: 'patient' });
    const begun: string[] = [];
    const all = Promise.withResolvers<void>();
    const kind = (name: string, changes = {}) =>
      kindOf(
        async () => {
          begun.push(name);
          if (begun.length === 4) all.resolve();
        },
        { name, ...changes },
      );
    const kinds = [kind('patient', { isPatient: true }), kind('test')];
    const work = fixture.work(kinds, { concurrency: 1 });
    const onError = (error: unknown) => all.reject(error);
    const options = {
      jobs: fixture.jobs,
      work,
      worker: workerName(),
      leaseMs: 60_000,
      pollMs: 60_000,
      onError,
    };
    const feed = new TableFeed({ ...options, pidIsAlive: () => false });
    await feed.start();
    await all.promise;
    await feed.stop();
    await work.stop();
    assert.deepEqual(begun, ['test', 'patient', 'patient', 'patient']);
  });

  it('looks for nothing before it is started, also when woken', async (t) => {
    await using fixture = await jobFixture();
    const look = t.mock.method(fixture.jobs, 'holders');
    const { feed, work } = feedOf(fixture, async () => null);
    feed.wake();
    const before = look.mock.callCount();
    await feed.start();
    const after = look.mock.callCount();
    await feed.stop();
    await work.stop();
    assert.deepEqual([before, after], [0, 1]);
  });

  it('finds jobs that are asked for later', async () => {
    await using fixture = await jobFixture();
    const { feed, work, ended } = feedOf(fixture, async () => null, 10);
    await feed.start();
    const end = once(ended, 'end');
    await fixture.enqueue({});
    await end;
    await feed.stop();
    await work.stop();
  });

  it('takes jobs back from dead workers of this machine', async () => {
    await using fixture = await jobFixture();
    const [id] = await fixture.enqueue({});
    const dead = workerName().replace(/:\d+:/, ':999999:');
    await fixture.jobs.claim({
      worker: dead,
      now: Date.now(),
      leaseUntil: Date.now() + 1e9,
      kinds: ['test'],
    });
    const { feed, work, ended } = feedOf(fixture, async () => 'done');
    const end = once(ended, 'end');
    await feed.start();
    await end;
    await feed.stop();
    await work.stop();
    const row = (await fixture.jobs.find(id!))!;
    assert.deepEqual([row.state, row.attempts], ['succeeded', 2]);
  });

  it('takes nothing more once it is stopped', async () => {
    await using fixture = await jobFixture();
    const [id] = await fixture.enqueue({});
    const { feed, work } = feedOf(fixture, (_, { signal }) => aborted(signal));
    await feed.start();
    await feed.stop();
    await work.stop();
    feed.wake();
    assert.equal((await fixture.jobs.find(id!))!.state, 'queued');
  });

  it('goes on after the database was away', async () => {
    await using fixture = await jobFixture();
    const claim = fixture.jobs.claim.bind(fixture.jobs);
    let away = true;
    fixture.jobs.claim = async (options) => {
      if (away) throw new StoreUnavailable('restarting');
      return claim(options);
    };
    await fixture.enqueue({});
    const { feed, work, ended, faults } = feedOf(fixture, async () => null, 10);
    const end = once(ended, 'end');
    await feed.start();
    while (faults.length === 0) await new Promise(setImmediate);
    away = false;
    await end;
    await feed.stop();
    await work.stop();
    assert.ok(faults[0] instanceof StoreUnavailable);
  });
});
