import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { JobMessageQueue } from '@citymodel/store';
import type { JobReceiverOptions } from '@citymodel/store/testing';
import { workerName } from '../base/worker-name.ts';
import { MessageFeed } from './message-feed.ts';
import { aborted, type JobFixture, jobFixture, kindOf } from './testing/job-fixture.ts';

/** A carrier that hands out what the test tells it to. */
class FakeQueue implements JobMessageQueue {
  options: JobReceiverOptions | null = null;
  begun = 0;
  stopped = 0;

  async receive(options: JobReceiverOptions) {
    this.options = options;
    this.begun++;
    return {
      stop: async () => {
        this.stopped++;
      },
    };
  }
}

function feedOf(fixture: JobFixture, run: Parameters<typeof kindOf>[0]) {
  const queue = new FakeQueue();
  const faults: unknown[] = [];
  const work = fixture.work([kindOf(run, { atOnce: 1 })]);
  const feed = new MessageFeed({
    jobs: fixture.jobs,
    work,
    worker: workerName(),
    leaseMs: 60_000,
    pollMs: 60_000,
    pidIsAlive: () => false,
    onError: (error) => faults.push(error),
    messages: queue,
    concurrency: 2,
  });
  return { queue, feed, work, faults };
}

/** Waits until the job runs. */
async function runs({ jobs }: JobFixture, id: string): Promise<void> {
  while ((await jobs.find(id))!.state !== 'running') await new Promise(setImmediate);
}

describe('jobs by messages', () => {
  it('holds a message until its job has ended', async () => {
    await using fixture = await jobFixture();
    const [id] = await fixture.enqueue({});
    const end = Promise.withResolvers<string>();
    const { queue, feed } = feedOf(fixture, () => end.promise);
    await feed.start();
    assert.deepEqual(queue.options!.kinds, ['test']);
    let isHeld = true;
    const held = queue.options!.take(id!).then(() => {
      isHeld = false;
    });

    await runs(fixture, id!);
    assert.ok(isHeld);
    assert.deepEqual(queue.options!.blocked(), ['test'], 'one of the kind runs');
    end.resolve('done');
    await held;
    assert.equal((await fixture.jobs.find(id!))!.result, 'done');
    assert.deepEqual(queue.options!.blocked(), []);
    await feed.stop();
    await feed.close();
    assert.equal(queue.stopped, 1);
  });

  it('is done at once with a message about a job that is not to be had', async () => {
    await using fixture = await jobFixture();
    const [id] = await fixture.enqueue({});
    await fixture.jobs.cancel(id!, Date.now());
    const { queue, feed } = feedOf(fixture, async () => assert.fail('it must not run'));
    await feed.start();
    await queue.options!.take(id!);
    await queue.options!.take('none');
    await feed.stop();
    await feed.close();
  });

  it('takes nothing once it is stopped, and gives back what runs', async () => {
    await using fixture = await jobFixture();
    const [a, b] = await fixture.enqueue({}, {});
    const { queue, feed, work } = feedOf(fixture, (_, { signal }) => aborted(signal));
    await feed.start();
    const held = queue.options!.take(a!);
    await runs(fixture, a!);

    await feed.stop();
    assert.deepEqual(queue.options!.blocked(), ['test']);
    await queue.options!.take(b!);
    await work.stop();
    await held;
    await feed.close();
    for (const id of [a!, b!]) assert.equal((await fixture.jobs.find(id))!.state, 'queued');
  });

  it('takes jobs back from dead workers when it starts', async () => {
    await using fixture = await jobFixture();
    const [id] = await fixture.enqueue({});
    const dead = workerName().replace(/:\d+:/, ':999999:');
    await fixture.jobs.claim({
      worker: dead,
      now: Date.now(),
      leaseUntil: Date.now() + 1e9,
      kinds: ['test'],
    });
    const { feed } = feedOf(fixture, async () => null);
    await feed.start();
    await feed.stop();
    await feed.close();
    assert.equal((await fixture.jobs.find(id!))!.state, 'failed');
  });

  it('begins again after the carrier has ended by itself', async (t: TestContext) => {
    await using fixture = await jobFixture();
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { queue, feed, faults } = feedOf(fixture, async () => null);
    await feed.start();
    queue.options!.onEnd(new Error('the database was away'));
    t.mock.timers.tick(5_000);
    assert.equal(queue.begun, 2);
    t.mock.timers.reset();
    await feed.stop();
    await feed.close();
    assert.equal(faults.length, 1);
  });
});
