import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync, inflateRawSync } from 'node:zlib';
import { isGzip, unwrapGzip } from './unwrap-gzip.ts';

const text = Buffer.from('a tile, a tile, a tile');

test('the deflate bytes of a gzip file are those of its text', () => {
  const found = unwrapGzip(gzipSync(text), 1_000);
  assert.ok(found);
  assert.deepEqual(inflateRawSync(found.deflate), text);
  assert.deepEqual(Buffer.from(found.bytes), text);
});

test('a header with a name is skipped', () => {
  const plain = gzipSync(text);
  const named = Buffer.concat([plain.subarray(0, 10), Buffer.from('0.mvt\0'), plain.subarray(10)]);
  named[3] = 0x08;
  assert.deepEqual(Buffer.from(unwrapGzip(named, 1_000)!.bytes), text);
});

test('every field that a header may have is skipped (RFC 1952, section 2.3.1)', () => {
  const plain = gzipSync(text);
  const extra = Buffer.from([3, 0, 1, 2, 0]);
  const fields: Array<[flag: number, bytes: Buffer]> = [
    [0x04, extra],
    [0x08, Buffer.from('name\0')],
    [0x10, Buffer.from('a comment\0')],
    [0x02, Buffer.from([7, 7])],
  ];
  for (let some = 0; some < 16; some++) {
    const chosen = fields.filter((_, i) => (some >> i) % 2 === 1);
    const file = Buffer.concat([
      plain.subarray(0, 10),
      ...chosen.map(([, bytes]) => bytes),
      plain.subarray(10),
    ]);
    file[3] = chosen.reduce((flags, [flag]) => flags | flag, 0);
    const found = unwrapGzip(file, text.length);
    assert.deepEqual(found && Buffer.from(found.bytes), text, `fields ${some}`);
    assert.equal(found!.deflate.length, plain.length - 18);
  }
  const endless = Buffer.concat([plain.subarray(0, 10), Buffer.alloc(30, 1)]);
  endless[3] = 0x08;
  assert.equal(unwrapGzip(endless, 1_000), null, 'a name without an end');
  assert.equal(unwrapGzip(plain, text.length - 1), null, 'a byte too large');
});

test('what is not one whole gzip member is left alone', () => {
  const gzip = gzipSync(text);
  assert.equal(unwrapGzip(text, 1_000), null);
  assert.equal(unwrapGzip(Buffer.concat([gzip, gzip]), 1_000), null, 'two members');
  assert.equal(unwrapGzip(gzip.subarray(0, -1), 1_000), null, 'cut off');
  assert.equal(unwrapGzip(gzip, 5), null, 'too large');
  const wrong = Buffer.from(gzip);
  wrong.writeUInt32LE(1, wrong.length - 8);
  assert.equal(unwrapGzip(wrong, 1_000), null, 'wrong CRC');
});

test('gzip begins with three bytes, and has 18 at least', () => {
  const empty = gzipSync('');
  assert.equal(isGzip(empty), true);
  assert.equal(isGzip(empty.subarray(0, 17)), false);
  for (const at of [0, 1, 2]) {
    const other = Buffer.from(empty);
    other[at]!++;
    assert.equal(isGzip(other), false, `byte ${at}`);
  }
});
