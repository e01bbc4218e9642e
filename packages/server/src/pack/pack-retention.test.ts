import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObjectStore, PackRow, PackStore } from '@citymodel/store';
import { packPrefix } from './pack-id.ts';
import { deleteRuns, FORGET_AFTER_MS, keepWithin, ORPHAN_MS, sweepPacks } from './pack-retention.ts';

const ids = ['a', 'b', 'c'].map((letter) => letter.repeat(64)) as [string, string, string];
const key = (id: string, run: number, kind = 'layout') => `${packPrefix(id)}${run}.${kind}`;

interface Kept {
  id: string;
  run: number;
  bytes: number;
  expiresAt: number;
  status?: PackRow['status'];
  objectKey?: string | null;
}

/** Stores that hold these packs and objects. `lost`: packs that somebody else forgets first. */
function stores(rows: Kept[], keys: string[], { lost = [] as string[], extra = 0 } = {}) {
  const objects = new Set(keys);
  const deletions: number[] = [];
  const finds: number[] = [];
  const orphans = new Map<string, { first: number; last: number }>();
  const stores = {
    packs: {
      expired: async (before: number) =>
        rows.filter(({ expiresAt }) => expiresAt <= before).sort((a, b) => a.expiresAt - b.expiresAt),
      async forget(id: string, run: number, before: number) {
        const at = rows.findIndex((row) => row.id === id && row.run === run && row.expiresAt <= before);
        if (at === -1 || lost.includes(id)) return false;
        rows.splice(at, 1);
        return true;
      },
      async find(wanted: string[]) {
        finds.push(wanted.length);
        return rows
          .filter(({ id }) => wanted.includes(id))
          .map((row) => ({ status: 'succeeded', objectKey: null, ...row }));
      },
      async noteOrphans(noted: string[], { now, before }: { now: number; before: number }) {
        for (const one of noted) orphans.set(one, { first: orphans.get(one)?.first ?? now, last: now });
        const due = noted.filter((one) => orphans.get(one)!.first <= before);
        for (const one of due) orphans.delete(one);
        return due;
      },
      async endLook(began: number) {
        for (const [one, { last }] of orphans) if (last < began) orphans.delete(one);
      },
      bytes: async () => rows.reduce((sum, { bytes }) => sum + bytes, extra),
    } as unknown as PackStore,
    objects: {
      async *list(prefix: string) {
        for (const one of [...objects].sort()) if (one.startsWith(prefix)) yield { key: one };
      },
      async deleteMany(list: string[]) {
        deletions.push(list.length);
        for (const one of list) objects.delete(one);
      },
    } as unknown as ObjectStore,
  };
  return {
    ...stores,
    rows,
    left: () => [...objects].sort(),
    put: (one: string) => objects.add(one),
    deletions,
    finds,
  };
}

test('runs up to the given one lose their objects, and nothing else does', async () => {
  const [a, b] = ids;
  const keys = [key(a, 1), key(a, 2, 'zip'), key(a, 3), key(b, 1), `${packPrefix(a)}note.txt`];
  const at = stores([], keys);
  await deleteRuns(at.objects, a, 2);
  assert.deepEqual(at.left(), [key(a, 3), `${packPrefix(a)}note.txt`, key(b, 1)]);
});

test('an hour after it expired a pack is forgotten with its objects', async () => {
  const [a, b, c] = ids;
  const now = 1e9;
  assert.equal(FORGET_AFTER_MS, 3_600_000);
  assert.equal(ORPHAN_MS, 86_400_000);
  const row = (id: string, expiresAt: number): Kept => ({
    id,
    run: 1,
    bytes: 1,
    expiresAt,
    objectKey: key(id, 1),
  });
  const rows = [row(a, now - FORGET_AFTER_MS), row(b, now - FORGET_AFTER_MS + 1), row(c, 0)];
  const at = stores(rows, [key(a, 1), key(b, 1), key(c, 1)], { lost: [c] });
  assert.equal(await sweepPacks(at, now), 1, 'one that another process forgot does not count');
  assert.deepEqual(
    at.rows.map(({ id }) => id),
    [b, c],
  );
  assert.deepEqual(at.left(), [key(b, 1)]);
});

test('objects of runs that came to nothing go, those that are served or may still be made stay', async () => {
  const [a, b, c] = ids;
  const later = Number.MAX_SAFE_INTEGER;
  const at = stores(
    [
      { id: a, run: 2, bytes: 1, expiresAt: later, objectKey: key(a, 2) },
      { id: b, run: 2, bytes: 1, expiresAt: later, status: 'processing' },
    ],
    [
      key(a, 1),
      key(a, 2),
      key(a, 2, 'zip'),
      key(a, 3),
      `${packPrefix(a)}note.txt`,
      key(b, 1),
      key(b, 2),
      key(c, 9),
    ],
  );
  const all = at.left();
  assert.equal(await sweepPacks(at, 1e9), 0);
  assert.equal(await sweepPacks(at, 1e9 + ORPHAN_MS - 1), 0);
  assert.deepEqual(at.left(), all, 'a day later another look has to show the same');
  assert.equal(await sweepPacks(at, 1e9 + ORPHAN_MS), 0);
  assert.deepEqual(at.left(), [key(a, 2), key(a, 3), `${packPrefix(a)}note.txt`, key(b, 2)]);
});

test('an object that a look between two others finds in use, or does not find, begins anew', async () => {
  const [a, b] = ids;
  const later = Number.MAX_SAFE_INTEGER;
  const row = { id: a, run: 1, bytes: 1, expiresAt: later, objectKey: key(a, 1) };
  const at = stores([], [key(a, 1), key(b, 1)]);
  await sweepPacks(at, 1e9);
  at.rows.push(row);
  await at.objects.deleteMany([key(b, 1)]);
  await sweepPacks(at, 1e9 + 1);
  at.rows.pop();
  at.put(key(b, 1));
  await sweepPacks(at, 1e9 + ORPHAN_MS);
  assert.deepEqual(at.left(), [key(a, 1), key(b, 1)]);
  await sweepPacks(at, 1e9 + 2 * ORPHAN_MS);
  assert.deepEqual(at.left(), []);
});

test('objects are looked at pack by pack, some hundred packs together', async () => {
  const many = Array.from({ length: 501 }, (_, i) => i.toString(16).padStart(64, '0'));
  const at = stores(
    [],
    many.flatMap((id) => [key(id, 1), key(id, 2)]),
  );
  await sweepPacks(at, 1e9);
  assert.deepEqual(at.finds, [501, 1]);
  await sweepPacks(at, 1e9 + ORPHAN_MS);
  assert.deepEqual(at.left(), []);
  const two = stores(
    [],
    [...many, 'f'.repeat(64)].map((id) => key(id, 1)),
  );
  await sweepPacks(two, 1e9);
  assert.deepEqual(two.finds, [501, 1]);
});

test('packs that expire first go until the others are within the quota', async () => {
  const [a, b, c] = ids;
  const row = (id: string, bytes: number, expiresAt: number): Kept => ({ id, run: 1, bytes, expiresAt });
  const fresh = (options = {}) =>
    stores(
      [row(a, 10, 3), row(b, 20, 1), row(c, 30, 2)],
      ids.map((id) => key(id, 1)),
      options,
    );
  for (const [quota, left] of [
    [60, [a, b, c]],
    [59, [a, c]],
    [40, [a, c]],
    [39, [a]],
    [10, [a]],
    [9, []],
    [0, []],
  ] as const) {
    const at = fresh();
    assert.equal(await keepWithin(quota, at, 0), true, `${quota}`);
    assert.deepEqual(
      at.rows.map(({ id }) => id),
      left,
      `${quota}`,
    );
    assert.deepEqual(
      at.left(),
      left.map((id) => key(id, 1)),
    );
  }
  const full = fresh({ extra: 1 });
  assert.equal(await keepWithin(0, full, 0), false, 'packs in work alone take more');
  const raced = fresh({ lost: [b] });
  assert.equal(await keepWithin(40, raced, 0), true);
  assert.deepEqual(
    raced.rows.map(({ id }) => id),
    [a, b],
    'one that somebody else forgot counts until it is gone',
  );
});

test('a pack that is asked for again in the moment keeps the objects of its new run', async () => {
  const [a] = ids;
  const at = stores([{ id: a, run: 1, bytes: 10, expiresAt: 1 }], [key(a, 1)]);
  const { packs } = at;
  const again = { ...packs, find: async () => [{ id: a, run: 1 } as PackRow] } as PackStore;
  assert.equal(await keepWithin(0, { packs: again, objects: at.objects }, 0), true);
  assert.deepEqual(at.left(), [key(a, 1)]);
});
