/** Connections to a database that is not there: what they ask it, and when they are closed. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { type TestContext, test } from 'node:test';
import { sharedNow } from '@citymodel/base';
import { forgetDatabaseTime } from '@citymodel/base/testing';
import pg from 'pg';
import { StoreUnavailable } from '../catalogue-store.ts';
import { Connections } from './connections.ts';

const HOUR_MS = 3_600_000;

/** What a database reports. */
const faultOf = (code: string) => Object.assign(new pg.DatabaseError('fault', 5, 'error'), { code });

/** One connection at most, to a database whose answers are given. */
function connect(t: TestContext) {
  /** What the database says of its time, for each question by turns; an error is a connection that is dead. */
  const clocks: Array<number | Error> = [];
  const at = { clocks, asked: [] as string[], closed: 0, isDead: false };
  class Client extends EventEmitter {
    readonly processID = 7;
    readonly _queryable = true;
    connect(done: () => void) {
      done();
    }
    end(done: () => void) {
      at.closed++;
      done();
    }
    async query({ text }: { text: string }) {
      at.asked.push(text);
      if (at.isDead) throw new Error('gone');
      if (!text.includes('clock')) return { rows: [] };
      const clock = clocks.shift();
      if (clock instanceof Error) throw clock;
      const answer = { rows: [{ pid: 7, clock: String(clock) }] };
      return text.includes(';') ? [{ rows: [] }, answer] : answer;
    }
  }
  const times = { connectTimeoutMs: 1_000, statementTimeoutMs: 1_000, pauseMs: 1_000 };
  const settings = { name: 'd', config: { Client } as pg.ClientConfig };
  const connections = new Connections(settings, { connections: 1, ...times });
  t.after(() => connections.close(async () => {}));
  t.after(forgetDatabaseTime);
  return { connections, clocks, at };
}

test('a connection that was open for a minute asks for the time, and a dead one is closed', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const { connections, clocks, at } = connect(t);
  const later = Date.now() + 24 * HOUR_MS;
  /** How far the shared time is from a day later, ms. */
  const use = async () => {
    (await connections.connect()).release();
    return sharedNow() - later - now;
  };

  clocks.push(later);
  assert.equal(await use(), 0, 'a new connection says what time it is');
  now = 59_999;
  assert.equal(await use(), 0);
  assert.equal(at.asked.length, 1, 'within a minute nothing is asked');
  now = 60_000;
  clocks.push(later + now + HOUR_MS);
  assert.equal(await use(), HOUR_MS);
  assert.match(at.asked[1]!, /^SELECT extract\(epoch FROM clock_timestamp\(\)\) \* 1000 AS clock$/);
  now = 120_000;
  clocks.push(new Error('gone'), later + now - HOUR_MS);
  assert.equal(await use(), -HOUR_MS, 'a new one takes its place');
  assert.deepEqual([at.asked.length, at.closed], [4, 1]);
});

test('a connection is kept where it rolls back, and closed where it cannot or the fault was its own', async (t) => {
  const { connections, clocks, at } = connect(t);
  /** Connections that are open, those that were closed, and how often one was rolled back. */
  const figures = () => [
    connections.figures().connections.open,
    at.closed,
    at.asked.filter((text) => text === 'ROLLBACK').length,
  ];
  clocks.push(...Array.from({ length: 9 }, () => Date.now()));
  for (const [n, fault] of [null, faultOf('23505')].entries()) {
    await connections.end(await connections.connect(), fault);
    assert.deepEqual(figures(), [1, 0, n + 1]);
  }
  for (const [n, fault] of [faultOf('57P01'), new Error('read ECONNRESET')].entries()) {
    await connections.end(await connections.connect(), fault);
    assert.deepEqual(figures(), [0, n + 1, 2]);
  }
  const client = await connections.connect();
  at.isDead = true;
  await connections.end(client, null);
  assert.deepEqual(figures(), [0, 3, 3]);
});

test('connections that are closed give nobody one, wait for who uses one, and are closed once', async (t) => {
  const { connections, clocks } = connect(t);
  clocks.push(Date.now());
  const client = await connections.connect();
  const { promise: used, resolve } = Promise.withResolvers<void>();
  let isClosed = false;
  const closing = connections.close(() => used).then(() => (isClosed = true));
  await assert.rejects(connections.connect(), StoreUnavailable);
  assert.throws(() => connections.checkOpen(), {
    name: 'StoreUnavailable',
    message: /the database d .* is closed/,
  });
  assert.equal(isClosed, false);
  client.release();
  resolve();
  await closing;
  await connections.close(() => assert.fail('a second time nobody waits'));
});
