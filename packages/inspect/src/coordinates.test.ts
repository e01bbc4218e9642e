import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseNumbers } from './coordinates.ts';

test('plain decimals are read as they are, and need no other reader', (t) => {
  const other = t.mock.method(globalThis, 'Number', Number);
  const written = Array.from({ length: 2_000 }, (_, i) => (35 + i / 7_919).toFixed(8));
  const read = [...parseNumbers(written.join(' '))];
  assert.equal(other.mock.callCount(), 0);
  t.mock.restoreAll();
  assert.deepEqual(read, written.map(Number));
});

test('numbers are those that Number reads, bit by bit', () => {
  const written = fc.oneof(
    fc.double({ noNaN: true }).map(String),
    fc.double({ min: -180, max: 180, noNaN: true }).map((value) => value.toFixed(12)),
    fc.tuple(fc.integer(), fc.nat(99_999_999)).map(([whole, part]) => `${whole}.${part}`),
    fc.constantFrom('0', '-0', '.5', '5.', '-.5', '+1', '1e3', '', '-', '.', 'abc', '12a', '00012.50'),
  );
  fc.assert(
    fc.property(fc.array(written), fc.constantFrom(' ', '\n', '\t ', '  \r\n'), (texts, blank) => {
      const expected = texts.filter((text) => text !== '').map(Number);
      const read = [...parseNumbers(texts.join(blank))];
      assert.equal(read.length, expected.length);
      for (const [i, value] of read.entries())
        assert.ok(Object.is(value, expected[i]), `${value} of ${texts.join('|')}`);
    }),
  );
});
