import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSettings } from '../../base/settings.ts';
import { DiskWatch, disksOf } from './disk-checks.ts';
import { checkDisks } from './store-checks.ts';

const MIB = 2 ** 20;

async function tempDirectory(t: { after(run: () => Promise<void>): void }): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'disk-checks-'));
  t.after(() => rm(directory, { recursive: true }));
  return directory;
}

test('a full disk is named with its cause, and is well again with room', async (t) => {
  const directory = await tempDirectory(t);
  const small = join(directory, 'small');
  await mkdir(small);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', small]).status !== 0) {
    t.skip('file systems cannot be mounted here');
    return;
  }
  try {
    const look = () =>
      checkDisks(new DiskWatch({ disk: [directory, small], cache: [join(small, 'cache')] }, 0));
    assert.deepEqual(await look(), { disk: 'ok', cache: 'ok' });
    await writeFile(join(small, 'large'), Buffer.alloc(MIB));
    const full = `cannot be written to: no space is left (${small})`;
    assert.deepEqual(await look(), { disk: full, cache: full });
    await rm(join(small, 'large'));
    assert.deepEqual(await look(), { disk: 'ok', cache: 'ok' });
    const nearly = await new DiskWatch({ disk: [small] }, 2 * MIB).look('disk');
    assert.match(nearly.state, /^has only [01] MiB left/);
    assert.ok(nearly.free !== null && nearly.free <= MIB);
    assert.deepEqual(await readdir(small), []);
    spawnSync('mount', ['-o', 'remount,ro', small]);
    assert.deepEqual(await look(), {
      disk: `cannot be written to: it is read-only (${small})`,
      cache: `cannot be written to: it is read-only (${small})`,
    });
  } finally {
    spawnSync('umount', [small]);
  }
});

test('a directory that is not made yet stands for the one above it; one that is gone is named', async (t) => {
  const directory = await tempDirectory(t);
  const watch = new DiskWatch(
    { disk: [join(directory, 'staging')], cache: [join(directory, 'gone/cache')] },
    0,
  );
  assert.equal((await watch.look('disk')).state, 'ok');
  const { state, free } = await watch.look('cache');
  assert.equal(state, `cannot be written to: the directory is gone (${join(directory, 'gone')})`);
  assert.equal(free, 0);
  // For as long as the answer holds, nobody looks.
  await mkdir(join(directory, 'gone'));
  assert.equal((await watch.look('cache')).state, state);
});

test('looks where the settings let a process write', () => {
  const of = (settings: Record<string, string>) => disksOf(readSettings({ DATA_DIR: '/d', ...settings }));
  assert.deepEqual(of({}), { disk: ['/d/staging', '/d', '/d/store'] });
  assert.deepEqual(of({ DATABASE_URL: 'sqlite:/e/f.sqlite', OBJECT_STORE: '/o' }), {
    disk: ['/d/staging', '/d', '/e', '/o'],
  });
  const remote = { DATABASE_URL: 'postgres://h/d', OBJECT_STORE: 's3://b/p' };
  assert.deepEqual(of(remote), { disk: ['/d/staging', '/d'], cache: ['/d/cache'] });
  assert.deepEqual(of({ ...remote, CACHE_DIR: '/c' }).cache, ['/c']);
  assert.equal(of({ ...remote, CACHE_MB: '0' }).cache, undefined);
});

test('another cause is named as the system does', async (t) => {
  const directory = await tempDirectory(t);
  const file = join(directory, 'file');
  await writeFile(file, '');
  const below = join(file, 'below');
  const watch = new DiskWatch({ disk: [directory, below], cache: [directory] }, 0);
  assert.deepEqual(await watch.look('disk'), {
    state: `cannot be written to: ENOTDIR (${below})`,
    free: 0,
  });
  const { state, free } = await watch.look('cache');
  assert.equal(state, 'ok');
  assert.ok(free !== null && free > 0);
  assert.deepEqual(await watch.look('nothing'), { state: 'ok', free: null });
  assert.deepEqual(watch.parts, ['disk', 'cache']);
});
