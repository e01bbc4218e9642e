import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { InvalidSettings, readSettings } from '../base/settings.ts';
import { runServe } from './serve.ts';
import { houseStore } from './testing/house-store.ts';
import { writeHouses } from './testing/houses.ts';
import { catchOutput } from './testing/run-command.ts';

/** Runs before the program, and prints which modules it loads and what becomes of its threads. */
const WATCHER = `
  import { subscribe } from 'node:diagnostics_channel';
  import { registerHooks } from 'node:module';
  const note = (what) => process.stderr.write(what + '\\n');
  registerHooks({
    load(url, context, next) {
      note('load ' + url);
      return next(url, context);
    },
  });
  subscribe('worker_threads', ({ worker }) => {
    note('thread started');
    worker.once('message', () => note('database open'));
  });
`;

test('serve refuses a tileset that would outlive its tiles', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'serve-grace-'));
  try {
    const env = { PATH: process.env.PATH, DATA_DIR: directory, PORT: '0' };
    const program = [join(import.meta.dirname, 'main.ts'), 'serve'];
    const { status, stderr } = spawnSync(process.execPath, program, {
      env: { ...env, RETIRED_GRACE_S: '600', ASSET_MAX_AGE_S: '600' },
      encoding: 'utf8',
    });
    assert.equal(status, 2);
    assert.match(stderr, /RETIRED_GRACE_S is 600, but it must be more than ASSET_MAX_AGE_S, which is 600/);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('serve opens the database while it loads the server', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'serve-start-'));
  const program = spawn(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(WATCHER)}`,
      join(import.meta.dirname, 'main.ts'),
      'serve',
    ],
    {
      env: { PATH: process.env.PATH, DATA_DIR: directory, PORT: '0', HOST: '127.0.0.1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  try {
    const seen: string[] = [];
    createInterface({ input: program.stderr }).on('line', (line) => seen.push(line));
    for await (const line of createInterface({ input: program.stdout })) {
      if (line.includes('"listening"')) program.kill('SIGTERM');
    }
    const server = seen.findIndex((line) => line.endsWith('/http/server.ts'));
    const lastOfServer = seen.findIndex((line) => line.endsWith('/http/warm-up.ts'));
    assert.ok(server >= 0 && lastOfServer > server, seen.join('\n'));
    assert.ok(server < seen.indexOf('database open'), 'the server is loaded before the database is open');
    assert.ok(seen.indexOf('thread started') < lastOfServer, 'threads start before the server is loaded');
  } finally {
    program.kill('SIGKILL');
    await rm(directory, { recursive: true });
  }
});

test('what does not fit is refused before anything listens, and the stores are closed', async (t) => {
  const cases: Array<[env: Record<string, string>, reason: RegExp]> = [
    [{ ASSET_REDIRECT: 'presigned' }, /ASSET_REDIRECT is presigned, which needs a bucket/],
    [
      { RETIRED_GRACE_S: '60', ASSET_MAX_AGE_S: '60' },
      /RETIRED_GRACE_S is 60, but it must be more than ASSET_MAX_AGE_S/,
    ],
    [
      { RETIRED_GRACE_S: '59', ASSET_MAX_AGE_S: '60' },
      /which is 60: a tileset that somebody keeps would outlive/,
    ],
    [{ HOST: '192.0.2.1' }, /HOST 192\.0\.2\.1 and PORT 0 cannot be listened on: /],
    [{ HOST: 'no.such.host.invalid' }, /HOST no\.such\.host\.invalid and PORT 0 cannot be listened on: /],
  ];
  for (const [env, reason] of cases) {
    const store = await houseStore(t, { LOG_LEVEL: 'silent', PORT: '0', HOST: '127.0.0.1', ...env });
    await assert.rejects(
      catchOutput(store.env, () => runServe(readSettings(store.env))),
      (error: Error) => {
        assert.ok(error instanceof InvalidSettings);
        assert.match(error.message, reason);
        return true;
      },
    );
  }
});

test('a server sweeps when it begins, and a signal ends it with its stores', async (t) => {
  const store = await houseStore(t, {
    ...{ LOG_LEVEL: 'silent', PORT: '0', HOST: '127.0.0.1', JOB_WORKERS: '0', PACK_WORKERS: '0' },
    ...{ RETIRED_GRACE_S: '0', ASSET_MAX_AGE_S: '0' },
  });
  await store.publish(await writeHouses(store.directory));
  const [row] = await store.rows();
  await store.use((stores) => stores.catalogue.setState(row!.no, 'removed'));
  const exit = t.mock.method(process, 'exit', () => undefined as never);
  await catchOutput(store.env, async () => {
    await runServe(readSettings(store.env));
    await (process.listeners('SIGTERM').at(-1) as (signal: string) => Promise<void>)('SIGTERM');
  });
  assert.deepEqual(
    exit.mock.calls.map(({ arguments: values }) => values),
    [[0]],
  );
  assert.deepEqual(await store.rows(), [], 'its time was over');
});
