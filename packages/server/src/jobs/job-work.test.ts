import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type JobClaim, type JobStore, StoreUnavailable } from '@citymodel/store';
import { JobFailed, JobRefused, type refusedAs } from './job-kind.ts';
import { aborted, type JobFixture, jobFixture, kindOf } from './testing/job-fixture.ts';

async function claimed(jobs: JobStore, leaseMs = 60_000): Promise<JobClaim> {
  const now = Date.now();
  const claim = await jobs.claim({ worker: 'w', now, leaseUntil: now + leaseMs, kinds: ['test'] });
  assert.ok(claim);
  return claim;
}

/** The job after one attempt by a kind that does so. */
async function attempt(fixture: JobFixture, run: Parameters<typeof kindOf>[0], changes = {}) {
  const [id] = await fixture.enqueue({});
  await fixture.work([kindOf(run)], changes).begin(await claimed(fixture.jobs));
  return (await fixture.jobs.find(id!))!;
}

describe('work on jobs', () => {
  it('keeps the result and the last progress of a job that succeeds', async () => {
    await using fixture = await jobFixture();
    const progress = { done: 3, total: 9, unit: 'bytes', text: 'reading' };
    const row = await attempt(fixture, async (payload, context) => {
      context.progress(progress);
      return { payload, made: 1 };
    });
    assert.deepEqual(
      [row.state, row.result, row.progress],
      ['succeeded', { payload: null, made: 1 }, progress],
    );
    assert.deepEqual(
      fixture.ends.map(({ outcome, label }) => [outcome, label]),
      [['succeeded', 'a job']],
    );
  });

  it('tries again what failed, after a pause that doubles', async () => {
    await using fixture = await jobFixture();
    const begun = Date.now();
    const row = await attempt(fixture, async () => {
      throw new JobFailed('NO_SPACE', 'The disk is full.', { refusal: 1 });
    });
    assert.deepEqual([row.state, row.reason, row.result], ['failed', 'The disk is full.', { refusal: 1 }]);
    assert.ok(row.availableAt >= begun + 1_000 && row.availableAt <= Date.now() + 1_000);
    await fixture.jobs.recover({ now: row.availableAt, dead: [] });
    const claim = await fixture.jobs.claim({
      worker: 'w',
      now: row.availableAt,
      leaseUntil: row.availableAt + 60_000,
      kinds: ['test'],
    });
    const again = Date.now();
    const failing = kindOf(async () => {
      throw new Error('odd');
    });
    await fixture.work([failing]).begin(claim!);
    const second = (await fixture.jobs.find(row.id))!;
    assert.match(second.reason!, /inside the program: odd/);
    assert.ok(second.availableAt >= again + 2_000);
  });

  it('gives up what is refused, and what it cannot read', async () => {
    await using fixture = await jobFixture();
    const row = await attempt(fixture, async () => {
      throw new JobRefused('NOT_A_ZIP', 'It is no zip.');
    });
    assert.deepEqual([row.state, row.reason, row.attempts], ['dead', 'It is no zip.', 1]);
    const [id] = await fixture.enqueue({});
    const unreadable = kindOf(async () => null, {
      readPayload() {
        throw new JobRefused('OTHER_VERSION', 'Of another version.');
      },
    });
    await fixture.work([unreadable]).begin(await claimed(fixture.jobs));
    assert.equal((await fixture.jobs.find(id!))!.state, 'dead');
  });

  it('waits for a store that is away, without counting the attempt', async () => {
    await using fixture = await jobFixture();
    const row = await attempt(fixture, async () => {
      throw new StoreUnavailable('the gateway is gone');
    });
    assert.deepEqual([row.state, row.attempts], ['queued', 0]);
    assert.match(row.reason!, /the gateway is gone/);
    assert.ok(row.availableAt > Date.now());
  });

  it('ends an attempt whose time is over, as failed', async () => {
    await using fixture = await jobFixture();
    const row = await attempt(fixture, (_, { signal }) => aborted(signal), { timeoutMs: 5 });
    assert.equal(row.state, 'failed');
    assert.equal(row.reason, 'It was not done within 0.005 s (JOB_TIMEOUT_S).');
    assert.deepEqual(row.result, { refusal: { code: 'TIMED_OUT' } });
  });

  it('ends an attempt that a person cancels', async () => {
    await using fixture = await jobFixture();
    const row = await attempt(
      fixture,
      async (_, { signal }) => {
        const [running] = await fixture.jobs.list({ states: ['running'] }, { limit: 1, offset: 0 });
        await fixture.jobs.cancel(running!.id, Date.now());
        return aborted(signal);
      },
      { leaseMs: 30 },
    );
    assert.equal(row.state, 'cancelled');
    assert.equal(fixture.ends[0]!.outcome, 'cancelled');
  });

  it('gives its jobs back when it stops', async () => {
    await using fixture = await jobFixture();
    const [id] = await fixture.enqueue({});
    const work = fixture.work([kindOf((_, { signal }) => aborted(signal))]);
    void work.begin(await claimed(fixture.jobs));
    await work.stop();
    const row = (await fixture.jobs.find(id!))!;
    assert.deepEqual([row.state, row.attempts, row.reason], ['queued', 0, 'Its worker was stopped.']);
  });

  it('changes nothing of a job that another worker has', async () => {
    await using fixture = await jobFixture();
    const row = await attempt(fixture, async () => {
      await fixture.jobs.recover({ now: Date.now() + 100_000, dead: [] });
      const now = Date.now() + 100_000;
      await fixture.jobs.claim({ worker: 'w2', now, leaseUntil: now, kinds: ['test'] });
      return 'too late';
    });
    assert.deepEqual([row.state, row.worker, row.result], ['running', 'w2', null]);
    assert.equal(fixture.ends[0]!.outcome, 'lost');
  });

  it(
    'deletes the object of a job that succeeded, unless its kind keeps it, and forgets what is of no ' +
      'interest',
    async () => {
      await using fixture = await jobFixture();
      async function* bytes() {
        yield Buffer.from('zip');
      }
      for (const key of ['incoming/jobs/a', 'incoming/jobs/b']) await fixture.objects.put(key, bytes());
      await fixture.enqueue({ objectKey: 'incoming/jobs/a' });
      await fixture.work([kindOf(async () => null)]).begin(await claimed(fixture.jobs));
      const [id] = await fixture.enqueue({ objectKey: 'incoming/jobs/b' });
      const keeping = kindOf(async () => null, {
        retention: { object: () => 'kept', succeeded: 'forgotten' },
      });
      await fixture.work([keeping]).begin(await claimed(fixture.jobs));
      assert.equal(await fixture.objects.head('incoming/jobs/a'), null);
      assert.ok(await fixture.objects.head('incoming/jobs/b'));
      assert.equal(await fixture.jobs.find(id!), null);
    },
  );

  it('says what an attempt failed with, whatever was thrown', async () => {
    await using fixture = await jobFixture();
    const reasonOf = async (thrown: unknown) => {
      const row = await attempt(fixture, async () => {
        throw thrown;
      });
      return [row.reason, (row.result as ReturnType<typeof refusedAs>).refusal.code];
    };
    const what = 'Something went wrong inside the program: ';
    assert.deepEqual(await reasonOf(new TypeError('no function')), [`${what}no function`, 'UNFORESEEN']);
    assert.deepEqual(await reasonOf('a text'), [`${what}a text`, 'UNFORESEEN']);
    assert.deepEqual(await reasonOf(null), [`${what}null`, 'UNFORESEEN']);
    const full = Object.assign(new Error('write'), { code: 'ENOSPC' });
    assert.deepEqual(await reasonOf(full), [`${what}write`, 'NO_SPACE']);
    const named = new JobFailed('UPLOAD_MISSING', 'It is not there.', { packages: 0 });
    assert.deepEqual(await reasonOf(named), ['It is not there.', 'UPLOAD_MISSING']);
    assert.deepEqual(named.result, { refusal: { code: 'UPLOAD_MISSING' }, packages: 0 });
  });

  it('waits five seconds for a store, and an hour at most after many attempts', async (t) => {
    await using fixture = await jobFixture();
    t.mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 });
    const now = Date.now();
    const away = await attempt(fixture, async () => {
      throw new StoreUnavailable('gone');
    });
    assert.equal(away.availableAt, now + 5_000);
    await fixture.jobs.cancel(away.id, now);
    const failing = kindOf(async () => {
      throw new JobFailed('NO_SPACE', 'no');
    });
    for (const [attempts, pause] of [
      [1, 1_000],
      [2, 2_000],
      [12, 2_048_000],
      [13, 3_600_000],
      [99, 3_600_000],
    ] as const) {
      const [id] = await fixture.enqueue({ maxAttempts: 100 });
      const claim = await claimed(fixture.jobs);
      await fixture.work([failing]).begin({ ...claim, attempts });
      assert.equal((await fixture.jobs.find(id!))!.availableAt, now + pause, `${attempts}`);
    }
  });

  it('tells how long an attempt took, and whose it was', async (t) => {
    await using fixture = await jobFixture();
    let now = 100;
    t.mock.method(performance, 'now', () => now);
    const row = await attempt(fixture, async () => {
      now += 250;
    });
    const end = { id: row.id, kind: 'test', label: 'a job', outcome: 'succeeded', ms: 250 };
    assert.deepEqual(fixture.ends, [end]);
  });

  it('gives nothing back that another worker has by then', async () => {
    await using fixture = await jobFixture();
    const taken = async () => {
      await fixture.jobs.recover({ now: Date.now() + 100_000, dead: [] });
      const now = Date.now() + 100_000;
      await fixture.jobs.claim({ worker: 'w2', now, leaseUntil: now, kinds: ['test'] });
    };
    for (const error of [new StoreUnavailable('gone'), new JobFailed('NO_SPACE', 'no')]) {
      const row = await attempt(fixture, async () => {
        await taken();
        throw error;
      });
      assert.deepEqual([row.state, row.worker], ['running', 'w2'], String(error));
      await fixture.jobs.cancel(row.id, Date.now());
    }
    assert.deepEqual(
      fixture.ends.map(({ outcome, reason }) => [outcome, reason]),
      [
        ['lost', undefined],
        ['lost', undefined],
      ],
    );
  });

  it('begins no more than the limits of the worker and of each kind allow', async () => {
    await using fixture = await jobFixture();
    const waits = (_: unknown, { signal }: { signal: AbortSignal }) => aborted(signal);
    const small = kindOf(waits, { name: 'test', atOnce: 2, memoryMb: 300 });
    const large = kindOf(waits, { name: 'large', memoryMb: 800 });
    const work = fixture.work([small, large], { concurrency: 3, memoryMb: 1_000 });
    await fixture.enqueue({}, {}, {});
    assert.deepEqual(work.open(), ['test', 'large']);
    void work.begin(await claimed(fixture.jobs));
    assert.deepEqual(work.open(), ['test'], 'the large one does not fit beside it');
    void work.begin(await claimed(fixture.jobs));
    assert.deepEqual(work.open(), [], 'two of the kind run');
    assert.equal(work.running(), 2);
    await work.stop();
    assert.deepEqual(work.open(), ['test', 'large']);
  });

  it('begins a job in any case when nothing else runs', async () => {
    await using fixture = await jobFixture();
    const work = fixture.work([kindOf(async () => null, { memoryMb: 9_999 })]);
    assert.deepEqual(work.open(), ['test']);
  });
});
