import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SpanOptions, Tracer } from '@citymodel/base';
import Fastify from 'fastify';
import { traceRequests } from './request-spans.ts';

interface Seen {
  name: string;
  options: SpanOptions;
  ends: unknown[][];
  /** Whether the handler ran inside of it. */
  hasHandled: boolean;
}

function traced() {
  const seen: Seen[] = [];
  let current: Seen | null = null;
  const tracer = {
    begin(name: string, options: SpanOptions) {
      const one: Seen = { name, options, ends: [], hasHandled: false };
      seen.push(one);
      return {
        traceId: 't',
        within<T>(part: () => T): T {
          current = one;
          try {
            return part();
          } finally {
            current = null;
          }
        },
        end: (...how: unknown[]) => one.ends.push(how),
      };
    },
  } as unknown as Tracer;
  const app = Fastify({ genReqId: () => 'the-id' });
  traceRequests(app, tracer);
  app.get('/a/:b', (request, reply) => {
    if (current !== null) current.hasHandled = true;
    assert.ok(request.span !== null);
    return reply.code(Number((request.params as { b: string }).b)).send('x');
  });
  return { app, seen };
}

test('a request is a span with its route, path and status', async () => {
  const { app, seen } = traced();
  const headers = { traceparent: '00-1-2-01' };
  await app.inject({ url: '/a/200?secret=1', headers });
  const [span, ...others] = seen;
  assert.equal(others.length, 0);
  assert.equal(span!.name, 'GET /a/:b');
  const { kind, attributes, headers: sent } = span!.options;
  assert.equal(kind, 'server');
  assert.equal((sent as typeof headers).traceparent, headers.traceparent);
  assert.deepEqual(attributes, {
    'http.request.method': 'GET',
    'http.route': '/a/:b',
    'url.path': '/a/200',
    'citymodel.request.id': 'the-id',
  });
  assert.ok(span!.hasHandled);
  assert.deepEqual(span!.ends, [[{ 'http.response.status_code': 200 }, undefined]]);
});

test('faults of the service are errors of the span, those of callers are not', async () => {
  const { app, seen } = traced();
  for (const status of ['404', '499', '500', '503']) await app.inject(`/a/${status}`);
  assert.deepEqual(
    seen.map(({ ends }) => ends.map(([, error]) => error)),
    [[undefined], [undefined], ['500'], ['503']],
  );
  await app.inject('/none');
  assert.equal(seen.at(-1)!.name, 'GET unknown');
  assert.equal((seen.at(-1)!.options.attributes as Record<string, unknown>)['http.route'], 'unknown');
});
