import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { DatabaseInUse } from '@citymodel/store';
import { addBackup, printFaults } from './backup.ts';
import { CountLine, runStoppable, Stopped } from './backup-place.ts';
import { addRemove } from './remove.ts';
import { addRestore } from './restore.ts';
import { houseStore } from './testing/house-store.ts';
import { HOUSES, writeHouses } from './testing/houses.ts';
import { catchOutput, runCommand } from './testing/run-command.ts';

const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;

test('a backup is made, listed, read again, and brought into an empty database', async (t) => {
  const store = await houseStore(t);
  await store.publish(await writeHouses(store.directory));
  const place = join(store.directory, 'backups');
  const first = await store.run(addBackup, 'backup', place);
  assert.equal(first.code, 0, first.err);
  const sizes = String.raw`2 objects \(\d\.\d\d kB\)`;
  assert.match(
    first.out,
    new RegExp(
      `^✓ ${TIME}: version 1 of the catalogue, 1 packages, ${sizes}; ` +
        String.raw`2 of them \(\d\.\d\d kB\) were copied\.\n$`,
    ),
  );
  const second = await store.run(addBackup, 'backup', place, '--keep-days', '1');
  assert.match(second.out, /; 0 of them \(0 B\) were copied\.\n$/);
  assert.doesNotMatch(second.out, /deleted/);
  const list = await store.run(addBackup, 'backup', place, '--list');
  assert.match(list.out, new RegExp(String.raw`^(?:${TIME}  version 1, 1 packages, \d\.\d\d kB\n){2}$`));
  const json = JSON.parse((await store.run(addBackup, 'backup', place, '--list', '--json')).out);
  assert.deepEqual(
    json.map(({ objectCount }: { objectCount: number }) => objectCount),
    [2, 2],
  );
  const verified = await store.run(addBackup, 'backup', place, '--verify');
  assert.equal(verified.code, 0);
  assert.match(verified.out, /^2 backups with \d+ objects \(\d\.\d\d kB\) compared, 0 faults\n$/);
  const elsewhere = { ...store.env, DATA_DIR: join(store.directory, 'elsewhere') };
  const restored = await runCommand(addRestore, ['restore', place], elsewhere);
  assert.equal(restored.code, 0, restored.err);
  const lines = restored.out.trimEnd().split('\n');
  assert.match(
    lines[0]!,
    new RegExp(
      `^✓ The state of ${TIME}, version 1 of the catalogue with 1 packages, is restored; ` +
        String.raw`2 objects \(\d\.\d\d kB\) were copied, 0 were there\.$`,
    ),
  );
  assert.equal(
    lines[1],
    '• The database has an identity of its own: it and the one that was backed up may both run.',
  );
  assert.equal(lines.at(-1), '  Run citymodel check, then start servers and workers.');
  const again = await runCommand(addRestore, ['restore', place], elsewhere);
  assert.equal(again.code, 1);
  assert.match(again.err, /^citymodel: .*\n$/);
});

test('a restore brings the newest state of a time, as JSON where that is asked for', async (t) => {
  const store = await houseStore(t);
  await store.publish(await writeHouses(store.directory));
  const place = join(store.directory, 'backups');
  await store.run(addBackup, 'backup', place);
  await store.run(addRemove, 'remove', HOUSES);
  await store.run(addBackup, 'backup', place, '--json');
  const listed = JSON.parse((await store.run(addBackup, 'backup', place, '--list', '--json')).out);
  const elsewhere = { DATA_DIR: join(store.directory, 'elsewhere') };
  const restore = (...words: string[]) => runCommand(addRestore, ['restore', place, ...words], elsewhere);
  for (const wrong of ['2026-11-24', '2026-11-24T09:00:00', 'today', '2026-99-24T09:00:00Z']) {
    assert.match((await restore('--to', wrong)).err, /It must be a time with its zone/, wrong);
  }
  const versions = listed.map(({ catalogueVersion }: { catalogueVersion: number }) => catalogueVersion);
  assert.deepEqual(versions.toSorted(), [1, 2]);
  const { cutAt } = listed[versions.indexOf(1)];
  const run = await restore('--to', cutAt, '--json');
  assert.equal(run.code, 0, run.err);
  const report = JSON.parse(run.out);
  assert.deepEqual([report.backup.cutAt, report.objects.copied], [cutAt, 2]);
  assert.equal(run.out, `${JSON.stringify(report, null, 2)}\n`);
});

test('objects that are missing are faults of the backup, of its check and of the restore', async (t) => {
  const store = await houseStore(t);
  await store.publish(await writeHouses(store.directory));
  const place = join(store.directory, 'backups');
  const [row] = await store.rows();
  await store.use(({ objects }) => objects.delete(row!.archiveKey!));
  const backup = await store.run(addBackup, 'backup', place);
  assert.equal(backup.code, 1);
  assert.match(backup.out, new RegExp(`\n✗ ${row!.archiveKey}: .+\n$`));
  const list = await store.run(addBackup, 'backup', place, '--list');
  assert.match(list.out, /, 1 objects missing\n$/);
  const elsewhere = { DATA_DIR: join(store.directory, 'elsewhere') };
  const restored = await runCommand(addRestore, ['restore', place], elsewhere);
  assert.deepEqual([restored.code, restored.err], [1, '']);
  assert.match(
    restored.out,
    /\n• 1 objects were missing or damaged when the backup was made:\n✗ archives\/.*\n {2}Run citymodel check/,
  );
});

test('only twenty faults are printed, and how many more there are', async () => {
  const faults = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ key: `k${i}`, fault: 'gone' }));
  const text = async (count: number) =>
    (await catchOutput({}, async () => printFaults(faults(count) as never))).out.trimEnd().split('\n');
  assert.deepEqual(await text(2), ['✗ k0: gone', '✗ k1: gone']);
  assert.equal((await text(20)).length, 20);
  const many = await text(23);
  assert.deepEqual([many.length, many[19], many[20]], [21, '✗ k19: gone', '✗ and 3 more']);
});

test('work that a signal stops ends with 130, a known fault with 1, and others are thrown', async () => {
  const run = (work: (signal: AbortSignal) => Promise<void>) => catchOutput({}, () => runStoppable(work));
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    const stopped = await run(async (signal) => {
      (process.listeners(name).at(-1) as () => void)();
      signal.throwIfAborted();
    });
    assert.deepEqual(stopped, {
      code: 130,
      out: '',
      err: 'citymodel: stopped; the same command goes on where it was\n',
    });
  }
  const known = await run(() => Promise.reject(new DatabaseInUse('it')));
  assert.equal(known.code, 1);
  assert.match(known.err, /^citymodel: .*it/);
  await assert.rejects(
    run(() => Promise.reject(new TypeError('a mistake'))),
    TypeError,
  );
  assert.ok(new Stopped() instanceof Error);
});

test('a count is a line that rewrites itself on a terminal, and a line now and then elsewhere', async (t) => {
  let now = 1_000_000;
  t.mock.method(Date, 'now', () => now);
  const { isTTY } = process.stderr;
  t.after(() => {
    process.stderr.isTTY = isTTY;
  });
  const shown = (terminal: boolean, work: (line: CountLine) => void) => {
    process.stderr.isTTY = terminal;
    return catchOutput({}, async () => work(new CountLine('objects')));
  };
  const terminal = await shown(true, (line) => {
    line.update(1, 2);
    line.update(2, 2);
    line.clear();
  });
  assert.equal(terminal.err, '\r\x1b[Kobjects: 1 of 2\r\x1b[Kobjects: 2 of 2\r\x1b[K');
  const quiet = await shown(false, (line) => {
    for (const ms of [9_999, 1, 9_999, 1]) {
      now += ms;
      line.update(ms, 2);
    }
    line.clear();
  });
  assert.equal(quiet.err, 'objects: 1 of 2\nobjects: 1 of 2\n');
});
