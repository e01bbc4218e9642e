import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { MemberDamaged } from '../member-damaged.ts';
import { InvalidMemberName } from '../member-name.ts';
import { readMember } from '../read/member-data.ts';
import { readZipDirectory } from '../read/zip-directory.ts';
import { bufferSource } from '../source.ts';
import { MemorySink } from '../testing/memory-sink.ts';
import { sparseSource } from '../testing/sparse-source.ts';
import { strictZip } from '../testing/strict-zip.ts';
import { type ArchiveSink, ArchiveWriter } from './archive-writer.ts';

const modified = Date.UTC(2024, 4, 6, 7, 8, 10);

function totalsOf(content: Uint8Array, data: Uint8Array) {
  return { crc32: crc32(content), size: content.length, compressedSize: data.length };
}

test('any mix of copied, streamed and abandoned members is a strict zip with exactly the kept ones', async () => {
  const member = fc.record({
    how: fc.constantFrom('copy', 'open', 'open unknown', 'abandon', 'broken copy'),
    method: fc.constantFrom(0 as const, 8 as const),
    // Beyond half a megabyte the buffer of the writer is passed by.
    size: fc.oneof(fc.nat(500), fc.constantFrom(400_000, 700_000, 1_200_000)),
    pieces: fc.integer({ min: 1, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(member, { maxLength: 12 }), async (members) => {
      const sink = new MemorySink();
      const writer = new ArchiveWriter(sink);
      const kept: Array<{ name: string; content: Buffer }> = [];
      for (const [i, { how, method, size, pieces }] of members.entries()) {
        const name = `udx/本 ${i}.gml`;
        const content = Buffer.alloc(size, `${i} `);
        const data = method === 8 ? deflateRawSync(content, { level: 0 }) : content;
        const totals = totalsOf(content, data);
        const step = Math.ceil(data.length / pieces) || 1;
        const chunks: Uint8Array[] = [];
        for (let at = 0; at < data.length; at += step) chunks.push(data.subarray(at, at + step));
        if (how === 'copy') {
          const written = await writer.copy(name, { ...totals, method, modified }, chunks);
          assert.equal(written.offset - written.headerOffset, 30 + Buffer.byteLength(name));
        } else if (how === 'broken copy') {
          const cut = writer.copy(
            name,
            { ...totals, compressedSize: data.length + 1, method, modified },
            chunks,
          );
          await assert.rejects(cut, MemberDamaged);
        } else {
          const open = await writer.open(
            name,
            how === 'open unknown' ? { method, modified } : { method, modified, size },
          );
          for (const chunk of chunks) await open.write(chunk);
          if (how === 'abandon') await open.abandon();
          else await open.close(totals);
        }
        if (how !== 'abandon' && how !== 'broken copy') kept.push({ name, content });
      }
      const { size, count } = await writer.finish();
      assert.equal(size, sink.bytes.length);
      assert.equal(count, kept.length);
      const zip = await strictZip(bufferSource(sink.bytes), { crc: true });
      assert.deepEqual(
        zip.members.map((m) => [m.name, m.crc32]),
        kept.map((m) => [m.name, crc32(m.content)]),
      );
      const directory = await readZipDirectory(bufferSource(sink.bytes));
      assert.deepEqual(directory.issues, []);
      for (const entry of directory.entries()) {
        assert.equal(entry.modified, modified);
        assert.equal(entry.unixMode, 0o100644);
        for await (const _ of readMember(bufferSource(sink.bytes), entry));
      }
    }),
    { numRuns: 60 },
  );
});

test('small members reach the sink in large writes and without patches', async () => {
  const sink = new MemorySink();
  const writer = new ArchiveWriter(sink);
  for (let i = 0; i < 2_000; i++) {
    const member = await writer.open(`${i}`, { modified, method: 0 });
    await member.write(Buffer.from('small'));
    await member.close({ crc32: crc32('small'), size: 5, compressedSize: 5 });
  }
  await writer.finish();
  assert.deepEqual(sink.calls, { write: 1, patch: 0, rewind: 0 });
  assert.equal((await strictZip(bufferSource(sink.bytes), { crc: true })).members.length, 2_000);
});

test('names that are unsafe or taken are refused, and the archive goes on', async () => {
  const sink = new MemorySink();
  const writer = new ArchiveWriter(sink);
  const nothing = { crc32: 0, size: 0, compressedSize: 0, method: 0, modified } as const;
  await writer.copy('a', nothing, []);
  for (const name of [
    'a',
    '',
    '/a',
    '../a',
    'a/../b',
    'C:/a',
    'a\\b',
    'a\0',
    './a',
    'a//b',
    'a/',
    '\ud800',
  ]) {
    await assert.rejects(writer.open(name, { modified, method: 0 }), InvalidMemberName, JSON.stringify(name));
  }
  const abandoned = await writer.open('b', { modified, method: 0 });
  await abandoned.abandon();
  await writer.copy('b', nothing, []);
  await writer.finish();
  const { members } = await strictZip(bufferSource(sink.bytes));
  assert.deepEqual(
    members.map((m) => m.name),
    ['a', 'b'],
  );
});

test('one member at a time, and nothing after the end', async () => {
  const writer = new ArchiveWriter(new MemorySink());
  const member = await writer.open('a', { modified, method: 0 });
  await assert.rejects(writer.open('b', { modified, method: 0 }), /a member is open/);
  await assert.rejects(writer.finish(), /a member is open/);
  await assert.rejects(member.close({ crc32: 0, size: 1, compressedSize: 0 }), RangeError);
  await member.abandon();
  assert.throws(() => member.write(new Uint8Array(1)), /has ended/);
  await writer.finish();
  await assert.rejects(writer.open('b', { modified, method: 0 }), /finished/);
});

test('Zip64: members beyond 4 GiB, known and unknown in advance, and offsets behind them', async () => {
  // Gigabytes of zeros are counted, everything else is kept.
  const pieces: Array<[number, Uint8Array]> = [];
  const zeros = new Uint8Array(64 * 1024 * 1024);
  let size = 0;
  const sink: ArchiveSink = {
    write(bytes) {
      if (bytes !== zeros) pieces.push([size, Uint8Array.from(bytes)]);
      size += bytes.length;
    },
    patch(offset, bytes) {
      pieces.push([offset, Uint8Array.from(bytes)]);
    },
    rewind() {
      throw new Error('not here');
    },
  };
  const writer = new ArchiveWriter(sink);
  const big = 80 * zeros.length;
  function* gigabytes() {
    for (let i = 0; i < 80; i++) yield zeros;
  }
  const totals = { crc32: 0, size: big, compressedSize: big };
  await writer.copy('known', { ...totals, method: 0, modified }, gigabytes());
  const open = await writer.open('unknown', { method: 0, modified });
  for (const chunk of gigabytes()) await open.write(chunk);
  await open.close(totals);
  // Declared small, so that no room was left: refused before a wrong header is written.
  const wrong = await writer.open('wrong', { method: 8, modified, size: 10 });
  await assert.rejects(wrong.close({ crc32: 0, size: big, compressedSize: 0 }), /more than was declared/);
  await wrong.abandon();
  const small = await writer.open('small, room left', { method: 0, modified });
  await small.close({ crc32: 0, size: 0, compressedSize: 0 });
  await writer.finish();

  const source = sparseSource(size, pieces);
  const zip = await strictZip(source);
  assert.ok(zip.zip64);
  assert.deepEqual(
    zip.members.map((m) => [m.name, m.size]),
    [
      ['known', big],
      ['unknown', big],
      ['small, room left', 0],
    ],
  );
  const directory = await readZipDirectory(source);
  assert.deepEqual(directory.issues, []);
  assert.deepEqual(
    [...directory.entries()].map((e) => e.size),
    [big, big, 0],
  );
});

test('more than 65,535 members', async () => {
  const sink = new MemorySink();
  const writer = new ArchiveWriter(sink);
  for (let i = 0; i < 65_535; i++) {
    await writer.copy(`${i}`, { crc32: 0, size: 0, compressedSize: 0, method: 0, modified }, []);
  }
  await writer.finish();
  const zip = await strictZip(bufferSource(sink.bytes));
  assert.ok(zip.zip64);
  assert.equal(zip.members.length, 65_535);
});

test('a member that is closed stays: abandoning it does nothing, writing and closing again are errors', async () => {
  const sink = new MemorySink();
  const writer = new ArchiveWriter(sink);
  const member = await writer.open('a', { modified, method: 0 });
  await member.write(Buffer.from('abc'));
  const totals = { crc32: crc32('abc'), size: 3, compressedSize: 3 };
  await member.close(totals);
  await member.abandon();
  assert.throws(() => member.write(Buffer.from('d')), /has ended/);
  await assert.rejects(member.close(totals), /has ended/);
  const second = await writer.open('b', { modified, method: 0 });
  await member.abandon();
  await second.close({ crc32: 0, size: 0, compressedSize: 0 });
  const third = await writer.open('c', { modified, method: 0 });
  await third.abandon();
  await third.abandon();
  await writer.finish();
  const { members } = await strictZip(bufferSource(sink.bytes), { crc: true });
  assert.deepEqual(
    members.map(({ name }) => name),
    ['a', 'b'],
  );
});

test('a header has room for sizes of 64 bits where a member may need them', async () => {
  const writer = new ArchiveWriter(new MemorySink());
  const surely = Math.floor(0.99 * 0xffffffff);
  for (const [size, headerBytes] of [
    [0, 31],
    [surely, 31],
    [surely + 1, 51],
    [undefined, 51],
  ] as const) {
    const begin = writer.position;
    const member = await writer.open('a', {
      method: 8,
      modified: 0,
      ...(size === undefined ? {} : { size }),
    });
    assert.equal(member.offset - begin, headerBytes, `${size}`);
    assert.equal(writer.position, member.offset);
    await member.abandon();
    assert.equal(writer.position, begin);
  }
});

test('totals that cannot be true are refused, and the archive goes on', async () => {
  const sink = new MemorySink();
  const writer = new ArchiveWriter(sink);
  const close = async (method: 0 | 8, size: number, compressedSize: number) => {
    const member = await writer.open('a', { method, modified: 0, size: 10 });
    await member.write(Buffer.from('abc'));
    try {
      return await member.close({ crc32: 1, size, compressedSize });
    } finally {
      await member.abandon();
    }
  };
  await assert.rejects(close(0, 3, 4), /It has 3 bytes of data; 4 were announced/);
  await assert.rejects(close(0, 4, 3), /is stored, but its sizes are 3 and 4/);
  await assert.rejects(close(8, 0xffffffff, 3), /has 4294967295 bytes, more than was declared/);
  assert.equal(writer.count, 0);
  const written = await close(8, 0xfffffffe, 3);
  assert.deepEqual([written.headerOffset, written.offset, written.modified], [0, 31, Date.UTC(1980, 0, 1)]);
  assert.deepEqual(await writer.finish(), { size: 34 + 47 + 22, count: 1, directoryOffset: 34 });
  assert.equal(sink.bytes.length, 34 + 47 + 22);
});
