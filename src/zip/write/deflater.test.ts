import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constants, inflateRawSync } from 'node:zlib';
import { deflateText } from './deflater.ts';

/** A text of so many bytes that hardly compresses, other for each seed. */
function noise(length: number, seed: number): Buffer {
  const text = Buffer.alloc(length);
  let state = seed + 1;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    text[i] = state >>> 16;
  }
  return text;
}

const inflated = (bytes: Uint8Array) => inflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });

test('texts deflated at once and one after the other stand for themselves', async () => {
  // More than there are deflaters of a level.
  const sizes = [1, 5, 0, 200_000, 64 * 1024, 3_000_000, 17, 400, 70_000, 9, 30_000, 2_000, 1, 1];
  for (let round = 0; round < 3; round++) {
    const texts = sizes.map((size, i) => noise(size, 10 * round + i));
    const given = await Promise.all(texts.map((text, i) => deflateText(text, round === 0 ? 1 : (i % 3) + 1)));
    for (const [i, deflated] of given.entries()) {
      if (texts[i]!.length > 0) assert.ok(inflated(deflated).equals(texts[i]!), `${sizes[i]} bytes`);
    }
  }
});

test('the same text gives the same bytes, whatever was deflated before', async () => {
  const text = Buffer.from('<bldg:measuredHeight uom="m">12.5</bldg:measuredHeight>'.repeat(50));
  const first = await deflateText(text, 5);
  await deflateText(noise(100_000, 7), 5);
  assert.deepEqual(await deflateText(text, 5), first);
  assert.equal((await deflateText(new Uint8Array(), 5)).length, 0);
});
