import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { MemoryStore } from '../testing/memory-store.ts';
import { chunks } from '../testing/object-store-conformance.ts';
import {
  type BackupDescription,
  backupIdOf,
  backupIds,
  dataIn,
  keyOfData,
  keyOfObjects,
  keyOfRows,
  writeDescription,
} from './backup-format.ts';
import { writeObjectList } from './object-list.ts';
import { deleteOldBackups, verifyBackups } from './tidy-backups.ts';

const directory = mkdtempSync(join(tmpdir(), 'tidy-backups-'));
after(() => rmSync(directory, { recursive: true }));
let lists = 0;

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

/** Makes a backup of a day, whose objects have these texts. */
async function backUp(place: MemoryStore, day: number, texts: readonly string[]): Promise<string> {
  const cutAt = new Date(Date.UTC(2026, 0, day));
  const id = backupIdOf(cutAt);
  const path = join(directory, `list${lists++}`);
  await writeObjectList(
    path,
    texts.map((text) => ({ key: `archives/${text}`, sha256: sha256(text), size: text.length, modified: 0 })),
  );
  const [list, rows] = [readFileSync(path), Buffer.from(`rows of ${id}`)];
  await place.put(keyOfObjects(id), chunks(list));
  await place.put(keyOfRows(id), chunks(rows));
  for (const text of texts) await place.put(keyOfData(sha256(text)), chunks(Buffer.from(text)));
  const facts = (bytes: Buffer) => ({ size: bytes.length, sha256: sha256(bytes) });
  const description = { format: 1, id, cutAt: cutAt.toISOString(), objects: facts(list), rows: facts(rows) };
  await writeDescription(place, description as unknown as BackupDescription);
  return id;
}

const dayOf = (day: number, ms = 0) => new Date(Date.UTC(2026, 0, day) + ms);
const textsIn = async (place: MemoryStore, texts: readonly string[]) => {
  const there = await dataIn(place);
  return texts.filter((text) => there.has(sha256(text)));
};

test('backups from before a time go, never the newest, and with them what no other one has', async () => {
  for (const [before, deleted, left] of [
    [dayOf(1), 0, [1, 2, 3]],
    [dayOf(1, 1), 1, [2, 3]],
    [dayOf(2), 1, [2, 3]],
    [dayOf(2, 1), 2, [3]],
    [dayOf(9), 2, [3]],
  ] as const) {
    const place = new MemoryStore();
    await backUp(place, 1, ['a', 'all']);
    await backUp(place, 2, ['b', 'bc', 'all']);
    await backUp(place, 3, ['c', 'bc', 'all']);
    await place.put(keyOfData(sha256('left')), chunks(Buffer.from('left')));
    await place.put('backups/20260104T000000000Z/rows.ndjson.gz', chunks(Buffer.from('unfinished')));
    const report = await deleteOldBackups(place, before, directory);
    // What a killed program left goes, too.
    assert.deepEqual(report, { backups: deleted, objects: deleted + 1 });
    assert.deepEqual(
      await backupIds(place),
      left.map((day) => backupIdOf(dayOf(day))),
    );
    const kept = ['a', 'b', 'c', 'bc', 'all'].filter((_, i) => i >= deleted);
    assert.deepEqual(await textsIn(place, ['a', 'b', 'c', 'bc', 'all', 'left']), kept);
    const files = [];
    for await (const { key } of place.list('backups/')) files.push(key);
    assert.equal(files.length, 3 * left.length);
  }
});

test('bytes of all backups are read once and compared', async () => {
  const place = new MemoryStore();
  const first = await backUp(place, 1, ['one', 'both']);
  const second = await backUp(place, 2, ['three', 'both']);
  const steps: Array<[number, number]> = [];
  const verify = () =>
    verifyBackups(place, { stagingDir: directory, onProgress: (...step) => void steps.push(step) });
  const rows = [first, second].map((id) => Buffer.byteLength(`rows of ${id}`));
  const bytes = rows[0]! + rows[1]! + 'onethreeboth'.length;
  assert.deepEqual(await verify(), { backups: 2, objects: 3, bytes, faults: [] });
  assert.deepEqual(
    steps,
    [0, 1, 2, 3, 4].map((i) => [i, 5]),
  );
  await place.delete(keyOfData(sha256('one')));
  await place.put(keyOfData(sha256('both')), chunks(Buffer.from('else')));
  await place.put(keyOfRows(second), chunks(Buffer.from('else')));
  assert.deepEqual(
    (await verify()).faults.sort((a, b) => (a.key < b.key ? -1 : 1)),
    [
      { key: keyOfRows(second), fault: `it has the SHA-256 ${sha256('else')}` },
      { key: keyOfData(sha256('both')), fault: `it has the SHA-256 ${sha256('else')}` },
      { key: keyOfData(sha256('one')), fault: 'it is missing' },
    ].sort((a, b) => (a.key < b.key ? -1 : 1)),
  );
});
