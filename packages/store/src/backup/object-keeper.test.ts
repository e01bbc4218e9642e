import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { MemoryStore } from '../testing/memory-store.ts';
import { chunks } from '../testing/object-store-conformance.ts';
import { keyOfData } from './backup-format.ts';
import { ObjectKeeper } from './object-keeper.ts';
import type { WantedObject } from './wanted-objects.ts';

/** A store that counts what is put into it. */
class CountedStore extends MemoryStore {
  puts = 0;

  override put(...args: Parameters<MemoryStore['put']>): ReturnType<MemoryStore['put']> {
    this.puts++;
    return super.put(...args);
  }
}

test('bytes that several objects have are copied once, also when all are wanted at the same moment', async () => {
  const [objects, place] = [new MemoryStore(), new CountedStore()];
  const bytes = Buffer.from('the same archive');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const keys = ['archives/a.zip', 'archives/b.zip', 'archives/c.zip'];
  for (const key of keys) await objects.put(key, chunks(bytes));
  const keeper = new ObjectKeeper({ objects, place, there: new Map(), before: new Map() });
  const keep = (key: string) => keeper.keep({ key, sha256 } as WantedObject, undefined);
  const kept = await Promise.all(keys.slice(0, 2).map(keep));
  kept.push(await keep(keys[2]!));
  assert.deepEqual(
    kept,
    keys.map((key, n) => ({ object: { key, size: bytes.length, sha256, modified: 0 }, copied: n === 0 })),
  );
  assert.equal(place.puts, 1);
  assert.equal((await place.head(keyOfData(sha256)))?.size, bytes.length);
});

test('an object without a published sum is read unless its size and time are those of the backup before', async () => {
  const key = 'layouts/a.bin';
  const objects = new MemoryStore();
  await objects.put(key, chunks(Buffer.from('new bytes')));
  const info = (await objects.head(key))!;
  const sum = (text: string) => createHash('sha256').update(text).digest('hex');
  const wanted = { key, sha256: null } as unknown as WantedObject;
  const kept = async (before: object | null, listed: typeof info | undefined = info) => {
    const same = { key, size: info.size, sha256: sum('other bytes'), modified: info.modified.getTime() };
    const keeper = new ObjectKeeper({
      ...{ objects, place: new MemoryStore(), there: new Map([[sum('other bytes'), info.size]]) },
      before: new Map(before === null ? [] : [[key, { ...same, ...before }]]),
    });
    const found = await keeper.keep(wanted, listed);
    return 'object' in found ? found.object.sha256 : found.fault;
  };
  const read = sum('new bytes');
  assert.equal(await kept(null), read);
  assert.equal(await kept({ size: info.size + 1 }), read);
  assert.equal(await kept({ modified: info.modified.getTime() + 1 }), read);
  assert.equal(await kept({ size: info.size + 1, modified: 0 }), read);
  assert.equal(await kept({}), sum('other bytes'));
  // Unlisted, nothing is known of it.
  const unlisted = new ObjectKeeper({
    ...{ objects, place: new MemoryStore(), there: new Map() },
    before: new Map([[key, { key, size: info.size, sha256: sum('other bytes'), modified: 0 }]]),
  });
  const { object } = (await unlisted.keep(wanted, undefined)) as Extract<
    Awaited<ReturnType<typeof unlisted.keep>>,
    { object: unknown }
  >;
  assert.equal(object.sha256, read);
});

test('an object that is gone, and one with other bytes than were published, is told as such', async () => {
  const objects = new MemoryStore();
  await objects.put('archives/a.zip', chunks(Buffer.from('other bytes')));
  const keeper = new ObjectKeeper({ objects, place: new MemoryStore(), there: new Map(), before: new Map() });
  const sha256 = createHash('sha256').update('published').digest('hex');
  const keep = async (key: string) => {
    const kept = await keeper.keep({ key, sha256 } as WantedObject, undefined);
    return 'fault' in kept ? kept : assert.fail('it is kept');
  };
  assert.deepEqual(await keep('archives/b.zip'), { fault: 'it is not in the object store', isGone: true });
  assert.equal((await keep('archives/a.zip')).isGone, false);
  const broken = new MemoryStore();
  broken.open = async () => {
    throw new RangeError('out of order');
  };
  const faulty = new ObjectKeeper({
    ...{ objects: broken, place: new MemoryStore(), there: new Map(), before: new Map() },
  });
  await assert.rejects(faulty.keep({ key: 'archives/a.zip', sha256 } as WantedObject, undefined), RangeError);
});

test('bytes that the backup has already are looked at, unless the one before compared them', async () => {
  const [objects, place] = [new MemoryStore(), new CountedStore()];
  const bytes = Buffer.from('an archive');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const key = 'archives/a.zip';
  await objects.put(key, chunks(bytes));
  const copied = async (there: string | null, known: number | null) => {
    if (there !== null) await place.put(keyOfData(sha256), chunks(Buffer.from(there)));
    const keeper = new ObjectKeeper({
      ...{ objects, place, there: new Map(there === null ? [] : [[sha256, bytes.length]]) },
      before: new Map(known === null ? [] : [['archives/b.zip', { key, size: known, sha256, modified: 0 }]]),
    });
    const kept = await keeper.keep({ key, sha256 } as WantedObject, undefined);
    return 'copied' in kept && kept.copied;
  };
  assert.equal(await copied(null, null), true);
  assert.equal(await copied('an archive', null), false);
  assert.equal(await copied('half of it', null), true);
  // Compared when the backup before was made; of another size it is looked at again.
  assert.equal(await copied('half of it', bytes.length), false);
  assert.equal(await copied('half of it', bytes.length + 1), true);
});
