import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import Fastify from 'fastify';
import pino from 'pino';
import { LONG_TURN, LoopWatch } from './loop-watch.ts';
import { Metrics } from './metrics.ts';

test('names the requests of a turn that took too long, and only where the thread computed', async () => {
  let now = 5_000;
  let cpu = 700;
  const lines: Array<Record<string, unknown>> = [];
  const log = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const metrics = new Metrics();
  const watch = new LoopWatch({ log, metrics, warnMs: 200, now: () => now, cpu: () => cpu });
  const app = Fastify();
  watch.listen(app);
  app.get('/slow', async () => {
    now += 300;
    cpu += 290;
    return 'done';
  });
  let count = 0;
  const { promise: arrived, resolve: allCame } = Promise.withResolvers<void>();
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  app.get('/wait', async () => {
    if (++count === 6) allCame();
    await held;
    return 'done';
  });
  watch.look();
  await app.inject(`/slow?${'x'.repeat(5_000)}`);
  watch.look();
  const [line] = lines;
  assert.equal(line?.msg, LONG_TURN);
  assert.equal(line?.ms, 280);
  assert.equal(line?.cpuMs, 290);
  assert.equal(line?.open, 0);
  const [request] = line!.requests as string[];
  assert.match(request!, /^GET \/slow\?x+…$/);
  assert.ok(request!.length < 1_100);
  // Up to a quarter of a second, and no more: the first look came at once.
  const counts = async () => {
    const { text } = await metrics.exposed();
    const found = text.matchAll(
      /^citymodel_event_loop_delay_seconds_(?:bucket|sum)(?:\{le="(.*)"\})? (\S+)$/gm,
    );
    return Object.fromEntries(Array.from(found, ([, le = 'sum', count]) => [le, Number(count)]));
  };
  assert.equal((await counts()).sum, 0.28);
  // The next look has nothing to tell; nor has one that comes late because the machine was busy.
  now += 20;
  watch.look();
  now += 500;
  cpu += 50;
  watch.look();
  assert.equal(lines.length, 1);
  // Exactly the limit is too long, five requests are named, and those without an answer are counted.
  const waiting = Array.from({ length: 6 }, (_, n) => app.inject(`/wait?${n}`));
  await arrived;
  now += 220;
  cpu += 200;
  watch.look();
  assert.equal(lines.length, 2);
  assert.deepEqual([lines[1]!.ms, lines[1]!.cpuMs, lines[1]!.open], [200, 200, 6]);
  assert.deepEqual(
    lines[1]!.requests,
    [0, 1, 2, 3, 4].map((n) => `GET /wait?${n}`),
  );
  now += 219;
  cpu += 300;
  watch.look();
  now += 300;
  cpu += 199;
  watch.look();
  assert.equal(lines.length, 2);
  letGo();
  await Promise.all(waiting);
  const { text } = await metrics.exposed();
  assert.match(text, /citymodel_event_loop_delay_seconds_bucket\{le="0\.25"\} \d/);
  assert.match(text, /citymodel_event_loop_longest_delay_seconds \d/);
  watch.stop();
  await app.close();
});

test('who asks for the longest delay leaves it to others, for a minute at least', async () => {
  let now = 0;
  const metrics = new Metrics();
  const watch = new LoopWatch({ log: pino({ enabled: false }), metrics, warnMs: 0, now: () => now });
  const longest = async () => {
    const { text } = await metrics.exposed();
    return Number(/^citymodel_event_loop_longest_delay_seconds (\S+)$/m.exec(text)![1]);
  };
  // The system's timer has to run before it can be late.
  await pause(50);
  const busyUntil = performance.now() + 300;
  while (performance.now() < busyUntil);
  let seen = 0;
  while (seen < 0.2) {
    await pause(5);
    seen = await longest();
  }
  assert.ok((await longest()) >= seen);
  now += 59_000;
  watch.look();
  assert.ok((await longest()) >= seen);
  now += 1_000;
  watch.look();
  assert.ok((await longest()) >= seen, 'of the minute before');
  watch.stop();
});
