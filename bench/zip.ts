/**
 * Measures packages/zip/src beside the obvious alternative in the same run: `node bench/zip.ts [part …]`, parts blocks,
 * reading, members and layout, all when none is named; each takes some seconds. Text is the real GML of
 * ../shared/data/packages when it is there, else seeded text of the same shape. Sizes kept in memory are
 * only shown with `node --expose-gc`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, createDeflateRaw, createInflateRaw, deflateRawSync } from 'node:zlib';
import { MemberIndex, MemberIndexBuilder } from '../packages/zip/src/index/member-index.ts';
import type { Member } from '../packages/zip/src/member.ts';
import { readMember } from '../packages/zip/src/read/member-data.ts';
import { gzipRange, gzipSize, identityRange } from '../packages/zip/src/read/member-stream.ts';
import { readZipDirectory } from '../packages/zip/src/read/zip-directory.ts';
import { bufferSource, type RangedSource } from '../packages/zip/src/source.ts';
import { MemorySink } from '../packages/zip/src/testing/memory-sink.ts';
import { ArchiveWriter } from '../packages/zip/src/write/archive-writer.ts';
import { streamLayout } from '../packages/zip/src/write/layout-stream.ts';
import { SeekableDeflate } from '../packages/zip/src/write/seekable-deflate.ts';
import { type PlannedMember, planZip } from '../packages/zip/src/write/zip-layout.ts';

const PACKAGES = join(import.meta.dirname, '../../shared/data/packages');
const CHUNK = 1024 * 1024;
const directory = mkdtempSync(join(tmpdir(), 'bench-zip-'));

function report(what: string, value: string, beside = ''): void {
  console.log(`${what.padEnd(62)}${value.padStart(14)}   ${beside}`);
}

const megabytes = (bytes: number, seconds: number) => `${(bytes / 1e6 / seconds).toFixed(0)} MB/s`;
const milliseconds = (seconds: number) => `${(seconds * 1e3).toFixed(seconds < 0.1 ? 2 : 0)} ms`;

async function timed<T>(work: () => Promise<T> | T): Promise<[seconds: number, result: T]> {
  const start = performance.now();
  const result = await work();
  return [(performance.now() - start) / 1e3, result];
}

/** The median of three runs, after one that does not count. */
async function median(work: () => Promise<unknown> | unknown): Promise<number> {
  await work();
  const times: number[] = [];
  for (let i = 0; i < 3; i++) times.push((await timed(work))[0]);
  return times.sort((a, b) => a - b)[1] as number;
}

async function drain(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of chunks) bytes += chunk.length;
  return bytes;
}

function fileSource(file: FileHandle, size: number): RangedSource {
  const read = async (offset: number, length: number) => {
    const bytes = Buffer.allocUnsafeSlow(length);
    const { bytesRead } = await file.read(bytes, 0, length, offset);
    if (bytesRead !== length) throw new RangeError(`${bytesRead} of ${length} bytes at ${offset}`);
    return bytes;
  };
  return {
    size,
    read,
    async *stream(offset, length) {
      for (let at = 0; at < length; at += CHUNK) yield read(offset + at, Math.min(CHUNK, length - at));
    },
  };
}

/** Text with the shape of GML: long runs of coordinates, features of a few kilobytes. */
function seededGml(bytes: number): Buffer {
  let x = 1;
  const random = (below: number) => {
    x = (Math.imul(x, 1103515245) + 12345) >>> 0;
    return (x >>> 8) % below;
  };
  const parts: string[] = [];
  for (let length = 0; length < bytes; ) {
    let positions = '';
    for (let i = 0; i < 120; i++) positions += `35.${random(1e9)} 139.${random(1e9)} ${random(100)} `;
    const part =
      `<core:cityObjectMember><bldg:Building gml:id="bldg_${random(1e9)}"><gml:posList>${positions}` +
      `</gml:posList></bldg:Building></core:cityObjectMember>\n`;
    parts.push(part);
    length += part.length;
  }
  return Buffer.from(parts.join('')).subarray(0, bytes);
}

/** All GML of each package, one text per package. */
async function realTexts(): Promise<Map<string, Buffer>> {
  const texts = new Map<string, Buffer>();
  if (!existsSync(PACKAGES)) return texts.set('seeded', seededGml(64e6));
  for (const name of readdirSync(PACKAGES)) {
    const source = bufferSource(readFileSync(join(PACKAGES, name)));
    const chunks: Uint8Array[] = [];
    for (const entry of (await readZipDirectory(source)).entries()) {
      if (!entry.name.endsWith('.gml')) continue;
      for await (const chunk of readMember(source, entry)) chunks.push(chunk);
    }
    texts.set(name, Buffer.concat(chunks));
  }
  return texts;
}

/** Compresses in blocks, cut where top-level features end. */
async function inBlocks(text: Buffer, onBytes: (bytes: Uint8Array) => void) {
  const deflate = new SeekableDeflate({ onBytes });
  let found = 0;
  for (let at = 0; at < text.length; at += CHUNK) {
    const end = Math.min(at + CHUNK, text.length);
    for (;;) {
      const tag = text.indexOf('ityObjectMember>', found);
      if (tag === -1 || tag >= end) break;
      found = tag + 16;
      deflate.cutAt(found);
    }
    await deflate.push(text.subarray(at, end));
  }
  return deflate.end();
}

async function plainDeflate(text: Buffer): Promise<number> {
  const stream = createDeflateRaw({ level: 6, chunkSize: 256 * 1024 });
  stream.end(text);
  return drain(stream);
}

async function measureBlocks(texts: Map<string, Buffer>): Promise<void> {
  console.log('\nSize of blocks beside plain deflate, level 6');
  let plainBytes = 0;
  let blockBytes = 0;
  for (const [name, text] of texts) {
    const plain = deflateRawSync(text, { level: 6 }).length;
    const { compressedSize, blocks } = await inBlocks(text, () => {});
    plainBytes += plain;
    blockBytes += compressedSize;
    report(
      `  ${name}`,
      `+${(100 * (compressedSize / plain - 1)).toFixed(2)} %`,
      `${blocks.count} blocks, ${((100 * plain) / text.length).toFixed(1)} % plain`,
    );
  }
  report('  all', `+${(100 * (blockBytes / plainBytes - 1)).toFixed(2)} %`, 'limit 2.5 %');
  const all = Buffer.concat([...texts.values()]);
  const seconds = await median(() => inBlocks(all, () => {}));
  const plain = await median(() => plainDeflate(all));
  report(
    '  writing blocks',
    megabytes(all.length, seconds),
    `${(plain / seconds).toFixed(2)} × node:zlib's stream (${megabytes(all.length, plain)})`,
  );
}

async function measureReading(text: Buffer): Promise<void> {
  console.log(`\nReading a member of ${(text.length / 1e6).toFixed(0)} MB`);
  const sink = new MemorySink();
  const writer = new ArchiveWriter(sink);
  const data = deflateRawSync(text, { level: 6 });
  const totals = { crc32: crc32(text), size: text.length };
  await writer.copy('plain', { ...totals, compressedSize: data.length, method: 8, modified: 0 }, [data]);
  const chunks: Uint8Array[] = [];
  const { blocks, compressedSize } = await inBlocks(text, (bytes) => void chunks.push(bytes));
  const seekable = await writer.copy('blocks', { ...totals, compressedSize, method: 8, modified: 0 }, chunks);
  await writer.finish();
  const path = join(directory, 'archive.zip');
  writeFileSync(path, sink.bytes);
  const file = await open(path);
  const source = fileSource(file, sink.bytes.length);

  const entry = (await readZipDirectory(source)).entry(0);
  const plain = await median(async () => {
    const inflate = createInflateRaw({ chunkSize: CHUNK });
    inflate.end(data);
    return drain(inflate);
  });
  const verified = await median(() => drain(readMember(source, entry)));
  report(
    '  readMember, with CRC',
    megabytes(text.length, verified),
    `${(plain / verified).toFixed(2)} × node:zlib's stream from memory (${megabytes(text.length, plain)})`,
  );

  const member: Member = { ...seekable, path: 'blocks', sha256: new Uint8Array(32), sections: {} };
  const whole = await median(() => drain(identityRange(source, member, blocks, 0, member.size)));
  report(
    '  identityRange, whole, by blocks',
    megabytes(text.length, whole),
    `${(plain / whole).toFixed(2)} ×`,
  );
  const gzip = await median(() => drain(gzipRange(source, member, 0, gzipSize(member))));
  report('  gzipRange, whole', megabytes(text.length, gzip), 'of text, by re-framing');
  const times: number[] = [];
  for (let i = 0; i < 500; i++) {
    const at = (i * 7_919_111) % (text.length - 4000);
    times.push((await timed(() => drain(identityRange(source, member, blocks, at, at + 4000))))[0]);
  }
  times.sort((a, b) => a - b);
  report(
    '  4 kB from anywhere, p50',
    milliseconds(times[250] as number),
    `p99 ${milliseconds(times[495] as number)}`,
  );
  await file.close();
}

/** Bytes that are kept by something, or NaN when node does not let itself be asked. */
async function kept(): Promise<number> {
  if (globalThis.gc === undefined) return Number.NaN;
  for (let i = 0; i < 3; i++) {
    globalThis.gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

async function keptSince(before: number): Promise<string> {
  const bytes = (await kept()) - before;
  return Number.isNaN(bytes) ? '' : `keeps ${(bytes / 1e6).toFixed(0)} MB`;
}

async function measureManyMembers(): Promise<void> {
  const count = 500_000;
  console.log(`\n${count.toLocaleString('en')} members`);
  const path = (i: number) =>
    `13101_chiyoda-ku_city_2023_citygml_1_op/udx/bldg/${53390000 + (i % 997)}_bldg_6697_appearance/${i}.jpg`;
  let archive: Buffer[] = [];
  const [writing] = await timed(async () => {
    const sink = {
      write: (bytes: Uint8Array) => void archive.push(Buffer.from(bytes)),
      patch: () => {},
      rewind: () => {},
    };
    const writer = new ArchiveWriter(sink);
    const meta = { crc32: 0, size: 0, compressedSize: 0, method: 0, modified: 0 } as const;
    for (let i = 0; i < count; i++) await writer.copy(path(i), meta, []);
    await writer.finish();
  });
  report('  ArchiveWriter.copy, empty members', milliseconds(writing));
  const zip = bufferSource(Buffer.concat(archive));
  archive = [];
  let before = await kept();
  const [reading, read] = await timed(() => readZipDirectory(zip));
  report('  readZipDirectory', milliseconds(reading), `${await keptSince(before)} for ${read.count} members`);

  const chunks: Buffer[] = [];
  const sink = {
    write: (bytes: Uint8Array) => void chunks.push(Buffer.from(bytes)),
    patch: (_: number, bytes: Uint8Array) => void chunks[0]?.set(bytes),
    rewind: () => {},
  };
  const [building] = await timed(async () => {
    const builder = new MemberIndexBuilder(sink);
    const sha256 = new Uint8Array(32);
    for (let i = 0; i < count; i++) {
      await builder.add(
        { path: path(i), method: 8, offset: i, compressedSize: 1, size: 2, crc32: i, sha256, modified: 0 },
        {},
      );
    }
    return builder.finish();
  });
  const file = join(directory, 'index');
  writeFileSync(file, Buffer.concat(chunks));
  chunks.length = 0;
  const handle = await open(file);
  const source = fileSource(handle, (await handle.stat()).size);
  before = await kept();
  const [opening, index] = await timed(() => MemberIndex.open(source));
  report('  MemberIndexBuilder', milliseconds(building), `${(source.size / 1e6).toFixed(0)} MB`);
  report('  MemberIndex.open', milliseconds(opening), `${await keptSince(before)}, limit 300 ms`);
  const [finding] = await timed(() => {
    for (let i = 0; i < 100_000; i++) index.find(path((i * 7919) % count));
  });
  report('  find', `${((finding / 100_000) * 1e6).toFixed(1)} µs`);
  await handle.close();
}

async function measureLayout(): Promise<void> {
  console.log('\nVirtual zips');
  const planned = (count: number, size: number): PlannedMember<number>[] =>
    Array.from({ length: count }, (_, i) => ({
      name: `13101_chiyoda-ku_city_2023_citygml_1_op/udx/bldg/${i}.gml`,
      method: 0 as const,
      crc32: i,
      compressedSize: size,
      size,
      modified: 0,
      source: 0,
      offset: i * (size + 100),
    }));
  const list = planned(100_000, 1000);
  const before = await kept();
  const [planning] = await timed(() => planZip(list));
  report('  planZip, 100,000 members', milliseconds(planning), `${await keptSince(before)}`);
  const path = join(directory, 'source');
  const size = 400_000_000;
  writeFileSync(path, '');
  const file = await open(path, 'r+');
  const block = Buffer.alloc(CHUNK, 'x');
  for (let at = 0; at < size; at += CHUNK) await file.write(block, 0, Math.min(CHUNK, size - at), at);
  const source = fileSource(file, size);
  const copying = await median(() => spawnSync('cp', ['--reflink=never', path, join(directory, 'copy')]));
  for (const [count, bytes] of [
    [200, 1_999_900],
    [20_000, 19_900],
  ] as const) {
    const one = planZip(planned(count, bytes));
    const toFile = await median(async () => {
      const out = await open(join(directory, 'out'), 'w');
      for await (const chunk of streamLayout(one, 0, one.size, async () => source)) await out.write(chunk);
      await out.close();
    });
    const streaming = await median(() => drain(streamLayout(one, 0, one.size, async () => source)));
    report(`  ${count} members of ${bytes} bytes, streamed`, megabytes(one.size, streaming));
    report(
      '    and written to a file',
      megabytes(one.size, toFile),
      `${(copying / toFile).toFixed(2)} × cp (${megabytes(size, copying)})`,
    );
  }
  await file.close();
}

const parts = process.argv.slice(2);
const wanted = (part: string) => parts.length === 0 || parts.includes(part);
try {
  const texts = await realTexts();
  if (wanted('blocks')) await measureBlocks(texts);
  if (wanted('reading')) await measureReading(Buffer.concat([...texts.values()]));
  if (wanted('members')) await measureManyMembers();
  if (wanted('layout')) await measureLayout();
} finally {
  rmSync(directory, { recursive: true });
}
