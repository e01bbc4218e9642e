/**
 * The built program on PostgreSQL: it answers as on SQLite, outlives restarts of the database, and moves from one to
 * the other.
 */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Random } from '../packages/sample/src/random.ts';
import { CEPH_KEYS } from '../packages/store/src/testing/ceph.ts';
import { FakeS3 } from '../packages/store/src/testing/fake-s3.ts';
import { withPostgres } from '../packages/store/src/testing/postgres.ts';
import { PostgresServer } from '../packages/store/src/testing/postgres-server.ts';
import { answersOf } from './support/answers.ts';
import { fetchPack, urlsOf } from './support/packs.ts';
import { finished, runProgram, spawnProgram, tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';
import { ingest, ingestSample } from './support/store.ts';

/** Moves that must be killed before one may end. */
const KILLS = 4;

/**
 * Of the bucket in this process, and of the one that TEST_OBJECT_STORE names: `node packages/store/src/testing/ceph.ts`
 * starts a real one.
 */
const BUCKET_KEYS = { ...CEPH_KEYS, AWS_EC2_METADATA_DISABLED: 'true' };

/** Times are those of the ingestion, and so are tags made of them. */
const withoutTimes = (text: string) =>
  text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'T').replace(/^etag: .*/, 'etag');

describe('on PostgreSQL', () => {
  it('every answer is the same as on SQLite, and packs have the same bytes', async (t) => {
    const directory = await tempDirectory(t);
    const { sample, data } = await ingestSample(directory);
    const env = { DATABASE_URL: await withPostgres(t) };
    const other = join(directory, 'other');
    const { run } = await ingest(other, [sample], env);
    assert.equal(run.code, 0, run.stdout);

    await using onSqlite = await startServer(data);
    await using onPostgres = await startServer(other, { env });
    const answers = await answersOf(onPostgres, withoutTimes);
    assert.deepEqual(answers, await answersOf(onSqlite, withoutTimes));
    assert.ok(answers.size > 50);
    const packs = [onSqlite, onPostgres].map(async (server) => {
      const urls = await urlsOf(server, '47900', 'bldg');
      return (await fetchPack(server, { urls })).zip;
    });
    const [first, second] = await Promise.all(packs);
    assert.deepEqual(second, first);

    await removeOne(data, {});
    await removeOne(other, env);
    for (const server of [onSqlite, onPostgres]) {
      await server.logged(
        ({ msg, version }) => msg === 'catalogue built' && Number(version) > builtFirst(server),
      );
    }
    assert.deepEqual(await answersOf(onPostgres, withoutTimes), await answersOf(onSqlite, withoutTimes));
    const check = await runProgram(['check', '--json'], { DATA_DIR: other, ...env });
    assert.equal(check.code, 0, check.stdout);
    assert.ok(!(await readdir(other)).includes('catalogue.sqlite'));
  });

  it('a restart of the database shows as 503 with Retry-After, and ends by itself', async (t) => {
    const directory = await tempDirectory(t);
    const database = await PostgresServer.start();
    t.after(() => database.stop());
    const env = { DATABASE_URL: database.url(), FILE_LIST_CACHE_MB: '0', CATALOGUE_POLL_MS: '600000' };
    const { data } = await ingestSample(directory);
    const moved = await runProgram(['move', '--to-database', database.url()], { DATA_DIR: data });
    assert.equal(moved.code, 0, moved.stderr);
    assert.doesNotMatch(moved.stdout + moved.stderr, new RegExp(new URL(database.url()).password));

    await using server = await startServer(data, { env, expected: [/./] });
    const files = '/datacatalog/citygml/47900';
    assert.equal((await server.request(files)).status, 200);
    for (const how of ['fast', 'immediate'] as const) {
      await database.restart(how, async () => {
        const reply = await server.request(files);
        assert.equal(reply.status, 503, reply.text);
        assert.match(String(reply.headers['retry-after']), /^\d+$/);
        assert.equal((await server.request('/health/ready')).status, 503);
        // What is in memory goes on.
        assert.equal((await server.request('/datacatalog/citymodel-datasets')).status, 200);
      });
      assert.equal((await server.request(files)).status, 200);
      assert.equal((await server.request('/health/ready')).status, 200);
    }
    const output = server.log.map((line) => JSON.stringify(line)).join('\n');
    assert.doesNotMatch(output, new RegExp(new URL(database.url()).password));

    // The server looks every ten minutes only: it hears of the change, also after the restarts.
    await removeOne(data, env);
    await server.logged(
      ({ msg, version }) => msg === 'catalogue built' && Number(version) > builtFirst(server),
    );
  });
});

describe('move', () => {
  it('goes on after kill -9 at any moment, to a bucket; the answers are the same, byte for byte', async (t) => {
    const directory = await tempDirectory(t);
    const { data } = await ingestSample(directory);
    await using bucket = await FakeS3.start();
    const target = {
      ...BUCKET_KEYS,
      DATABASE_URL: await withPostgres(t),
      OBJECT_STORE: process.env.TEST_OBJECT_STORE || bucket.address('moved'),
    };
    await using old = await startServer(data);
    const pack = { urls: await urlsOf(old, '47900', 'bldg') };
    const { id, zip } = await fetchPack(old, pack);

    const args = ['move', '--to-database', target.DATABASE_URL, '--to-store', target.OBJECT_STORE];
    const random = new Random('move');
    let killed = 0;
    for (let ms = 300; ; ms *= 1.3) {
      const child = spawnProgram(args, { DATA_DIR: data, ...BUCKET_KEYS });
      const ending = finished(child);
      if (killed < KILLS) {
        await Promise.race([ending, setTimeout(ms * (0.7 + 0.3 * random.between(0, 1)))]);
        child.kill('SIGKILL');
      }
      const { code, signal, stderr, stdout } = await ending;
      if (signal === 'SIGKILL') {
        if (++killed === 2) await removeOne(data, {});
        continue;
      }
      assert.equal(code, 0, stderr);
      assert.match(stdout, /DATABASE_URL=postgres:\/\/.*\n {2}OBJECT_STORE=s3:.*\n/);
      break;
    }
    const before = await answersOf(old);
    await using server = await startServer(join(directory, 'nothing here'), { env: target });
    assert.deepEqual(await answersOf(server), before);
    assert.deepEqual((await fetchPack(server, pack)).zip, zip);
    assert.equal((await server.request(`/citygml/pack/${id}/status`)).status, 200);
    const check = await runProgram(['check', '--json'], {
      DATA_DIR: join(directory, 'nothing here'),
      ...target,
    });
    assert.equal(check.code, 0, check.stdout);
  });
});

/** Takes the first package of the list out of the catalogue. */
async function removeOne(data: string, env: Record<string, string>): Promise<void> {
  const listed = await runProgram(['list', '--json'], { DATA_DIR: data, ...env });
  const [first] = JSON.parse(listed.stdout).filter(({ kind }: { kind: string }) => kind === 'mvt');
  const { code, stderr } = await runProgram(['remove', first.name], { DATA_DIR: data, ...env });
  assert.equal(code, 0, stderr);
}

/** The version that the server had when it started. */
function builtFirst(server: TestServer): number {
  return Number(server.log.find(({ msg }) => msg === 'catalogue built')!.version);
}
