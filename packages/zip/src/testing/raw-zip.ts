/**
 * Zips written byte by byte, for tests: any field can be given a wrong value. Shares no code with the writers
 * of the product.
 */
import { crc32, deflateRawSync } from 'node:zlib';

export interface RawMember {
  /** As stored; a string is written as UTF-8. */
  name: string | Uint8Array;
  /** Uncompressed. */
  text?: string | Uint8Array;
  /** 8 unless given. */
  method?: number;
  /** Data as stored, in place of the compressed text. */
  data?: Uint8Array;
  flags?: number;
  /** Upper byte of "made by"; 3 (Unix) unless given. */
  host?: number;
  /** External attributes. */
  attributes?: number;
  dosTime?: number;
  extra?: Uint8Array;
  localExtra?: Uint8Array;
  /** Bytes behind the data, such as a data descriptor. */
  after?: Uint8Array;
  disk?: number;
  /** What the headers say in place of the truth. */
  says?: Partial<Claims>;
  /** What only the local header says. */
  localSays?: Partial<Claims> & { name?: Uint8Array; method?: number };
  /** What the directory says about where the header is. */
  headerOffset?: number;
}

interface Claims {
  crc32: number;
  size: number;
  compressedSize: number;
}

export interface RawZipOptions {
  comment?: string | Uint8Array;
  /** Bytes before everything. */
  prefix?: Uint8Array;
  /** True when offsets count from the start of the file in spite of the prefix. */
  adjusted?: boolean;
  /** Fields of the end record in place of the truth. */
  end?: Partial<{ disk: number; countOnDisk: number; count: number; size: number; offset: number }>;
  /** Writes Zip64 end records, with these fields in place of the truth. */
  zip64?: Partial<{ count: number; size: number; offset: number; recordOffset: number; disks: number }>;
}

const u16 = (value: number) => Uint8Array.of(value & 255, (value >>> 8) & 255);
const u32 = (value: number) =>
  Uint8Array.of(value & 255, (value >>> 8) & 255, (value >>> 16) & 255, (value >>> 24) & 255);
/** 64 bits. */
export function u64(value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
/** An extra field. */
export function extraField(id: number, ...content: Uint8Array[]): Uint8Array {
  const bytes = Buffer.concat(content);
  return Buffer.concat([u16(id), u16(bytes.length), bytes]);
}

/** The bytes of a zip. */
export function rawZip(members: RawMember[], options: RawZipOptions = {}): Uint8Array {
  const prefix = options.prefix ?? new Uint8Array(0);
  const base = options.adjusted ? prefix.length : 0;
  const body: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const member of members) {
    const { local, central } = records(member, base + at);
    body.push(local);
    directory.push(central);
    at += local.length;
  }
  const records64: Uint8Array[] = [];
  const size = directory.reduce((sum, record) => sum + record.length, 0);
  const offset = base + at;
  if (options.zip64 !== undefined) {
    const z = {
      count: members.length,
      size,
      offset,
      recordOffset: offset + size,
      disks: 1,
      ...options.zip64,
    };
    const version = [u16(45), u16(45), u32(0), u32(0)];
    records64.push(
      u32(0x06064b50),
      u64(44),
      ...version,
      u64(z.count),
      u64(z.count),
      u64(z.size),
      u64(z.offset),
    );
    records64.push(u32(0x07064b50), u32(0), u64(z.recordOffset), u32(z.disks));
  }
  const end = { disk: 0, countOnDisk: members.length, count: members.length, size, offset, ...options.end };
  const comment = Buffer.from(options.comment ?? '');
  return Buffer.concat([
    prefix,
    ...body,
    ...directory,
    ...records64,
    u32(0x06054b50),
    u16(end.disk),
    u16(0),
    u16(end.countOnDisk),
    u16(end.count),
    u32(end.size),
    u32(end.offset),
    u16(comment.length),
    comment,
  ]);
}

function records(member: RawMember, headerOffset: number): { local: Uint8Array; central: Uint8Array } {
  const name = Buffer.from(member.name as string);
  const text = Buffer.from((member.text ?? '') as string);
  const method = member.method ?? 8;
  const data = member.data ?? (method === 8 ? deflateRawSync(text) : text);
  const truth = { crc32: crc32(text), size: text.length, compressedSize: data.length };
  const central = { ...truth, ...member.says };
  const local = { ...central, name, method, ...member.localSays };
  const extra = member.extra ?? new Uint8Array(0);
  const localExtra = member.localExtra ?? extra;
  const flags = member.flags ?? 0x800;
  const time = u32(member.dosTime ?? 0x5a6f6000);
  const claims = (c: Claims) => [u32(c.crc32), u32(c.compressedSize), u32(c.size)];
  return {
    local: Buffer.concat([
      u32(0x04034b50),
      u16(20),
      u16(flags),
      u16(local.method),
      time,
      ...claims(local),
      u16(local.name.length),
      u16(localExtra.length),
      local.name,
      localExtra,
      data,
      member.after ?? new Uint8Array(0),
    ]),
    central: Buffer.concat([
      u32(0x02014b50),
      Uint8Array.of(20, member.host ?? 3),
      u16(20),
      u16(flags),
      u16(method),
      time,
      ...claims(central),
      u16(name.length),
      u16(extra.length),
      u16(0),
      u16(member.disk ?? 0),
      u16(0),
      u32(member.attributes ?? 0),
      u32(member.headerOffset ?? headerOffset),
      name,
      extra,
    ]),
  };
}
