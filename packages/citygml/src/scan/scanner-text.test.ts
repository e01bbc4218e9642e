import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decodeText,
  ENDS_NAME,
  IS_CONTROL,
  IS_NAME,
  IS_NAME_START,
  IS_SPACE,
  IS_TEXT_SPECIAL,
  IS_VALUE_SPECIAL,
  referencedText,
} from './scanner-text.ts';

test('bytes are what XML 1.0 says of their characters', () => {
  // Productions 3, 4, 4a, 2 and 14; bytes above ASCII belong to characters that may stand in names.
  const tables: Array<[string, Uint8Array, RegExp]> = [
    ['blank', IS_SPACE, /[ \t\r\n]/],
    ['name', IS_NAME, /[A-Za-z0-9:_.\-\x80-\xff]/],
    ['begin of a name', IS_NAME_START, /[A-Za-z:_\x80-\xff]/],
    ['end of a name', ENDS_NAME, /[ \t\r\n/>]/],
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is tested
    ['control character', IS_CONTROL, /[\x00-\x08\x0b\x0c\x0e-\x1f]/],
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is tested
    ['special in a text', IS_TEXT_SPECIAL, /[\x00-\x08\x0b\x0c\x0e-\x1f&\]]/],
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is tested
    ['special in a value', IS_VALUE_SPECIAL, /[\x00-\x08\x0b\x0c\x0e-\x1f&<]/],
  ];
  for (const [what, table, expected] of tables) {
    assert.equal(table.length, 256);
    for (let byte = 0; byte < 256; byte++) {
      assert.equal(table[byte] === 1, expected.test(String.fromCharCode(byte)), `${what}: ${byte}`);
    }
  }
});

test('a reference stands for a character of XML, and for no other', () => {
  const texts: Array<[string, string | null]> = [
    ['lt', '<'],
    ['gt', '>'],
    ['amp', '&'],
    ['quot', '"'],
    ['apos', "'"],
    ['nbsp', null],
    ['toString', null],
    ['#65', 'A'],
    ['#x41', 'A'],
    ['#x1F4A9', '💩'],
    ['#x1f4a9', '💩'],
    ['#X41', null],
    ['#', null],
    ['#x', null],
    ['#6a', null],
  ];
  for (const [name, text] of texts) assert.equal(referencedText(name), text, name);
  // Production 2: both ends of each range, and what lies beyond them.
  const allowed = [9, 10, 13, 0x20, 0xd7ff, 0xe000, 0xfffd, 0x10000, 0x10ffff];
  const refused = [0, 8, 11, 12, 14, 0x1f, 0xd800, 0xdfff, 0xfffe, 0xffff, 0x110000];
  for (const code of allowed) {
    assert.equal(referencedText(`#${code}`), String.fromCodePoint(code));
    assert.equal(referencedText(`#x${code.toString(16)}`), String.fromCodePoint(code));
  }
  for (const code of refused) assert.equal(referencedText(`#${code}`), null, `${code}`);
});

test('text has its references replaced, and unknown ones as they are', () => {
  const bytes = Buffer.from('<a>都&amp;&#x5e02;&none; & ;&#0;&aVeryLongNameOf17ch;</a>');
  assert.equal(decodeText(bytes, 3, bytes.length - 4), '都&市&none; & ;&#0;&aVeryLongNameOf17ch;');
  assert.equal(decodeText(bytes, 3, 6), '都');
});
