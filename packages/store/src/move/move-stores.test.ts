import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ObjectMissing } from '../object-store.ts';
import { openStores } from '../open-stores.ts';
import { allPackages } from '../testing/fixtures.ts';
import { chunks } from '../testing/object-store-conformance.ts';
import { freshDatabase } from '../testing/postgres.ts';
import { assertSame, givePicture, giveTable, publishWhole, readObject } from '../testing/whole-packages.ts';
import { CopyDiffers } from './copy-object.ts';
import { MoveJournal } from './move-journal.ts';
import { type MoveEnd, moveStores, TargetInUse } from './move-stores.ts';
import { JOB_TABLES, PACK_TABLES, PACKAGE_TABLES, UNMOVED_TABLES } from './moved-tables.ts';

const MOVES = { database: true, objects: true };

/** Two pairs of stores, the second in PostgreSQL, and a journal. */
async function twoEnds() {
  const directory = await mkdtemp(join(tmpdir(), 'move-stores-'));
  const database = await freshDatabase();
  const from = await openStores({ dataDir: join(directory, 'from'), databaseUrl: '', objectStore: '' });
  const to = await openStores({ dataDir: join(directory, 'to'), databaseUrl: database.url, objectStore: '' });
  const path = join(directory, 'journal');
  return {
    from,
    to,
    path,
    directory,
    /** Runs a move with a journal that is opened for it, as a run of the program does. */
    async move(source: MoveEnd = from, options: Partial<Parameters<typeof moveStores>[2]> = {}) {
      const journal = await MoveJournal.open(path);
      try {
        return await moveStores(source, to, { journal, moves: MOVES, ...options });
      } finally {
        await journal.close();
      }
    },
    async [Symbol.asyncDispose]() {
      await from.close();
      await to.close();
      await database[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

test('moves packages in every state, packs and jobs, and catches up', async () => {
  await using ends = await twoEnds();
  const { from, to } = ends;
  for (let i = 0; i < 5; i++) await publishWhole(from, `p${i}`);
  const replaced = await publishWhole(from, 'p0 again', 'p0');
  await giveTable(from, replaced);
  await givePicture(from, replaced);
  await from.catalogue.setState(2, 'removed');
  const [first] = await allPackages(from.catalogue);
  const source = {
    packageId: first!.id,
    directory: first!.name,
    archiveKey: first!.archiveKey,
    indexKey: first!.indexKey,
    archiveSha256: first!.archiveSha256,
    files: ['a'],
    metadata: [],
  };
  await from.packs.accept({ id: 'a'.repeat(64), sources: [source] }, { now: 1, expiresAt: 2 });
  const job = { kind: 'k', label: 'l', payload: { a: 1 }, maxAttempts: 1, exclusive: null, unique: null };
  await from.objects.put('incoming/x', chunks(Buffer.from('an upload')));
  await from.jobs.enqueue([{ ...job, objectKey: 'incoming/x' }], 5);

  const report = await ends.move();
  assert.deepEqual(
    { ...report, bytes: 0 },
    { rounds: 2, packages: 6, objects: 15, bytes: 0, version: await from.catalogue.version() },
  );
  await assertSame(from, to);
  assert.deepEqual(await to.packs.find(['a'.repeat(64)], 1), await from.packs.find(['a'.repeat(64)], 1));
  const page = { limit: 9, offset: 0 };
  assert.deepEqual(await to.jobs.list({}, page), await from.jobs.list({}, page));
  assert.equal(String(await readObject(to.objects, 'incoming/x')), 'an upload');

  await publishWhole(from, 'p9');
  await publishWhole(from, 'p1 again', 'p1');
  await from.catalogue.forget(1);
  const again = await ends.move();
  assert.equal(again.objects, 4);
  await assertSame(from, to);
  assert.equal((await ends.move()).rounds, 1);

  // The new place goes on where the old one was.
  const next = await publishWhole(to, 'next');
  assert.equal(next.no, 9);
  assert.equal(await to.catalogue.version(), (await from.catalogue.version()) + 1);
  await assert.rejects(ends.move(), TargetInUse);
});

test('goes on after an interruption at any object, with what is published meanwhile', async () => {
  await using ends = await twoEnds();
  const { from, to } = ends;
  for (let i = 0; i < 6; i++) await publishWhole(from, `p${i}`);
  for (let n = 1; ; n++) {
    const stopping = new AbortController();
    let copied = 0;
    const onProgress = ({ what }: { what: string }) => {
      if (what === 'objects' && ++copied === 3) stopping.abort(new Error('stopped'));
    };
    const ended = await ends.move(from, { signal: stopping.signal, onProgress }).then(
      () => true,
      (error) => {
        assert.equal(error.message, 'stopped');
        return false;
      },
    );
    if (ended) break;
    if (n === 2) await publishWhole(from, 'late');
    assert.ok(n < 10);
  }
  await assertSame(from, to);
});

test('reads again what was copied but not compared, and puts damaged copies right', async () => {
  await using ends = await twoEnds();
  const { from, to } = ends;
  const row = await publishWhole(from, 'p');
  await to.objects.put(row.archiveKey, chunks(Buffer.from(`archive of x`.repeat(1_000))));
  // Its last line was being written.
  await writeFile(ends.path, `aa 10 ${row.indexKey}\naa 12000 ${row.archiveKey}`);
  await ends.move();
  await assertSame(from, to);
  assert.match(await readFile(ends.path, 'utf8'), /^[0-9a-f]{64} 12000 archives\/p\.zip$/m);
});

test('refuses a damaged archive, and one that is missing', async () => {
  await using ends = await twoEnds();
  const { from } = ends;
  const row = await publishWhole(from, 'p');
  await from.objects.put(row.archiveKey, chunks(Buffer.from('damaged')));
  await assert.rejects(ends.move(), CopyDiffers);
  assert.equal(await ends.to.objects.head(row.archiveKey), null);
  await from.objects.delete(row.archiveKey);
  await assert.rejects(ends.move(), ObjectMissing);
});

test('refuses a database that others have published into', async () => {
  await using ends = await twoEnds();
  await publishWhole(ends.from, 'mine');
  await publishWhole(ends.to, 'theirs');
  await assert.rejects(ends.move(), TargetInUse);
  assert.equal((await allPackages(ends.to.catalogue))[0]!.id, 'theirs');
});

test('every table and column of the schema moves, or is known to stay', async () => {
  await using ends = await twoEnds();
  const rows = await ends.from.database.all(
    "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY 1, 2",
  );
  const moved = [...PACKAGE_TABLES, ...PACK_TABLES, ...JOB_TABLES].flatMap(({ name, columns }) =>
    columns.map((column) => [name, column]),
  );
  const kept = rows.filter(([table]) => !UNMOVED_TABLES.includes(table as string));
  assert.deepEqual(moved.sort(), kept.map((row) => [...row]).sort());
});
