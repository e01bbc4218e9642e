import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { anyText } from '@citymodel/base/testing';
import fc from 'fast-check';
import { TextDeflater } from './text-deflater.ts';

const DICTIONARY = Buffer.from('<bldg:usage>業務施設</bldg:usage>'.repeat(20));

for (const [what, options] of [
  ['with a dictionary', { level: 3, windowBits: 13, memLevel: 6, dictionary: DICTIONARY }],
  ['without any', { level: 3, windowBits: 13, memLevel: 6 }],
] as const) {
  test(`texts of all lengths in turn are inflated to what they were, ${what}`, () => {
    const deflater = new TextDeflater(options);
    assert.ok(deflater.isFast, 'the fast way is taken, with this Node.js');
    const text = fc.oneof(
      fc.uint8Array({ maxLength: 5_000 }),
      anyText({ maxLength: 300 }).map((word) => Buffer.from(word.repeat(40))),
      fc.constant(DICTIONARY),
    );
    fc.assert(
      fc.property(text, (one) => {
        const data = deflater.deflate(one);
        assert.ok(inflateRawSync(data, options).equals(one));
        assert.equal(data.buffer.byteLength, data.length, 'in memory of its own');
      }),
      { numRuns: 300 },
    );
  });
}

test('what it gave stays as it is when it goes on, and without the engine it is the same', () => {
  const deflater = new TextDeflater();
  const first = deflater.deflate(DICTIONARY);
  const copy = Buffer.from(first);
  deflater.deflate(Buffer.alloc(100_000, 'x'));
  assert.ok(first.equals(copy));
  Object.defineProperty(deflater, 'isFast', { value: false });
  const plain = deflater.deflate(DICTIONARY);
  assert.ok(plain.equals(copy));
  assert.equal(plain.buffer.byteLength, plain.length);
});
