import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { Together } from './together.ts';

suite('pieces of answers sent together', () => {
  test('are the bytes in order, and all but the last have 64 KiB or more', () => {
    const lengths = fc.array(fc.oneof(fc.nat(2000), fc.nat(100_000)), { maxLength: 60 });
    fc.assert(
      fc.property(lengths, (sizes) => {
        const chunks = sizes.map((size, i) => Buffer.alloc(size, i));
        const together = new Together();
        const pieces = chunks.map((chunk) => together.add(chunk)).filter((piece) => piece !== null);
        const largest = Math.max(0, ...sizes);
        for (const { length } of pieces)
          assert.ok(length >= 65_536 && length < 65_536 + largest, `${length}`);
        const last = together.rest();
        assert.ok(last.length < 65_536);
        assert.deepEqual(Buffer.concat([...pieces, last]), Buffer.concat(chunks));
        assert.equal(together.rest().length, 0);
      }),
      { numRuns: 50 },
    );
  });

  test('a piece is full at 65,536 bytes', () => {
    const together = new Together();
    assert.equal(together.add(new Uint8Array(65_535)), null);
    assert.equal(together.add(new Uint8Array(1))?.length, 65_536);
  });
});
