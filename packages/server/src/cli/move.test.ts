import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { InvalidSettings } from '../base/settings.ts';
import { addList } from './list.ts';
import { addMove, MoveLine, withoutPassword } from './move.ts';
import { houseStore } from './testing/house-store.ts';
import { HOUSES, writeHouses } from './testing/houses.ts';
import { runCommand } from './testing/run-command.ts';

test('everything is moved to another database and another store, and the report names the settings', async (t) => {
  const store = await houseStore(t);
  await store.publish(await writeHouses(store.directory));
  const [database, objects] = [
    `sqlite:${join(store.directory, 'other.sqlite')}`,
    join(store.directory, 'objects'),
  ];
  const { code, out, err } = await store.run(
    addMove,
    'move',
    '--to-database',
    database,
    '--to-store',
    objects,
  );
  assert.deepEqual([code, err], [0, '']);
  assert.match(
    out,
    /^✓ version 1 of the catalogue is in the new place; 1 packages and 2 objects \(\d\.\d\d kB\) were/,
  );
  assert.match(out, new RegExp(`\n\n  DATABASE_URL=${database}\n  OBJECT_STORE=${objects}\n\n`));
  const moved = await runCommand(addList, ['list'], {
    ...store.env,
    DATABASE_URL: database,
    OBJECT_STORE: objects,
  });
  assert.match(moved.out, new RegExp(`\n${HOUSES} +live`));
  const again = await store.run(addMove, 'move', '--to-store', objects, '--json');
  assert.deepEqual([again.code, JSON.parse(again.out).objects], [0, 0]);
  assert.equal(again.out, `${JSON.stringify(JSON.parse(again.out), null, 2)}\n`);
  const rows = await store.run(
    addMove,
    'move',
    '--to-database',
    `sqlite:${join(store.directory, 'third.sqlite')}`,
  );
  assert.match(rows.out, /1 packages and 0 objects/);
  assert.doesNotMatch(rows.out, /OBJECT_STORE/);
});

test('a move needs a place, and one that somebody uses is refused', async (t) => {
  const store = await houseStore(t);
  await assert.rejects(store.run(addMove, 'move'), (error: Error) => {
    assert.ok(error instanceof InvalidSettings);
    return /move needs --to-database, --to-store, or both/.test(error.message);
  });
  await store.publish(await writeHouses(store.directory));
  const other = await houseStore(t);
  await other.publish(await writeHouses(other.directory, { count: 2 }));
  const used = `sqlite:${join(other.env.DATA_DIR!, 'catalogue.sqlite')}`;
  const refused = await store.run(addMove, 'move', '--to-database', used);
  assert.deepEqual([refused.code, refused.out], [1, '']);
  assert.match(refused.err, /^citymodel: [^\n]+\n$/);
});

test('passwords are not printed, wherever in the address they stand', () => {
  assert.equal(withoutPassword('postgres://me:secret@host/db'), 'postgres://me:***@host/db');
  assert.equal(
    withoutPassword('postgres://host/db?password=a&ssl=1'),
    'postgres://host/db?password=***&ssl=1',
  );
  assert.equal(withoutPassword('sqlite:/a/b'), 'sqlite:/a/b');
});

test('progress is a line that rewrites itself on a terminal, and a line now and then elsewhere', (t) => {
  let now = 1_000_000;
  t.mock.method(Date, 'now', () => now);
  const shown = (isTTY: boolean, work: (line: MoveLine) => void) => {
    let text = '';
    work(new MoveLine({ isTTY, write: (piece: string) => (text += piece) } as never));
    return text;
  };
  const terminal = shown(true, (line) => {
    line.update({ what: 'objects', done: 1, total: 2 });
    line.update({ what: 'packages', done: 2, total: 2 });
    line.clear();
  });
  assert.equal(
    terminal,
    '\r\x1b[Kobjects copied and read back: 1 of 2\r\x1b[Kpackages whose rows are copied: 2 of 2\r\x1b[K',
  );
  const quiet = shown(false, (line) => {
    for (const ms of [9_999, 1, 9_999, 1]) {
      now += ms;
      line.update({ what: 'comparing', done: ms, total: 9 });
    }
    line.clear();
  });
  assert.equal(quiet, 'tables that are the same in both databases: 1 of 9\n'.repeat(2));
});
