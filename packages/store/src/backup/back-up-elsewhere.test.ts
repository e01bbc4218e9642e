import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { claimObjects, ownerOf } from '../store-owner.ts';
import { sweepNow, workplace } from '../testing/backup-workplace.ts';
import { FakeS3 } from '../testing/fake-s3.ts';
import { killRounds } from '../testing/kill-rounds.ts';
import { chunks } from '../testing/object-store-conformance.ts';
import { freshDatabase } from '../testing/postgres.ts';
import { assertSame, givePicture, giveTable, publishWhole, readObject } from '../testing/whole-packages.ts';
import { backUp } from './back-up.ts';
import { backupIds } from './backup-format.ts';
import { restore } from './restore.ts';
import { verifyBackups } from './tidy-backups.ts';

process.env.AWS_ACCESS_KEY_ID = 'test';
process.env.AWS_SECRET_ACCESS_KEY = 'testtest';

test('backs up SQLite and a directory, and restores into PostgreSQL and a bucket, and back', async () => {
  await using work = await workplace();
  await using database = await freshDatabase();
  await using s3 = await FakeS3.start();
  const { options } = work;
  const from = await work.open('from');
  for (let i = 0; i < 4; i++) await publishWhole(from, `p${i}`);
  const replaced = await publishWhole(from, 'p0 again', 'p0');
  await giveTable(from, replaced);
  await givePicture(from, replaced);
  await from.catalogue.setState(2, 'removed');
  const job = { kind: 'k', label: 'l', payload: { a: 1 }, maxAttempts: 1, exclusive: null, unique: null };
  await from.objects.put('incoming/x', chunks(Buffer.from('an upload')));
  await from.objects.put('archives/nobodys', chunks(Buffer.from('orphan')));
  await from.jobs.enqueue([{ ...job, objectKey: 'incoming/x' }], 5);
  const place = await work.place();

  const first = await backUp(from, place, options);
  assert.deepEqual([first.copied, first.backup.objectCount, first.backup.unreferred], [13, 13, 1]);
  assert.deepEqual([first.backup.faults, first.backup.ended], [[], []]);
  await publishWhole(from, 'p9');
  // Only what is new is copied; the same bytes lie there once.
  const second = await backUp(from, place, options);
  assert.deepEqual([second.copied, second.backup.objectCount], [2, 15]);
  assert.deepEqual((await verifyBackups(place, options)).faults, []);
  assert.deepEqual(await readdir(options.stagingDir), []);
  assert.deepEqual(await from.catalogue.intents(), []);

  const to = await work.open('to', database.url, s3.address());
  const report = await restore(place, to, options);
  assert.deepEqual([report.objects.copied, report.objects.same, report.leftOut], [15, 0, 0]);
  await assertSame(from, to);
  const page = { limit: 9, offset: 0 };
  assert.deepEqual(await to.jobs.list({}, page), await from.jobs.list({}, page));
  assert.equal(String(await readObject(to.objects, 'incoming/x')), 'an upload');

  // The restored stores are others: neither may delete objects of the other one.
  assert.notEqual(await to.catalogue.identity(), await from.catalogue.identity());
  assert.equal(await ownerOf(to.objects), await to.catalogue.identity());
  await claimObjects(to);
  const next = await publishWhole(to, 'next');
  assert.equal(next.no, 7);

  await using elsewhere = await FakeS3.start();
  const back = await work.place(elsewhere.address());
  await backUp(to, back, options);
  const again = await work.open('again');
  await restore(back, again, options);
  await assertSame(to, again);
});

test('killed at any moment, it leaves the earlier backups whole, and nothing that stays', async () => {
  await using work = await workplace();
  const { options } = work;
  const dataDir = join(work.directory, 'from');
  const target = join(work.directory, 'place');
  const place = await work.place(target);
  const program = join(import.meta.dirname, '../testing/back-up-forever.ts');
  const messages: string[] = [];
  await killRounds(program, [dataDir, target], 4, async (lines) => {
    messages.push(...lines.slice(1));
    const { faults, backups } = await verifyBackups(place, options);
    assert.deepEqual(faults, []);
    assert.ok(backups >= messages.length);
  });
  const ids = await backupIds(place);
  assert.deepEqual(
    messages.filter((id) => !ids.includes(id)),
    [],
  );
  const from = await work.open('from');
  await publishWhole(from, 'last');
  await backUp(from, place, { ...options, deleteBefore: new Date(Date.now() + 1_000) });
  const to = await work.open('to');
  await restore(place, to, options);
  await assertSame(from, to);
  // The old ones are gone, and what killed programs left.
  const keys = [];
  for await (const { key } of place.list('')) keys.push(key);
  const { backups, objects } = await verifyBackups(place, options);
  assert.equal(backups, 1);
  assert.equal(keys.length, 1 + 3 + objects);
  await sweepNow(from);
  assert.deepEqual(await from.catalogue.intents(), []);
});
