import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { holdsSymbols } from './map-symbols.ts';
import { namesIn } from './text-names.ts';

/** A text in chunks of these lengths by turns, which counts how many are read. */
function inChunks(text: string, lengths: readonly number[]) {
  const of = { read: 0 };
  return Object.assign(of, {
    async *text() {
      const bytes = Buffer.from(text);
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const length = lengths[i % lengths.length]!;
        of.read++;
        yield bytes.subarray(at, at + length);
        at += length;
      }
    },
  });
}

test('names are found wherever chunks of the text end, and no others', async () => {
  const names = ['Room', 'HollowSpace', ':Int', 'oRoo'];
  const words = fc.constantFrom(...names, 'Ro', 'om', 'oo', 'Hollow', 'Space', ':', 'Int', 'あ', ' ');
  const text = fc.array(words, { maxLength: 12 }).map((parts) => parts.join(''));
  const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(text, lengths, async (whole, chunks) => {
      const found = await namesIn(inChunks(whole, chunks), names, () => false);
      assert.deepEqual([...found].sort(), names.filter((name) => whole.includes(name)).sort());
    }),
    { numRuns: 300 },
  );
});

test('a text is read until enough is found', async () => {
  const source = inChunks('a Room here, a HollowSpace there, and more', [20]);
  const found = await namesIn(source, ['Room', 'HollowSpace'], ({ size }) => size === 1);
  assert.deepEqual([[...found], source.read], [['Room'], 1]);
  const all = inChunks('a Room here, a HollowSpace there, and more', [20]);
  await namesIn(all, ['Room', 'HollowSpace'], ({ size }) => size === 2);
  assert.equal(all.read, 2);
});

test('a text holds map symbols where it has an element of theirs', async () => {
  for (const [text, expected] of [
    ['<uro:DmAnnotation>', true],
    ['<uro:DmGeometricAttribute>', true],
    ['<uro:DmElement>', false],
    ['', false],
  ] as const)
    assert.equal(await holdsSymbols(inChunks(text, [4])), expected, text);
});
