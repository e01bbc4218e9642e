import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { gzipPiece, inflatePiece, joinedCrc32, joinPieces, storedPiece } from './gzip-piece.ts';

const texts = fc.uint8Array({ maxLength: 2_000 });

describe('pieces of gzip streams', () => {
  it('join to a stream whose text is all texts one after the other', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            text: texts,
            level: fc.constantFrom(0, 1, 6, 9),
            times: fc.integer({ min: 1, max: 3 }),
          }),
        ),
        async (given) => {
          const pieces = [];
          const expected = [];
          for (const { text, level, times } of given) {
            const piece = level === 0 ? storedPiece(text) : await gzipPiece(text, level);
            for (let i = 0; i < times; i++) {
              pieces.push(piece);
              expected.push(text);
            }
          }
          assert.deepEqual(gunzipSync(joinPieces(pieces)), Buffer.concat(expected));
        },
      ),
    );
  });

  it('give their text back', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        assert.deepEqual(await inflatePiece(await gzipPiece(text, 6)), Buffer.from(text));
        assert.deepEqual(await inflatePiece(storedPiece(text)), Buffer.from(text));
      }),
    );
  });

  it('are refused as stored above what a block holds', () => {
    assert.equal(storedPiece(new Uint8Array(65_535)).size, 65_535);
    assert.throws(() => storedPiece(new Uint8Array(65_536)), /65536 bytes/);
  });
});

describe('the CRC-32 of two texts', () => {
  it('is that of both one after the other', () => {
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        assert.equal(joinedCrc32(crc32(a), crc32(b), b.length), crc32(Buffer.concat([a, b])));
      }),
    );
  });

  it('is right for lengths that no test can allocate', () => {
    // 2³² − 1 is the order of x: after so many zero bits, 8 times over, the register is what it was.
    assert.equal(joinedCrc32(0x12345678, 0, 2 ** 32 - 1), 0x12345678);
    const zeros = crc32(new Uint8Array(1 << 20));
    let crc = zeros;
    for (let size = 1 << 20; size < 2 ** 31; size *= 2) crc = joinedCrc32(crc, crc, size);
    let slow = zeros;
    for (let i = 1; i < 2 ** 11; i++) slow = joinedCrc32(slow, zeros, 1 << 20);
    assert.equal(crc, slow);
  });
});
