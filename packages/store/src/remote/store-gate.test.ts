import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { OutOfPatience, withPatience } from '@citymodel/base';
import { StoreUnavailable } from '../catalogue-store.ts';
import { parseS3Address } from '../s3/s3-address.ts';
import { S3Store } from '../s3/s3-store.ts';
import { FakeS3 } from '../testing/fake-s3.ts';
import { chunks } from '../testing/object-store-conformance.ts';
import { StoreGate } from './store-gate.ts';

process.env.AWS_ACCESS_KEY_ID = 'test';
process.env.AWS_SECRET_ACCESS_KEY = 'testtest';

describe('the gate before a store', () => {
  let now = 10_000;
  let clock: { mock: { restore(): void } };
  let answers = false;
  let gate: StoreGate;
  beforeEach(() => {
    now = 10_000;
    answers = false;
    clock = mock.method(performance, 'now', () => now);
    mock.timers.enable({ apis: ['setTimeout'] });
    gate = new StoreGate(async () => {
      if (!answers) throw new Error('silent');
    });
  });
  afterEach(() => {
    gate.close();
    clock.mock.restore();
    mock.timers.reset();
  });
  const fail = (times: number, pause: number) => {
    for (let time = 0; time < times; time++) {
      const begun = now;
      now += pause;
      gate.failed(begun);
    }
  };
  const passes = () => withPatience(() => gate.check());

  it('shuts after three tries without an answer in a second or more', () => {
    fail(2, 600);
    passes();
    fail(1, 600);
    assert.throws(passes, StoreUnavailable);
  });

  it('shuts a second after the first try began, and not a millisecond earlier', () => {
    const begun = now;
    gate.failed(begun);
    now = begun + 999;
    gate.failed(now);
    gate.failed(now);
    passes();
    now = begun + 1_000;
    gate.failed(now);
    assert.throws(passes, StoreUnavailable);
  });

  it('looks once at a time, however many tries fail while it is shut', () => {
    let looks = 0;
    const counted = new StoreGate(async () => {
      looks++;
      throw new Error('silent');
    });
    for (let time = 0; time < 9; time++) counted.failed(now - 2_000);
    assert.equal(counted.isShut, true);
    mock.timers.tick(500);
    assert.equal(looks, 1);
    counted.close();
  });

  it('begins to count anew after an answer', () => {
    fail(2, 600);
    gate.answered();
    fail(3, 400);
    assert.throws(passes, StoreUnavailable);
    gate.answered();
    fail(1, 5_000);
    gate.answered();
    fail(3, 300);
    passes();
  });

  it('stays open when they follow each other faster, or one was answered between', () => {
    fail(4, 200);
    passes();
    gate.answered();
    fail(2, 5_000);
    gate.answered();
    fail(2, 5_000);
    passes();
  });

  it('lets work pass that nobody waits for', () => {
    fail(3, 600);
    gate.check();
  });

  it('looks every 500 ms, and opens with the first answer', async () => {
    fail(3, 600);
    mock.timers.tick(500);
    await Promise.resolve();
    await Promise.resolve();
    await Promise.resolve();
    assert.throws(passes, StoreUnavailable);
    answers = true;
    mock.timers.tick(499);
    assert.throws(passes, StoreUnavailable);
    mock.timers.tick(1);
    await Promise.resolve();
    await Promise.resolve();
    passes();
  });

  it('looks no more when it is closed', () => {
    let looks = 0;
    const counted = new StoreGate(async () => void looks++);
    for (let time = 0; time < 3; time++) counted.failed(now - 2_000);
    counted.close();
    mock.timers.tick(10_000);
    assert.equal(looks, 0);
    assert.equal(counted.isShut, true);
  });

  it('looks no more when it is closed during a look, or was answered before it ended', async () => {
    for (const end of ['close', 'answered'] as const) {
      let looks = 0;
      const look = Promise.withResolvers<void>();
      const counted = new StoreGate(() => (looks++ === 0 ? look.promise : Promise.resolve()));
      for (let time = 0; time < 3; time++) counted.failed(now - 2_000);
      mock.timers.tick(500);
      counted[end]();
      look.reject(new Error('silent'));
      await nextTurn();
      mock.timers.tick(10_000);
      assert.equal(looks, 1, end);
      counted.close();
    }
  });
});

describe('a bucket that takes connections and says nothing', () => {
  let fake: FakeS3;
  let store: S3Store;
  beforeEach(async () => {
    fake = await FakeS3.start();
    store = new S3Store(parseS3Address(fake.address()), { connect: 5_000, answer: 600 });
    await store.put('k', chunks(Buffer.alloc(3_000_000, 1)));
  });
  afterEach(async () => {
    await store.close();
    await fake[Symbol.asyncDispose]();
  });
  const silent = () => {
    fake.fault = () => ({ hang: true });
  };

  it('ends every way of asking within the patience of an answer', async () => {
    await using handle = await store.open('k');
    silent();
    const ways: Array<() => Promise<unknown>> = [
      () => store.head('k'),
      () => store.open('k', { first: 10 }),
      () => handle.read(0, 10),
      () => handle.readInto(new Uint8Array(2_000_000), 0),
      async () => {
        for await (const _ of handle.stream(0, 3_000_000)) assert.fail('bytes came');
      },
      async () => {
        for await (const _ of handle.stream(0, 3_000_000, { lent: true })) assert.fail('bytes came');
      },
      () => store.delete('k'),
    ];
    const begun = performance.now();
    const ends = ways.map((way) => withPatience(way, 800));
    for (const end of await Promise.allSettled(ends)) {
      assert.equal(end.status, 'rejected');
      const { reason } = end as PromiseRejectedResult;
      assert.ok(reason instanceof StoreUnavailable || reason instanceof OutOfPatience, String(reason));
    }
    assert.ok(performance.now() - begun < 5_000);
  });

  it('is not asked any more once that is known, and again by itself', async () => {
    silent();
    const first = Array.from({ length: 4 }, () => withPatience(() => store.head('k'), 1_500));
    assert.ok((await Promise.allSettled(first)).every(({ status }) => status === 'rejected'));
    const before = fake.asked.filter(({ key }) => key !== '').length;
    await assert.rejects(
      withPatience(() => store.head('k')),
      (error: StoreUnavailable) => error.why === 'it does not answer',
    );
    assert.equal(fake.asked.filter(({ key }) => key !== '').length, before);
    const looked = Promise.withResolvers<void>();
    fake.fault = () => {
      looked.resolve();
      return null;
    };
    await looked.promise;
    // The answer to that look is on its way.
    let size: number | undefined;
    while (size === undefined) {
      await nextTurn();
      size = (await withPatience(() => store.head('k')).catch(() => null))?.size;
    }
    assert.equal(size, 3_000_000);
  });
});
