import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countLineFeeds } from './scanner-lines.ts';

test('line feeds are counted like one by one', () => {
  const byte = fc.oneof(fc.constantFrom(0x0a, 0x0b, 0x8a, 0x00, 0xff), fc.integer({ min: 0, max: 255 }));
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 60 }), fc.nat(20), fc.nat(20), (content, skip, drop) => {
      const bytes = new Uint8Array(64);
      bytes.set(content);
      const from = Math.min(skip, content.length);
      const to = Math.max(from, content.length - drop);
      const words = new Uint32Array(bytes.buffer);
      assert.equal(
        countLineFeeds(bytes, words, from, to),
        bytes.subarray(from, to).filter((c) => c === 0x0a).length,
      );
    }),
  );
  const full = new Uint8Array(1 << 16).fill(0x0a);
  assert.equal(countLineFeeds(full, new Uint32Array(full.buffer), 1, full.length - 1), full.length - 2);
});
