import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { THIS_HOST } from '@citymodel/base';
import {
  type Archives,
  type JobRow,
  type ObjectStore,
  type PackStore,
  StoreUnavailable,
} from '@citymodel/store';
import { beginPack, claimPackJob, MemoryStore } from '@citymodel/store/testing';
import { MemberDamaged } from '@citymodel/zip';
import pino from 'pino';
import { readSettings, type Settings } from '../../base/settings.ts';
import { workerName } from '../../base/worker-name.ts';
import { packId, packPrefix } from '../../pack/pack-id.ts';
import {
  acceptPacks,
  findPack,
  PACKED_FILE,
  type PackFixture,
  packFixture,
  sourceOf,
} from '../../pack/testing/pack-fixture.ts';
import { type JobKind, JobRefused } from '../job-kind.ts';
import { type JobEnd, JobWork } from '../job-work.ts';
import { TableFeed } from '../table-feed.ts';
import { mendPacks, type PackKindParts, packKind } from './pack.ts';

const SETTINGS: Settings = { ...readSettings({}), PACK_RETENTION_S: 1_000 };

interface WorkerOptions extends Partial<PackKindParts> {
  settings?: Partial<Settings>;
  packs?: PackStore;
  concurrency?: number;
  retryMs?: number;
}

/** A worker over a fixture that looks for packs when it is woken, with what it told. */
class TestWorker implements AsyncDisposable {
  readonly ends: JobEnd[] = [];
  readonly errors: string[] = [];
  finished = 0;
  readonly feed: TableFeed;
  readonly work: JobWork;
  readonly #told = new EventTarget();

  constructor(
    fixture: PackFixture,
    { settings, packs, concurrency = 2, retryMs = 1_000, ...parts }: WorkerOptions = {},
  ) {
    const { jobs, objects, archives } = fixture;
    const own = { ...SETTINGS, ...settings };
    const stores = { ...fixture, packs: packs ?? fixture.packs };
    const log = pino({ level: 'error' }, { write: (line: string) => void this.errors.push(line) });
    const kind = packKind({ archives, onFinished: () => this.finished++, ...parts });
    this.work = new JobWork({
      jobs,
      objects,
      kinds: [kind as JobKind],
      concurrency,
      memoryMb: 1_000,
      leaseMs: 60_000,
      timeoutMs: 1,
      retryMs,
      contextOf: (claim, signal, progress) => ({
        settings: own,
        stores,
        claim,
        stagingDir: '',
        log,
        signal,
        progress,
      }),
      log,
      onEnd: (end) => {
        this.ends.push(end);
        this.#told.dispatchEvent(new Event('told'));
      },
    });
    this.feed = new TableFeed({
      jobs,
      work: this.work,
      worker: workerName(),
      leaseMs: 60_000,
      pollMs: 1e6,
      pidIsAlive: () => false,
      onError: (error) => this.errors.push(String(error)),
    });
    void this.feed.start();
  }

  /** Resolves when so many attempts have ended. */
  async ended(count: number): Promise<void> {
    while (this.ends.length < count) await once(this.#told, 'told');
  }

  outcomes(): string[] {
    return this.ends.map(({ outcome }) => outcome);
  }

  async stop(): Promise<void> {
    await this.feed.stop();
    await this.work.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** The job that was asked for last. */
async function lastJob(fixture: PackFixture): Promise<JobRow> {
  const [job] = await fixture.jobs.list({}, { limit: 1, offset: 0 });
  return job!;
}

async function keys(objects: ObjectStore): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of objects.list('packs/')) found.push(key);
  return found;
}

describe('a job that makes a pack', () => {
  test('makes every pack once, with several workers at one store', async () => {
    await using fixture = await packFixture();
    const ids = await acceptPacks(
      fixture,
      Array.from({ length: 40 }, (_, i) => `p${i}`),
    );
    const workers = [new TestWorker(fixture), new TestWorker(fixture), new TestWorker(fixture)];
    const count = () => workers.reduce((sum, { ends }) => sum + ends.length, 0);
    while (count() < 40) await Promise.race(workers.map((worker) => worker.ended(worker.ends.length + 1)));
    for (const worker of workers) await worker.stop();
    assert.equal(count(), 40);
    for (const id of ids) {
      const { status, progress, run, files, startedAt, expiresAt } = await findPack(fixture, id);
      assert.deepEqual(
        { status, progress, run, files },
        { status: 'succeeded', progress: 1, run: 1, files: 1 },
      );
      assert.ok(startedAt! <= expiresAt! - 1_000_000);
    }
    assert.equal((await keys(fixture.objects)).length, 40);
    const { state, result, attempts } = await lastJob(fixture);
    assert.deepEqual([state, attempts], ['succeeded', 1]);
    assert.deepEqual(result, {
      status: 'succeeded',
      size: (await findPack(fixture, ids[0]!)).size,
      files: 1,
    });
    assert.equal(
      workers.reduce((sum, { finished }) => sum + finished, 0),
      40,
    );
  });

  test('goes on after a worker that died, and deletes what that left', async () => {
    await using fixture = await packFixture();
    const [id] = await acceptPacks(fixture, ['a']);
    await beginPack(fixture, Date.now(), `${THIS_HOST}:4194999:00000000-0000-4000-8000-000000000000`);
    await fixture.objects.put(`${packPrefix(id!)}1.zip`, halfZip());
    await using worker = new TestWorker(fixture);
    await worker.ended(1);
    const pack = await findPack(fixture, id!);
    assert.deepEqual([pack.status, pack.run], ['succeeded', 2]);
    assert.deepEqual(await keys(fixture.objects), [`${packPrefix(id!)}2.layout`]);
    assert.equal((await lastJob(fixture)).attempts, 2);
  });

  test('ends as the pack has ended when its worker died in between', async () => {
    await using fixture = await packFixture();
    const [failing] = await acceptPacks(fixture, ['failing']);
    const now = Date.now();
    const { run } = await beginPack(fixture, now);
    await fixture.packs.fail(run, 'It was too much.', { now, expiresAt: now + 1e6 });
    await fixture.jobs.recover({ now, dead: ['w'] });
    await using worker = new TestWorker(fixture);
    await worker.ended(1);
    const { state, reason } = await lastJob(fixture);
    assert.equal(state, 'dead');
    assert.match(reason!, /The pack has failed, .* asked for again: It was too much\./);
    assert.equal((await findPack(fixture, failing!)).reason, 'It was too much.');

    await acceptPacks(fixture, ['made']);
    const begun = await beginPack(fixture, Date.now());
    await fixture.packs.succeed(begun.run, {
      now,
      expiresAt: now + 1e6,
      size: 22,
      files: 1,
      digest: 'd',
      objectKey: 'packs/x',
      materialised: false,
      missing: [],
      missingCount: 0,
      objectBytes: 1,
    });
    await fixture.jobs.recover({ now, dead: ['w'] });
    worker.feed.wake();
    await worker.ended(2);
    assert.deepEqual((await lastJob(fixture)).result, { status: 'succeeded', size: 22, files: 1 });
    assert.deepEqual(worker.errors, []);
  });

  test('is given back when its worker stops, for the next to go on', async () => {
    await using fixture = await packFixture(new StuckStore());
    const [id] = await acceptPacks(fixture, ['a']);
    const first = new TestWorker(fixture);
    await (fixture.objects as StuckStore).stuck;
    const stopping = first.stop();
    (fixture.objects as StuckStore).loosen();
    await stopping;
    assert.deepEqual(first.outcomes(), ['released']);
    assert.deepEqual(await keys(fixture.objects), []);
    const released = await findPack(fixture, id!);
    assert.deepEqual([released.status, released.progress < 1], ['processing', true]);
    assert.equal((await lastJob(fixture)).attempts, 0);
    await using second = new TestWorker(fixture);
    await second.ended(1);
    assert.equal((await findPack(fixture, id!)).status, 'succeeded');
  });

  test('tells in time that time is over although the store does not answer', async () => {
    await using fixture = await packFixture(new StuckStore());
    const [id] = await acceptPacks(fixture, ['a']);
    const reported = Promise.withResolvers<void>();
    const worker = new TestWorker(fixture, {
      settings: { PACK_TIMEOUT_S: 0.02 },
      onFinished: reported.resolve,
    });
    await reported.promise;
    const { status, reason } = await findPack(fixture, id!);
    assert.equal(status, 'failed');
    assert.match(reason!, /not done within 0.02 s/);
    // A caller who asks again at once gets a job of its own.
    await acceptPacks(fixture, ['a']);
    (fixture.objects as StuckStore).loosen();
    await worker.ended(1);
    assert.deepEqual([worker.ends[0]!.outcome, worker.ends[0]!.reason], ['refused', reason]);
    worker.feed.wake();
    await worker.ended(2);
    await worker.stop();
    const pack = await findPack(fixture, id!);
    assert.deepEqual([pack.status, pack.run], ['succeeded', 3]);
    assert.deepEqual(
      await keys(fixture.objects),
      [`${packPrefix(id!)}3.layout`],
      'what came late is deleted',
    );
    assert.deepEqual(worker.errors, []);
  });

  test('deletes an object that was whole when its time was over', async () => {
    const store = new StuckStore(true);
    await using fixture = await packFixture(store);
    const [id] = await acceptPacks(fixture, ['a']);
    const worker = new TestWorker(fixture, { settings: { PACK_TIMEOUT_S: 0.5 } });
    await store.stuck;
    assert.equal((await keys(fixture.objects)).length, 1);
    store.loosenWhen(
      (async () => {
        while ((await findPack(fixture, id!)).status !== 'failed') await new Promise(setImmediate);
      })(),
    );
    await worker.ended(1);
    await worker.stop();
    assert.equal((await findPack(fixture, id!)).status, 'failed');
    assert.deepEqual(await keys(fixture.objects), []);
  });

  test('leaves a pack alone that another attempt has taken over', async () => {
    await using fixture = await packFixture(new StuckStore());
    const [id] = await acceptPacks(fixture, ['a']);
    const worker = new TestWorker(fixture);
    await (fixture.objects as StuckStore).stuck;
    const later = Date.now() + 1e6;
    await fixture.jobs.recover({ now: later, dead: [] });
    const { run } = await beginPack(fixture, later);
    assert.equal(run.run, 2);
    (fixture.objects as StuckStore).loosen();
    await worker.ended(1);
    await worker.stop();
    assert.equal(worker.ends[0]!.outcome, 'lost');
    assert.deepEqual(await keys(fixture.objects), []);
    assert.deepEqual([(await findPack(fixture, id!)).status, run.id], ['processing', id]);
  });

  test('waits while a store is away, however often, and no attempt counts', async () => {
    const store = new FlakyStore(12);
    await using fixture = await packFixture(store);
    const [id] = await acceptPacks(fixture, ['a']);
    store.armed = true;
    await using worker = new TestWorker(fixture, { concurrency: 1 });
    await worker.ended(1);
    while (worker.outcomes().at(-1) === 'released') {
      const { id: job, attempts, availableAt } = await lastJob(fixture);
      assert.deepEqual([attempts, (await findPack(fixture, id!)).status], [0, 'processing']);
      const claim = await claimPackJob(fixture.jobs, availableAt);
      assert.equal(claim!.id, job);
      await worker.work.begin(claim!);
    }
    assert.deepEqual(worker.outcomes(), [...Array(12).fill('released'), 'succeeded']);
    assert.equal((await findPack(fixture, id!)).run, 13);
    assert.deepEqual(await keys(fixture.objects), [`${packPrefix(id!)}13.layout`]);
  });

  test('says why a pack cannot be made', async () => {
    await using fixture = await packFixture();
    const [large, gone] = await acceptPacks(fixture, ['large', 'gone']);
    await using worker = new TestWorker(fixture, { settings: { PACK_MAX_BYTES: 10 }, concurrency: 1 });
    await worker.ended(2);
    for (const id of [large!, gone!]) {
      const pack = await findPack(fixture, id);
      assert.equal(pack.status, 'failed');
      assert.match(pack.reason!, /at most 10 bytes/);
    }
    const { state, reason, attempts } = await lastJob(fixture);
    assert.deepEqual([state, attempts], ['dead', 1], 'another attempt would be of no use');
    assert.match(reason!, /at most 10 bytes/);
    assert.equal(await fixture.packs.refersTo('archives/p1.zip'), false, 'a failed pack keeps nothing');

    await acceptPacks(fixture, ['lost']);
    await fixture.objects.delete('archives/p1.zip');
    await fixture.objects.delete('archives/p1.index');
    await fixture.archives.close();
    worker.feed.wake();
    await worker.ended(3);
    assert.match((await findPack(fixture, packId(['lost']))).reason!, /bytes of a package cannot be reached/);
    assert.deepEqual(worker.errors, []);
    assert.equal(worker.finished, 3);
  });

  test('says that something went wrong when nobody foresaw it, and logs the error', async () => {
    await using fixture = await packFixture();
    const [id] = await acceptPacks(fixture, ['a']);
    const archives = { open: () => Promise.reject(new TypeError('a fault in the program')) };
    await using worker = new TestWorker(fixture, { archives: archives as never });
    await worker.ended(1);
    const { status, reason } = await findPack(fixture, id!);
    assert.deepEqual(
      [status, reason],
      ['failed', 'Something went wrong inside the service; it has been logged.'],
    );
    assert.match(worker.errors.join(), /a fault in the program/);
    assert.deepEqual([worker.ends[0]!.outcome, worker.ends[0]!.reason], ['refused', reason]);
  });

  test('is tried again when bytes came damaged, and is whole then', async () => {
    await using fixture = await packFixture();
    const [id] = await acceptPacks(fixture, ['a']);
    const { archives } = fixture;
    let opened = 0;
    const damagedOnce: Pick<Archives, 'open' | 'openObject' | 'readCost'> = {
      readCost: archives.readCost,
      openObject: (key) => archives.openObject(key),
      open: (pkg) =>
        opened++ === 0
          ? Promise.reject(new MemberDamaged('CRC_MISMATCH', 'the archive', 'It differs.'))
          : archives.open(pkg),
    };
    await using worker = new TestWorker(fixture, { archives: damagedOnce, retryMs: 0 });
    await worker.ended(1);
    assert.deepEqual(
      [worker.ends[0]!.outcome, worker.ends[0]!.reason],
      ['failed', 'Bytes of a package came damaged: the archive: It differs.'],
    );
    assert.notEqual((await findPack(fixture, id!)).status, 'failed');
    worker.feed.wake();
    await worker.ended(2);
    assert.equal((await findPack(fixture, id!)).status, 'succeeded');
  });

  test('says so when no zip can hold a name', async () => {
    await using fixture = await packFixture();
    const row = await fixture.publish('p1', { [PACKED_FILE]: 'a' }, { name: 'city' });
    const id = packId(['a']);
    const times = { now: Date.now(), expiresAt: Date.now() + 1e6 };
    await fixture.packs.accept(
      { id, sources: [{ ...sourceOf(row, [PACKED_FILE]), directory: '..' }] },
      times,
    );
    await using worker = new TestWorker(fixture);
    await worker.ended(1);
    assert.match((await findPack(fixture, id)).reason!, /^No zip can hold it: .+\.$/);
    assert.deepEqual(worker.errors, []);
  });

  test('lets the oldest packs go when a new one fills the quota', async () => {
    await using fixture = await packFixture();
    const [first] = await acceptPacks(fixture, ['a']);
    {
      await using worker = new TestWorker(fixture);
      await worker.ended(1);
    }
    const settings = { PACK_QUOTA_BYTES: await fixture.packs.bytes() };
    const [next] = await acceptPacks(fixture, ['b']);
    await using worker = new TestWorker(fixture, { settings });
    await worker.ended(1);
    assert.equal(await findPack(fixture, first!), undefined);
    assert.equal((await findPack(fixture, next!)).status, 'succeeded');
    assert.equal((await keys(fixture.objects)).length, 1);
  });

  test('notes progress of pack and job while it works, and does not mind when that fails', async () => {
    await using fixture = await packFixture(new StuckStore());
    const [id] = await acceptPacks(fixture, ['a']);
    const noted: number[] = [];
    const away = changed(fixture.packs, {
      advance: async (_, progress) => {
        noted.push(progress);
        (fixture.objects as StuckStore).loosen();
        throw new StoreUnavailable('the database is away');
      },
    });
    await using worker = new TestWorker(fixture, { packs: away, progressMs: 5 });
    await worker.ended(1);
    assert.equal(worker.ends[0]!.outcome, 'succeeded');
    assert.equal(noted.length, 1, 'what has not changed is not written again');
    assert.ok(noted[0]! > 0.9 && noted[0]! < 1, 'the file was planned');
    const { progress } = await lastJob(fixture);
    assert.deepEqual([progress?.done, progress?.total, progress?.unit], [99, 100, 'percent']);
    assert.equal((await findPack(fixture, id!)).progress, 1);
  });

  test('ends when its pack began anew, and leaves that alone', async () => {
    await using fixture = await packFixture(new StuckStore());
    await acceptPacks(fixture, ['a']);
    const anew = changed(fixture.packs, {
      async advance() {
        (fixture.objects as StuckStore).loosen();
        return false;
      },
      fail: () => assert.fail('it is not this pack any more'),
    });
    await using worker = new TestWorker(fixture, { packs: anew, progressMs: 5 });
    await worker.ended(1);
    const { state, result } = await lastJob(fixture);
    assert.deepEqual([state, result], ['succeeded', { status: 'gone' }]);
    assert.deepEqual([await keys(fixture.objects), worker.finished], [[], 0]);
  });

  test('that a person cancels leaves a pack that has failed, and no object', async () => {
    await using fixture = await packFixture(new StuckStore());
    const [id] = await acceptPacks(fixture, ['a']);
    const worker = new TestWorker(fixture);
    await (fixture.objects as StuckStore).stuck;
    await fixture.jobs.cancel((await lastJob(fixture)).id, Date.now());
    // Stopping, the worker learns of it.
    const stopping = worker.stop();
    (fixture.objects as StuckStore).loosen();
    await stopping;
    assert.equal((await lastJob(fixture)).state, 'cancelled');
    assert.equal(await mendPacks(fixture, SETTINGS), 1);
    const { status, reason, expiresAt } = await findPack(fixture, id!);
    assert.deepEqual([status, reason], ['failed', 'It was cancelled.']);
    assert.ok(expiresAt! > Date.now() + 900_000);
    assert.deepEqual(await keys(fixture.objects), []);
  });

  test('refuses a payload that it cannot read', () => {
    const { readPayload } = packKind({
      archives: { open: () => assert.fail(), openObject: () => assert.fail(), readCost: 'local' },
    });
    for (const json of [null, {}, { pack: 7 }]) assert.throws(() => readPayload(json), JobRefused);
    assert.deepEqual(readPayload({ pack: 'a', more: 1 }), { pack: 'a' });
  });
});

/** The store with other methods in place of its own. */
function changed(packs: PackStore, methods: Partial<PackStore>): PackStore {
  return new Proxy(packs, {
    get(target, name) {
      const value = Reflect.get(methods, name) ?? Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

async function* halfZip(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half');
}

/**
 * Does not finish storing the objects of packs until it is loosened; `late`: it has stored them, and does not say so.
 */
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

  loosenWhen(something: Promise<void>): void {
    this.#loose.resolve(something);
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
