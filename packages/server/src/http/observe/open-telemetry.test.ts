/** Spans as the collector gets them, without one. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { tracer } from '@citymodel/base';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { startTracing } from './open-telemetry.ts';

const SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1/',
  OTEL_SERVICE_NAME: 'city',
  OTEL_TRACES_SAMPLER_ARG: '1',
};
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

/** Starts to trace with a collector that takes batches, or fails. */
function tracing(t: TestContext, { settings = {}, code = 0 } = {}) {
  const batches: ReadableSpan[][] = [];
  t.mock.method(
    OTLPTraceExporter.prototype,
    'export',
    (spans: ReadableSpan[], done: (result: { code: number }) => void) => {
      batches.push(spans);
      done({ code });
    },
  );
  const running = startTracing({ ...SETTINGS, ...settings });
  return { own: tracer()!, spans: () => batches.flat(), batches, stop: () => running.stop() };
}

test('spans have their kinds, attributes and faults, and go when the process stops', async (t) => {
  const { own, spans, stop } = tracing(t);
  const attributes = { 'http.route': '/a' };
  const served = own.begin('served', { kind: 'server', attributes });
  served.end({ status: 200 });
  own.begin('consumed', { kind: 'consumer' }).end({}, new TypeError('/etc/secret'));
  own.begin('asked', { kind: 'client' }).end(undefined, '503');
  assert.deepEqual(own.figures(), { sent: 0, lost: 0 });
  await stop();
  assert.equal(tracer(), null);
  assert.deepEqual(own.figures(), { sent: 3, lost: 0 });
  assert.deepEqual(
    spans().map(({ name, kind, attributes: found, status }) => [name, kind, found, status.code]),
    [
      ['served', SpanKind.SERVER, { 'http.route': '/a', status: 200 }, SpanStatusCode.UNSET],
      ['consumed', SpanKind.CONSUMER, { 'error.type': 'TypeError' }, SpanStatusCode.ERROR],
      ['asked', SpanKind.CLIENT, { 'error.type': '503' }, SpanStatusCode.ERROR],
    ],
  );
  const [first] = spans();
  assert.equal(first!.resource.attributes['service.name'], 'city');
  assert.equal(first!.spanContext().traceId, served.traceId);
});

test('a request goes on with the trace of its caller, what it asks for with its own span', async (t) => {
  const { own, spans, stop } = tracing(t);
  assert.equal(own.isWithin(), false);
  const served = own.begin('served', {
    kind: 'server',
    headers: { traceparent: `00-${TRACE}-${PARENT}-01` },
  });
  served.within(() => {
    assert.equal(own.isWithin(), true);
    own.begin('asked', { kind: 'client' }).end();
    own.begin('other', { kind: 'server' }).end();
  });
  assert.equal(own.isWithin(), false);
  served.end();
  await stop();
  const byName = new Map(spans().map((span) => [span.name, span]));
  const parentOf = (name: string) => byName.get(name)!.parentSpanContext?.spanId;
  assert.equal(byName.get('served')!.spanContext().traceId, TRACE);
  assert.equal(parentOf('served'), PARENT);
  assert.equal(parentOf('asked'), byName.get('served')!.spanContext().spanId);
  assert.equal(parentOf('other'), undefined, 'a request without a caller begins a trace');
});

test('what is not to be sampled is not sent, but for what its caller wants', async (t) => {
  const { own, spans, stop } = tracing(t, { settings: { OTEL_TRACES_SAMPLER_ARG: '0' } });
  const span = own.begin('not wanted', { kind: 'server' });
  span.within(() => assert.equal(own.isWithin(), false));
  span.end();
  own.begin('wanted', { kind: 'server', headers: { traceparent: `00-${TRACE}-${PARENT}-01` } }).end();
  await stop();
  assert.deepEqual(
    spans().map(({ name }) => name),
    ['wanted'],
  );
});

test('spans that the collector does not take are lost, in batches of 512 at most', async (t) => {
  const { own, batches, stop } = tracing(t, { code: 1 });
  for (let i = 0; i < 1_100; i++) own.begin('one', { kind: 'server' }).end();
  await stop();
  assert.deepEqual(own.figures(), { sent: 0, lost: 1_100 });
  assert.deepEqual(
    batches.map(({ length }) => length),
    [512, 512, 76],
  );
});

test('8,192 spans wait at most, behind a batch that is on its way', async (t) => {
  const { own, spans, stop } = tracing(t);
  for (let i = 0; i < 9_000; i++) own.begin('one', { kind: 'server' }).end();
  await stop();
  assert.equal(spans().length, 8_192 + 512);
});

test('a span has 32 attributes of 2,048 characters at most', async (t) => {
  const { own, spans, stop } = tracing(t);
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`a${i}`, 'x'.repeat(3_000)]));
  own.begin('one', { kind: 'server', attributes: many }).end();
  await stop();
  const texts = Object.values(spans()[0]!.attributes).map(String);
  assert.deepEqual([texts.length, new Set(texts.map(({ length }) => length))], [32, new Set([2_048])]);
});
