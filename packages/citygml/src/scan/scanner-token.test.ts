import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NamespaceContext } from './scanner-names.ts';
import { Token } from './scanner-token.ts';

test('a token is found where its bytes are, and nowhere else', () => {
  const letters = fc.array(fc.constantFrom(0x61, 0x62), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(letters, letters, fc.nat(9), (expected, before, other) => {
      const token = new Token(Uint8Array.from(expected));
      const text = Buffer.from([...before, ...expected, ...before.slice(0, 3)]);
      const view = new DataView(text.buffer, text.byteOffset, text.length);
      for (let at = 0; at + expected.length <= text.length; at++) {
        const found = text.subarray(at, at + expected.length).equals(Uint8Array.from(expected));
        assert.equal(token.isAt(view, at), found);
      }
      const last = before.length + Math.min(other, expected.length - 1);
      text[last] = 0x63;
      assert.equal(token.isAt(view, before.length), false);
    }),
  );
});

test('eight bytes that are no number are not found', () => {
  const bytes = new Uint8Array(9).fill(0xff);
  assert.equal(new Token(bytes).isAt(new DataView(bytes.buffer), 0), false);
});

test('what is kept of a text keeps no more than its own bytes', () => {
  // A part of the pool that small buffers are cut from.
  const token = new Token(Buffer.from('name')) as unknown as { bytes: Uint8Array };
  assert.equal(token.bytes.buffer.byteLength, 4);
  const name = new NamespaceContext(new Map()).element(Buffer.from('<name>'), 1, 5, 7);
  assert.equal(Buffer.from(name.bytes).toString(), 'name');
  assert.equal(name.bytes.buffer.byteLength, 4);
});
