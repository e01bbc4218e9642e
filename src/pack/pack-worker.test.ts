import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { THIS_HOST } from '../base/this-host.ts';
import { StoreUnavailable } from '../store/catalogue-store.ts';
import { MemoryStore } from '../store/memory/memory-store.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { PackRow, PackStore } from '../store/pack-store.ts';
import { packKey } from './make-pack.ts';
import { packId, packPrefix } from './pack-id.ts';
import { deleteRuns, FORGET_AFTER_MS, keepWithin, sweepPacks } from './pack-retention.ts';
import { type PackEnd, PackWorker, type PackWorkerOptions } from './pack-worker.ts';
import { type PackFixture, packFixture, sourceOf } from './testing/pack-fixture.ts';

const FILE = 'udx/bldg/a.gml';
const RETENTION = 1_000_000;

/** A worker over a fixture, with what it told. */
class TestWorker implements AsyncDisposable {
  readonly ends: PackEnd[] = [];
  readonly errors: unknown[] = [];
  readonly worker: PackWorker;
  readonly #told = new EventTarget();

  constructor(fixture: PackFixture, options: Partial<PackWorkerOptions> = {}) {
    this.worker = new PackWorker({
      packs: fixture.packs,
      objects: fixture.objects,
      archives: fixture.archives,
      materialise: false,
      maxBytes: 1e9,
      concurrency: 2,
      pollMs: 5,
      leaseMs: 60_000,
      timeoutMs: 60_000,
      retentionMs: RETENTION,
      pidIsAlive: () => true,
      onEnd: (end) => {
        this.ends.push(end);
        this.#told.dispatchEvent(new Event('told'));
      },
      onError: (error) => this.errors.push(error),
      ...options,
    });
    this.worker.start();
  }

  /** Resolves when work on so many packs has ended. */
  async ended(count: number): Promise<void> {
    while (this.ends.length < count) await once(this.#told, 'told');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.worker.stop();
  }
}

async function accept(fixture: PackFixture, ids: readonly string[]): Promise<string[]> {
  const [row] = await fixture.catalogue.findPackages({ id: 'p1' });
  const known =
    row ?? (await fixture.publish('p1', { [FILE]: { text: 'a', refersTo: [] } }, { name: 'city' }));
  const times = { now: Date.now(), expiresAt: Date.now() + RETENTION };
  for (const id of ids)
    await fixture.packs.accept({ id: packId([id]), sources: [sourceOf(known, [FILE])] }, times);
  return ids.map((id) => packId([id]));
}

async function find(fixture: PackFixture, id: string): Promise<PackRow> {
  const [pack] = await fixture.packs.find([id], Date.now());
  return pack!;
}

async function keys(objects: ObjectStore): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of objects.list('packs/')) found.push(key);
  return found;
}

describe('pack worker', () => {
  test('makes every pack once, with several workers at one store', async () => {
    await using fixture = await packFixture();
    const ids = await accept(
      fixture,
      Array.from({ length: 40 }, (_, i) => `p${i}`),
    );
    const workers = [new TestWorker(fixture), new TestWorker(fixture), new TestWorker(fixture)];
    const count = () => workers.reduce((sum, { ends }) => sum + ends.length, 0);
    while (count() < 40) await Promise.race(workers.map((worker) => worker.ended(worker.ends.length + 1)));
    for (const { worker } of workers) await worker.stop();
    assert.equal(count(), 40);
    for (const id of ids) {
      const { status, progress, run, files, startedAt, expiresAt } = await find(fixture, id);
      assert.deepEqual(
        { status, progress, run, files },
        { status: 'succeeded', progress: 1, run: 1, files: 1 },
      );
      assert.ok(startedAt! <= expiresAt! - RETENTION);
    }
    assert.equal((await keys(fixture.objects)).length, 40);
  });

  test('takes no more packs than it may work on at once', async () => {
    await using fixture = await packFixture();
    await accept(
      fixture,
      Array.from({ length: 9 }, (_, i) => `p${i}`),
    );
    let claims = 0;
    const atOnce: number[] = [];
    const packs = new Proxy(fixture.packs, {
      get: (store, key) =>
        key !== 'claim'
          ? Reflect.get(store, key).bind(store)
          : async (wish: Parameters<PackStore['claim']>[0]) => {
              atOnce.push(claims - worker.ends.length);
              const claim = await store.claim(wish);
              if (claim !== null) claims++;
              return claim;
            },
    });
    await using worker = new TestWorker({ ...fixture, packs });
    await worker.ended(9);
    assert.equal(Math.max(...atOnce), 1);
  });

  test('takes over at once from a dead process of this host, and from others when their lease is over', async () => {
    await using fixture = await packFixture();
    const [local, remote] = await accept(fixture, ['local', 'remote']);
    const claiming = (worker: string, leaseUntil: number) =>
      fixture.packs.claim({
        worker,
        now: Date.now(),
        leaseUntil,
        dead: [],
        maxTries: 9,
        expiresAt: Infinity,
      });
    const uuid = '00000000-0000-4000-8000-000000000000';
    const first = await claiming(`${THIS_HOST}:4194999:${uuid}`, Date.now() + 1e9);
    const second = await claiming(`elsewhere:1:${uuid}`, Date.now() - 1);
    assert.deepEqual([first!.id, second!.id].sort(), [local, remote].sort());
    // The object of a run that was cut off.
    await fixture.objects.put(`packs/${local!.slice(0, 2)}/${local}/1.zip`, halfZip());
    await using worker = new TestWorker(fixture, { pidIsAlive: (pid) => pid !== 4_194_999 });
    await worker.ended(2);
    await worker.worker.stop();
    for (const id of [local!, remote!]) {
      const pack = await find(fixture, id);
      assert.deepEqual([pack.status, pack.run], ['succeeded', 2]);
    }
    assert.ok((await keys(fixture.objects)).every((key) => key.endsWith('/2.layout')));
  });

  test('takes over at once from a process that had the number of this one, as in a container, but not from itself', async () => {
    await using fixture = await packFixture();
    const ids = await accept(fixture, ['a', 'b']);
    const leaseUntil = Date.now() + 1e9;
    const claim = { now: Date.now(), leaseUntil, dead: [], maxTries: 9, expiresAt: leaseUntil };
    const before = `${THIS_HOST}:${process.pid}:00000000-0000-4000-8000-000000000000.00000000-0000-4000-8000-000000000001`;
    for (const _ of ids) await fixture.packs.claim({ ...claim, worker: before });
    const pidIsAlive = () => assert.fail('its own number tells nothing');
    await using worker = new TestWorker(fixture, { pidIsAlive });
    await worker.ended(2);
    for (const id of ids) assert.equal((await find(fixture, id)).run, 2);

    await using stuck = await packFixture(new StuckStore());
    await accept(stuck, ['a']);
    await using holder = new TestWorker(stuck);
    await (stuck.objects as StuckStore).stuck;
    const [name] = await stuck.packs.holders();
    await using other = new TestWorker(stuck);
    other.worker.wake();
    await other.worker.stop();
    assert.deepEqual(await stuck.packs.holders(), [name]);
    (stuck.objects as StuckStore).loosen();
    await holder.ended(1);
  });

  test('gives packs back when it stops, for the next to go on', async () => {
    await using fixture = await packFixture(new StuckStore());
    const [id] = await accept(fixture, ['a']);
    const first = new TestWorker(fixture);
    await (fixture.objects as StuckStore).stuck;
    const stopping = first.worker.stop();
    (fixture.objects as StuckStore).loosen();
    await stopping;
    assert.deepEqual(
      first.ends.map(({ outcome }) => outcome),
      ['released'],
    );
    assert.deepEqual(await keys(fixture.objects), []);
    const released = await find(fixture, id!);
    assert.deepEqual([released.status, released.progress < 1], ['processing', true]);
    await using second = new TestWorker(fixture);
    await second.ended(1);
    assert.equal((await find(fixture, id!)).status, 'succeeded');
  });

  test('ends in time although the store does not answer', async () => {
    await using fixture = await packFixture(new StuckStore());
    const [id] = await accept(fixture, ['a']);
    const worker = new TestWorker(fixture, { timeoutMs: 20 });
    await worker.ended(1);
    const { status, reason } = await find(fixture, id!);
    assert.equal(status, 'failed');
    assert.match(reason!, /not done within 0.02 s/);
    (fixture.objects as StuckStore).loosen();
    await worker.worker.stop();
    assert.deepEqual(await keys(fixture.objects), [], 'what came too late is deleted');
    assert.deepEqual(worker.errors, []);
  });

  test('deletes an object that was whole when its time was over', async () => {
    const store = new StuckStore(true);
    await using fixture = await packFixture(store);
    const [id] = await accept(fixture, ['a']);
    const worker = new TestWorker(fixture, { timeoutMs: 500 });
    await store.stuck;
    assert.equal((await keys(fixture.objects)).length, 1);
    await worker.ended(1);
    assert.equal((await find(fixture, id!)).status, 'failed');
    store.loosen();
    await worker.worker.stop();
    assert.deepEqual(await keys(fixture.objects), []);
  });

  test('leaves a pack alone that another has taken over', async () => {
    await using fixture = await packFixture(new StuckStore());
    const [id] = await accept(fixture, ['a']);
    const worker = new TestWorker(fixture, { pollMs: 1e6 });
    await (fixture.objects as StuckStore).stuck;
    const taken = await fixture.packs.claim({
      worker: 'other',
      now: Date.now() + 1e9,
      leaseUntil: Date.now() + 2e9,
      dead: [],
      maxTries: 9,
      expiresAt: 0,
    });
    assert.equal(taken!.run, 2);
    (fixture.objects as StuckStore).loosen();
    await worker.ended(1);
    await worker.worker.stop();
    assert.equal(worker.ends[0]!.outcome, 'lost');
    assert.deepEqual(await keys(fixture.objects), []);
    assert.deepEqual([(await find(fixture, id!)).status, taken!.id], ['processing', id]);
  });

  test('tries again when a store is away, however often', async () => {
    const store = new FlakyStore(2);
    await using fixture = await packFixture(store);
    const [id] = await accept(fixture, ['a']);
    store.armed = true;
    const tries: number[] = [];
    const packs = new Proxy(fixture.packs, {
      get: (store, key) =>
        key !== 'claim'
          ? Reflect.get(store, key).bind(store)
          : async (wish: Parameters<PackStore['claim']>[0]) => {
              const claim = await store.claim(wish);
              if (claim !== null) tries.push(claim.tries);
              return claim;
            },
    });
    await using worker = new TestWorker({ ...fixture, packs });
    await worker.ended(3);
    assert.deepEqual(
      worker.ends.map(({ outcome }) => outcome),
      ['released', 'released', 'succeeded'],
    );
    assert.equal(worker.errors.length, 2);
    assert.equal((await find(fixture, id!)).run, 3);
    assert.deepEqual(tries, [1, 1, 1], 'a store that is away takes none of the tries');
  });

  test('says why a pack cannot be made', async () => {
    await using fixture = await packFixture();
    const [large, gone] = await accept(fixture, ['large', 'gone']);
    await using worker = new TestWorker(fixture, { maxBytes: 10, concurrency: 1, pollMs: 1e6 });
    await worker.ended(1);
    await fixture.archives.close();
    await worker.ended(2);
    for (const id of [large!, gone!]) {
      const pack = await find(fixture, id);
      assert.equal(pack.status, 'failed');
      assert.match(pack.reason!, /at most 10 bytes/);
    }
    assert.equal(await fixture.packs.refersTo('archives/p1.zip'), false, 'a failed pack keeps nothing');

    await accept(fixture, ['lost']);
    await fixture.objects.delete('archives/p1.zip');
    await fixture.objects.delete('archives/p1.index');
    await fixture.archives.close();
    worker.worker.wake();
    await worker.ended(3);
    assert.match((await find(fixture, packId(['lost']))).reason!, /bytes of a package cannot be reached/);
    assert.deepEqual(worker.errors, []);
  });

  test('says that something went wrong when nobody foresaw it, and hands the error on', async () => {
    await using fixture = await packFixture();
    const [id] = await accept(fixture, ['a']);
    const archives = { open: () => Promise.reject(new TypeError('a fault in the program')) };
    await using worker = new TestWorker(fixture, { archives: archives as never });
    await worker.ended(1);
    const { status, reason } = await find(fixture, id!);
    assert.deepEqual(
      [status, reason],
      ['failed', 'Something went wrong inside the service; it has been logged.'],
    );
    assert.match(String(worker.errors[0]), /a fault in the program/);
    assert.equal(worker.ends[0]!.reason, reason);
    assert.ok(worker.ends[0]!.ms >= 0 && worker.ends[0]!.ms < 60_000);
  });

  test('says so when no zip can hold a name', async () => {
    await using fixture = await packFixture();
    const row = await fixture.publish('p1', { [FILE]: 'a' }, { name: 'city' });
    const id = packId(['a']);
    const times = { now: Date.now(), expiresAt: Date.now() + RETENTION };
    await fixture.packs.accept({ id, sources: [{ ...sourceOf(row, [FILE]), directory: '..' }] }, times);
    await using worker = new TestWorker(fixture);
    await worker.ended(1);
    assert.match((await find(fixture, id)).reason!, /^No zip can hold it: .+\.$/);
    assert.deepEqual(worker.errors, []);
  });

  test('lets the oldest packs go when a new one fills the quota', async () => {
    await using fixture = await packFixture();
    const [first, second] = await accept(fixture, ['a']);
    assert.equal(second, undefined);
    {
      await using worker = new TestWorker(fixture);
      await worker.ended(1);
    }
    const quotaBytes = await fixture.packs.bytes();
    const [next] = await accept(fixture, ['b']);
    await using worker = new TestWorker(fixture, { quotaBytes });
    await worker.ended(1);
    await worker.worker.stop();
    assert.equal(await find(fixture, first!), undefined);
    assert.equal((await find(fixture, next!)).status, 'succeeded');
    assert.equal((await keys(fixture.objects)).length, 1);
  });

  test('listens once however often it is started, and looks for nothing after it was stopped', async () => {
    await using fixture = await packFixture();
    let listening = 0;
    let claims = 0;
    const packs = new Proxy(fixture.packs, {
      get(target, name) {
        if (name === 'listen') {
          return () => {
            listening++;
            return () => listening--;
          };
        }
        if (name === 'claim') claims++;
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const worker = new TestWorker(fixture, { packs, pollMs: 1e6 });
    worker.worker.start();
    assert.equal(listening, 1);
    await worker.worker.stop();
    assert.equal(listening, 0);
    const before = claims;
    const [id] = await accept(fixture, ['a']);
    worker.worker.wake();
    await new Promise(setImmediate);
    assert.equal(claims, before);
    assert.equal((await find(fixture, id!)).status, 'accepted');
  });

  test('gives signs of life with its progress while it works, and minds neither a database that is away nor its own speed', async () => {
    await using fixture = await packFixture(new StuckStore());
    const [id] = await accept(fixture, ['a']);
    const signs: Array<{ progress: number; leaseMs: number }> = [];
    const enough = Promise.withResolvers<void>();
    const packs = new Proxy(fixture.packs, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (name !== 'touch') return typeof value === 'function' ? value.bind(target) : value;
        return (claim: never, progress: number, leaseUntil: number) => {
          signs.push({ progress, leaseMs: leaseUntil - Date.now() });
          if (signs.length >= 2) enough.resolve();
          if (signs.length === 1) return Promise.reject(new Error('the database is away'));
          return target.touch(claim, progress, leaseUntil);
        };
      },
    });
    await using worker = new TestWorker(fixture, { packs, leaseMs: 3_000 });
    await enough.promise;
    (fixture.objects as StuckStore).loosen();
    await worker.ended(1);
    assert.equal(worker.ends[0]!.outcome, 'succeeded');
    assert.deepEqual([(await find(fixture, id!)).run, worker.errors.length], [1, 1]);
    for (const { progress, leaseMs } of signs) {
      assert.ok(progress >= 0 && progress < 1, `${progress}`);
      assert.ok(leaseMs > 0 && leaseMs <= 3_000, `${leaseMs}`);
    }
    assert.ok(signs.at(-1)!.progress > 0.9, 'the file was planned');
  });

  test('a pack that another has taken over is known from the next sign of life', async () => {
    await using fixture = await packFixture(new StuckStore());
    await accept(fixture, ['a']);
    const packs = new Proxy(fixture.packs, {
      get(target, name) {
        if (name === 'touch') return async () => false;
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const worker = new TestWorker(fixture, { packs, leaseMs: 3_000, pollMs: 1e6 });
    await worker.ended(1);
    (fixture.objects as StuckStore).loosen();
    await worker.worker.stop();
    assert.equal(worker.ends[0]!.outcome, 'lost');
    assert.deepEqual(await keys(fixture.objects), []);
  });

  test('forgets packs an hour after they expired', async () => {
    await using fixture = await packFixture();
    const [id] = await accept(fixture, ['a']);
    {
      await using worker = new TestWorker(fixture);
      await worker.ended(1);
    }
    const { expiresAt } = await find(fixture, id!);
    assert.equal(FORGET_AFTER_MS, 3_600_000);
    assert.deepEqual(await fixture.packs.find([id!], expiresAt!), [], 'it answers no more');
    assert.equal(await sweepPacks(fixture, expiresAt! + FORGET_AFTER_MS), 0);
    assert.equal((await keys(fixture.objects)).length, 1);
    assert.equal(await fixture.packs.refersTo('archives/p1.zip'), true);
    assert.equal(await sweepPacks(fixture, expiresAt! + FORGET_AFTER_MS + 1), 1);
    assert.deepEqual(await keys(fixture.objects), []);
    assert.equal(await fixture.packs.refersTo('archives/p1.zip'), false);
    assert.equal(await sweepPacks(fixture, expiresAt! + FORGET_AFTER_MS + 1), 0);
  });
});

describe('packs in all', () => {
  test('stay within their quota: the one that was asked for longest ago leaves first, those in work stay', async () => {
    await using fixture = await packFixture();
    const ids = await accept(fixture, ['a', 'b', 'c']);
    {
      await using worker = new TestWorker(fixture, { concurrency: 1 });
      await worker.ended(3);
    }
    const now = Date.now();
    const order = (await fixture.packs.expired(Number.MAX_SAFE_INTEGER)).map(({ id }) => id);
    assert.deepEqual([...order].sort(), [...ids].sort());
    const all = await fixture.packs.bytes();
    assert.equal(await keepWithin(all, fixture, now), true);
    assert.equal((await keys(fixture.objects)).length, 3);
    assert.equal(await keepWithin(all - 1, fixture, now), true);
    assert.equal(await find(fixture, order[0]!), undefined);
    assert.ok((await keys(fixture.objects)).every((key) => !key.includes(order[0]!)));
    assert.equal((await keys(fixture.objects)).length, 2);
    await accept(fixture, ['d']);
    assert.equal(await keepWithin(1, fixture, now), false);
    assert.deepEqual(await keys(fixture.objects), []);
    assert.deepEqual(
      (await fixture.packs.recent(9, now)).map(({ status }) => status),
      ['accepted'],
    );
  });

  test('an object is kept whose pack was asked for again in the moment when it left', async () => {
    await using fixture = await packFixture();
    await accept(fixture, ['a']);
    {
      await using worker = new TestWorker(fixture);
      await worker.ended(1);
    }
    const packs = new Proxy(fixture.packs, {
      get(target, name) {
        if (name === 'find') return async (ids: string[]) => ids.map((id) => ({ id }));
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    assert.equal(await keepWithin(0, { packs, objects: fixture.objects }, Date.now()), true);
    assert.equal((await keys(fixture.objects)).length, 1);
  });

  test('are named by their pack and run, and by what they hold', () => {
    const id = packId(['a']);
    assert.equal(packKey({ id, run: 3 }, true), `packs/${id.slice(0, 2)}/${id}/3.zip`);
    assert.equal(packKey({ id, run: 4 }, false), `packs/${id.slice(0, 2)}/${id}/4.layout`);
  });

  test('only objects of runs are deleted, those up to the given one', async () => {
    await using fixture = await packFixture();
    const prefix = packPrefix(packId(['a']));
    for (const name of ['1.zip', '2.layout', '3.zip', 'notes.txt']) {
      await fixture.objects.put(`${prefix}${name}`, halfZip());
    }
    await deleteRuns(fixture.objects, packId(['a']), 2);
    assert.deepEqual((await keys(fixture.objects)).sort(), [`${prefix}3.zip`, `${prefix}notes.txt`]);
  });

  test('leave no object of a killed run behind', async () => {
    await using fixture = await packFixture();
    const [id] = await accept(fixture, ['a']);
    {
      await using worker = new TestWorker(fixture);
      await worker.ended(1);
    }
    const prefix = packPrefix(id!);
    const [own] = await keys(fixture.objects);
    for (const key of [`${prefix}0.layout`, `${prefix}1.zip`, `${packPrefix(packId(['gone']))}3.layout`]) {
      await fixture.objects.put(key, halfZip());
    }
    // A run that has begun may still need what it writes.
    await fixture.objects.put(`${prefix}2.layout`, halfZip());
    assert.equal(await sweepPacks(fixture, Date.now()), 0);
    assert.deepEqual(await keys(fixture.objects), [own, `${prefix}2.layout`]);
  });
});

async function* halfZip(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half');
}

/** Does not finish storing the objects of packs until it is loosened; `late`: it has stored them, and does not say so. */
class StuckStore extends MemoryStore {
  readonly #late: boolean;
  readonly #stuck = Promise.withResolvers<void>();
  readonly #loose = Promise.withResolvers<void>();
  readonly stuck = this.#stuck.promise;

  constructor(late = false) {
    super();
    this.#late = late;
  }

  loosen(): void {
    this.#loose.resolve();
  }

  override async put(key: string, from: string | AsyncIterable<Uint8Array>) {
    if (!key.startsWith('packs/')) return super.put(key, from);
    const stored = this.#late ? await super.put(key, from) : null;
    this.#stuck.resolve();
    await this.#loose.promise;
    return stored ?? super.put(key, from);
  }
}

/** Cannot store the first objects of packs. */
class FlakyStore extends MemoryStore {
  armed = false;
  #faults: number;

  constructor(faults: number) {
    super();
    this.#faults = faults;
  }

  override async put(key: string, from: string | AsyncIterable<Uint8Array>) {
    if (this.armed && this.#faults-- > 0) throw new StoreUnavailable('the store is away');
    return super.put(key, from);
  }
}
