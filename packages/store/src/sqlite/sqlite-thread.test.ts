import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { StoreUnavailable } from '../catalogue-store.ts';
import { SqliteDriver } from './sqlite-driver.ts';
import { SqliteThread } from './sqlite-thread.ts';
import { ThreadLink } from './thread-link.ts';
import type { Call } from './thread-messages.ts';

async function temporary() {
  const directory = await mkdtemp(join(tmpdir(), 'sqlite-thread-'));
  return {
    directory,
    path: join(directory, 'catalogue.sqlite'),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}

test('a thread that ends fails the calls that wait for it', async () => {
  await using place = await temporary();
  const link = new ThreadLink({ path: place.path, options: {} });
  await link.opened;
  await link.call({ op: 'begin', transaction: 1 });
  // Transactions follow each other, so this one has no answer before the other one ends.
  const waiting = link.call({ op: 'begin', transaction: 2 });
  const ended = link.end();
  await assert.rejects(waiting, StoreUnavailable);
  await ended;
  assert.equal(link.isOver, true);
  await assert.rejects(link.call({ op: 'begin', transaction: 3 }), /its thread has ended/);
});

test('the thread that reads starts beside the one that writes', async () => {
  await using place = await temporary();
  const seen: string[] = [];
  const note = (worker: Worker) => {
    seen.push('started');
    worker.once('message', () => seen.push('open'));
  };
  process.on('worker', note);
  try {
    const driver = await SqliteThread.open(place.path);
    assert.deepEqual(seen, ['started', 'started', 'open', 'open']);
    await driver.close();
  } finally {
    process.off('worker', note);
  }
});

test('no thread is left of a database that cannot be opened', async () => {
  await using place = await temporary();
  const workers: Worker[] = [];
  const note = (worker: Worker) => void workers.push(worker);
  process.on('worker', note);
  try {
    await assert.rejects(SqliteThread.open(`${place.path}/missing/catalogue.sqlite`), StoreUnavailable);
  } finally {
    process.off('worker', note);
  }
  assert.deepEqual(
    workers.map(({ threadId }) => threadId),
    [-1, -1],
  );
});

test('close ends both threads, and leaves the database alone in its directory', async () => {
  await using place = await temporary();
  const workers: Worker[] = [];
  const note = (worker: Worker) => void workers.push(worker);
  process.on('worker', note);
  const driver = await SqliteThread.open(place.path).finally(() => process.off('worker', note));
  await driver.write(null, (tx) => tx.run('CREATE TABLE t (a INTEGER)'));
  assert.ok((await readdir(place.directory)).length > 1, 'its log lies beside it');
  await driver.close();
  await driver.close();
  assert.deepEqual(
    workers.map(({ threadId }) => threadId),
    [-1, -1],
  );
  assert.deepEqual(await readdir(place.directory), ['catalogue.sqlite']);
});

test('close waits for a transaction', async () => {
  await using place = await temporary();
  const driver = await SqliteThread.open(place.path);
  await driver.write(null, (tx) => tx.run('CREATE TABLE t (a INTEGER)'));
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const writing = driver.write(null, async (tx) => {
    begun.resolve();
    await release.promise;
    await tx.run('INSERT INTO t (a) VALUES (1)');
  });
  await begun.promise;
  const closing = driver.close();
  release.resolve();
  await writing;
  await closing;
  const again = await SqliteDriver.open(place.path);
  assert.deepEqual(await again.all('SELECT a FROM t'), [[1]]);
  await again.close();
});

test('a cursor is stopped once where its caller leaves early, and never where it was read to its end', async (t) => {
  await using place = await temporary();
  const driver = await SqliteThread.open(place.path);
  const called: string[] = [];
  const call = ThreadLink.prototype.call;
  t.mock.method(ThreadLink.prototype, 'call', function <T>(this: ThreadLink, asked: Call): Promise<T> {
    called.push(asked.op);
    return call.call(this, asked) as Promise<T>;
  });
  const numbers =
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25) SELECT i FROM n';
  const pages: number[] = [];
  for await (const page of driver.pages(numbers, [], 10)) pages.push(page.length);
  assert.deepEqual(pages, [10, 10, 5]);
  assert.deepEqual(called, ['pages', 'next', 'next']);
  called.length = 0;
  for await (const _ of driver.pages(numbers, [], 10)) break;
  assert.deepEqual(called, ['pages', 'next', 'stop']);
  called.length = 0;
  for await (const _ of driver.pages(numbers, [], 100));
  for await (const _ of driver.pages(`${numbers} LIMIT 0`, [], 100));
  assert.deepEqual(called, ['pages', 'pages']);
  await driver.close();
});
