import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { claimObjects, ForeignObjects, OWNER_KEY } from '../store-owner.ts';
import { sweepNow, workplace } from '../testing/backup-workplace.ts';
import { chunks } from '../testing/object-store-conformance.ts';
import { archiveOf, assertSame, publishWhole, readObject } from '../testing/whole-packages.ts';
import { backUp } from './back-up.ts';
import { backupIds, ForeignBackups, keyOfData, keyOfRows, readDescription } from './backup-format.ts';
import { findBackup, restore } from './restore.ts';
import { DatabaseInUse } from './restore-rows.ts';
import { BackupRunning, SweepHold } from './sweep-hold.ts';
import { verifyBackups } from './tidy-backups.ts';

test('restores an earlier state, over the objects of the old database too', async () => {
  await using work = await workplace();
  const { options } = work;
  const from = await work.open('from');
  const place = await work.place();
  await claimObjects(from);
  await publishWhole(from, 'p1');
  const { backup } = await backUp(from, place, options);
  const cut = new Date(backup.cutAt);
  const old = await work.open('old');
  await restore(place, old, options);

  await publishWhole(from, 'p1 again', 'p1');
  await sweepNow(from);
  assert.equal(await from.objects.head('archives/p1.zip'), null);
  await backUp(from, place, options);

  assert.equal((await findBackup(place, cut)).id, backup.id);
  await assert.rejects(findBackup(place, new Date(cut.getTime() - 1)), /the first one is of/);
  await assert.rejects(restore(place, from, options), DatabaseInUse);
  const store = join(work.directory, 'from/store');
  const restored = await work.open('restored', '', store);
  const report = await restore(place, restored, { ...options, to: cut });
  assert.equal(report.identity, backup.database);
  assert.equal(report.objects.copied, 2);
  await assertSame(old, restored);
  await claimObjects(restored);
  // It has the number of a state that servers may have shown, and is another one.
  assert.equal(await restored.catalogue.version(), backup.catalogueVersion);
  assert.notEqual((await restored.catalogue.state()).identity, (await old.catalogue.state()).identity);

  const foreign = await work.open('foreign');
  await publishWhole(foreign, 'theirs');
  await claimObjects(foreign);
  const third = await work.open('third', '', join(work.directory, 'foreign/store'));
  await assert.rejects(restore(place, third, options), ForeignObjects);
  await foreign.objects.delete(OWNER_KEY);
  await assert.rejects(restore(place, third, options), ForeignObjects);
  await restore(place, third, { ...options, adopt: true });
  await assert.rejects(claimObjects(foreign), ForeignObjects);
});

test('has one state, whose objects stay while others publish, remove and sweep', async () => {
  await using work = await workplace();
  const { options } = work;
  const from = await work.open('from');
  for (let i = 0; i < 6; i++) await publishWhole(from, `p${i}`);
  const snapshot = from.database.snapshot.bind(from.database);
  from.database.snapshot = async (read) => {
    // Once the objects of the others are held.
    if ((await from.catalogue.version()) === 6) await publishWhole(from, 'p6');
    return snapshot(read);
  };
  const place = await work.place();
  let puts = 0;
  const put = place.put.bind(place);
  place.put = async (...args) => {
    if (puts++ === 2) {
      // Once some of the objects are copied.
      for (let i = 0; i < 7; i++) await publishWhole(from, `p${i} again`, `p${i}`);
      const swept = await sweepNow(from);
      assert.deepEqual([swept.packages, swept.objects], [7, 0]);
    }
    return put(...args);
  };
  const { backup } = await backUp(from, place, options);
  assert.deepEqual([backup.faults, backup.tables.package!.rows, backup.catalogueVersion], [[], 7, 7]);
  assert.equal((await sweepNow(from)).objects, 14);
  const to = await work.open('to');
  await restore(place, to, options);
  for (let i = 0; i < 7; i++) {
    assert.deepEqual(await readObject(to.objects, `archives/p${i}.zip`), archiveOf(`p${i}`));
  }
});

test('names what is missing or damaged, in the stores and in the place', async () => {
  await using work = await workplace();
  const { options } = work;
  const from = await work.open('from');
  for (const id of ['p0', 'p1', 'p2']) await publishWhole(from, id);
  await from.objects.put('archives/p0.zip', chunks(Buffer.from('damaged')));
  await from.objects.delete('archives/p1.index');
  const place = await work.place();
  const { backup } = await backUp(from, place, options);
  assert.deepEqual(backup.faults.map(({ key }) => key).sort(), ['archives/p0.zip', 'archives/p1.index']);
  assert.equal(backup.objectCount, 4);

  await from.objects.put('archives/p0.zip', chunks(archiveOf('p0')));
  await publishWhole(from, 'p1 again', 'p1');
  await sweepNow(from);
  const { backup: whole } = await backUp(from, place, options);
  assert.deepEqual(whole.faults, []);
  // One that was right is damaged in the store now: the backup has the right bytes already.
  await from.objects.put('archives/p2.zip', chunks(Buffer.from('damaged')));
  assert.deepEqual((await backUp(from, place, options)).backup.faults, []);

  const [row] = await from.catalogue.findPackages({ id: 'p2' });
  const key = keyOfData(row!.archiveSha256);
  await place.put(key, chunks(Buffer.from('flipped')));
  assert.deepEqual(
    (await verifyBackups(place, options)).faults.map((fault) => fault.key),
    [key],
  );
  const to = await work.open('to');
  await assert.rejects(restore(place, to, options), /1 objects cannot be restored, such as archives\/p2.zip/);
  assert.equal(await to.catalogue.version(), 0);
  const { objects } = await restore(place, to, { ...options, partial: true });
  assert.deepEqual(
    objects.faults.map((fault) => fault.key),
    ['archives/p2.zip'],
  );
  assert.equal((await to.catalogue.findPackages({ id: 'p2' })).length, 1);

  const id = (await backupIds(place)).at(-1)!;
  await place.put(keyOfRows(id), chunks(Buffer.from('flipped')));
  const other = await work.open('other');
  await assert.rejects(restore(place, other, { ...options, partial: true }), /is not what was written/);
  await place.put(`backups/${id}/backup.json`, chunks(Buffer.from('{"backup": {}}')));
  await assert.rejects(readDescription(place, id), /is not what was written/);
});

test('keeps to places of its own, one run at a time', async () => {
  await using work = await workplace();
  const { options } = work;
  const from = await work.open('from');
  await publishWhole(from, 'p');
  const place = await work.place();
  await using hold = await SweepHold.begin(from.catalogue, options.stagingDir);
  await assert.rejects(backUp(from, place, options), BackupRunning);
  await hold[Symbol.asyncDispose]();
  const { backup, copied, copiedBytes, deleted } = await backUp(from, place, options);
  assert.deepEqual([copied, copiedBytes], [backup.objectCount, backup.objectBytes]);
  assert.deepEqual(deleted, { backups: 0, objects: 0 });
  const progress: Array<[done: number, total: number]> = [];
  const onProgress = (done: number, total: number) => void progress.push([done, total]);
  assert.deepEqual(await verifyBackups(place, { ...options, onProgress }), {
    backups: 1,
    objects: 2,
    bytes: backup.rows.size + backup.objectBytes,
    faults: [],
  });
  assert.deepEqual(
    progress,
    [0, 1, 2].map((done) => [done, 3]),
  );
  const other = await work.open('other');
  await publishWhole(other, 'p');
  await assert.rejects(backUp(other, place, options), ForeignBackups);
  await assert.rejects(backUp(from, from.objects, options), ForeignBackups);
  await assert.rejects(restore(from.objects, other, options), /there are no backups/);
});

test('leaves out packs and jobs whose objects ended meanwhile, and names them', async () => {
  await using work = await workplace();
  const { options } = work;
  const from = await work.open('from');
  const pkg = await publishWhole(from, 'p');
  const job = { kind: 'k', label: 'l', payload: {}, maxAttempts: 1, exclusive: null, unique: null };
  await from.objects.put('incoming/kept', chunks(Buffer.from('an upload')));
  await from.jobs.enqueue([{ ...job, objectKey: 'incoming/kept' }], 5);
  await from.jobs.enqueue([{ ...job, objectKey: 'incoming/gone' }], 5);
  const source = { ...pkg, packageId: pkg.id, directory: pkg.name, files: ['a'], metadata: [] };
  await from.packs.accept({ id: 'a'.repeat(64), sources: [source] }, { now: 1, expiresAt: 2 });
  await from.database.write('packs', (tx) => tx.run("UPDATE pack SET object_key = 'packs/gone'"));
  const place = await work.place();
  const { backup } = await backUp(from, place, options);
  assert.deepEqual([backup.faults, backup.ended.sort()], [[], ['incoming/gone', 'packs/gone']]);
  const to = await work.open('to');
  const { leftOut } = await restore(place, to, options);
  // With what belongs to the pack, and not its job, which has no object.
  assert.equal(leftOut, 3);
  assert.deepEqual(await to.packs.find(['a'.repeat(64)], 1), []);
  const left = await to.jobs.list({}, { limit: 9, offset: 0 });
  assert.ok(!left.some(({ objectKey }) => objectKey === 'incoming/gone'));
});
