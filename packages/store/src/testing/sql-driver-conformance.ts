import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { StoreUnavailable } from '../catalogue-store.ts';
import type { SqlDriver } from '../sql/driver.ts';
import { migrate } from '../sql/migrate.ts';
import { MIGRATIONS } from '../sql/migrations.ts';
import { SqlCatalogueStore } from '../sql/sql-catalogue-store.ts';
import { allPackages, packageOf, publish } from './fixtures.ts';
import { killRounds, runProgram } from './kill-rounds.ts';
import { DRIVERS } from './open-driver.ts';

/** An empty database: a path, or a URL. */
export interface DatabaseFixture extends AsyncDisposable {
  address: string;
}

/** Processes that migrate one database at the same time. */
const MIGRATING = 5;

const program = (name: string) => join(import.meta.dirname, name);

/**
 * Registers the tests that every SqlDriver has to pass; `name` is one of `DRIVERS`, `create` makes an empty database
 * for each.
 */
export function sqlDriverConformance(name: string, create: () => Promise<DatabaseFixture>): void {
  const withDriver = (title: string, run: (driver: SqlDriver, address: string) => Promise<void>) =>
    test(title, async () => {
      await using fixture = await create();
      const driver = await DRIVERS[name]!.open(fixture.address);
      try {
        await run(driver, fixture.address);
      } finally {
        await driver.close();
      }
    });

  describe(`SQL driver: ${name}`, () => {
    withDriver('reads rows, and pages of one moment', async (driver) => {
      await makeTable(driver, 2_500);
      const sizes: number[] = [];
      for await (const page of driver.pages('SELECT a, b FROM t ORDER BY a', [], 500)) {
        sizes.push(page.length);
        if (sizes.length === 1) await driver.write(null, (tx) => tx.run('DELETE FROM t WHERE a > 2000'));
      }
      assert.equal(
        sizes.reduce((sum, size) => sum + size),
        2_500,
      );
      assert.deepEqual(await driver.all('SELECT a, b FROM t WHERE a = $1 OR a = $1 + 1', [7]), [
        [7, '見本7'],
        [8, '見本8'],
      ]);
      for await (const page of driver.pages('SELECT a FROM t', [], 10)) {
        assert.equal(page.length, 10);
        break;
      }
      for await (const page of driver.pages('SELECT a FROM t WHERE a < $1', [0], 10))
        assert.fail(String(page));
      assert.deepEqual(await driver.all('SELECT count(*) FROM t'), [[2_001]]);
    });

    withDriver('reads one state by many statements, while others write', async (driver) => {
      await makeTable(driver, 2_500);
      const seen = await driver.snapshot(async (snapshot) => {
        await driver.write(null, (tx) => tx.run('DELETE FROM t WHERE a > 2000'));
        let rows = 0;
        for await (const page of snapshot.pages('SELECT a, b FROM t ORDER BY a', 500)) rows += page.length;
        // All of a page, and nothing after it.
        for await (const page of snapshot.pages('SELECT a FROM t WHERE a < 500 ORDER BY a', 500))
          rows += page.length;
        return [rows, await snapshot.all('SELECT count(*) FROM t WHERE a > $1', [2_000])];
      });
      assert.deepEqual(seen, [3_000, [[499]]]);
      await assert.rejects(driver.snapshot((snapshot) => snapshot.all('SELECT nothing FROM nowhere')));
      const own = new Error('of the caller');
      await assert.rejects(
        driver.snapshot(async () => {
          throw own;
        }),
        own,
      );
      assert.equal((await driver.all('SELECT count(*) FROM t'))[0]![0], 2_001);
    });

    withDriver('keeps every value, and orders text by its bytes', async (driver) => {
      await driver.write(null, (tx) =>
        tx.run('CREATE TABLE t (a INTEGER, b BIGINT, c DOUBLE PRECISION, d TEXT COLLATE BINARY)'),
      );
      const rows = [
        [2 ** 31 - 1, Number.MAX_SAFE_INTEGER, 0.1 + 0.2, 'Z'],
        [-(2 ** 31), Number.MIN_SAFE_INTEGER, -1e-300, 'a'],
        [0, 2 ** 40, 139.6917, 'ä"\\\'{},$1\n'],
        [1, 0, 1e21, '見本'],
        [null, null, null, '𠮷'],
      ];
      await driver.write(null, (tx) => tx.insert('t', ['a', 'b', 'c', 'd'], rows));
      assert.deepEqual(await driver.all('SELECT a, b, c, d FROM t ORDER BY d'), rows);
      const texts = rows.map((row) => String(row[3]));
      const found = 'SELECT d FROM t WHERE d IN (SELECT value FROM each_text($1)) ORDER BY d';
      assert.deepEqual(
        await driver.all(found, [texts]),
        texts.map((text) => [text]),
      );
      const numbers = 'SELECT a FROM t WHERE a IN (SELECT value FROM each_int($1)) ORDER BY a';
      assert.deepEqual(await driver.all(numbers, [[1, 0, 7]]), [[0], [1]]);
      assert.deepEqual(await driver.all(numbers, [[]]), []);
    });

    withDriver('rolls back what fails, with the error of the step that failed', async (driver) => {
      await makeTable(driver, 100);
      const isMissing = (error: unknown) => driver.isMissingTable(error);
      await assert.rejects(driver.all('SELECT a FROM nowhere'), isMissing);
      await assert.rejects(async () => {
        for await (const _ of driver.pages('SELECT a FROM nowhere', [], 10));
      }, isMissing);
      await assert.rejects(
        driver.write(null, (tx) => tx.insert('t', ['a', 'b'], [[1, 'twice']])),
        /unique constraint/i,
      );
      const mine = new RangeError('mine');
      const isMine = (error: unknown) => error === mine;
      const deleting = driver.write('catalogue', async (tx) => {
        await tx.run('DELETE FROM t');
        throw mine;
      });
      await assert.rejects(deleting, isMine);
      const failing = function* () {
        for (let i = 0; i < 1_500; i++) yield [i - 5_000, 'x'];
        throw mine;
      };
      await assert.rejects(
        driver.write(null, (tx) => tx.insert('t', ['a', 'b'], failing())),
        isMine,
      );
      assert.deepEqual(await driver.all('SELECT count(*) FROM t'), [[100]]);
      await driver.close();
      await assert.rejects(driver.all('SELECT 1'), /it is closed/);
      await assert.rejects(
        driver.write(null, (tx) => tx.run('SELECT 1')),
        StoreUnavailable,
      );
    });

    withDriver('lets transactions with the same lock follow each other', async (driver, address) => {
      const other = await DRIVERS[name]!.open(address);
      await makeTable(driver, 1);
      // Each reads what it writes next: one that did not wait would lose the other's change.
      const add = (on: SqlDriver) =>
        on.write('packs', async (tx) => {
          const [row] = await tx.all('SELECT a FROM t');
          await tx.run('UPDATE t SET a = $1', [(row![0] as number) + 1]);
        });
      await Promise.all(Array.from({ length: 20 }, (_, i) => add(i % 2 === 0 ? driver : other)));
      assert.deepEqual(await driver.all('SELECT a FROM t'), [[20]]);
      await other.close();
    });

    test('a killed publisher leaves the catalogue as before or as after', async () => {
      await using fixture = await create();
      const { address } = fixture;
      await killRounds(program('publish-forever.ts'), [address, name], 5, async (lines, round) => {
        const catalogue = new SqlCatalogueStore(await DRIVERS[name]!.open(address));
        const live = await allPackages(catalogue);
        assert.ok(live.length <= 1);
        const [latest] = live;
        const acknowledged = lines.slice(1).at(-1);
        if (acknowledged !== undefined) {
          const n = Number(acknowledged.split('-')[1]);
          assert.ok([acknowledged, `${round}-${n + 1}`].includes(latest!.id));
        }
        if (latest !== undefined) {
          assert.equal((await catalogue.gmlFiles({})).length, 2_000);
          assert.equal((await catalogue.places(['見本町'])).length, 1);
        }
        await catalogue.close();
      });
    });

    test('many processes migrate at once', async () => {
      await using fixture = await create();
      const outputs = await Promise.all(
        Array.from({ length: MIGRATING }, () =>
          runProgram(program('migrate-once.ts'), [fixture.address, name]),
        ),
      );
      assert.deepEqual(new Set(outputs), new Set(['0\n']));
    });

    withDriver('refuses a database that is newer, or of another history', async (driver) => {
      const future = {
        version: MIGRATIONS.length + 1,
        name: 'future',
        statements: ['CREATE TABLE t (a INTEGER)'],
      };
      await migrate(driver, [...MIGRATIONS, future]);
      await assert.rejects(
        migrate(driver, MIGRATIONS),
        new RegExp(
          `schema version ${future.version}, but this program knows versions up to ${MIGRATIONS.length}`,
        ),
      );
      const changed = { ...future, statements: ['CREATE TABLE t (a TEXT)'] };
      await assert.rejects(
        migrate(driver, [...MIGRATIONS, changed]),
        new RegExp(`schema migration ${future.version} \\(future\\) with checksum`),
      );
      await migrate(driver, [...MIGRATIONS, future]);
    });

    withDriver(
      'a program goes on beside a newer one that only added to the schema',
      async (driver, address) => {
        const old = new SqlCatalogueStore(driver);
        await old.migrate();
        const additions = {
          version: MIGRATIONS.length + 1,
          name: 'additions',
          isAdditive: true,
          statements: [
            'CREATE TABLE more (package_no INTEGER NOT NULL)',
            "ALTER TABLE package ADD COLUMN note TEXT NOT NULL DEFAULT ''",
            'CREATE INDEX package_note ON package (note)',
          ],
        };
        await publish(old, packageOf('before'));
        const newer = await DRIVERS[name]!.open(address);
        await migrate(newer, [...MIGRATIONS, additions]);
        await publish(old, packageOf('after'));
        assert.equal((await allPackages(old)).length, 2);
        // One that is started again meets the newer schema too.
        await old.migrate();
        await migrate(newer, [...MIGRATIONS, additions]);
        assert.deepEqual(await newer.all('SELECT note FROM package'), [[''], ['']]);
        await newer.close();
      },
    );

    withDriver('wakes those who listen, where the database can tell', async (driver, address) => {
      const other = await DRIVERS[name]!.open(address);
      const heard = Promise.withResolvers<void>();
      const stop = driver.listen('packs', heard.resolve);
      await other.write(null, (tx) => tx.announce('packs'));
      if (name === 'PostgreSQL') await heard.promise;
      stop();
      await other.close();
    });
  });
}

async function makeTable(driver: SqlDriver, rows: number): Promise<void> {
  await driver.write(null, async (tx) => {
    await tx.run('CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)');
    const values = Array.from({ length: rows }, (_, i) => [i, `見本${i}`]);
    await tx.insert('t', ['a', 'b'], values);
  });
}
