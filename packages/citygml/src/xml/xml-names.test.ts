import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { interned, NO_NAME, occursAt, XmlMemory } from './xml-names.ts';

/** `Aa` and `BB` have one hash, and so has every text that is made of them. */
const colliding = fc.array(fc.constantFrom('Aa', 'BB', 'C#', '甲'), { minLength: 1, maxLength: 4 });

test('a name is the bytes up to a blank or a bracket, also where others have its hash', () => {
  const memory = new XmlMemory();
  fc.assert(
    fc.property(colliding, fc.constantFrom('', ' ', '\n', '<', '>', '/', '=', '\t'), (parts, end) => {
      const text = parts.join('');
      const name = memory.nameAt(Buffer.from(`<${text}${end}x`.slice(0, end === '' ? -1 : undefined)), 1);
      assert.equal(name.text, text);
      assert.deepEqual(Buffer.from(name.bytes), Buffer.from(text));
      assert.deepEqual(name.search, Buffer.from(text));
      assert.equal(memory.nameAt(Buffer.from(text), 0), name, 'one object for all its occurrences');
    }),
  );
  for (const end of [' ', '<', '>', '/', '='])
    assert.equal(memory.nameAt(Buffer.from(`${end}a`), 0), NO_NAME);
  assert.equal(memory.nameAt(Buffer.from('a'), 1), NO_NAME);
});

test('names beyond ten thousand are right as well, and are not kept', () => {
  const memory = new XmlMemory();
  const first = memory.nameAt(Buffer.from('n0'), 0);
  for (let i = 1; i < 10_000; i++) memory.nameAt(Buffer.from(`n${i}`), 0);
  assert.equal(memory.nameAt(Buffer.from('n0'), 0), first);
  assert.equal(memory.nameAt(Buffer.from('n9999'), 0), memory.nameAt(Buffer.from('n9999'), 0));
  const beyond = memory.nameAt(Buffer.from('another'), 0);
  assert.equal(beyond.text, 'another');
  assert.notEqual(memory.nameAt(Buffer.from('another'), 0), beyond);
});

test('a short text is what the decoder gives, and the decoder is asked once for it', () => {
  const memory = new XmlMemory();
  let asked = 0;
  const decode = (bytes: Buffer, start: number, end: number) => {
    asked++;
    return bytes.toString('utf8', start, end).replace('&amp;', '&');
  };
  const read = (text: string) => {
    const bytes = Buffer.from(`-${text}-`);
    return memory.text(bytes, 1, bytes.length - 1, decode);
  };
  fc.assert(
    fc.property(fc.array(fc.constantFrom('Aa', 'BB', '1', '甲', '&amp;', ''), { maxLength: 7 }), (parts) => {
      const text = parts.join('');
      assert.equal(read(text), text.replace('&amp;', '&'));
    }),
  );
  for (const [text, times] of [
    ['x'.repeat(12), 1],
    ['x'.repeat(13), 2],
    ['é', 2],
    ['a&amp;b', 2],
    ['\x7f', 1],
  ] as const) {
    asked = 0;
    assert.equal(read(text), read(text));
    assert.equal(asked, times, text);
  }
});

test('of the rests of tags the last eight are kept, and none of more than 200 bytes', () => {
  const memory = new XmlMemory();
  const name = memory.nameAt(Buffer.from('gen:value'), 0);
  const keep = (text: string) => {
    const bytes = Buffer.from(`gen:value${text}`);
    memory.keepRest(name, bytes, 9, bytes.length, { attributes: {}, closed: false });
  };
  keep(`${'x'.repeat(200)}>`);
  assert.equal(name.rests.length, 0);
  keep(`${'x'.repeat(199)}>`);
  for (let i = 0; i < 9; i++) keep(` n="${i}">`);
  const rests = name.rests.map(({ bytes }) => Buffer.from(bytes).toString());
  assert.deepEqual(
    rests.sort(),
    Array.from({ length: 8 }, (_, i) => ` n="${i + 1}">`).sort(),
    'the first two gave way',
  );
});

test('bytes occur where they stand, and not beyond the end', () => {
  const bytes = Buffer.from('abcab');
  const found = [0, 1, 2, 3, 4, 5].filter((at) => occursAt(Buffer.from('ab'), bytes, at));
  assert.deepEqual(found, [0, 3]);
  assert.equal(occursAt(Buffer.from('abc'), bytes, 3), false);
  assert.equal(occursAt(new Uint8Array(0), bytes, 5), true);
  for (const text of ['a', '', '__proto__', '1', '甲']) assert.equal(interned(text), text);
});
