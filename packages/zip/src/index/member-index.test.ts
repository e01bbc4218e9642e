import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import type { Member, SectionName } from '../member.ts';
import { bufferSource, type RangedSource } from '../source.ts';
import { ByteList } from '../tables/byte-list.ts';
import { MemorySink } from '../testing/memory-sink.ts';
import { withoutFooter } from '../testing/without-footer.ts';
import { ArchiveWriter } from '../write/archive-writer.ts';
import { MemberIndex, MemberIndexBuilder } from './member-index.ts';
import { columns, FOOTER_BYTES, foldedHash } from './member-index-format.ts';
import { MemberTable } from './member-table.ts';

type Sections = Partial<Record<SectionName, Uint8Array>>;

function member(path: string, values: Partial<Member> = {}): Omit<Member, 'sections'> {
  return {
    path,
    method: 8,
    offset: 7_000_000_000,
    compressedSize: 5_000_000_000,
    size: 9_000_000_000,
    crc32: 0xfedcba98,
    sha256: createHash('sha256').update(path).digest(),
    modified: Date.UTC(2024, 0, 2, 3, 4, 6),
    ...values,
  };
}

async function build(members: Array<[Omit<Member, 'sections'>, Sections]>): Promise<Uint8Array> {
  const sink = new MemorySink();
  const builder = new MemberIndexBuilder(sink);
  for (const [one, sections] of members) await builder.add(one, sections);
  const { size, count } = await builder.finish();
  assert.equal(size, sink.bytes.length);
  assert.equal(count, members.length);
  return sink.bytes;
}

async function opened(members: Parameters<typeof build>[0]): Promise<MemberIndex> {
  return MemberIndex.open(bufferSource(await build(members)));
}

/** A source that starts at an odd address and notes its reads. */
function counting(bytes: Uint8Array): RangedSource & { reads: number } {
  const odd = new Uint8Array(bytes.length + 1);
  odd.set(bytes, 1);
  const inner = bufferSource(odd.subarray(1));
  return {
    ...inner,
    reads: 0,
    read(offset, length) {
      this.reads++;
      return inner.read(offset, length);
    },
  };
}

test('whatever goes in comes out: values, sections, order, prefixes, letter case', async () => {
  const path = fc.array(
    fc.constantFrom('udx', 'Udx', 'a', 'A', 'b.gml', '本', 'が', 'か\u3099', '𠮷', '\uffee'),
    {
      minLength: 1,
      maxLength: 3,
    },
  );
  const section = fc.option(fc.uint8Array({ maxLength: 40 }), { nil: undefined });
  const one = fc.record({
    path: path.map((parts) => parts.join('/')),
    method: fc.constantFrom(0 as const, 8 as const),
    offset: fc.maxSafeNat(),
    compressedSize: fc.maxSafeNat(),
    size: fc.maxSafeNat(),
    crc32: fc.nat(0xffffffff),
    sha256: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    modified: fc.nat(0xffffffff).map((units) => units * 2000),
    sections: fc
      .record({ blocks: section, features: section, dependencies: section, pieces: section })
      .map(({ pieces, ...others }) => ({ ...others, pieces: others.blocks && pieces })),
  });
  const members = fc.uniqueArray(one, { selector: (m) => m.path, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(members, path, async (list, query) => {
      const bytes = await build(
        list.map(({ sections, ...rest }) => {
          const sectionBytes = Object.fromEntries(
            Object.entries(sections).filter(([, value]) => value !== undefined),
          );
          return [rest, sectionBytes as Sections];
        }),
      );
      const source = counting(bytes);
      const index = await MemberIndex.open(source);
      assert.equal(source.reads, 2, 'footer and table');
      const old = counting(withoutFooter(bytes));
      const before = await MemberIndex.open(old);
      assert.ok(old.reads <= 3, 'the end, header and table');
      assert.deepEqual([...before.members()], [...index.members()], 'an index of before there were footers');
      assert.equal(index.count, list.length);
      for (const wanted of list) {
        const { sections, ...found } = index.find(wanted.path) as Member;
        const { sections: byKind, ...rest } = wanted;
        assert.deepEqual(found, { ...rest, sha256: found.sha256 });
        assert.deepEqual(Array.from(found.sha256), Array.from(rest.sha256));
        for (const name of ['blocks', 'features', 'dependencies', 'pieces'] as const) {
          const range = sections[name];
          const content =
            range === undefined ? undefined : bytes.subarray(range.offset, range.offset + range.length);
          assert.deepEqual(content && Array.from(content), byKind[name] && Array.from(byKind[name]));
          assert.ok(range === undefined || range.offset % 8 === 0);
        }
      }
      const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
      const paths = list.map((m) => m.path).sort(byBytes);
      assert.deepEqual([...index.paths()], paths);
      const text = query.join('/');
      assert.deepEqual(
        [...index.members(text)].map((m) => m.path),
        paths.filter((p) => p.startsWith(text)),
      );
      assert.equal(
        index.find(text)?.path,
        paths.find((p) => p === text),
      );
      const fold = (p: string) => p.normalize('NFC').toLowerCase();
      const loose = paths.find((p) => p === text) ?? paths.find((p) => fold(p) === fold(text));
      assert.equal(index.findLoosely(text)?.path, loose);
    }),
    { numRuns: 200 },
  );
});

test('a path added twice, odd seconds, a short hash: refused', async () => {
  await assert.rejects(
    build([
      [member('a'), {}],
      [member('b'), {}],
      [member('a'), {}],
    ]),
    /a was added to the index twice/,
  );
  const builder = new MemberIndexBuilder(new MemorySink());
  assert.throws(() => builder.add(member('a', { modified: 1000 }), {}), RangeError);
  assert.throws(() => builder.add(member('a', { sha256: new Uint8Array(31) }), {}), RangeError);
  for (const modified of [-2000, 0x1_0000_0000 * 2000])
    assert.throws(() => builder.add(member('a', { modified }), {}), RangeError);
});

test('the last time that fits is kept, and there is no member beside those that were added', async () => {
  const last = 0xffff_ffff * 2000;
  const index = await opened([
    [member('b', { modified: last }), {}],
    [member('a', { modified: 0 }), {}],
  ]);
  assert.equal(index.find('b')?.modified, last);
  assert.equal(index.find('a')?.modified, 0);
  for (const path of ['', '0', 'aa', 'c']) assert.equal(index.find(path), undefined);
  for (const i of [-1, 2, Number.NaN]) assert.throws(() => index.at(i), RangeError);
});

test('names longer than a piece of the index are kept', async () => {
  const long = 'x'.repeat(70_000);
  const index = await opened([
    [member(long), {}],
    [member('a'), {}],
    [member(`${long}y`), {}],
  ]);
  assert.deepEqual([...index.paths()], ['a', long, `${long}y`]);
});

test('additions that are not awaited keep their order, and an error of the sink shows in finish', async () => {
  const sink = new MemorySink();
  const builder = new MemberIndexBuilder(sink);
  for (let i = 0; i < 10; i++) void builder.add(member(`${i}`), { blocks: Buffer.alloc(700_000, i) });
  await builder.finish();
  const index = await MemberIndex.open(bufferSource(sink.bytes));
  for (const { path, sections } of index.members()) {
    const { offset, length } = sections.blocks as { offset: number; length: number };
    assert.deepEqual([sink.bytes[offset], sink.bytes[offset + length - 1]], [Number(path), Number(path)]);
  }

  const full = new MemorySink();
  full.write = () => Promise.reject(new Error('disk full'));
  const failing = new MemberIndexBuilder(full);
  failing.add(member('a'), { blocks: new Uint8Array(2_000_000) }).catch(() => {});
  await assert.rejects(failing.finish(), /disk full/);
});

test('anything but a whole index of this version is rejected, saying what was found', async () => {
  const good = await build([
    [member('a'), { blocks: Buffer.from('section') }],
    [member('b'), {}],
  ]);
  const open = (change: (bytes: Buffer) => Uint8Array) =>
    MemberIndex.open(bufferSource(change(Buffer.from(withoutFooter(good)))));
  await assert.rejects(
    open((b) => b.fill('PK', 0, 8)),
    /begins with "citymidx"; found "PKPKPKPK"/,
  );
  await assert.rejects(
    open(() => new Uint8Array(0)),
    /begins with "citymidx"; found ""/,
  );
  await assert.rejects(
    open((b) => b.subarray(0, 40)),
    /at least 64 bytes; found 40/,
  );
  await assert.rejects(
    open((b) => b.subarray(0, b.length - 1)),
    /bytes; found/,
  );
  await assert.rejects(
    open((b) => {
      b.writeUInt32LE(2, 8);
      return b;
    }),
    /version 1 are read; found version 2: run reindex/,
  );
  await fc.assert(
    fc.asyncProperty(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), async (at, xor) => {
      // Sections are compared when they are read, and the footer says all that the header does.
      for (const [whole, from] of [
        [withoutFooter(good), 0],
        [good, 64],
      ] as const) {
        if (at < from || (at >= 64 && at < 72) || at >= whole.length) continue;
        const changed = Buffer.from(whole);
        changed[at] = (changed[at] as number) ^ xor;
        await assert.rejects(MemberIndex.open(bufferSource(changed)));
      }
    }),
  );
});

test('a last path that looks like a footer is a path', async () => {
  // A footer that fits the index in which it is a path, but that no path reaches into a footer.
  const plain = await build([[member('a'.repeat(64)), {}]]);
  const footer = Buffer.from(plain.subarray(plain.length - 64));
  const forged = Buffer.from(withoutFooter(plain));
  footer.writeUInt32LE(64, 32);
  footer.writeBigUInt64LE(forged.readBigUInt64LE(24), 24);
  const table = forged.readUInt32LE(16);
  footer.writeUInt32LE(crc32(forged.subarray(table, forged.length - 64)), 40);
  footer.writeUInt32LE(crc32(footer.subarray(0, 44)), 44);
  footer.writeUInt32LE(crc32(footer.subarray(0, 60)), 60);
  forged.set(footer, forged.length - 64);
  forged.writeUInt32LE(crc32(forged.subarray(table)), 40);
  forged.writeUInt32LE(crc32(forged.subarray(0, 44)), 44);
  forged.writeUInt32LE(crc32(forged.subarray(0, 60)), 60);
  const index = await MemberIndex.open(bufferSource(forged));
  assert.equal(index.path(0), footer.toString('utf8'));
});

test('an unfinished index cannot be opened', async () => {
  const sink = new MemorySink();
  const builder = new MemberIndexBuilder(sink);
  await builder.add(member('a'), { blocks: new Uint8Array(3_000_000) });
  await assert.rejects(MemberIndex.open(bufferSource(sink.bytes)), /begins with/);
});

test('a hundred thousand members: small, and found without reading more', async () => {
  const sink = new MemorySink();
  const builder = new MemberIndexBuilder(sink);
  const path = (i: number) => `udx/bldg/${53390000 + (i % 1000)}_bldg_6697_appearance/texture${i}.jpg`;
  const sha256 = new Uint8Array(32);
  for (let i = 0; i < 100_000; i++) await builder.add(member(path(i), { offset: i, sha256 }), {});
  await builder.finish();
  assert.ok(sink.bytes.length < 100_000 * (81 + 60), `${sink.bytes.length} bytes`);
  const source = counting(sink.bytes);
  const index = await MemberIndex.open(source);
  for (let i = 0; i < 100_000; i += 997) {
    assert.equal(index.find(path(i))?.offset, i);
    assert.equal(index.findLoosely(path(i).toUpperCase())?.offset, i);
  }
  assert.equal(index.find('udx'), undefined);
  assert.equal(source.reads, 2);
});

test('an index beside an archive, of the table that the archive was written from, is the same', async () => {
  const names = new ByteList();
  for (const name of ['p/', 'p/b.gml', 'p/left out', 'p/a.jpg']) names.push(Buffer.from(name));
  const members = new MemberTable(names);
  const writer = new ArchiveWriter(new MemorySink(), members);
  const sink = new MemorySink();
  const builder = new MemberIndexBuilder(sink, { members, root: 'p/' });
  const alone: Array<[Omit<Member, 'sections'>, Sections]> = [];
  for (const path of ['b.gml', 'a.jpg']) {
    const content = Buffer.from(path);
    const totals = { crc32: crc32(content), size: content.length, compressedSize: content.length };
    const meta = { ...totals, method: 0 as const, modified: Date.UTC(2024, 0, 2) };
    const written = await writer.copy(`p/${path}`, meta, [content]);
    const one = member(path, { ...meta, offset: written.offset });
    const elsewhere = { ...one, offset: one.offset + 1 };
    assert.throws(() => builder.add(elsewhere, {}), /not the member that the archive was given last/);
    const sections = path === 'b.gml' ? { blocks: Uint8Array.of(1, 2, 3) } : {};
    await builder.add(one, sections);
    alone.push([one, sections]);
  }
  await assert.rejects(
    async () => builder.add(member('c'), {}),
    /not the member that the archive was given last/,
  );
  await writer.finish();
  await builder.finish();
  assert.deepEqual(Buffer.from(sink.bytes), Buffer.from(await build(alone)));
});

test('members whose folded paths have one hash are told apart', async () => {
  const seen = new Map<number, string>();
  let pair: [string, string] | null = null;
  for (let i = 0; pair === null; i++) {
    const path = `udx/${i}.gml`;
    const hash = foldedHash(path);
    const other = seen.get(hash);
    if (other !== undefined) pair = [other, path];
    seen.set(hash, path);
  }
  const bytes = await build(pair.map((path) => [member(path), {}]));
  const index = await MemberIndex.open(bufferSource(bytes));
  for (const path of pair) assert.equal(index.findLoosely(path.toUpperCase())?.path, path);
  assert.equal(index.findLoosely('UDX/NONE.GML'), undefined);
});

test('the bytes are those of version 1: a change of them raises the version', async () => {
  const bytes = Buffer.from(
    await build([
      [
        member('udx/B.gml', { method: 0 }),
        { blocks: Uint8Array.of(1, 2, 3), dependencies: Buffer.from('d') },
      ],
      [member('README.md'), {}],
      [member('建物.gml', { offset: 8, modified: 0 }), { features: new Uint8Array(9) }],
    ]),
  );
  assert.equal(bytes.toString('latin1', 0, 8), 'citymidx');
  // Version, members, the place of the table and its bytes, bytes of paths, sections.
  assert.deepEqual(
    [8, 12, 16, 20, 24, 28, 32, 36].map((at) => bytes.readUInt32LE(at)),
    [1, 3, 104, 0, 3 * 77 + 3 * 16 + 28 + 64, 0, 28 + 64, 3],
  );
  // One page, whose sum and its padding lie before the table.
  assert.equal(bytes.readUInt32LE(52), 1);
  assert.equal(bytes.readUInt32LE(56), crc32(bytes.subarray(96, 104)));
  assert.equal(bytes.readUInt32LE(60), crc32(bytes.subarray(0, 60)));
  assert.equal(bytes.readUInt32LE(96), crc32(bytes.subarray(64, 96)));
  assert.equal(
    createHash('sha256').update(bytes).digest('hex'),
    'f97c8000c19b94de43647768ea20059f759ed3904981ea6ff1b0683285d1509b',
  );
});

test('pieces of blocks are numbered behind all sections that programs of before look for', async () => {
  const one = Buffer.from('1');
  const names = ['udx/b.gml', 'udx/a.gml', 'udx/c.txt'];
  const sink = new MemorySink();
  const builder = new MemberIndexBuilder(sink);
  await builder.add(member(names[0]!), { blocks: one, checks: one, pieces: Buffer.from('b') });
  await builder.add(member(names[1]!), { blocks: one, pieces: Buffer.from('a') });
  await builder.add(member(names[2]!), {});
  await builder.finish(Buffer.from('sums'));
  const bytes = Buffer.from(sink.bytes);
  const footer = bytes.subarray(-FOOTER_BYTES);
  const table = Uint8Array.from(bytes.subarray(Number(footer.readBigUInt64LE(16))));
  const { sectionOwner } = columns(table.buffer, 0, 3, footer.readUInt32LE(36), footer.readUInt32LE(32));
  // The first two members of three have blocks 0 and 4, checks 7, the archive 12, and behind it lie the pieces.
  assert.deepEqual([...sectionOwner], [0, 4, 7, 12, 16, 17]);
  const index = await MemberIndex.open(bufferSource(bytes));
  const read = (i: number) => {
    const { offset, length } = index.at(i).sections.pieces!;
    return bytes.toString('latin1', offset, offset + length);
  };
  assert.deepEqual([read(0), read(1)], ['a', 'b']);
  assert.equal(index.at(2).sections.pieces, undefined);
  assert.notEqual(index.archiveSums, null);
});
