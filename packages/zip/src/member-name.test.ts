import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import {
  decodeName,
  encodeName,
  foldName,
  InvalidMemberName,
  isJunk,
  normaliseName,
  printableName,
} from './member-name.ts';

/** Decodes a name that stands between other bytes, with an extra field behind it. */
function decode(name: Uint8Array | string, { flags = 0, host = 3, extra = Buffer.alloc(0) as Buffer } = {}) {
  const bytes = Buffer.from(name as string);
  const before = Buffer.from('before');
  const record = Buffer.concat([before, bytes, extra, Buffer.from('behind')]);
  const [start, end] = [before.length, before.length + bytes.length];
  return decodeName({ record, start, end, extraEnd: end + extra.length, flags, host });
}

/** Info-ZIP's Unicode path of a stored name, of a version. */
function unicodePath(stored: Uint8Array, path: string, { version = 1, cut = 0 } = {}): Buffer {
  const text = Buffer.from(path);
  const field = Buffer.alloc(9 + text.length);
  field.writeUInt16LE(0x7075, 0);
  field.writeUInt16LE(5 + text.length - cut, 2);
  field[4] = version;
  field.writeUInt32LE(crc32(stored), 5);
  text.copy(field, 9);
  return field.subarray(0, field.length - cut);
}

const UTF8 = 1 << 11;
const STORED = Buffer.from('chizu\xff', 'latin1');

test('a name is ASCII, flagged UTF-8, its Unicode path, UTF-8 or Shift_JIS, in this order', () => {
  assert.equal(decode('a~.gml'), 'a~.gml');
  assert.equal(decode('a~.gml', { extra: unicodePath(Buffer.from('a~.gml'), 'other') }), 'a~.gml');
  assert.equal(decode('本', { flags: UTF8, extra: unicodePath(Buffer.from('本'), 'other') }), '本');
  assert.equal(decode(STORED, { flags: UTF8 }), null);
  assert.equal(decode('本', { extra: unicodePath(Buffer.from('本'), 'other') }), 'other');
  assert.equal(decode('本'), '本');
  assert.equal(decode(Buffer.of(0x95, 0x5c)), '表');
  assert.equal(decode(STORED), null);
});

test('a Unicode path counts in version 1, with the CRC of the name, and with a path', () => {
  assert.equal(decode(STORED, { extra: unicodePath(STORED, '地図') }), '地図');
  assert.equal(decode(STORED, { extra: unicodePath(STORED, 'x') }), 'x');
  assert.equal(decode(STORED, { extra: unicodePath(STORED, '地図', { version: 2 }) }), null);
  assert.equal(decode(STORED, { extra: unicodePath(Buffer.from('other'), '地図') }), null);
  // One byte of path is the least, and what is no UTF-8 is none.
  assert.equal(decode(STORED, { extra: unicodePath(STORED, 'x', { cut: 1 }) }), null);
  assert.equal(decode(STORED, { extra: unicodePath(STORED, '地図', { cut: 1 }) }), null);
});

test('backslashes separate in names from DOS and Windows that have no slash', () => {
  for (const host of [0, 6, 10, 14]) assert.equal(decode('a\\b\\c', { host }), 'a/b/c', `${host}`);
  for (const host of [1, 3, 7, 11, 19]) assert.equal(decode('a\\b', { host }), 'a\\b', `${host}`);
  assert.equal(decode('a/b\\c', { host: 0 }), 'a/b\\c');
  // 表 has 0x5C as its second byte.
  assert.equal(decode(Buffer.of(0x95, 0x5c), { host: 0 }), '表');
});

test('a name is normalised to its segments, and a directory stays one', () => {
  for (const [name, expected] of [
    ['a/b', 'a/b'],
    ['a.b/.c/d.', 'a.b/.c/d.'],
    ['./a', 'a'],
    ['a//b', 'a/b'],
    ['a/./b', 'a/b'],
    ['a/b/', 'a/b/'],
    ['a/b/.', 'a/b/'],
    ['a//', 'a/'],
    ['.', ''],
    ['', ''],
    ['//', ''],
    ['a/..', 'a/..'],
  ] as const) {
    assert.equal(normaliseName(name), expected, name);
  }
});

test('each name that cannot be written is refused with its code', () => {
  for (const [name, code] of [
    ['', 'MEMBER_NAME_EMPTY'],
    ['a/', 'MEMBER_NAME_EMPTY'],
    ['a//b', 'MEMBER_NAME_EMPTY'],
    ['./a', 'MEMBER_NAME_EMPTY'],
    ['/a', 'MEMBER_NAME_ABSOLUTE'],
    ['a\ud800', 'MEMBER_NAME_UNREADABLE'],
    ['x'.repeat(65_536), 'MEMBER_NAME_TOO_LONG'],
  ] as const) {
    assert.throws(
      () => encodeName(name),
      (error) => error instanceof InvalidMemberName && error.code === code && error.memberName === name,
      name.slice(0, 20),
    );
  }
  assert.equal(encodeName('x'.repeat(65_535)).length, 65_535);
  assert.equal(encodeName('本').toString('hex'), 'e69cac');
});

test('a name is shown in 200 characters at most, without halves of characters', () => {
  assert.equal(printableName('x'.repeat(200)), 'x'.repeat(200));
  assert.equal(printableName('x'.repeat(201)), `${'x'.repeat(199)}…`);
  assert.equal(printableName(`${'x'.repeat(198)}𠮷xx`), `${'x'.repeat(198)}\ufffd…`);
  assert.equal(printableName('a\x01\x7f\x9f'), 'a\\x01\\x7f\\x9f');
});

test('letter case and Unicode form fold, and junk is what desktops leave', () => {
  assert.equal(foldName('A/か\u3099'), 'a/が');
  for (const junk of ['__MACOSX', '__MACOSX/a', 'a/__MACOSX/b', '.DS_Store', 'a/THUMBS.DB', 'desktop.ini'])
    assert.ok(isJunk(junk), junk);
  for (const fine of ['__MACOSXX', 'a__MACOSX/b', 'x.DS_Store', 'Thumbs.db/a', 'a/Thumbs.db.gml'])
    assert.ok(!isJunk(fine), fine);
});
