/** Processes that die at any moment: the store is as before or as after, and the next start cleans up. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ROUNDS } from '../packages/base/src/testing/rounds.ts';
import { Random } from '../packages/sample/src/random.ts';
import type { Catalogue } from './support/interface-schemas.ts';
import { gml, goodPackage, type Members, PACKAGE, writeZip } from './support/packages.ts';
import { finished, spawnProgram, tempDirectory } from './support/program.ts';
import { startServer } from './support/server.ts';
import { assertClean, ingestOne, list } from './support/store.ts';

/** Ingestions that must die, and how many may be begun for that. */
const KILLS = 4 * ROUNDS;
const MAX_ROUNDS = 80;

/** Large enough that killing meets reading, compressing, writing and publishing. */
function largePackage(revision: number): Members {
  const members = goodPackage(10 * revision);
  for (let i = 0; i < 12; i++) {
    members[`udx/bldg/392725${50 + i}_bldg_6697_op.gml`] = gml(300 + i);
    members[`specification/${revision}_${i}.txt`] = `${revision}`.repeat(50_000);
  }
  return members;
}

/** Ends the child after so many milliseconds; false when it was faster. */
async function killAfter(child: ChildProcess, ms: number): Promise<boolean> {
  const timer = setTimeout(() => child.kill('SIGKILL'), ms);
  const { signal } = await finished(child);
  clearTimeout(timer);
  return signal === 'SIGKILL';
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('kill -9', () => {
  it('of an ingestion leaves the store as before or as after', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const zips: string[] = [];
    for (const revision of [1, 2]) {
      const name = PACKAGE.replace('citygml_1', `citygml_${revision}`);
      zips.push(await writeZip(join(directory, `${name}.zip`), largePackage(revision)));
    }
    await ingestOne(data, [zips[0]!]);
    const random = new Random('kill');
    let killed = 0;
    // How long a whole ingestion takes here and now, so that the moments spread over all of it: the first one is
    // let through, and so tells.
    let whole = 60_000;
    for (let round = 0; killed < KILLS; round++) {
      assert.ok(round < MAX_ROUNDS, `${killed} of ${round} were killed`);
      const before = await list(data);
      const next = before[0]!.revision === '1' ? 2 : 1;
      const started = performance.now();
      const child = spawnProgram(['ingest', '--replace', zips[next - 1]!], {
        DATA_DIR: data,
        RETIRED_GRACE_S: '0',
      });
      if (await killAfter(child, whole * (0.15 + (0.85 * (killed + random.between(0, 1))) / KILLS))) killed++;
      else whole = performance.now() - started;
      const after = await list(data);
      assert.equal(after.length, 1, `round ${round}`);
      if (after[0]!.no !== before[0]!.no) assert.equal(after[0]!.revision, String(next));
      else assert.deepEqual(after, before);
    }
    // What is live is whole, whatever the dead left behind; the next start sweeps that.
    const row = await ingestOne(data, ['--replace', zips[0]!]);
    assert.ok(['published', 'replaced', 'unchanged'].includes(row.outcome));
    await using server = await startServer(data, { env: { RETIRED_GRACE_S: '0', ASSET_MAX_AGE_S: '0' } });
    await server.stop();
    assert.deepEqual(await readdir(join(data, 'staging')), []);
    await assertClean(data);
    const objects = (await readdir(data, { recursive: true })).filter((name) =>
      /archives.*\.(zip|index)$/.test(name),
    );
    assert.equal(objects.length, 2, objects.join());
  });

  it('of a server ends the worker that it started, which others would wait for in vain', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const zip = await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage());
    await using server = await startServer(data, { env: { JOB_POLL_MS: '50', TABLES: 'published' } });
    const child = spawnProgram(['ingest', zip], { DATA_DIR: data, TABLES: 'published' });
    const pids: number[] = [];
    await Promise.all([
      finished(child),
      (async () => {
        const end = Date.now() + 60_000;
        while (!server.log.some(({ msg }) => msg === 'working')) {
          assert.ok(Date.now() < end, 'no worker began');
          await pause(20);
        }
        const begins = server.log.find(({ msg }) => msg === 'a worker begins');
        pids.push(begins!.pid as number);
      })(),
    ]);
    const killed = Date.now();
    // Waits for the worker, too, which writes to the same log.
    await server.kill();
    while (isRunning(pids[0]!)) await pause(50);
    // It ends by itself after 30 s without a job.
    assert.ok(Date.now() - killed < 15_000, `the worker went on for ${Date.now() - killed} ms`);
  });

  it('of a server, and of an ingestion beside it, is no hindrance to the next', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const first = await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage());
    const second = await writeZip(
      join(directory, `${PACKAGE.replace('citygml_1', 'citygml_2')}.zip`),
      largePackage(2),
    );
    await ingestOne(data, [first]);
    for (let round = 0; round < 3; round++) {
      const server = await startServer(data);
      const child = spawnProgram(['ingest', second], { DATA_DIR: data });
      const dying = killAfter(child, 350 + 100 * round);
      const { citygml } = await server.json<Catalogue>('/datacatalog/citymodel-datasets');
      const download = server.request(citygml[0]!.url).catch(() => null);
      await dying;
      await server.kill();
      await download;
    }
    await using server = await startServer(data, { env: { RETIRED_GRACE_S: '0', ASSET_MAX_AGE_S: '0' } });
    assert.equal((await server.json<Catalogue>('/datacatalog/citymodel-datasets')).citygml.length, 1);
    await server.stop();
    assert.deepEqual(await readdir(join(data, 'staging')), [], 'the start of a server sweeps, too');
    const report = await ingestOne(data, [second]);
    assert.ok(['replaced', 'unchanged'].includes(report.outcome));
    await assertClean(data);
  });
});
