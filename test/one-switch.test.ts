/**
 * Two servers on one database show a change at one time: a caller behind a balancer never sees the state before again.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { PostgresDriver } from '../packages/store/src/postgres/postgres-driver.ts';
import { SqlCatalogueStore } from '../packages/store/src/sql/sql-catalogue-store.ts';
import { withPostgres } from '../packages/store/src/testing/postgres.ts';
import { Balancer } from './support/balancer.ts';
import { runProgram, tempDirectory } from './support/program.ts';
import { startServer } from './support/server.ts';
import { ingestSample } from './support/store.ts';

/** Pauses before removals, ms: alone, in bursts, and so that a burst is shown in the middle. */
const PAUSES = [0, 900, 900, 10, 5, 120, 0, 900, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 900, 1, 1];
/** Longest time until the last change is shown, also on a busy machine. */
const PATIENCE_MS = 120_000;
const ENV = {
  CATALOGUE_QUIET_MS: '200',
  CATALOGUE_GATHER_MS: '400',
  // Far more than building takes, also on a busy machine.
  CATALOGUE_SWITCH_MS: '4000',
};

describe('several servers', () => {
  it('never show a caller an earlier state again, also one that starts meanwhile', async (t) => {
    const url = await withPostgres(t);
    const { data } = await ingestSample(await tempDirectory(t));
    const moved = await runProgram(['move', '--to-database', url], { DATA_DIR: data });
    assert.equal(moved.code, 0, moved.stderr);
    const store = new SqlCatalogueStore(await PostgresDriver.open(url));
    t.after(() => store.close());
    const env = { ...ENV, DATABASE_URL: url };
    await using balancer = await Balancer.start();
    await using first = await startServer(data, { env });
    await using second = await startServer(data, { env });
    for (const { address } of [first, second]) await balancer.add(address);

    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    /** Live datasets as one caller sees them, one request after the other. */
    const count = async () => {
      const options = { agent };
      const [incoming] = await once(
        get(`${balancer.address}/datacatalog/datasets?limit=0`, options),
        'response',
      );
      let text = '';
      for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
      assert.equal(incoming.statusCode, 200, text);
      return (JSON.parse(text) as { total: number }).total;
    };

    const nos: number[] = [];
    for await (const page of store.packages()) {
      nos.push(...page.filter(({ kind }) => kind !== 'citygml').map(({ no }) => no));
    }
    const atFirst = await count();
    const goal = atFirst - PAUSES.length;
    await using others = new AsyncDisposableStack();
    const servers = [first, second];
    const removing = (async () => {
      for (const [i, milliseconds] of PAUSES.entries()) {
        await pause(milliseconds);
        await store.setState(nos[i]!, 'removed');
        if (i !== 8) continue;
        const third = others.use(await startServer(data, { env }));
        servers.push(third);
        await balancer.add(third.address);
      }
    })();
    const seen = [atFirst];
    let requests = 0;
    const end = Date.now() + PATIENCE_MS;
    while (seen.at(-1) !== goal) {
      assert.ok(Date.now() < end, `after two minutes callers saw ${seen} of ${goal}`);
      // Fails when removals do.
      await Promise.race([pause(2), removing.then(() => pause(2))]);
      const now = await count();
      requests++;
      if (now !== seen.at(-1)) seen.push(now);
    }
    // Each of the servers.
    for (let i = 0; i < 6; i++) assert.equal(await count(), goal);
    await removing;
    t.diagnostic(`${requests} requests saw ${seen}`);
    for (const { log } of servers) {
      const shown = log.filter(({ version, time }) => version !== undefined && time !== undefined);
      t.diagnostic(
        shown.map(({ time, version, msg }) => `${time.slice(17)} ${version} ${msg.slice(0, 15)}`).join(', '),
      );
    }
    assert.deepEqual(
      seen,
      seen.toSorted((a, b) => b - a),
      'time ran back',
    );
    assert.ok(seen.length >= 6, 'most changes were shown apart');
  });
});
