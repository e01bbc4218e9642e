import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ObjectStore } from '@citymodel/store';
import { beginPack } from '@citymodel/store/testing';
import { packKey } from './make-pack.ts';
import { packId, packPrefix } from './pack-id.ts';
import { deleteRuns, FORGET_AFTER_MS, keepWithin, ORPHAN_MS, sweepPacks } from './pack-retention.ts';
import { makePack } from './testing/make-pack.ts';
import { acceptPacks, findPack, type PackFixture, packFixture } from './testing/pack-fixture.ts';

const RETENTION = 1_000_000;

async function keys(objects: ObjectStore): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of objects.list('packs/')) found.push(key);
  return found;
}

/** Makes the next packs, as a worker does. */
async function make(fixture: PackFixture, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const now = Date.now();
    const { run } = await beginPack(fixture, now);
    const result = await makePack(run, {
      ...fixture,
      materialise: false,
      maxBytes: 1e9,
      signal: new AbortController().signal,
      onProgress() {},
    });
    await fixture.packs.succeed(run, { ...result, now, expiresAt: now + RETENTION });
  }
}

describe('packs in all', () => {
  test('forgets packs an hour after they expired', async () => {
    await using fixture = await packFixture();
    const [id] = await acceptPacks(fixture, ['a']);
    await make(fixture, 1);
    const { expiresAt } = await findPack(fixture, id!);
    assert.equal(FORGET_AFTER_MS, 3_600_000);
    assert.deepEqual(await fixture.packs.find([id!], expiresAt!), [], 'it answers no more');
    assert.equal(await sweepPacks(fixture, expiresAt! + FORGET_AFTER_MS), 0);
    assert.equal((await keys(fixture.objects)).length, 1);
    assert.equal(await fixture.packs.refersTo('archives/p1.zip'), true);
    assert.equal(await sweepPacks(fixture, expiresAt! + FORGET_AFTER_MS + 1), 1);
    assert.deepEqual(await keys(fixture.objects), []);
    assert.equal(await fixture.packs.refersTo('archives/p1.zip'), false);
    assert.equal(await sweepPacks(fixture, expiresAt! + FORGET_AFTER_MS + 1), 0);
  });

  test('stay within their quota: the one that was asked for longest ago leaves first, those in work stay', async () => {
    await using fixture = await packFixture();
    const ids = await acceptPacks(fixture, ['a', 'b', 'c']);
    await make(fixture, 3);
    const now = Date.now();
    const order = (await fixture.packs.expired(Number.MAX_SAFE_INTEGER)).map(({ id }) => id);
    assert.deepEqual([...order].sort(), [...ids].sort());
    const all = await fixture.packs.bytes();
    assert.equal(await keepWithin(all, fixture, now), true);
    assert.equal((await keys(fixture.objects)).length, 3);
    assert.equal(await keepWithin(all - 1, fixture, now), true);
    assert.equal(await findPack(fixture, order[0]!), undefined);
    assert.ok((await keys(fixture.objects)).every((key) => !key.includes(order[0]!)));
    assert.equal((await keys(fixture.objects)).length, 2);
    await acceptPacks(fixture, ['d']);
    assert.equal(await keepWithin(1, fixture, now), false);
    assert.deepEqual(await keys(fixture.objects), []);
    assert.deepEqual(
      (await fixture.packs.recent(9, now)).map(({ status }) => status),
      ['accepted'],
    );
  });

  test('an object is kept whose pack was asked for again in the moment when it left', async () => {
    await using fixture = await packFixture();
    await acceptPacks(fixture, ['a']);
    await make(fixture, 1);
    const packs = new Proxy(fixture.packs, {
      get(target, name) {
        if (name === 'find') return async (ids: string[]) => ids.map((id) => ({ id }));
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    assert.equal(await keepWithin(0, { packs, objects: fixture.objects }, Date.now()), true);
    assert.equal((await keys(fixture.objects)).length, 1);
  });

  test('are named by their pack and run, and by what they hold', () => {
    const id = packId(['a']);
    assert.equal(packKey({ id, run: 3 }, true), `packs/${id.slice(0, 2)}/${id}/3.zip`);
    assert.equal(packKey({ id, run: 4 }, false), `packs/${id.slice(0, 2)}/${id}/4.layout`);
  });

  test('only objects of runs are deleted, those up to the given one', async () => {
    await using fixture = await packFixture();
    const prefix = packPrefix(packId(['a']));
    for (const name of ['1.zip', '2.layout', '3.zip', 'notes.txt']) {
      await fixture.objects.put(`${prefix}${name}`, halfZip());
    }
    await deleteRuns(fixture.objects, packId(['a']), 2);
    assert.deepEqual((await keys(fixture.objects)).sort(), [`${prefix}3.zip`, `${prefix}notes.txt`]);
  });

  test('leave no object of a killed run behind', async () => {
    await using fixture = await packFixture();
    const [id] = await acceptPacks(fixture, ['a']);
    await make(fixture, 1);
    const prefix = packPrefix(id!);
    const [own] = await keys(fixture.objects);
    for (const key of [`${prefix}0.layout`, `${prefix}1.zip`, `${packPrefix(packId(['gone']))}3.layout`]) {
      await fixture.objects.put(key, halfZip());
    }
    // A run that has begun may still need what it writes.
    await fixture.objects.put(`${prefix}2.layout`, halfZip());
    const now = Date.now();
    assert.equal(await sweepPacks(fixture, now - ORPHAN_MS), 0);
    assert.equal(await sweepPacks(fixture, now), 0);
    assert.deepEqual(await keys(fixture.objects), [own, `${prefix}2.layout`]);
  });
});

async function* halfZip(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half');
}
