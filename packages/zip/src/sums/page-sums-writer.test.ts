import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { PageSumsWriter } from './page-sums-writer.ts';

const PAGE = 100;

test('sums are those of pages as they lie in the object, however the bytes come', () => {
  fc.assert(
    fc.property(
      fc.nat(PAGE - 1),
      fc.array(fc.nat(3 * PAGE), { minLength: 1, maxLength: 6 }),
      (start, pieces) => {
        const writer = new PageSumsWriter(PAGE, start);
        const end = start + pieces.reduce((sum, length) => sum + length, 0);
        const all = Buffer.alloc(end, 'some bytes, again and again');
        let at = start;
        for (const length of pieces) {
          writer.push(all.subarray(at, at + length));
          at += length;
        }
        const expected: number[] = [];
        for (let from = 0; from < all.length; from += PAGE) {
          expected.push(crc32(all.subarray(Math.max(from, start), from + PAGE)));
        }
        assert.deepEqual([...new Uint32Array(Uint8Array.from(writer.finish()).buffer)], expected);
      },
    ),
  );
});
