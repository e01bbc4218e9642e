import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CatalogueConflict, type CatalogueStore, type ObjectStore, type PackageRow } from '@citymodel/store';
import { bringBackPackage, CannotBringBack } from './bring-back.ts';
import { cityPackage } from './testing/snapshot-rows.ts';

const AGAIN =
  'Packages that were replaced or removed are kept for RETIRED_GRACE_S. Ingest its package again.';

/** A catalogue of these rows; `missing`: keys of objects that are deleted. */
function stores(
  rows: PackageRow[],
  { missing = [] as string[], onBringBack = async (): Promise<number[]> => [] } = {},
) {
  const asked: string[] = [];
  return {
    asked,
    catalogue: {
      findPackages: async ({ id, name, identity }: Record<string, string | undefined>) =>
        rows.filter((row) => row.id === id || row.name === name || row.identity === identity),
      bringBack: onBringBack,
    } as unknown as CatalogueStore,
    objects: {
      head: async (key: string) => {
        asked.push(key);
        return missing.includes(key) ? null : {};
      },
    } as unknown as ObjectStore,
  };
}

const kept = (changes: Partial<PackageRow> = {}) =>
  cityPackage({ state: 'retired', name: 'a', archiveKey: 'archive', indexKey: 'index', ...changes });

async function refusal(at: ReturnType<typeof stores>, nameOrId: string): Promise<[string, string]> {
  try {
    await bringBackPackage(at, nameOrId);
  } catch (error) {
    assert.ok(error instanceof CannotBringBack && error.name === 'CannotBringBack');
    return [error.why, error.message];
  }
  return assert.fail('it was brought back');
}

test('a kept package is live again, by its name or id, and what was live in its place is told', async () => {
  const row = kept({ identity: 'same' });
  const live = cityPackage({ identity: 'same' });
  const third = cityPackage({ identity: 'same', state: 'removed', name: 'c' });
  for (const nameOrId of [row.name, row.id]) {
    const at = stores([row, live, third], { onBringBack: async () => [live.no] });
    assert.deepEqual(await bringBackPackage(at, nameOrId), {
      row: { ...row, state: 'live' },
      retired: [live],
    });
    assert.deepEqual(at.asked.slice(0, 2).sort(), ['archive', 'index']);
  }
});

test('what is not there, is live or has lost its objects is not brought back', async () => {
  assert.deepEqual(await refusal(stores([]), 'none'), ['gone', `There is no package "none". ${AGAIN}`]);
  const live = cityPackage({ name: 'b' });
  assert.deepEqual(await refusal(stores([live]), 'b'), ['live', 'The package b is live.']);
  assert.deepEqual(await refusal(stores([kept()], { missing: ['index'] }), 'a'), [
    'gone',
    'The object index of a is deleted. Ingest its package again.',
  ]);
});

test('of several with one name the id of one is asked for', async () => {
  const [one, two] = [kept(), kept({ state: 'removed', ingestedAt: '2025-01-01T00:00:00Z' })];
  const at = stores([one, two, cityPackage({ name: 'a' })]);
  assert.deepEqual(await refusal(at, 'a'), [
    'unclear',
    `2 packages that are not live have the name a. Give the id of one: ${one.id} (retired, ingested ` +
      `2024-01-01T00:00:00Z), ${two.id} (removed, ingested 2025-01-01T00:00:00Z).`,
  ]);
  assert.equal((await bringBackPackage(at, two.id)).row.no, two.no);
});

test('somebody else may be faster, and other faults are those of the store', async () => {
  const row = kept();
  const rows = [row];
  const failing = (error: Error, change: () => void = () => {}) =>
    stores(rows, {
      onBringBack: async () => {
        change();
        throw error;
      },
    });
  const conflict = new CatalogueConflict('too late');
  assert.deepEqual(
    await refusal(
      failing(conflict, () => rows.splice(0, 1, { ...row, state: 'live' })),
      'a',
    ),
    ['live', 'The package a is live.'],
  );
  rows.splice(0, 1, row);
  assert.deepEqual(
    await refusal(
      failing(conflict, () => rows.splice(0, 1)),
      'a',
    ),
    ['gone', `There is no package "a". ${AGAIN}`],
  );
  rows.push(row);
  await assert.rejects(bringBackPackage(failing(new Error('a disk')), 'a'), { message: 'a disk' });
});
