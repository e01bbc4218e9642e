import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  centralRecord,
  centralRecordBytes,
  endRecords,
  endRecordsBytes,
  localHeader,
  localHeaderBytes,
  sizesNeedZip64,
} from './zip-records.ts';

const NAME = Buffer.from('a');
const FIELDS = {
  method: 8,
  modified: Date.UTC(2023, 3, 4, 6, 7, 8),
  crc32: 0x01020304,
  compressedSize: 5,
  size: 6,
} as const;
const FULL = 0xffffffff;

/** A number as little-endian hex. */
const hex = (value: number, bytes: number) => {
  const all = Buffer.alloc(8);
  all.writeBigUInt64LE(BigInt(value));
  return all.toString('hex', 0, bytes);
};

test('a central record, byte by byte', () => {
  // APPNOTE 6.3.10, 4.3.12: made by version 4.5 on Unix, needed version, flags, method, time, date, CRC, sizes, lengths
  // of name, extra field and comment, disk, internal and external attributes, offset.
  const record = (version: string, method: string) =>
    `504b01022d03${version}0008${method}e4308456040302010500000006000000010000000000000000000000a48107000000` +
    '61';
  assert.equal(centralRecord(NAME, FIELDS, 7, false).toString('hex'), record('1400', '0800'));
  assert.equal(centralRecord(NAME, FIELDS, 7, true).toString('hex'), record('2d00', '0800'));
  assert.equal(
    centralRecord(NAME, { ...FIELDS, method: 0 }, 7, false).toString('hex'),
    record('1400', '0000'),
  );
});

test('what does not fit into 32 bits stands in the Zip64 field, and nothing else', () => {
  for (const size of [6, FULL - 1, FULL, FULL + 1]) {
    for (const compressedSize of [5, FULL - 1, FULL, 7e9]) {
      for (const offset of [7, FULL - 1, FULL, 8e9]) {
        const bytes = centralRecord(NAME, { ...FIELDS, size, compressedSize }, offset, false);
        const large = [size, compressedSize, offset].filter((value) => value >= FULL);
        const extra = large.length === 0 ? 0 : 4 + 8 * large.length;
        assert.equal(bytes.length, 47 + extra);
        assert.equal(centralRecordBytes(1, { size, compressedSize }, offset), bytes.length);
        assert.equal(bytes.readUInt16LE(6), extra === 0 ? 20 : 45);
        assert.equal(bytes.readUInt16LE(30), extra);
        assert.deepEqual(
          [24, 20, 42].map((at) => bytes.readUInt32LE(at)),
          [size, compressedSize, offset].map((value) => Math.min(value, FULL)),
        );
        const field =
          extra === 0 ? '' : `0100${hex(extra - 4, 2)}${large.map((value) => hex(value, 8)).join('')}`;
        assert.equal(bytes.toString('hex', 47), field);
      }
    }
  }
});

test('local headers have room for sizes of 64 bits where they are wanted', () => {
  assert.equal(localHeaderBytes(3, false), 33);
  assert.equal(localHeaderBytes(3, true), 53);
  assert.equal(localHeader(NAME, { ...FIELDS, method: 0 }, false).readUInt16LE(8), 0);
  const header = localHeader(NAME, { ...FIELDS, size: 7e9, compressedSize: 6e9 }, true);
  assert.equal(header.toString('hex', 31), `01001000${hex(7e9, 8)}${hex(6e9, 8)}`);
  const needs = (size: number, compressedSize: number) => sizesNeedZip64({ size, compressedSize });
  assert.deepEqual(
    [needs(FULL - 1, FULL - 1), needs(FULL, 0), needs(0, FULL), needs(0, 0)],
    [false, true, true, false],
  );
});

test('the end of a zip, byte by byte', () => {
  assert.equal(
    endRecords({ count: 2, offset: 100, size: 94 }).toString('hex'),
    '504b05060000000002000200' + '5e00000064000000' + '0000',
  );
  for (const [count, offset, size] of [
    [0xffff, 100, 94],
    [2, FULL, 94],
    [2, 100, FULL],
    [70_000, 7e9, 6e9],
  ] as const) {
    const bytes = endRecords({ count, offset, size });
    assert.equal(bytes.length, 22 + 56 + 20);
    assert.equal(endRecordsBytes({ count, offset, size }), bytes.length);
    assert.equal(
      bytes.toString('hex'),
      // 4.3.14: 44 bytes follow; versions; disks; records on this disk and at all; size and offset.
      `504b0606${hex(44, 8)}2d032d000000000000000000${hex(count, 8)}${hex(count, 8)}${hex(size, 8)}${hex(offset, 8)}` +
        // 4.3.15: disk, place of the record, disks.
        `504b060700000000${hex(offset + size, 8)}01000000` +
        `504b050600000000${hex(Math.min(count, 0xffff), 2).repeat(2)}${hex(Math.min(size, FULL), 4)}` +
        `${hex(Math.min(offset, FULL), 4)}0000`,
    );
  }
  for (const fits of [
    { count: 0xfffe, offset: FULL - 1, size: FULL - 1 },
    { count: 0, offset: 0, size: 0 },
  ]) {
    assert.equal(endRecordsBytes(fits), 22);
    assert.equal(endRecords(fits).length, 22);
  }
});
