/**
 * A validator of zips that forgives nothing, for tests: an oracle that shares no code with the readers and
 * writers that it judges. Every byte of the file must belong to exactly one record, and everything that is
 * said twice must be said the same.
 */
import { strict as assert } from 'node:assert';
import { crc32, inflateRawSync } from 'node:zlib';
import type { RangedSource } from '../source.ts';

export interface StrictMember {
  name: string;
  method: number;
  crc32: number;
  compressedSize: number;
  size: number;
  headerOffset: number;
  dataOffset: number;
  /** MS-DOS date and time, date in the upper 16 bits. */
  dosTime: number;
  /** True when one of its headers has a Zip64 field. */
  zip64: boolean;
}

export interface StrictZip {
  members: StrictMember[];
  directoryOffset: number;
  /** True when a Zip64 end record closes the zip. */
  zip64: boolean;
  comment: Uint8Array;
}

export interface StrictOptions {
  /** Also inflate every member, whole in memory, and compare size and CRC-32. */
  crc?: boolean;
}

/**
 * Reads a zip's every byte but the data (the data too with `crc`). Throws an AssertionError that names the first
 * defect.
 */
export async function strictZip(source: RangedSource, options: StrictOptions = {}): Promise<StrictZip> {
  const end = await readEnd(source);
  const directory = view(await source.read(end.offset, end.size));
  const records: Central[] = [];
  for (let at = 0; at < directory.byteLength; ) {
    const record = readCentral(directory, at);
    records.push(record);
    at = record.end;
  }
  assert.equal(records.length, end.count, 'the directory must hold as many records as the end record says');
  const names = new Set(records.map((record) => record.name));
  assert.equal(names.size, records.length, 'names must be unique');

  const members: StrictMember[] = [];
  let at = 0;
  for (const record of [...records].sort((a, b) => a.headerOffset - b.headerOffset)) {
    assert.equal(
      record.headerOffset,
      at,
      `${record.name}: its header must follow the member before without a gap or overlap`,
    );
    const member = await readMember(source, record, end.offset);
    members.push(member.member);
    at = member.end;
    if (options.crc) await checkData(source, member.member);
  }
  assert.equal(at, end.offset, 'the directory must follow the last member without a gap or overlap');
  const byOffset = new Map(members.map((member) => [member.headerOffset, member]));
  return {
    members: records.map((record) => byOffset.get(record.headerOffset) as StrictMember),
    directoryOffset: end.offset,
    zip64: end.zip64,
    comment: end.comment,
  };
}

interface End {
  count: number;
  size: number;
  offset: number;
  zip64: boolean;
  comment: Uint8Array;
}

/** End record, and Zip64 end record with its locator before it: present when, and only when, something does not fit. */
async function readEnd(source: RangedSource): Promise<End> {
  const tailBytes = Math.min(source.size, 65_535 + 22);
  assert.ok(tailBytes >= 22, 'a zip has at least 22 bytes');
  const tail = await source.read(source.size - tailBytes, tailBytes);
  const t = view(tail);
  let at = tailBytes - 22;
  while (
    at >= 0 &&
    !(t.getUint32(at, true) === 0x06054b50 && at + 22 + t.getUint16(at + 20, true) === tailBytes)
  )
    at--;
  assert.ok(at >= 0, 'an end record must close the file, comment included');
  assert.equal(t.getUint16(at + 4, true), 0, 'disk number must be 0');
  assert.equal(t.getUint16(at + 6, true), 0, 'disk of the directory must be 0');
  assert.equal(t.getUint16(at + 8, true), t.getUint16(at + 10, true), 'both counts must agree');
  const position = source.size - tailBytes + at;
  const plain = {
    count: t.getUint16(at + 10, true),
    size: t.getUint32(at + 12, true),
    offset: t.getUint32(at + 16, true),
  };
  const comment = tail.slice(at + 22);

  const before = position >= 20 ? view(await source.read(position - 20, 20)) : null;
  if (before?.getUint32(0, true) !== 0x07064b50) {
    assert.ok(
      plain.count < 0xffff && plain.size < 0xffffffff && plain.offset < 0xffffffff,
      'what does not fit the end record must be in a Zip64 end record',
    );
    assert.equal(plain.offset + plain.size, position, 'the directory must end where the end record begins');
    return { ...plain, zip64: false, comment };
  }
  assert.equal(before.getUint32(4, true), 0, 'disk of the Zip64 end record must be 0');
  assert.equal(before.getUint32(16, true), 1, 'there must be one disk');
  const recordAt = u64(before, 8);
  assert.equal(recordAt, position - 20 - 56, 'the Zip64 end record must stand right before its locator');
  const r = view(await source.read(recordAt, 56));
  assert.equal(r.getUint32(0, true), 0x06064b50, 'Zip64 end record');
  assert.equal(u64(r, 4), 44, 'size of the Zip64 end record');
  assert.ok(r.getUint16(14, true) >= 45, 'Zip64 needs version 4.5');
  assert.equal(r.getUint32(16, true), 0, 'disk number must be 0');
  assert.equal(r.getUint32(20, true), 0, 'disk of the directory must be 0');
  assert.equal(u64(r, 24), u64(r, 32), 'both counts must agree');
  const large = { count: u64(r, 32), size: u64(r, 40), offset: u64(r, 48) };
  assert.ok(
    large.count >= 0xffff || large.size >= 0xffffffff || large.offset >= 0xffffffff,
    'a Zip64 end record must be needed',
  );
  assert.deepEqual(
    plain,
    {
      count: Math.min(large.count, 0xffff),
      size: Math.min(large.size, 0xffffffff),
      offset: Math.min(large.offset, 0xffffffff),
    },
    'the end record must agree with the Zip64 one',
  );
  assert.equal(
    large.offset + large.size,
    recordAt,
    'the directory must end where the Zip64 end record begins',
  );
  return { ...large, zip64: true, comment };
}

interface Central {
  name: string;
  nameBytes: Uint8Array;
  version: number;
  flags: number;
  method: number;
  dosTime: number;
  crc32: number;
  compressedSize: number;
  size: number;
  headerOffset: number;
  zip64: boolean;
  end: number;
}

function readCentral(d: DataView, at: number): Central {
  assert.ok(at + 46 <= d.byteLength, 'a directory record has at least 46 bytes');
  assert.equal(
    d.getUint32(at, true),
    0x02014b50,
    `a directory record must begin at byte ${at} of the directory`,
  );
  const nameEnd = at + 46 + d.getUint16(at + 28, true);
  const extraEnd = nameEnd + d.getUint16(at + 30, true);
  const end = extraEnd + d.getUint16(at + 32, true);
  assert.ok(end <= d.byteLength, 'a directory record must end within the directory');
  const flags = d.getUint16(at + 8, true);
  const nameBytes = bytesOf(d, at + 46, nameEnd);
  const name = decodeStrictly(nameBytes, flags);
  assert.equal(d.getUint16(at + 34, true), 0, `${name}: disk must be 0`);
  const fields = {
    size: d.getUint32(at + 24, true),
    compressedSize: d.getUint32(at + 20, true),
    headerOffset: d.getUint32(at + 42, true),
  };
  const zip64 = readZip64(d, nameEnd, extraEnd, fields, ['size', 'compressedSize', 'headerOffset'], name);
  return {
    name,
    nameBytes,
    version: d.getUint16(at + 6, true),
    flags,
    method: d.getUint16(at + 10, true),
    dosTime: d.getUint32(at + 12, true),
    crc32: d.getUint32(at + 16, true),
    ...fields,
    zip64,
    end,
  };
}

function decodeStrictly(bytes: Uint8Array, flags: number): string {
  const name = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  assert.ok(
    (flags & 0x800) !== 0 || bytes.every((byte) => byte < 0x80),
    `${name}: a name beyond ASCII must be flagged UTF-8`,
  );
  assert.ok(name !== '' && !name.includes('\0') && !name.includes('\\'), `${name}: bad name`);
  assert.ok(!name.startsWith('/') && !/^[A-Za-z]:/.test(name), `${name}: names must be relative`);
  assert.ok(!name.split('/').includes('..'), `${name}: names must not lead upwards`);
  return name;
}

/**
 * Walks the extra fields, which must fill their room exactly, and replaces what the Zip64 field holds. That
 * field must hold all that is saturated and nothing else.
 */
function readZip64<K extends string>(
  d: DataView,
  from: number,
  to: number,
  fields: Record<K, number>,
  order: K[],
  name: string,
): boolean {
  let found = false;
  for (let at = from; at < to; ) {
    assert.ok(at + 4 <= to, `${name}: extra fields must fill their room`);
    const id = d.getUint16(at, true);
    let next = at + 4;
    at = next + d.getUint16(next - 2, true);
    assert.ok(at <= to, `${name}: extra fields must fill their room`);
    if (id !== 0x0001) continue;
    assert.ok(!found, `${name}: one Zip64 field`);
    found = true;
    for (const field of order) {
      if (fields[field] !== 0xffffffff) continue;
      assert.ok(next + 8 <= at, `${name}: the Zip64 field must hold its ${field}`);
      fields[field] = u64(d, next);
      next += 8;
    }
    assert.equal(next, at, `${name}: the Zip64 field must hold only what does not fit`);
  }
  if (!found) {
    for (const field of order)
      assert.notEqual(fields[field], 0xffffffff, `${name}: ${field} needs a Zip64 field`);
  }
  return found;
}

/** The local header, compared with the record, and where the member ends, data descriptor included. */
async function readMember(
  source: RangedSource,
  record: Central,
  directoryOffset: number,
): Promise<{ member: StrictMember; end: number }> {
  const { name, headerOffset } = record;
  assert.ok(headerOffset + 30 <= directoryOffset, `${name}: its header must lie before the directory`);
  const fixed = view(await source.read(headerOffset, 30));
  assert.equal(
    fixed.getUint32(0, true),
    0x04034b50,
    `${name}: a local header must begin at byte ${headerOffset}`,
  );
  const nameLength = fixed.getUint16(26, true);
  const headerBytes = 30 + nameLength + fixed.getUint16(28, true);
  const h = view(await source.read(headerOffset, headerBytes));
  assert.deepEqual(
    bytesOf(h, 30, 30 + nameLength),
    record.nameBytes,
    `${name}: both headers must have the same name`,
  );
  assert.equal(h.getUint16(6, true), record.flags, `${name}: flags`);
  assert.equal(h.getUint16(8, true), record.method, `${name}: method`);
  assert.equal(h.getUint32(10, true), record.dosTime, `${name}: time`);
  assert.equal(record.flags & 1, 0, `${name}: not encrypted`);
  assert.ok(record.method === 0 || record.method === 8, `${name}: stored or deflate`);
  const sizes = { size: h.getUint32(22, true), compressedSize: h.getUint32(18, true) };
  const localZip64 = readZip64(h, 30 + nameLength, headerBytes, sizes, ['size', 'compressedSize'], name);
  const needed = localZip64 || record.zip64 ? 45 : record.method === 8 ? 20 : 10;
  assert.ok(record.version >= needed, `${name}: the directory must ask for version ${needed}`);
  assert.ok(h.getUint16(4, true) >= (localZip64 ? 45 : 10), `${name}: the header must ask for its version`);

  const dataOffset = headerOffset + headerBytes;
  let end = dataOffset + record.compressedSize;
  if ((record.flags & 8) === 0) {
    assert.equal(h.getUint32(14, true), record.crc32, `${name}: CRC-32`);
    assert.equal(sizes.size, record.size, `${name}: size`);
    assert.equal(sizes.compressedSize, record.compressedSize, `${name}: compressed size`);
  } else {
    end = await readDescriptor(source, record, end, localZip64);
  }
  assert.ok(end <= directoryOffset, `${name}: its data must end before the directory`);
  if (record.method === 0) assert.equal(record.size, record.compressedSize, `${name}: stored sizes`);
  const { method, compressedSize, size, dosTime } = record;
  const zip64 = localZip64 || record.zip64;
  return {
    member: {
      name,
      method,
      crc32: record.crc32,
      compressedSize,
      size,
      headerOffset,
      dataOffset,
      dosTime,
      zip64,
    },
    end,
  };
}

/** A data descriptor, with or without its signature; returns where it ends. */
async function readDescriptor(
  source: RangedSource,
  record: Central,
  at: number,
  zip64: boolean,
): Promise<number> {
  const length = zip64 ? 20 : 12;
  const d = view(await source.read(at, length + 4));
  const start = d.getUint32(0, true) === 0x08074b50 ? 4 : 0;
  assert.equal(d.getUint32(start, true), record.crc32, `${record.name}: CRC-32 of the data descriptor`);
  const compressed = zip64 ? u64(d, start + 4) : d.getUint32(start + 4, true);
  const size = zip64 ? u64(d, start + 12) : d.getUint32(start + 8, true);
  assert.equal(compressed, record.compressedSize, `${record.name}: compressed size of the data descriptor`);
  assert.equal(size, record.size, `${record.name}: size of the data descriptor`);
  return at + start + length;
}

async function checkData(source: RangedSource, member: StrictMember): Promise<void> {
  const data = await source.read(member.dataOffset, member.compressedSize);
  const text = member.method === 0 ? data : inflateRawSync(data);
  assert.equal(text.length, member.size, `${member.name}: size of the data`);
  assert.equal(crc32(text), member.crc32, `${member.name}: CRC-32 of the data`);
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function bytesOf(d: DataView, from: number, to: number): Uint8Array {
  return new Uint8Array(d.buffer, d.byteOffset + from, to - from).slice();
}

function u64(d: DataView, at: number): number {
  return Number(d.getBigUint64(at, true));
}
