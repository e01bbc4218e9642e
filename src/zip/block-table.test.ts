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
