import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SqlTransaction } from '../sql/driver.ts';
import { MESSAGE_SCHEMA_VERSION, PostgresMessages, taskOf } from './postgres-messages.ts';

const JOB = { id: 'j', kind: 'pack', delay: 5, isLost: false };

/** A database whose library has made these migrations, `null`: none, and what it is asked beside them. */
function databaseWith(migration: number | null) {
  const asked: Array<[statement: string, values: unknown]> = [];
  const looks: string[] = [];
  const state = { migration };
  const reader = {
    async all(statement: string, values?: unknown) {
      if (statement.includes('to_regclass')) {
        looks.push('table');
        return [[state.migration === null ? 0 : 1]];
      }
      if (statement.includes('max(id)')) {
        looks.push('last');
        return [[state.migration]];
      }
      asked.push([statement, values]);
      return [['j']];
    },
  } as unknown as SqlTransaction;
  return { reader, asked, looks, state };
}

test('messages are sent and missed only once the schema is whole, which is looked at until then', async () => {
  const messages = new PostgresMessages();
  const { reader, asked, looks, state } = databaseWith(null);
  for (const migration of [null, 0, MESSAGE_SCHEMA_VERSION - 1]) {
    state.migration = migration;
    await messages.send(reader, [JOB]);
    assert.deepEqual(await messages.silent(reader, 1, 2), []);
  }
  assert.equal(asked.length, 0);
  state.migration = MESSAGE_SCHEMA_VERSION;
  await messages.send(reader, [JOB]);
  assert.deepEqual(await messages.silent(reader, 1, 2), ['j']);
  assert.deepEqual(asked.map(([, values]) => values).at(-1), [1, 2]);
  looks.length = 0;
  await messages.send(reader, [JOB]);
  assert.deepEqual(looks, []);
});

test('a later version of the schema does as well', async () => {
  const { reader, asked } = databaseWith(MESSAGE_SCHEMA_VERSION + 1);
  await new PostgresMessages().send(reader, [JOB]);
  assert.equal(asked.length, 1);
});

test('a message has the task of its kind and waits as long as its job, and no job asks nothing', async () => {
  const { reader, asked, looks } = databaseWith(MESSAGE_SCHEMA_VERSION);
  const messages = new PostgresMessages();
  await messages.send(reader, []);
  assert.deepEqual(looks, []);
  await messages.send(reader, [JOB, { ...JOB, delay: -5 }, { ...JOB, delay: 0 }]);
  assert.equal(taskOf('pack'), 'citymodel_pack');
  assert.deepEqual(
    asked.map(([, values]) => values),
    [5, 0, 0].map((delay) => ['citymodel_pack', 'j', delay, 'pack']),
  );
});

test('a message of a worker that is dead is taken from it before it is sent again', async () => {
  const { reader, asked } = databaseWith(MESSAGE_SCHEMA_VERSION);
  await new PostgresMessages().send(reader, [{ ...JOB, isLost: true }]);
  assert.match(asked[0]![0], /force_unlock_workers/);
  assert.deepEqual(asked[0]![1], ['j']);
  assert.match(asked[1]![0], /add_job/);
  assert.equal(asked.length, 2);
});
