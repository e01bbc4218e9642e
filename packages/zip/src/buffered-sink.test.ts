import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BufferedSink } from './buffered-sink.ts';
import { MemorySink } from './testing/memory-sink.ts';

const MB = 1024 * 1024;

/** A sink, and the calls that reach it. */
function noted() {
  const calls: Array<[what: string, at: number]> = [];
  const inner = new MemorySink();
  const sink = new BufferedSink({
    write(bytes) {
      calls.push(['write', bytes.length]);
      return inner.write(bytes);
    },
    patch(offset, bytes) {
      calls.push(['patch', offset]);
      return inner.patch(offset, bytes);
    },
    rewind(offset) {
      calls.push(['rewind', offset]);
      return inner.rewind(offset);
    },
  });
  return { sink, calls, bytes: () => Buffer.from(inner.bytes) };
}

test('whatever is written, patched and rewound is there in the end', async () => {
  const size = fc.constantFrom(0, 1, 1_000, MB / 2, MB / 2 + 1, MB - 1, MB, MB + 1);
  const step = fc.oneof(
    fc.record({ what: fc.constant('write' as const), size, share: fc.constant(0) }),
    fc.record({
      what: fc.constant('patch' as const),
      size: fc.nat(2_000),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    fc.record({
      what: fc.constant('rewind' as const),
      size,
      share: fc.double({ min: 0.5, max: 1, noNaN: true }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const { sink, bytes } = noted();
      let expected = Buffer.alloc(0);
      for (const [i, { what, size, share }] of steps.entries()) {
        const at = Math.floor(share * expected.length);
        const content = Buffer.alloc(Math.min(size, what === 'patch' ? expected.length - at : size), i + 1);
        if (what === 'write') {
          await sink.write(content);
          expected = Buffer.concat([expected, content]);
        } else if (what === 'patch') {
          await sink.patch(at, content);
          content.copy(expected, at);
        } else {
          await sink.rewind(at);
          expected = expected.subarray(0, at);
        }
        assert.equal(sink.position, expected.length);
      }
      await sink.flush();
      assert.ok(bytes().equals(expected));
    }),
    { numRuns: 60 },
  );
});

test('small writes are gathered up to a megabyte, and one of more than half passes by', async () => {
  const { sink, calls } = noted();
  await sink.write(Buffer.alloc(MB / 2));
  await sink.write(Buffer.alloc(MB / 2));
  assert.deepEqual(calls, []);
  await sink.write(Buffer.alloc(1));
  assert.deepEqual(calls, [['write', MB]]);
  await sink.write(Buffer.alloc(MB / 2 + 1));
  assert.deepEqual(calls.slice(1), [
    ['write', 1],
    ['write', MB / 2 + 1],
  ]);
  await sink.flush();
  assert.equal(calls.length, 3, 'nothing is left to write');
});

test('a patch or rewinding reaches the sink where it has the bytes', async () => {
  const { sink, calls, bytes } = noted();
  await sink.write(Buffer.alloc(100));
  await sink.flush();
  await sink.write(Buffer.alloc(100));
  calls.length = 0;
  await sink.patch(100, Buffer.of(1));
  await sink.patch(199, Buffer.of(2));
  assert.deepEqual(calls, []);
  await sink.patch(99, Buffer.of(3));
  assert.deepEqual(calls, [['patch', 99]]);
  // Over the border both parts are with the sink first.
  await sink.patch(99, Buffer.of(4, 5));
  assert.deepEqual(calls.slice(1), [
    ['write', 100],
    ['patch', 99],
  ]);
  await sink.write(Buffer.alloc(10));
  calls.length = 0;
  await sink.rewind(200);
  assert.deepEqual([calls.length, sink.position], [0, 200]);
  await sink.rewind(150);
  assert.deepEqual([calls, sink.position], [[['rewind', 150]], 150]);
  assert.deepEqual([...bytes().subarray(99, 102)], [4, 5, 0]);
});

test('nothing is patched beyond the end, and nothing is rewound forwards', async () => {
  const { sink } = noted();
  await sink.write(Buffer.alloc(10));
  await sink.patch(8, Buffer.alloc(2));
  await assert.rejects(sink.patch(9, Buffer.alloc(2)), RangeError);
  await sink.rewind(10);
  await assert.rejects(sink.rewind(11), RangeError);
});
