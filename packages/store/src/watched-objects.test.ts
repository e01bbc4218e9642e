import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObjectHandle, ObjectStore } from './object-store.ts';
import { watchedObjects } from './watched-objects.ts';

/** A store that keeps what it has in private fields. */
class Kept {
  readonly traits = { readCost: 'local' };
  readonly #keys = ['a'];
  keys(): string[] {
    return this.#keys;
  }
  async open(key: string): Promise<Partial<ObjectHandle>> {
    return { size: this.#keys.indexOf(key) + 7 };
  }
}

test('a watched store answers as the one that it watches, and its handles tell of damage', async () => {
  const damaged: unknown[] = [];
  const inner = new Kept();
  const store = watchedObjects(inner as unknown as ObjectStore, (key, range) => damaged.push([key, range]));
  assert.deepEqual((store as unknown as Kept).keys(), ['a']);
  assert.equal(store.traits, inner.traits);
  const handle = await store.open('a');
  assert.equal(handle.size, 7);
  await handle.damaged?.(3, 4);
  assert.deepEqual(damaged, [['a', { offset: 3, length: 4 }]]);
});
