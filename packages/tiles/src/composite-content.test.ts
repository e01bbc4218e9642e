import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContentError, readComposite } from './tile-content.ts';

/** A tile of so many bytes, which begins as all do: magic, version, length. */
function inner(length: number, says = length): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.write('b3dm');
  bytes.writeUInt32LE(1, 4);
  bytes.writeUInt32LE(says, 8);
  return bytes;
}

function composite(count: number, ...tiles: Buffer[]): Buffer {
  const head = Buffer.alloc(16);
  head.write('cmpt');
  head.writeUInt32LE(1, 4);
  head.writeUInt32LE(count, 12);
  return Buffer.concat([head, ...tiles]);
}

test('a composite gives its tiles one behind the other, the last of which may be a header alone', () => {
  const [a, b] = [inner(28), inner(12)];
  assert.deepEqual(readComposite(composite(2, a, b)).map(Buffer.from), [a, b]);
  assert.deepEqual(readComposite(composite(0)), []);
});

test('a composite is refused where a tile would not fit, and no tile is shorter than its header', () => {
  for (const [bytes, reason] of [
    [composite(2, inner(28)), /Tile 1 of the cmpt would end at 44 of 44/],
    [composite(1, inner(28, 29)), /Tile 0 of the cmpt would end at 45 of 44/],
    [composite(1, inner(28, 11)), /Tile 0 of the cmpt/],
    [composite(1, inner(28).subarray(0, 11)), /Tile 0 of the cmpt would end at 16 of 27/],
    [composite(0).subarray(0, 15), /15 bytes/],
  ] as const) {
    assert.throws(
      () => readComposite(bytes),
      (error: Error) => error instanceof ContentError && reason.test(error.message),
    );
  }
});
