import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyText } from '@citymodel/base/testing';
import fc from 'fast-check';
import { declaredEncoding, detectEncoding, Utf8Check } from './scanner-encoding.ts';

/** First byte at which a strict decoder stops, sequence by sequence. */
function slowInvalid(bytes: Uint8Array): number {
  // Where bytes are wrong, a decoder that is not strict has this character, which may also be theirs.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const decodes = (part: Uint8Array) =>
    !decoder.decode(part).includes('\ufffd') || Buffer.compare(part, Buffer.from('\ufffd')) === 0;
  let at = 0;
  while (at < bytes.length) {
    const length = [1, 2, 3, 4].find((n) => at + n <= bytes.length && decodes(bytes.subarray(at, at + n)));
    if (length === undefined) return at;
    at += length;
  }
  return -1;
}

test('the first byte that is no UTF-8 is found whatever the chunks', () => {
  const piece = fc.oneof(
    anyText({ maxLength: 100 }).map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
    fc.constant(Buffer.from('あ𠮷é')),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.integer({ min: 1, max: 40 }), (pieces, size) => {
      const bytes = Buffer.concat(pieces);
      const check = new Utf8Check();
      for (let i = 0; i < bytes.length; i += size) check.push(bytes.subarray(i, i + size));
      check.end();
      assert.equal(check.invalidAt, slowInvalid(bytes));
    }),
    { numRuns: 2000 },
  );
});

test('byte order marks and declarations', () => {
  assert.deepEqual(detectEncoding(Buffer.from('\ufeff<a/>')), { mark: 3, wide: null });
  assert.deepEqual(detectEncoding(Buffer.from('<a/>', 'utf16le')), { mark: 0, wide: 'utf-16' });
  assert.deepEqual(detectEncoding(Buffer.from('<a/>')), { mark: 0, wide: null });
  assert.equal(declaredEncoding(`<?xml version='1.0' encoding='Shift_JIS'`), 'shift_jis');
  assert.equal(declaredEncoding('<?xml version="1.0"'), 'utf-8');
});
