import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { chunks, OWNER_KEY, packageOf, publish } from '@citymodel/store/testing';
import { InvalidSettings, readSettings } from '../base/settings.ts';
import { storesOf } from './stores.ts';

async function place(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'stores-'));
  t.after(() => rm(directory, { recursive: true }));
  const objects = join(directory, 'objects');
  const settings = (name: string) => readSettings({ DATA_DIR: join(directory, name), OBJECT_STORE: objects });
  return { settings };
}

test('a program with another database does not start, unless it may adopt the objects', async (t) => {
  const { settings } = await place(t);
  const production = await storesOf(settings('production'));
  await publish(production.catalogue, packageOf('a'));
  await assert.rejects(storesOf(settings('staging')), (error: Error) => {
    assert.ok(error instanceof InvalidSettings);
    assert.match(error.message, /belong to another database than DATABASE_URL names: owner\.json names/);
    return true;
  });
  const again = await storesOf(settings('production'));
  await again.close();
  const adopting = await storesOf(settings('staging'), { adopt: true });
  await adopting.close();
  await production.close();
  await assert.rejects(storesOf(settings('production')), InvalidSettings);
});

test('objects are deleted by their own database alone, also when that changes later', async (t) => {
  const { settings } = await place(t);
  const stores = await storesOf(settings('one'));
  t.after(() => stores.close());
  await stores.objects.put(OWNER_KEY, chunks(Buffer.from('{"database":"another"}')));
  const now = performance.now();
  t.mock.method(performance, 'now', () => now + 11_000);
  await assert.rejects(stores.objects.delete('archives/a.zip'), /belong to another database/);
});
