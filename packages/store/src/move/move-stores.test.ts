import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { ObjectMissing } from '../object-store.ts';
import { allPackages } from '../testing/fixtures.ts';
import { chunks } from '../testing/object-store-conformance.ts';
import { movesAndCatchesUp, twoEnds } from '../testing/two-ends.ts';
import { assertSame, publishWhole } from '../testing/whole-packages.ts';
import { CopyDiffers } from './copy-object.ts';
import { TargetInUse } from './move-stores.ts';
import { JOB_TABLES, PACK_TABLES, PACKAGE_TABLES, UNMOVED_TABLES } from './moved-tables.ts';

test('moves packages in every state, packs and jobs, and catches up', async () => {
  await using ends = await twoEnds();
  await movesAndCatchesUp(ends);
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

test('puts rows right that differ although their packages look alike', async () => {
  await using ends = await twoEnds();
  const { from, to } = ends;
  for (const id of ['p', 'q', 'r']) await publishWhole(from, id);
  await ends.move();
  // Of one package a row is missing, of another one is different.
  for (const sql of [
    'DELETE FROM gml_file WHERE package_no = 1',
    "UPDATE issue SET message = 'other' WHERE package_no = 2",
  ]) {
    await to.database.write('catalogue', (tx) => tx.run(sql));
    let looks = 0;
    const stopping = new AbortController();
    const onProgress = () => {
      if (++looks > 100) stopping.abort(new Error('the move goes on for ever'));
    };
    const { rounds } = await ends.move(from, { signal: stopping.signal, onProgress });
    assert.equal(rounds, 2);
    await assertSame(from, to);
  }
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
