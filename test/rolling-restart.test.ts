/** Three servers behind a balancer are restarted one after the other under load, and no request fails. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Balancer } from './support/balancer.ts';
import { tempDirectory } from './support/program.ts';
import { startServer } from './support/server.ts';
import { ingestSample } from './support/store.ts';

/** Requests that are on their way at the same time. */
const CALLERS = 8;
/** Between an answer and the next request of a caller, ms: far less than a restart takes. */
const PAUSE_MS = 3;
const ENV = { DRAIN_S: '1', SHUTDOWN_GRACE_S: '30' };

describe('a rolling restart', () => {
  it('fails no request', async (t) => {
    const { data } = await ingestSample(await tempDirectory(t));
    await using balancer = await Balancer.start();
    let servers = await Promise.all([1, 2, 3].map(() => startServer(data, { env: ENV })));
    for (const { address } of servers) await balancer.add(address);
    const [first] = servers;
    const zip = await first!.request('/datacatalog/citygml/47900-latest/citygml.zip');
    const paths = [
      '/datacatalog/citymodel-datasets?city_code=47900',
      '/datacatalog/citygml/47900',
      '/datacatalog/areas',
      '/health/live',
      first!.pathOf(String(zip.headers.location)),
    ];
    const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
    let restarting = true;
    let answered = 0;
    const failures: string[] = [];
    const call = async (path: string) => {
      const outgoing = request(balancer.address, { path, agent });
      outgoing.end();
      try {
        const [incoming] = await once(outgoing, 'response');
        let bytes = 0;
        for await (const chunk of incoming) bytes += chunk.length;
        const promised = Number(incoming.headers['content-length'] ?? bytes);
        if (incoming.statusCode !== 200 || bytes !== promised) {
          failures.push(`${path}: ${incoming.statusCode}, ${bytes} of ${promised} bytes`);
        }
        answered++;
      } catch (error) {
        failures.push(`${path}: ${error}`);
      }
    };
    const callers = Array.from({ length: CALLERS }, async (_, n) => {
      for (let i = n; restarting; i++) {
        await call(paths[i % paths.length]!);
        await setTimeout(PAUSE_MS);
      }
    });
    try {
      for (const old of servers) {
        const before = answered;
        const fresh = await startServer(data, { env: ENV });
        await balancer.add(fresh.address);
        await old.stop();
        balancer.remove(old.address);
        servers = [...servers.filter((server) => server !== old), fresh];
        assert.ok(answered > before, 'there was load meanwhile');
      }
    } finally {
      restarting = false;
      await Promise.all(callers);
      agent.destroy();
      await Promise.all(servers.map((server) => server.stop()));
    }
    assert.deepEqual(failures, []);
    t.diagnostic(`${answered} requests answered`);
  });
});
