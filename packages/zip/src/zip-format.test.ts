import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeName, InvalidMemberName, nameFault, normaliseName, printableName } from './member-name.ts';
import { ByteList } from './tables/byte-list.ts';
import { NameSet } from './tables/name-set.ts';
import { findExtra, fromDosTime, readU64, toDosTime, writeU64 } from './zip-format.ts';
import { localHeader } from './zip-records.ts';

test('DOS times: even seconds of 1980 to 2107 survive, others move to the nearest before', () => {
  const first = Date.UTC(1980, 0, 1);
  const last = Date.UTC(2107, 11, 31, 23, 59, 58);
  fc.assert(
    fc.property(fc.integer({ min: first, max: last }), (time) => {
      const kept = fromDosTime(toDosTime(time));
      assert.equal(kept, Math.floor(time / 2000) * 2000);
      assert.equal(toDosTime(kept), toDosTime(time));
    }),
  );
  assert.equal(fromDosTime(toDosTime(0)), first);
  assert.equal(fromDosTime(toDosTime(Date.UTC(2200, 0, 1))), last);
  assert.equal(fromDosTime(toDosTime(Number.NaN)), first);
  // 2023-04-04 06:07:08, by hand: (43 << 9 | 4 << 5 | 4) and (6 << 11 | 7 << 5 | 4).
  assert.equal(toDosTime(Date.UTC(2023, 3, 4, 6, 7, 8)), 0x568430e4);
});

test('a local header, byte by byte', () => {
  const fields = {
    name: 'a',
    method: 8,
    modified: Date.UTC(2023, 3, 4, 6, 7, 8),
    crc32: 0x01020304,
    compressedSize: 5,
    size: 6,
  } as const;
  const name = Buffer.from('a');
  // APPNOTE 6.3.10, 4.3.7: signature, version 2.0, flags, method, time, date, CRC, sizes, lengths of name and extra
  // field.
  assert.equal(
    localHeader(name, fields, false).toString('hex'),
    '504b0304' +
      '1400' +
      '0008' +
      '0800' +
      'e4308456' +
      '04030201' +
      '05000000' +
      '06000000' +
      '0100' +
      '0000' +
      '61',
  );
  // Version 4.5; sizes of 64 bits in an extra field of 16 bytes, the uncompressed one first.
  assert.equal(
    localHeader(name, fields, true).toString('hex'),
    '504b0304' +
      '2d00' +
      '0008' +
      '0800' +
      'e4308456' +
      '04030201' +
      'ffffffff' +
      'ffffffff' +
      '0100' +
      '1400' +
      '61' +
      '01001000' +
      '0600000000000000' +
      '0500000000000000',
  );
});

test('64-bit numbers: exact up to 2^53 - 1, Infinity beyond', () => {
  const bytes = Buffer.alloc(8);
  fc.assert(
    fc.property(fc.maxSafeNat(), (value) => {
      writeU64(bytes, value, 0);
      assert.equal(bytes.readBigUInt64LE(), BigInt(value));
      assert.equal(readU64(bytes, 0), value);
    }),
  );
  bytes.writeBigUInt64LE(2n ** 53n);
  assert.equal(readU64(bytes, 0), Number.POSITIVE_INFINITY);
});

test('extra fields: found wherever they are, and padding that is no field does no harm', () => {
  const extra = Buffer.from('0900020041420100010043ffffff', 'hex');
  assert.deepEqual(findExtra(extra, 0, extra.length, 1), { start: 10, end: 11 });
  assert.deepEqual(findExtra(extra, 0, extra.length, 9), { start: 4, end: 6 });
  assert.equal(findExtra(extra, 0, extra.length, 7), null);
  assert.equal(findExtra(extra, 0, 5, 9), null);
});

test('normalised names have no empty and no `.` segments, and normalising again changes nothing', () => {
  const path = fc
    .array(fc.constantFrom('', '.', '..', 'a', '.a', 'b.'), { maxLength: 6 })
    .map((parts) => parts.join('/'));
  fc.assert(
    fc.property(path, (name) => {
      const normal = normaliseName(name);
      const expected = name.split('/').filter((part) => part !== '' && part !== '.');
      assert.deepEqual(
        normal.split('/').filter((part) => part !== ''),
        expected,
      );
      assert.equal(normaliseName(normal), normal);
    }),
  );
  assert.equal(normaliseName('./udx//bldg/./'), 'udx/bldg/');
  assert.equal(normaliseName('./'), '');
});

test('a name that is accepted when reading can be written, and the other way round', () => {
  const part = fc.constantFrom('a', '..', '.', '', 'C:', 'b\\c', '本', '\u0000', '\u0080', 'x:y', '...');
  const path = fc.array(part, { maxLength: 4 }).map((parts) => parts.join('/'));
  fc.assert(
    fc.property(path, (name) => {
      const good = nameFault(name) === null && normaliseName(name) === name && !name.endsWith('/');
      if (good) assert.equal(encodeName(name).toString(), name);
      else assert.throws(() => encodeName(name), InvalidMemberName);
    }),
  );
  assert.throws(() => encodeName('x'.repeat(65_536)), InvalidMemberName);
});

test('each danger in a name has its own word', () => {
  for (const [name, fault] of [
    ['', 'MEMBER_NAME_EMPTY'],
    ['a\n', 'MEMBER_NAME_CONTROL'],
    ['/a', 'MEMBER_NAME_ABSOLUTE'],
    ['\\a', 'MEMBER_NAME_ABSOLUTE'],
    ['c:a', 'MEMBER_NAME_DRIVE'],
    ['a/../b', 'MEMBER_NAME_PARENT'],
    ['..', 'MEMBER_NAME_PARENT'],
    ['a\\b', 'MEMBER_NAME_BACKSLASH'],
    ['a/..b/c..', null],
    ['1:a', null],
  ] as const) {
    assert.equal(nameFault(name), fault, name);
  }
});

test('printable names hold no control characters and are short', () => {
  assert.equal(printableName('a\0b\n'), 'a\\x00b\\x0a');
  assert.equal(printableName('x'.repeat(500)).length, 200);
});

test('NameSet and ByteList are a set and a list', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 3 }), { maxLength: 200 }), (strings) => {
      const set = new NameSet();
      const list = new ByteList(1, 1);
      const oracle = new Map<string, number>();
      for (const bytes of strings) {
        const key = Buffer.from(bytes).toString('hex');
        const known = oracle.get(key) ?? -1;
        const same = (other: number) => list.equals(other, bytes);
        assert.equal(set.find(bytes, same), known);
        assert.equal(set.add(bytes, list.count, same), known);
        if (known !== -1) continue;
        oracle.set(key, list.count);
        list.push(bytes);
      }
      assert.equal(list.count, oracle.size);
      for (const [key, i] of oracle) assert.equal(list.at(i).toString('hex'), key);
      for (const [key, i] of oracle) {
        const bytes = Buffer.from(key, 'hex');
        assert.equal(
          set.find(bytes, (other) => list.equals(other, bytes)),
          i,
        );
      }
      assert.equal(list.byteLength, [...oracle.keys()].join('').length / 2);
    }),
  );
});
