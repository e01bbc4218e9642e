import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BlockTable } from './block-table.ts';

test('find is the obvious search, and encoding keeps everything', () => {
  const lengths = fc.array(fc.tuple(fc.nat(0xffffffff), fc.nat(0xffffffff)), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(lengths, fc.nat(1_000), (pairs, permille) => {
      const table = BlockTable.fromLengths(
        pairs.map(([length]) => length),
        pairs.map(([, length]) => length),
      );
      const total = table.textOffset(table.count);
      const offset = Math.floor((total * permille) / 1_000);
      let expected = table.count - 1;
      while (expected > 0 && table.textOffset(expected) > offset) expected--;
      assert.equal(table.find(offset), expected);
      assert.throws(() => table.find(total + 1), RangeError);
      assert.throws(() => table.textOffset(table.count + 1), RangeError);
      const decoded = BlockTable.decode(table.encode());
      for (let i = 0; i <= table.count; i++) {
        assert.equal(decoded.textOffset(i), table.textOffset(i));
        assert.equal(decoded.dataOffset(i), table.dataOffset(i));
      }
    }),
  );
});

test('anything but a whole block table of this version is rejected, saying what was found', () => {
  const bytes = BlockTable.fromLengths([1, 2], [3, 4]).encode();
  assert.throws(() => BlockTable.decode(Buffer.from('PK..........')), /begins with "SDBT"; found "PK\.\."/);
  assert.throws(() => BlockTable.decode(bytes.subarray(0, 8)), /at least 12 bytes; found 8/);
  assert.throws(() => BlockTable.decode(bytes.subarray(0, 27)), /found 27 bytes/);
  const other = Buffer.from(bytes);
  other.writeUInt32LE(2, 4);
  assert.throws(() => BlockTable.decode(other), /version 1 are read; found version 2/);
});

test('the bytes are those of version 1', () => {
  const bytes = Buffer.from(BlockTable.fromLengths([1, 0x10203], [3, 0xfffffffe]).encode());
  assert.equal(bytes.toString('hex'), '5344425401000000020000000100000003020100' + '03000000feffffff');
});

test('lists of different lengths, and none at all, are no table', () => {
  assert.throws(() => BlockTable.fromLengths([], []), /at least one; found 0 and 0/);
  assert.throws(() => BlockTable.fromLengths([1, 2], [1]), /found 2 and 1/);
  const empty = Buffer.from(BlockTable.fromLengths([1], [1]).encode()).subarray(0, 12);
  empty.writeUInt32LE(0, 8);
  assert.throws(() => BlockTable.decode(empty), /of 0 blocks has 12 bytes and at least one block/);
  const table = BlockTable.fromLengths([5, 0, 5], [1, 1, 1]);
  assert.equal(table.count, 3);
  assert.deepEqual(
    [0, 4, 5, 9, 10].map((offset) => table.find(offset)),
    [0, 0, 2, 2, 2],
  );
  for (const offset of [-1, 11, Number.NaN])
    assert.throws(() => table.find(offset), /lies outside a text of 10 bytes/);
  assert.throws(() => table.dataOffset(4), /block 4 of 3/);
});
