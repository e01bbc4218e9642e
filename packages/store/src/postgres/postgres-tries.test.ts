/** What the driver asks again, and what it does not, of a database that is not there. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { OutOfPatience } from '@citymodel/base';
import pg from 'pg';
import { StoreUnavailable } from '../catalogue-store.ts';
import { Connections } from './connections.ts';
import { PostgresDriver } from './postgres-driver.ts';
import { ConnectionSilent } from './silence-watch.ts';

/** What a database reports. */
const faultOf = (code: string) => Object.assign(new pg.DatabaseError('fault', 5, 'error'), { code });
const GONE = new Error('read ECONNRESET');

/**
 * A driver whose connections answer as `answers` says, by beginnings of statements; an error is thrown. What there is
 * no answer for has no rows.
 */
async function open(t: TestContext, answers: Array<[statement: string, answer: unknown]> = []) {
  const at = { asked: [] as string[], limits: [] as number[], connections: 0, kept: 0, closed: 0 };
  let isOpen = false;
  const query = async ({ text, query_timeout }: { text: string; query_timeout: number }) => {
    at.asked.push(text);
    at.limits.push(query_timeout);
    if (!isOpen) return { rows: [[170_000, 'UTF8']] };
    const next = answers.findIndex(([statement]) => text.startsWith(statement));
    const answer = next < 0 ? { command: text, rows: [] } : answers.splice(next, 1)[0]![1];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  t.mock.method(Connections.prototype, 'connect', async () => {
    at.connections++;
    return { query, release: (isDead = false) => void at[isDead ? 'closed' : 'kept']++ };
  });
  const driver = await PostgresDriver.open('postgres://u@127.0.0.1:9/d', { writePatienceMs: 7_000 });
  t.after(() => driver.close());
  isOpen = true;
  Object.assign(at, { asked: [], limits: [], connections: 0, kept: 0, closed: 0 });
  return { driver, at };
}

/** Until nothing more happens by itself. */
const turns = async () => {
  for (let i = 0; i < 10; i++) await setImmediate();
};

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

test('a write begins on another connection where one is dead, three times at most', async (t) => {
  for (const [faults, isDone] of [
    [0, true],
    [1, true],
    [2, true],
    [3, false],
  ] as const) {
    const { driver, at } = await open(t, times(faults, ['BEGIN;', GONE]));
    let runs = 0;
    const written = driver.write('catalogue', async () => ++runs);
    if (isDone) assert.equal(await written, 1);
    else await assert.rejects(written, (error) => error instanceof StoreUnavailable && error.cause === GONE);
    assert.deepEqual(
      [at.connections, at.closed, at.kept, runs],
      isDone ? [faults + 1, faults, 1, 1] : [3, 3, 0, 0],
    );
  }
});

test('a write that waited too long for others has no second try', async (t) => {
  for (const [code, isOurs] of [
    ['55P03', true],
    ['42501', false],
  ] as const) {
    const { driver, at } = await open(t, [['BEGIN;', faultOf(code)]]);
    await assert.rejects(
      driver.write('catalogue', async () => assert.fail('it has no transaction')),
      (error) => error instanceof (isOurs ? StoreUnavailable : pg.DatabaseError),
    );
    assert.deepEqual([at.connections, at.kept, at.asked.at(-1)], [1, 1, 'ROLLBACK']);
  }
});

test('a write holds its lock, and a change of the schema does not wait long for a table', async (t) => {
  const { driver, at } = await open(t);
  const begun = async (...args: [lock: 'catalogue' | null, changesSchema?: boolean]) => {
    at.asked.length = 0;
    await driver.write(args[0], async () => {}, { changesSchema: args[1] === true });
    assert.equal(at.asked.length, 2);
    return at.asked[0];
  };
  const start = 'BEGIN; SET LOCAL lock_timeout = 7000; SET LOCAL statement_timeout = 3600000';
  const lock = "; SELECT pg_advisory_xact_lock(1667855481, hashtext(current_schema() || '.catalogue'))";
  assert.equal(await begun(null), start);
  assert.equal(await begun('catalogue'), start + lock);
  assert.equal(await begun('catalogue', true), `${start}${lock}; SET LOCAL lock_timeout = 1000`);
});

test('writes with one lock follow each other, and those without a lock do not', async (t) => {
  const { driver } = await open(t);
  const begun: string[] = [];
  const release = Promise.withResolvers<void>();
  const write = (name: string, lock: 'catalogue' | 'jobs' | null) =>
    driver.write(lock, async () => {
      begun.push(name);
      await release.promise;
    });
  const all = [
    ...[write('first', 'catalogue'), write('second', 'catalogue'), write('other', 'jobs')],
    ...[write('free', null), write('free, too', null)],
  ];
  await turns();
  assert.deepEqual(begun, ['first', 'other', 'free', 'free, too']);
  release.resolve();
  await Promise.all(all);
  assert.equal(begun.at(-1), 'second');
  // One that fails holds up nobody.
  const failed = driver.write('catalogue', () => Promise.reject(new Error('own')));
  await Promise.all([assert.rejects(failed, /own/), driver.write('catalogue', async () => {})]);
});

test('a connection counts as dead ten seconds after what its statement may take', async (t) => {
  const { driver, at } = await open(t);
  await driver.all('SELECT a FROM t');
  await driver.write(null, async () => {});
  assert.deepEqual(at.limits, [40_000, 17_000, 3_600_000]);
});

test('a transaction that PostgreSQL undid for another one runs again, four times at most', async (t) => {
  for (const code of ['40001', '40P01']) {
    for (const [faults, isDone] of [
      [3, true],
      [4, false],
    ] as const) {
      const { driver, at } = await open(t, times(faults, ['UPDATE', faultOf(code)]));
      let runs = 0;
      const written = driver.write('catalogue', (transaction) => {
        runs++;
        return transaction.run('UPDATE t SET a = 1');
      });
      if (isDone) await written;
      else await assert.rejects(written, StoreUnavailable);
      assert.deepEqual([runs, at.connections, at.kept, at.closed], [4, 4, 4, 0], code);
    }
  }
});

test('a transaction whose connection was lost may have been committed, and is not run again', async (t) => {
  for (const [statement, fault] of [
    ['UPDATE', GONE],
    ['COMMIT', GONE],
    ['COMMIT', faultOf('57P01')],
    ['UPDATE', faultOf('55P03')],
  ] as const) {
    const { driver } = await open(t, [[statement, fault]]);
    let runs = 0;
    const written = driver.write(null, (transaction) => {
      runs++;
      return transaction.run('UPDATE t SET a = 1');
    });
    await assert.rejects(written, StoreUnavailable);
    assert.equal(runs, 1, statement);
  }
});

test('what the work of a transaction throws by itself is its own affair', async (t) => {
  const { driver, at } = await open(t, [['UPDATE', faultOf('40001')]]);
  const own = new Error('changed its mind');
  const write = (transaction: { run(sql: string): Promise<unknown> }) =>
    transaction.run('UPDATE t SET a = 1').catch(() => {
      throw own;
    });
  await assert.rejects(driver.write(null, write), (error) => error === own);
  assert.deepEqual([at.connections, at.asked.at(-1)], [1, 'ROLLBACK']);
});

test('a reader asks on three connections at most, and on one where nothing answers at all', async (t) => {
  for (const [fault, count, tries] of [
    [GONE, 2, 3],
    [GONE, 3, 3],
    [faultOf('57P01'), 1, 2],
    [new ConnectionSilent(false), 2, 3],
    [new ConnectionSilent(true), 1, 1],
    [new OutOfPatience(), 1, 1],
    [faultOf('53300'), 1, 1],
  ] as const) {
    const { driver, at } = await open(t, times(count, ['SELECT', fault]));
    const read = driver.all('SELECT a FROM t');
    const isDone = count < tries;
    if (isDone) assert.deepEqual(await read, []);
    else await assert.rejects(read, StoreUnavailable);
    const isOurs = fault instanceof pg.DatabaseError && fault.code === '53300';
    assert.deepEqual(
      [at.connections, at.closed, at.kept],
      [tries, isOurs ? 0 : count, isDone || isOurs ? 1 : 0],
      String(fault),
    );
  }
});

test('a page is read while the caller has the one before, and a failing one closes the transaction', async (t) => {
  const rows = (count: number) => ({ rows: times(count, [1]) });
  const { driver, at } = await open(t, [
    ['FETCH', rows(2)],
    ['FETCH', rows(2)],
    ['FETCH', rows(1)],
  ]);
  const sizes: number[] = [];
  for await (const page of driver.pages('SELECT a FROM t', [], 2)) sizes.push(page.length);
  assert.deepEqual(sizes, [2, 2, 1]);
  assert.deepEqual(
    at.asked.map((text) => text.split(' ')[0]),
    ['BEGIN', 'DECLARE', 'FETCH', 'FETCH', 'FETCH', 'ROLLBACK'],
  );
  const empty = await open(t);
  for await (const _ of empty.driver.pages('SELECT a FROM t', [], 2)) assert.fail('there is no row');
  for (const [fault, closed] of [
    [GONE, 1],
    [faultOf('57014'), 0],
  ] as const) {
    const { driver, at } = await open(t, [
      ['FETCH', rows(2)],
      ['FETCH', fault],
    ]);
    const read = async () => {
      for await (const page of driver.pages('SELECT a FROM t', [], 2)) assert.equal(page.length, 2);
    };
    await assert.rejects(read, StoreUnavailable);
    assert.equal(at.closed, closed);
  }
});

test('PostgreSQL is of version 15 at least, and its text is UTF-8', async (t) => {
  for (const [row, message] of [
    [[149_999, 'UTF8'], /older than PostgreSQL 15/],
    [[150_000, 'EUC_JP'], /has the encoding EUC_JP/],
    [[150_000, 'UTF8'], null],
  ] as const) {
    t.mock.method(Connections.prototype, 'connect', async () => ({
      query: async () => ({ rows: [row] }),
      release() {},
    }));
    const opened = PostgresDriver.open('postgres://u@127.0.0.1:9/d');
    if (message === null) await (await opened).close();
    else await assert.rejects(opened, message);
  }
});

test('a replica is read-only', async (t) => {
  for (const isReadOnly of [1, 0]) {
    const { driver } = await open(t, [['SELECT', { rows: [[isReadOnly]] }]]);
    assert.equal((await driver.figures()).isReadOnly, isReadOnly === 1);
  }
});
