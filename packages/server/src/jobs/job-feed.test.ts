import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { workerName } from '../base/worker-name.ts';
import { hasWaitingJobs, recoverJobs } from './job-feed.ts';
import { type JobFixture, jobFixture } from './testing/job-fixture.ts';

describe('jobs that wait', () => {
  const at = (fixture: JobFixture, now: number, kinds = ['test']) => hasWaitingJobs(fixture.jobs, kinds, now);

  it('are those of the kinds whose time has come', async () => {
    await using fixture = await jobFixture();
    assert.equal(await at(fixture, Infinity), false, 'there is none');
    const [id] = await fixture.enqueue({});
    const { availableAt } = (await fixture.jobs.find(id!))!;
    assert.deepEqual(
      await Promise.all([
        at(fixture, availableAt),
        at(fixture, availableAt - 1),
        at(fixture, availableAt + 1),
        at(fixture, availableAt, ['other']),
      ]),
      [true, false, true, false],
    );
  });

  it('are found behind newer ones whose time has not come, and are none that run', async () => {
    await using fixture = await jobFixture();
    await fixture.enqueue({}, {});
    const now = Date.now() + 1_000;
    const claim = async () =>
      (await fixture.jobs.claim({ worker: workerName(), now, leaseUntil: now + 1e6, kinds: ['test'] }))!;
    const [first, second] = [await claim(), await claim()];
    assert.equal(await at(fixture, now), false, 'both run');
    await fixture.jobs.fail(first, { reason: 'busy', result: null, now, retryAt: now + 5_000 });
    assert.deepEqual([await at(fixture, now + 4_999), await at(fixture, now + 5_000)], [false, true]);
    await fixture.jobs.succeed(second, null, now);
    await fixture.enqueue({});
    assert.equal(await at(fixture, now), true);
  });
});

describe('jobs of workers that died', () => {
  it('are taken back where the process is of this host, and is not there', async () => {
    await using fixture = await jobFixture();
    const names = ['test', 'other', 'third'];
    await fixture.enqueue(...names.map((kind) => ({ kind })));
    const here = workerName();
    const workers = [here, here.replace(/:\d+:/, ':999999:'), 'elsewhere:999999:1'];
    for (const [i, worker] of workers.entries()) {
      const now = Date.now();
      await fixture.jobs.claim({ worker, now, leaseUntil: now + 1e9, kinds: [names[i]!] });
    }
    await recoverJobs({ jobs: fixture.jobs, pidIsAlive: (pid) => pid !== 999_999 });
    const waiting = await Promise.all(
      names.map((kind) => hasWaitingJobs(fixture.jobs, [kind], Date.now() + 1e6)),
    );
    assert.deepEqual(waiting, [false, true, false]);
  });
});
