import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { chunks, OWNER_KEY, packageOf, publish } from '@citymodel/store/testing';
import { InvalidSettings, readSettings } from '../base/settings.ts';
import { openPlace } from './backup-place.ts';
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

test('backups and objects lie apart: in directories, in one bucket, and in none of each other', async (t) => {
  const { settings } = await place(t);
  const open = async (backups: string, objects = '') => {
    const own = settings('one');
    const store = await openPlace({ ...own, OBJECT_STORE: objects || own.OBJECT_STORE }, backups);
    await store.close();
  };
  const { DATA_DIR, OBJECT_STORE } = settings('one');
  const refused = (error: Error) =>
    error instanceof InvalidSettings && /are within each other/.test(error.message);
  await assert.rejects(open(join(OBJECT_STORE, 'backups')), refused);
  await assert.rejects(open(join(OBJECT_STORE, '..')), refused);
  await open(join(DATA_DIR, 'backups'));
  await open(`${OBJECT_STORE}-of-backups`);
  const [bucket, key] = ['s3://bucket/objects', { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }];
  const before = { ...process.env };
  Object.assign(process.env, key);
  t.after(() => {
    for (const name of Object.keys(key)) delete process.env[name];
    Object.assign(process.env, before);
  });
  await assert.rejects(open('s3://bucket/objects/backups', bucket), refused);
  await assert.rejects(open('s3://bucket', bucket), refused);
  await open('s3://bucket/backups', bucket);
  await open('s3://another/objects', bucket);
  await open(join(DATA_DIR, 'elsewhere'), bucket);
});
