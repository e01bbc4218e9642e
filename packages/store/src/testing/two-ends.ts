/** Two pairs of stores in a temporary directory, and moves from the first to the second. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MoveJournal } from '../move/move-journal.ts';
import { type MoveEnd, moveStores, TargetInUse } from '../move/move-stores.ts';
import { openStores } from '../open-stores.ts';
import { allPackages } from './fixtures.ts';
import { chunks } from './object-store-conformance.ts';
import { assertSame, givePicture, giveTable, publishWhole, readObject } from './whole-packages.ts';

const MOVES = { database: true, objects: true };

/** Two pairs of stores, and a journal. `databaseUrl`: of the second, in SQLite where it is left out. */
export async function twoEnds(databaseUrl = '') {
  const directory = await mkdtemp(join(tmpdir(), 'move-stores-'));
  const from = await openStores({ dataDir: join(directory, 'from'), databaseUrl: '', objectStore: '' });
  const to = await openStores({ dataDir: join(directory, 'to'), databaseUrl, objectStore: '' });
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
      await rm(directory, { recursive: true });
    },
  };
}

/** Fails unless a move copies everything, and later ones what has changed. */
export async function movesAndCatchesUp(ends: Awaited<ReturnType<typeof twoEnds>>): Promise<void> {
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
}
