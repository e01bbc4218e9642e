import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bufferSource, type RangedSource } from '@citymodel/zip';
import fc from 'fast-check';
import { readAhead } from './read-ahead.ts';

const SIZE = 300_000;
const bytes = Buffer.alloc(SIZE);
for (let i = 0; i < SIZE; i++) bytes[i] = (i * 2_654_435_761) >>> 24;

function counting(): RangedSource & { lengths: number[] } {
  const inner = bufferSource(bytes);
  const lengths: number[] = [];
  return {
    ...inner,
    lengths,
    async read(offset, length) {
      lengths.push(length);
      return inner.read(offset, length);
    },
  };
}

describe('reading ahead', () => {
  test('gives what the source gives, in any order and several at once', async () => {
    const read = fc.tuple(fc.nat(SIZE), fc.nat(20_000)).map(([offset, length]) => ({
      offset,
      length: Math.min(length, SIZE - offset),
    }));
    await fc.assert(
      fc.asyncProperty(fc.array(read, { maxLength: 40 }), async (reads) => {
        const source = readAhead(counting());
        const found = await Promise.all(reads.map(({ offset, length }) => source.read(offset, length)));
        for (const [i, { offset, length }] of reads.entries()) {
          assert.ok(
            bytes.subarray(offset, offset + length).equals(found[i]!),
            `${length} bytes at ${offset}`,
          );
        }
      }),
    );
  });

  test('takes a handful of reads for a thousand that follow each other', async () => {
    const source = counting();
    const ahead = readAhead(source);
    for (let at = 0; at + 290 <= 290_000; at += 290) await ahead.read(at, 280);
    assert.ok(source.lengths.length < 10, `${source.lengths.length} reads`);
  });

  test('reads no more than is asked for when reads jump about', async () => {
    const source = counting();
    const ahead = readAhead(source);
    for (let i = 100; i > 0; i--) await ahead.read(i * 2_900, 280);
    assert.deepEqual(source.lengths, Array(100).fill(280));
  });

  test('passes on what lies outside, and its error', async () => {
    const ahead = readAhead(counting());
    await assert.rejects(ahead.read(SIZE - 10, 11), RangeError);
  });
});
