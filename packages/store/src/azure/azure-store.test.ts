import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { type ContainerClient, ContainerSASPermissions } from '@azure/storage-blob';
import { withPatience } from '@citymodel/base';
import { StoreUnavailable } from '../catalogue-store.ts';
import { Azurite } from '../testing/azurite.ts';
import { chunks, collect, objectStoreConformance } from '../testing/object-store-conformance.ts';
import { parseAzureAddress } from './azure-address.ts';
import { azureClient } from './azure-client.ts';
import { AzureStore } from './azure-store.ts';

const TIMES = { connect: 10_000, answer: 10_000 };

/** Sets variables of the environment while `work` runs. */
async function withEnv(more: Record<string, string>, work: () => Promise<void>): Promise<void> {
  const before = { ...process.env };
  try {
    await work();
  } finally {
    for (const name of Object.keys(more)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

describe('on Azurite', () => {
  let azurite: Azurite;
  let container: ContainerClient;
  before(async () => {
    azurite = await Azurite.start();
    container = azurite.client();
  });
  after(() => azurite[Symbol.asyncDispose]());

  const open = (prefix: string, times = TIMES) =>
    new AzureStore(parseAzureAddress(azurite.address(prefix)), times);

  const through = ({ port }: BreakingLine, prefix: string) =>
    new AzureStore(
      parseAzureAddress(azurite.address(prefix).replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`)),
      TIMES,
    );

  objectStoreConformance('Azure', async () => {
    const prefix = randomUUID();
    return { open: async () => open(prefix), async [Symbol.asyncDispose]() {} };
  });

  test('objects lie below the prefix, and say what they are', async () => {
    const store = open('some/where');
    try {
      await store.put('archives/a.zip', chunks(Buffer.from('zip')));
      const blob = container.getBlobClient('some/where/archives/a.zip');
      const { contentType, contentLength } = await blob.getProperties();
      assert.deepEqual([contentType, contentLength], ['application/zip', 3]);
      await container.getBlockBlobClient('some/other').upload('x', 1);
      const keys: string[] = [];
      for await (const { key } of store.list('')) keys.push(key);
      assert.deepEqual(keys, ['archives/a.zip']);
      const { requests, isAnswering } = await store.figures();
      assert.equal(isAnswering, true);
      const noted = new Set(requests.map(({ operation, outcome }) => `${operation} ${outcome}`));
      assert.deepEqual(noted, new Set(['PutBlob ok', 'HeadBlob ok', 'ListBlobs ok']));
    } finally {
      await store.close();
    }
  });

  test('anybody reads by a signed address, with the name that it gives', async () => {
    const store = open('signed');
    try {
      await store.put('a.zip', chunks(Buffer.from('0123456789')));
      const url = await store.sign!('a.zip', { seconds: 60, disposition: 'attachment; filename="city.zip"' });
      const answer = await fetch(url, { headers: { range: 'bytes=2-4' } });
      assert.deepEqual([answer.status, await answer.text()], [206, '234']);
      assert.equal(answer.headers.get('content-disposition'), 'attachment; filename="city.zip"');
      const other = url.replace(/sig=(.)/, (_, first) => `sig=${first === 'x' ? 'y' : 'x'}`);
      assert.equal((await fetch(other)).status, 403);
    } finally {
      await store.close();
    }
  });

  test('a token is enough, but signs no addresses', async () => {
    const ends = new Date(Date.now() + 600_000);
    const permissions = ContainerSASPermissions.from({ read: true, write: true, list: true, delete: true });
    const url = await container.generateSasUrl({ permissions, expiresOn: ends });
    const AZURE_STORAGE_SAS_TOKEN = new URL(url).search;
    const env = { AZURE_STORAGE_SAS_TOKEN, AZURE_STORAGE_KEY: '' };
    await withEnv(env, async () => {
      Object.assign(process.env, env);
      const store = open('by-token');
      try {
        assert.equal(store.sign, undefined);
        assert.equal((await store.figures()).credentialsEnd, Math.floor(ends.getTime() / 1_000) * 1_000);
        await store.probe();
        await store.put('k', chunks(Buffer.from('x')), { once: true });
        await using handle = await store.open('k');
        assert.equal(String(await collect(handle, 0, 1)), 'x');
        await store.delete('k');
        assert.equal(await store.head('k'), null);
      } finally {
        await store.close();
      }
    });
  });

  test('errors say what to do, and have no keys and no signatures', async () => {
    const wrong = randomBytes(64).toString('base64');
    const token = `?sv=2024-11-04&sr=c&sp=rwdl&se=2099-01-01T00:00:00Z&sig=${encodeURIComponent(wrong)}`;
    for (const env of [
      { AZURE_STORAGE_KEY: wrong },
      { AZURE_STORAGE_KEY: '', AZURE_STORAGE_SAS_TOKEN: token },
    ]) {
      await withEnv(env, async () => {
        Object.assign(process.env, env);
        const store = open('wrong');
        const failing = [
          () => store.head('k'),
          () => store.open('k', { first: 10 }),
          () => store.put('k', chunks(Buffer.from('x'))),
          () => store.probe(),
        ];
        for (const work of failing) {
          const error: unknown = await (work() as Promise<unknown>).catch((reason: unknown) => reason);
          assert.ok(error instanceof StoreUnavailable);
          assert.match(error.message, /the key or the SAS token is wrong|the keys do not allow it/);
          const whole = `${inspect(error, { depth: 20, showHidden: true })} ${JSON.stringify(error.cause)}`;
          for (const secret of [wrong, encodeURIComponent(wrong), 'SharedKey testaccount:'])
            assert.ok(!whole.includes(secret), `${secret} in ${whole.slice(0, 2_000)}`);
        }
        await store.close();
      });
    }
    const elsewhere = azurite.address('x').replace('az://container/', 'az://nowhere/');
    const store = new AzureStore(parseAzureAddress(elsewhere), TIMES);
    await assert.rejects(store.head('k'), /the container that OBJECT_STORE names does not exist/);
    await assert.rejects(store.probe(), /the container that OBJECT_STORE names does not exist/);
    await assert.rejects(store.delete('k'), StoreUnavailable);
    await store.close();
  });

  test('keys must be there, and look like some', () => {
    const address = parseAzureAddress(azurite.address());
    for (const [env, why] of [
      [{}, /there are no keys; set AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN/],
      [{ AZURE_STORAGE_KEY: 'no base64: secret' }, /AZURE_STORAGE_KEY is no key/],
      [{ AZURE_STORAGE_SAS_TOKEN: 'sv=secret' }, /AZURE_STORAGE_SAS_TOKEN is no token/],
    ] as const) {
      assert.throws(
        () => azureClient(address, TIMES, env),
        (error: Error) => why.test(error.message) && !error.message.includes('secret'),
      );
    }
  });

  test('a read goes on where the line broke', async () => {
    const bytes = randomBytes(900_000);
    await using line = await BreakingLine.start(Number(new URL(azurite.endpoint).port));
    const store = through(line, 'broken');
    try {
      await store.put('k', chunks(bytes));
      await using handle = await store.open('k');
      for (const read of [() => handle.read(0, bytes.length), () => collect(handle, 0, bytes.length)]) {
        line.breaks = 3;
        assert.ok(bytes.equals(await read()));
        assert.equal(line.breaks, 0);
      }
    } finally {
      await store.close();
    }
  });

  test('a page of another program says nothing of a blob: neither that it is gone, nor that it is empty', async () => {
    const direct = open('pages');
    await direct.put('k', chunks(Buffer.from('abc')));
    const refused = async (status: number) => {
      await using line = await BreakingLine.start(Number(new URL(azurite.endpoint).port));
      const store = through(line, 'pages');
      await using handle = await store.open('k');
      line.page = status;
      const failing = [
        store.head('k'),
        store.open('k', { first: 2 }),
        handle.read(0, 3),
        store.put('other', chunks(Buffer.from('x')), { once: true }),
        store.delete('k'),
        store.list('')[Symbol.asyncIterator]().next(),
        store.probe(),
      ];
      for (const asked of await Promise.allSettled(failing)) {
        const { reason } = asked as PromiseRejectedResult;
        assert.ok(reason instanceof StoreUnavailable, `${status} ${inspect(asked)}`);
      }
      await store.close();
    };
    await Promise.all([200, 404, 412].map(refused));
    assert.deepEqual([(await direct.head('k'))?.size, await direct.head('other')], [3, null]);
    await direct.close();
    // One that comes once costs one more request.
    await using line = await BreakingLine.start(Number(new URL(azurite.endpoint).port));
    const store = through(line, 'pages');
    line.page = 404;
    line.pages = 1;
    assert.deepEqual([(await store.head('k'))?.size, line.pages], [3, 0]);
    await store.close();
  });

  test('the end of a blob that is replaced while it is looked for is that of the new one', async () => {
    await using line = await BreakingLine.start(Number(new URL(azurite.endpoint).port));
    const [store, direct] = [through(line, 'replaced'), open('replaced')];
    await direct.put('k', chunks(Buffer.alloc(50, 1)));
    let replacements = 2;
    line.beforeGet = async () => {
      if (replacements-- > 0) await direct.put('k', chunks(Buffer.alloc(60 + replacements, 2)));
    };
    await using handle = await store.open('k', { last: 10 });
    assert.equal(handle.size, 60);
    assert.ok(Buffer.alloc(10, 2).equals(await handle.read(50, 10)));
    await store.close();
    await direct.close();
  });

  test('of a blob that is shorter than its wanted end all comes with opening', async () => {
    const store = open('short');
    try {
      await store.put('k', chunks(Buffer.from('0123456789')));
      await using handle = await store.open('k', { last: 1_000 });
      assert.equal(String(await handle.read(0, 10)), '0123456789');
      const { requests } = await store.figures();
      const gets = requests.filter(({ operation }) => operation === 'GetBlob');
      assert.deepEqual(
        gets.map(({ count }) => count),
        [1],
      );
    } finally {
      await store.close();
    }
  });

  test('a write whose answer was lost is known to be ours', async () => {
    await using line = await BreakingLine.start(Number(new URL(azurite.endpoint).port));
    const store = through(line, 'lost');
    try {
      // In one request, and in parts: each of them and their list.
      for (const size of [4, 17_000_000]) {
        line.lost = 1;
        const put = await store.put(`k${size}`, chunks(Buffer.alloc(size), 1_000_000), { once: true });
        assert.deepEqual([put.size, line.lost], [size, 0]);
      }
    } finally {
      await store.close();
    }
  });

  test('a store that is silent is unavailable in time, and a process that stops does not wait for it', async () => {
    const store = open('silent', { connect: 300, answer: 300 });
    const patient = open('silent');
    try {
      await store.put('k', chunks(Buffer.from('x')));
      await patient.put('large', chunks(Buffer.alloc(30_000_000), 1_000_000));
      await using begun = await patient.open('large');
      const stream = begun.stream(0, begun.size)[Symbol.asyncIterator]();
      await stream.next();
      azurite.sleep();
      await assert.rejects(
        withPatience(() => store.head('k')),
        (error: Error) => error instanceof StoreUnavailable && /did not answer in time/.test(error.message),
      );
      const waiting = assert.rejects(patient.head('k'), StoreUnavailable);
      const stopped = performance.now();
      patient.giveUp();
      await waiting;
      const drained = async () => {
        while (!(await stream.next()).done);
      };
      await assert.rejects(drained(), StoreUnavailable);
      assert.ok(performance.now() - stopped < 5_000);
      await assert.rejects(patient.head('k'), StoreUnavailable);
      azurite.wake();
      // The gate looks every half second whether the store answers again.
      while (!(await store.figures()).isAnswering) await pause(10);
      assert.equal((await store.head('k'))?.size, 1);
      // In the middle of an answer, too, on a connection that has answered before.
      await using handle = await store.open('large');
      await assert.rejects(
        withPatience(async () => {
          for await (const _ of handle.stream(0, handle.size)) azurite.sleep();
        }),
        (error: Error) => error instanceof StoreUnavailable && /did not answer in time/.test(error.message),
      );
    } finally {
      azurite.wake();
      await store.close();
      await patient.close();
    }
  });
});

/** A way to a server of this machine that breaks in the middle of long answers, or leads elsewhere. */
class BreakingLine implements AsyncDisposable {
  /** How often it still breaks, each time after some 200 kB of an answer. */
  breaks = 0;
  /** Status of the pages with which something else answers; null while nothing does. */
  page: number | null = null;
  /** How many pages are still to come. */
  pages = Number.POSITIVE_INFINITY;
  /** How many answers to writes are still lost. */
  lost = 0;
  /** What happens before a read goes on. */
  beforeGet: (() => Promise<void>) | null = null;
  readonly #server = createServer((caller) => {
    const callee = connect(this.#target, '127.0.0.1');
    let passed = 0;
    let isWrite = false;
    caller.on('data', (bytes) => {
      if (this.page !== null && this.pages > 0) {
        this.pages--;
        callee.destroy();
        caller.end(
          `HTTP/1.1 ${this.page} Elsewhere\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html></html>`,
        );
        return;
      }
      passed = 0;
      if (/^[A-Z]+ \//.test(bytes.toString('latin1', 0, 20))) isWrite = String(bytes).startsWith('PUT ');
      if (this.beforeGet === null || !bytes.toString('latin1', 0, 4).startsWith('GET ')) callee.write(bytes);
      else void this.beforeGet().then(() => callee.write(bytes));
    });
    callee.on('data', (bytes) => {
      passed += bytes.length;
      if (isWrite && this.lost > 0) {
        this.lost--;
        caller.destroy();
        callee.destroy();
      } else if (this.breaks > 0 && passed > 200_000) {
        this.breaks--;
        caller.destroy();
        callee.destroy();
      } else caller.write(bytes);
    });
    for (const [one, other] of [
      [caller, callee],
      [callee, caller],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
  });
  readonly #target: number;

  private constructor(target: number) {
    this.#target = target;
  }

  static async start(target: number): Promise<BreakingLine> {
    const line = new BreakingLine(target);
    line.#server.listen(0, '127.0.0.1');
    await once(line.#server, 'listening');
    return line;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
  }
}
