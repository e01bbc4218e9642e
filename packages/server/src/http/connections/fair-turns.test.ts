import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import test from 'node:test';
import Fastify from 'fastify';
import { takeTurns } from './fair-turns.ts';

/** Works for so many milliseconds of processor time. */
function work(ms: number): void {
  const begun = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(begun);
    if (user + system >= ms * 1_000) return;
  }
}

test(
  'of requests that arrive together and work for long, a few begin in one round; health does not ' + 'wait',
  async (t) => {
    const app = Fastify();
    takeTurns(app);
    /** Requests that began in each round of the event loop. */
    const rounds: number[] = [];
    let isOpen = false;
    const noteRound = () => {
      if (!isOpen) {
        rounds.push(0);
        isOpen = true;
        setImmediate(() => {
          isOpen = false;
        });
      }
      rounds[rounds.length - 1]!++;
    };
    app.get('/costly', async () => {
      noteRound();
      work(10);
      return 'done';
    });
    let isLate = false;
    app.get('/health/live', async () => {
      isLate = rounds.reduce((sum, count) => sum + count, 0) === 30;
      return 'alive';
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    t.after(() => app.close());
    const { port } = app.server.address() as AddressInfo;
    // On one connection and in one segment all of them are read in one round.
    const caller = connect(port, '127.0.0.1');
    const probe = connect(port, '127.0.0.1');
    t.after(() => {
      caller.destroy();
      probe.destroy();
    });
    await Promise.all([once(caller, 'connect'), once(probe, 'connect')]);
    caller.write('GET /costly HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(30));
    probe.write('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
    let answers = '';
    for await (const chunk of caller) {
      answers += chunk;
      if (answers.split('done').length === 31) break;
    }
    assert.ok(Math.max(...rounds) <= 4, rounds.join());
    assert.equal(
      rounds.reduce((sum, count) => sum + count, 0),
      30,
    );
    assert.equal(isLate, false, 'health was answered before the last of the others began');
  },
);
