import assert from 'node:assert/strict';
import test, { afterEach } from 'node:test';
import { type SpanOptions, setTracer, traced, tracedAlone, tracedParts } from './tracing.ts';

interface Begun {
  name: string;
  kind: SpanOptions['kind'];
  error?: unknown;
  ended: boolean;
}

/** Sets a tracer that notes what begins and ends. */
function noting(isWithin: boolean): Begun[] {
  const spans: Begun[] = [];
  setTracer({
    isWithin: () => isWithin,
    begin(name, { kind }) {
      const span: Begun = { name, kind, ended: false };
      spans.push(span);
      return {
        traceId: '0'.repeat(32),
        within: (part) => part(),
        end(_attributes, error) {
          span.ended = true;
          if (error !== undefined) span.error = error;
        },
      };
    },
    figures: () => ({ sent: 0, lost: 0 }),
  });
  return spans;
}

afterEach(() => setTracer(null));

const NONE = () => ({});
async function* parts(fault?: Error) {
  yield 1;
  yield 2;
  if (fault !== undefined) throw fault;
}

async function all(numbers: AsyncIterable<number>): Promise<number[]> {
  const found: number[] = [];
  for await (const number of numbers) found.push(number);
  return found;
}

test('without a tracer work runs as it is', async () => {
  assert.equal(await traced('a', NONE, async () => 1), 1);
  assert.equal(await tracedAlone('a', NONE, async () => 2), 2);
  assert.deepEqual(await all(tracedParts('a', NONE, parts)), [1, 2]);
});

test('outside of a span only work that nobody waits for begins one', async () => {
  const spans = noting(false);
  assert.equal(await traced('asked', NONE, async () => 1), 1);
  assert.deepEqual(await all(tracedParts('read', NONE, parts)), [1, 2]);
  assert.deepEqual(spans, []);
  assert.equal(await tracedAlone('alone', NONE, async () => 2), 2);
  assert.deepEqual(spans, [{ name: 'alone', kind: 'consumer', ended: true }]);
});

test('within a span work and reading are spans, which end with their fault', {
  timeout: 10_000,
}, async () => {
  const spans = noting(true);
  const fault = new Error('no');
  assert.equal(await traced('asked', NONE, async () => 1), 1);
  await assert.rejects(
    traced('failed', NONE, () => Promise.reject(fault)),
    fault,
  );
  assert.deepEqual(await all(tracedParts('read', NONE, parts)), [1, 2]);
  await assert.rejects(all(tracedParts('broken', NONE, () => parts(fault))), fault);
  assert.deepEqual(spans, [
    { name: 'asked', kind: 'client', ended: true },
    { name: 'failed', kind: 'client', ended: true, error: fault },
    { name: 'read', kind: 'client', ended: true },
    { name: 'broken', kind: 'client', ended: true, error: fault },
  ]);
});
