import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { MemoryStore } from '../testing/memory-store.ts';
import { chunks } from '../testing/object-store-conformance.ts';
import { readObject } from '../testing/whole-packages.ts';
import { type KeptObject, keyOfData } from './backup-format.ts';
import { restoreObjects } from './restore-objects.ts';

const put = (store: MemoryStore, key: string, text: string) => store.put(key, chunks(Buffer.from(text)));

/** A place that has these texts, and the objects that a backup would name. */
async function placeOf(texts: Record<string, string>): Promise<{ place: MemoryStore; wanted: KeptObject[] }> {
  const place = new MemoryStore();
  const wanted: KeptObject[] = [];
  for (const [key, text] of Object.entries(texts)) {
    const sha256 = hash('sha256', text);
    wanted.push({ key, size: text.length, sha256 } as KeptObject);
    await put(place, keyOfData(sha256), text);
  }
  return { place, wanted };
}

test('objects are put to where they were, unless they are there with the same bytes', async () => {
  const { place, wanted } = await placeOf({
    new: 'four',
    same: 'fives',
    shorter: 'sixsix',
    other: 'seven77',
  });
  const objects = new MemoryStore();
  await put(objects, 'same', 'fives');
  await put(objects, 'shorter', 'six');
  await put(objects, 'other', 'SEVEN77');
  await put(objects, 'beside', 'x');
  const steps: string[] = [];
  const onProgress = (done: number, total: number) => void steps.push(`${done} of ${total}`);
  const report = await restoreObjects(place, objects, wanted, { onProgress });
  assert.deepEqual(report, { copied: 3, copiedBytes: 4 + 6 + 7, same: 1, faults: [] });
  assert.deepEqual(steps, ['1 of 4', '2 of 4', '3 of 4', '4 of 4']);
  for (const [key, text] of [
    ['new', 'four'],
    ['same', 'fives'],
    ['shorter', 'sixsix'],
    ['other', 'seven77'],
    ['beside', 'x'],
  ] as const) {
    assert.equal(String(await readObject(objects, key)), text);
  }
  assert.deepEqual(await restoreObjects(place, objects, wanted), {
    ...{ copied: 0, copiedBytes: 0, same: 4, faults: [] },
  });
});

test('what the backup has not, or not right, is named, and the others come', async () => {
  const { place, wanted } = await placeOf({ a: 'one', b: 'two', c: 'three' });
  await place.delete(keyOfData(wanted[0]!.sha256));
  await put(place, keyOfData(wanted[1]!.sha256), 'TWO');
  const objects = new MemoryStore();
  const { copied, faults } = await restoreObjects(place, objects, wanted);
  assert.equal(copied, 1);
  assert.deepEqual(faults.map(({ key }) => key).sort(), ['a', 'b']);
  for (const { fault } of faults) assert.match(fault, /^the backup has not its bytes: ./);
  assert.deepEqual([await objects.head('a'), await objects.head('b')], [null, null]);
});

test('it ends with the reason of its signal, and with what the store throws', async () => {
  const { place, wanted } = await placeOf(Object.fromEntries(Array.from('abcdefghij', (key) => [key, key])));
  const objects = new MemoryStore();
  const signal = AbortSignal.abort(new Error('no more'));
  await assert.rejects(restoreObjects(place, objects, wanted, { signal }), /no more/);
  let asked = 0;
  objects.head = async () => {
    asked++;
    throw new Error('the store is down');
  };
  await assert.rejects(restoreObjects(place, objects, wanted), /the store is down/);
  assert.ok(asked < wanted.length, 'what has not begun does not begin any more');
});
