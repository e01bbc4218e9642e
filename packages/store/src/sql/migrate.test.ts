import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SqliteDriver } from '../sqlite/sqlite-driver.ts';
import type { SqlDriver } from './driver.ts';
import { migrate } from './migrate.ts';
import { type Migration, migrationChecksum } from './migrations.ts';

const directory = await mkdtemp(join(tmpdir(), 'migrate-'));
after(() => rm(directory, { recursive: true }));
let count = 0;

/** Runs something with an empty database. */
async function withDatabase(run: (driver: SqlDriver) => Promise<void>): Promise<void> {
  const driver = await SqliteDriver.open(join(directory, `${count++}.sqlite`));
  try {
    await run(driver);
  } finally {
    await driver.close();
  }
}

const step = (version: number, changes: Partial<Migration> = {}): Migration => ({
  version,
  name: `step ${version}`,
  statements: [`CREATE TABLE t${version} (a INTEGER)`],
  ...changes,
});

const tablesOf = async (driver: SqlDriver) =>
  (await driver.all("SELECT name FROM sqlite_schema WHERE name LIKE 't_' ORDER BY name")).flat();

test('a database runs each step once, in order, and remembers its name, checksum and time', () =>
  withDatabase(async (driver) => {
    const before = Date.now();
    await migrate(driver, [step(1)]);
    const steps = [step(1), step(2, { statements: ['ALTER TABLE t1 RENAME TO t9'] }), step(3)];
    await migrate(driver, steps);
    assert.deepEqual(await tablesOf(driver), ['t3', 't9']);
    const rows = await driver.all(
      'SELECT version, name, checksum, applied_at FROM schema_migration ORDER BY 1',
    );
    assert.deepEqual(
      rows.map((row) => row.slice(0, 3)),
      steps.map((one) => [one.version, one.name, migrationChecksum(one)]),
    );
    assert.ok(rows.every(([, , , at]) => Number(at) >= before && Number(at) <= Date.now()));
    assert.deepEqual(await driver.all('SELECT version FROM schema_additive'), []);
  }));

test('a database that has every step is not written to, so that a start waits for no writer', (t) =>
  withDatabase(async (driver) => {
    await migrate(driver, [step(1), step(2)]);
    const write = t.mock.method(driver, 'write');
    await migrate(driver, [step(1), step(2)]);
    assert.equal(write.mock.callCount(), 0);
    // One of the older steps may be missing, where a later one was there first.
    await driver.write(null, async (tx) => {
      await tx.run('DELETE FROM schema_migration WHERE version = 1');
      await tx.run('DROP TABLE t1');
    });
    write.mock.resetCalls();
    await migrate(driver, [step(1), step(2)]);
    assert.equal(write.mock.callCount(), 1);
    assert.deepEqual(await tablesOf(driver), ['t1', 't2']);
  }));

test('of unknown steps the highest is named that a program cannot go without', () =>
  withDatabase(async (driver) => {
    const additive = step(5, { isAdditive: true });
    await migrate(driver, [step(1), step(2), step(3), step(4), additive]);
    assert.deepEqual(await driver.all('SELECT version FROM schema_additive'), [[5]]);
    await assert.rejects(
      migrate(driver, [step(1), step(2)]),
      /has schema version 4, but this program knows versions up to 2 only/,
    );
    await migrate(driver, [step(1), step(2), step(3), step(4)]);
    await assert.rejects(migrate(driver, []), /has schema version 4, .* versions up to 0 only/);
  }));

test('a program without steps takes no database of one step, and an empty one', () =>
  withDatabase(async (driver) => {
    await migrate(driver, []);
    await migrate(driver, [step(1)]);
    await assert.rejects(migrate(driver, []), /has schema version 1, .* versions up to 0 only/);
  }));

test('a step of another text is refused with both checksums', () =>
  withDatabase(async (driver) => {
    await migrate(driver, [step(1), step(2)]);
    const other = step(2, { statements: ['CREATE TABLE t2 (a TEXT)'] });
    await assert.rejects(migrate(driver, [step(1), other]), ({ message }: Error) => {
      assert.match(message, /ran schema migration 2 \(step 2\)/);
      assert.ok(message.includes(`checksum ${migrationChecksum(step(2))},`), message);
      assert.ok(message.includes(`has ${migrationChecksum(other)}:`), message);
      return true;
    });
  }));

test('what is wrong other than a missing table is thrown on', (t) =>
  withDatabase(async (driver) => {
    t.mock.method(driver, 'all', async () => {
      throw new Error('no disk');
    });
    await assert.rejects(migrate(driver, [step(1)]), /no disk/);
  }));
