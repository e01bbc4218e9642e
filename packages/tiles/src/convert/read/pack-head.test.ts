import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Column } from './column.ts';
import { type FeatureHead, HeadPacker } from './pack-head.ts';

test('heads come back as they were, whatever columns of one name are of, and other heads between', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 6 });
  const column: fc.Arbitrary<Column> = fc.record(
    {
      name: fc.constantFrom('a', 'b', '備考'),
      type: fc.constantFrom('STRING' as const, 'INT32' as const, 'FLOAT64' as const),
      value: fc.oneof(text, fc.double({ noNaN: true })),
    },
    { noNullPrototype: true },
  );
  const head: fc.Arbitrary<FeatureHead> = fc.record(
    { id: text, type: text, columns: fc.array(column, { maxLength: 6 }) },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.array(head, { minLength: 1, maxLength: 5 }), (heads) => {
      const packer = new HeadPacker();
      const packed = heads.map((one) => packer.pack(one));
      for (const [i, bytes] of packed.entries()) {
        // They begin at a multiple of eight.
        const aligned = Buffer.from(new ArrayBuffer(bytes.length + 8), 8);
        aligned.set(bytes);
        assert.deepEqual(packer.unpack(aligned), heads[i]);
      }
    }),
  );
});
