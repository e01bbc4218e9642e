import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '../sql/migrate.ts';
import type { Migration } from '../sql/migrations.ts';
import { withPostgres } from '../testing/postgres.ts';
import { PostgresDriver } from './postgres-driver.ts';

const FIRST: Migration = { version: 1, name: 'first', statements: ['CREATE TABLE city (code TEXT)'] };
const SECOND: Migration = {
  version: 2,
  name: 'second',
  statements: ['ALTER TABLE city ADD COLUMN name TEXT'],
};
/** Transactions that wait for the table: readers that come later wait behind them. */
const WAITING = "SELECT count(*)::int AS n FROM pg_locks WHERE relation = 'city'::regclass AND NOT granted";

test('a change of the schema lets readers pass while another one holds the table, and is done after it', async (t) => {
  const url = await withPostgres(t);
  const [reader, watcher] = [1, 2].map(() => new pg.Client({ connectionString: url })) as [
    pg.Client,
    pg.Client,
  ];
  await Promise.all([reader.connect(), watcher.connect()]);
  const driver = await PostgresDriver.open(url, { writePatienceMs: 100 });
  try {
    await migrate(driver, [FIRST]);
    await reader.query('BEGIN; SELECT * FROM city');
    let isDone = false;
    const changed = migrate(driver, [FIRST, SECOND]).finally(() => {
      isDone = true;
    });
    const waiting = async () => (await watcher.query(WAITING)).rows[0].n as number;
    const until = async (n: number) => {
      while (!isDone && (await waiting()) !== n) await setTimeout(20);
    };
    await until(1);
    // Never answered if the change went on waiting.
    await watcher.query('SELECT * FROM city');
    await until(0);
    await until(1);
    assert.equal(isDone, false, 'it gave up once, and tries again');
    await reader.query('COMMIT');
    await changed;
    assert.deepEqual(
      (await watcher.query('SELECT * FROM city')).fields.map(({ name }) => name),
      ['code', 'name'],
    );
  } finally {
    await Promise.allSettled([reader.end(), watcher.end(), driver.close()]);
  }
});
