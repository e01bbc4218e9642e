/** Processes whose clocks are wrong share a database with others whose clocks are right. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { sharedNow } from '@citymodel/base';
import { clockError } from '@citymodel/base/testing';
import { SqlCatalogueStore } from '../sql/sql-catalogue-store.ts';
import { SqlJobStore } from '../sql/sql-job-store.ts';
import { withPostgres } from '../testing/postgres.ts';
import { DatabaseClock } from './database-clock.ts';
import { PostgresDriver } from './postgres-driver.ts';

const HOUR_MS = 3_600_000;

test('a process whose clock jumps takes no job from another one, and lets none wait for its own time', async (t) => {
  const driver = await PostgresDriver.open(await withPostgres(t));
  t.after(() => driver.close());
  await new SqlCatalogueStore(driver).migrate();
  const jobs = new SqlJobStore(driver);
  const job = {
    kind: 'k',
    label: '',
    payload: {},
    objectKey: null,
    unique: null,
    exclusive: null,
    maxAttempts: 9,
  };
  await jobs.enqueue([job], sharedNow());
  const claim = (now: number) => jobs.claim({ worker: 'w', now, leaseUntil: now + 60_000, kinds: ['k'] });
  const first = await claim(sharedNow());
  assert.ok(first !== null);

  mock.timers.enable({ apis: ['Date'], now: Date.now() + 24 * HOUR_MS });
  t.after(() => mock.timers.reset());
  assert.equal(await jobs.recover({ now: sharedNow(), dead: [] }), 0, 'the lease is not over');
  const retryAt = sharedNow() + 1;
  await jobs.fail(first, { reason: 'again', now: sharedNow(), retryAt });
  assert.ok(Math.abs(clockError() - 24 * HOUR_MS) < 5_000);
  mock.timers.reset();
  const again = await claim(Date.now() + 5_000);
  assert.equal(again?.id, first.id, 'another one need not wait for a day');
});

test('the database is asked for its time once a minute, and after no answer, too', (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const clock = new DatabaseClock();
  clock.note(undefined, 0);
  const asked: number[] = [];
  for (now = 0; now <= 200_000; now += 1_000) if (clock.isDue()) asked.push(now);
  assert.deepEqual(asked, [60_000, 120_000, 180_000]);
  // An answer to another question says it as well.
  clock.note(undefined, now);
  const answeredAt = now;
  while (!clock.isDue()) now += 1_000;
  assert.equal(now, answeredAt + 60_000);
});
