import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { backgroundSlices } from '@citymodel/base';
import fc from 'fast-check';
import { InvalidMemberName } from '../member-name.ts';
import { readZipDirectory } from '../read/zip-directory.ts';
import { bufferSource, type RangedSource } from '../source.ts';
import { sparseSource } from '../testing/sparse-source.ts';
import { strictZip } from '../testing/strict-zip.ts';
import { complaintOf, zipPrograms } from '../testing/zip-programs.ts';
import { streamLayout } from './layout-stream.ts';
import { layoutDigest, type PlannedMember, planZip, type ZipLayout } from './zip-layout.ts';

const modified = Date.UTC(2024, 4, 6, 7, 8, 10);

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const list: Uint8Array[] = [];
  for await (const chunk of chunks) {
    assert.ok(chunk.length > 0, 'no empty chunks');
    list.push(Buffer.from(chunk));
  }
  return Buffer.concat(list);
}

/** A layout as a source, so that readers can be let loose on it. */
function layoutSource<T>(layout: ZipLayout<T>, open: (source: T) => Promise<RangedSource>): RangedSource {
  return {
    size: layout.size,
    read: (offset, length) => collect(streamLayout(layout, offset, offset + length, open)),
    stream: (offset, length) => streamLayout(layout, offset, offset + length, open),
  };
}

interface Given {
  name: string;
  content: Buffer;
  method: 0 | 8;
  source: number;
}

/** Puts the members' data into as many sources as they name, with a gap before each. */
function plan(members: Given[], gap = 40): { layout: ZipLayout<number>; sources: Buffer[] } {
  const sources: Buffer[] = [];
  const planned: PlannedMember<number>[] = members.map(({ name, content, method, source }) => {
    const data = method === 8 ? deflateRawSync(content, { level: 1 }) : content;
    const before = sources[source] ?? Buffer.alloc(0);
    sources[source] = Buffer.concat([before, Buffer.alloc(gap, '?'), data]);
    const offset = before.length + gap;
    return {
      name,
      method,
      crc32: crc32(content),
      compressedSize: data.length,
      size: content.length,
      modified,
      source,
      offset,
    };
  });
  return { layout: planZip(planned), sources };
}

/** What a member is laid out as, from the format's description and nothing of the product. */
function obviousZip(members: Given[], layout: ZipLayout<number>): Buffer {
  const local = members.map(({ content, method }, i) =>
    Buffer.concat([layout.localHeader(i), method === 8 ? deflateRawSync(content, { level: 1 }) : content]),
  );
  return Buffer.concat([...local, ...members.map((_, i) => layout.centralRecord(i)), layout.endRecords()]);
}

const contents = fc.uniqueArray(
  fc.record({
    name: fc
      .array(fc.stringMatching(/^[a-z本𠮷 ]{1,6}$/u), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join('/')),
    content: fc
      .tuple(fc.oneof(fc.nat(300), fc.constantFrom(0, 262_143, 262_144, 700_000)), fc.nat(255))
      .map(([size, fill]) => Buffer.alloc(size, fill)),
    method: fc.constantFrom(0 as const, 8 as const),
    source: fc.nat(2),
  }),
  { selector: (member) => member.name, maxLength: 20 },
);

test('any members: a strict zip, and every range of it the slice of the whole', async () => {
  await fc.assert(
    fc.asyncProperty(
      contents,
      fc.array(fc.tuple(fc.nat(1_000), fc.nat(1_000)), { maxLength: 10 }),
      async (members, ranges) => {
        const { layout, sources } = plan(members);
        const opened: number[] = [];
        const open = async (source: number) => {
          opened.push(source);
          return bufferSource(sources[source] as Buffer);
        };
        const whole = await collect(streamLayout(layout, 0, layout.size, open));
        assert.equal(opened.length, new Set(opened).size, 'each source is opened once');
        assert.equal(whole.length, layout.size);
        assert.ok(whole.equals(obviousZip(members, layout)));
        const zip = await strictZip(bufferSource(whole), { crc: true });
        assert.deepEqual(
          zip.members.map((m) => [m.name, m.method, m.crc32, m.size]),
          members.map((m) => [m.name, m.method, crc32(m.content), m.content.length]),
        );
        for (const [a, b] of ranges) {
          const [start, end] = [a, b]
            .sort((x, y) => x - y)
            .map((k) => Math.floor((k * layout.size) / 1_000)) as [number, number];
          const part = await collect(streamLayout(layout, start, end, open));
          assert.ok(part.equals(whole.subarray(start, end)), `${start} to ${end}`);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('programs that nobody here wrote accept it', async (t) => {
  const programs = zipPrograms();
  if (programs.length === 0) return t.skip('needs unzip, 7z, bsdtar or python3 on the PATH');
  const directory = mkdtempSync(join(tmpdir(), 'zip-layout-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const sizes: Record<string, number> = { small: 3, 'more than 65,535 members': 66_000 };
  for (const [what, count] of Object.entries(sizes)) {
    const members = Array.from(
      { length: count },
      (_, i): Given => ({
        name: `13101_千代田区/udx/${i}_橋.gml`,
        content: Buffer.from(`text of ${i}`),
        method: i % 2 === 0 ? 8 : 0,
        source: 0,
      }),
    );
    // One source of all data; made here, for plan() would copy it for every member.
    const data = members.map((m) => (m.method === 8 ? deflateRawSync(m.content) : m.content));
    let offset = 0;
    const layout = planZip(
      members.map((m, i) => {
        const bytes = data[i] as Buffer;
        offset += bytes.length;
        return {
          name: m.name,
          method: m.method,
          crc32: crc32(m.content),
          compressedSize: bytes.length,
          size: m.content.length,
          modified,
          source: 0,
          offset: offset - bytes.length,
        };
      }),
    );
    const source = bufferSource(Buffer.concat(data));
    const path = join(directory, `${count}.zip`);
    writeFileSync(path, await collect(streamLayout(layout, 0, layout.size, async () => source)));
    for (const program of programs) assert.equal(complaintOf(program, path), null, what);
  }
  t.diagnostic(`accepted by ${programs.join(', ')}`);
});

test('Zip64: a member beyond 4 GiB and offsets behind it, streamed around every boundary', async () => {
  const big = 5 * 2 ** 30;
  const marks: Array<[number, Uint8Array]> = [
    [0, Buffer.from('begin')],
    [big - 3, Buffer.from('end')],
  ];
  const source = sparseSource(big + 10, marks);
  const layout = planZip([
    {
      name: 'before',
      method: 0,
      crc32: crc32('begin'),
      compressedSize: 5,
      size: 5,
      modified,
      source,
      offset: 0,
    },
    { name: 'big', method: 0, crc32: 1, compressedSize: big, size: big, modified, source, offset: 0 },
    {
      name: 'inflates to much',
      method: 8,
      crc32: 2,
      compressedSize: 10,
      size: 6 * 2 ** 30,
      modified,
      source,
      offset: big,
    },
    {
      name: 'after',
      method: 0,
      crc32: crc32('end'),
      compressedSize: 3,
      size: 3,
      modified,
      source,
      offset: big - 3,
    },
  ]);
  const open = async (one: RangedSource) => one;
  const virtual = layoutSource(layout, open);
  const zip = await strictZip(virtual);
  assert.ok(zip.zip64);
  assert.deepEqual(
    zip.members.map((m) => m.zip64),
    [false, true, true, true],
  );
  const directory = await readZipDirectory(virtual);
  assert.deepEqual(directory.issues, []);
  assert.deepEqual(
    [...directory.entries()].map((e) => e.size),
    [5, big, 6 * 2 ** 30, 3],
  );
  const after = layout.dataOffset(3);
  assert.equal((await collect(streamLayout(layout, after, after + 3, open))).toString(), 'end');
  const border = layout.dataOffset(2);
  const around = await collect(streamLayout(layout, border - 60, border + 60, open));
  for (let i = 0; i < 120; i += 7) {
    const one = await collect(streamLayout(layout, border - 60 + i, border - 59 + i, open));
    assert.deepEqual(one, around.subarray(i, i + 1));
  }
});

test('programs that nobody here wrote find a member behind 5 GiB', async (t) => {
  const programs: Record<string, string[]> = {
    unzip: ['-p', '{}', 'after'],
    '7z': ['e', '-so', '{}', 'after'],
    python3: [
      '-c',
      'import sys, zipfile\nsys.stdout.write(zipfile.ZipFile(sys.argv[1]).read("after").decode())',
      '{}',
    ],
  };
  const found = zipPrograms().filter((program) => program in programs);
  if (found.length === 0) return t.skip('needs unzip, 7z or python3 on the PATH');
  const big = 5 * 2 ** 30;
  const source = sparseSource(big + 10, [[big, Buffer.from('behind')]]);
  const member = { method: 0 as const, modified, source };
  const layout = planZip([
    { ...member, name: 'big', crc32: 0, compressedSize: big, size: big, offset: 0 },
    { ...member, name: 'after', crc32: crc32('behind'), compressedSize: 6, size: 6, offset: big },
  ]);
  const part = (from: number, to: number) => collect(streamLayout(layout, from, to, async () => source));
  const directory = mkdtempSync(join(tmpdir(), 'zip-layout-'));
  t.after(() => rmSync(directory, { recursive: true }));
  // A file with a hole where the gigabytes of zeros are.
  const path = join(directory, 'sparse.zip');
  const file = openSync(path, 'w');
  writeSync(file, await part(0, layout.dataOffset(0)));
  const end = await part(layout.headerOffset(1), layout.size);
  writeSync(file, end, 0, end.length, layout.headerOffset(1));
  closeSync(file);
  for (const program of found) {
    const args = (programs[program] as string[]).map((arg) => arg.replace('{}', path));
    assert.equal(spawnSync(program, args, { encoding: 'utf8' }).stdout, 'behind', program);
  }
});

test('neighbours in a source come with one read, and large members in chunks of 256 KiB', async () => {
  const members = Array.from(
    { length: 100 },
    (_, i): Given => ({ name: `${i}`, content: Buffer.alloc(1000, i), method: 0, source: 0 }),
  );
  const { layout, sources } = plan(members);
  const inner = bufferSource(sources[0] as Buffer);
  let reads = 0;
  const source: RangedSource = {
    ...inner,
    read: (offset, length) => {
      reads++;
      return inner.read(offset, length);
    },
  };
  const chunks: Uint8Array[] = [];
  for await (const chunk of streamLayout(layout, 0, layout.size, async () => source)) chunks.push(chunk);
  assert.equal(reads, 1);
  assert.equal(chunks.length, 1);

  const large = plan([{ name: 'large', content: Buffer.alloc(3_000_000, 1), method: 0, source: 0 }]);
  const lengths: number[] = [];
  const open = async () => bufferSource(large.sources[0] as Buffer);
  for await (const chunk of streamLayout(large.layout, 0, large.layout.size, open))
    lengths.push(chunk.length);
  // The first chunk ends at a page of the source, so that no page is read twice; those behind it are whole.
  const [first, ...others] = lengths;
  assert.ok(first! <= 262_144 && first! > 262_144 - 32_768, `${first}`);
  const full = Math.floor((large.layout.size - first!) / 262_144);
  assert.deepEqual(others, [...Array(full).fill(262_144), (large.layout.size - first!) % 262_144]);
});

test('a consumer that goes away leaves nothing running', async () => {
  const members = Array.from(
    { length: 30 },
    (_, i): Given => ({ name: `${i}`, content: Buffer.alloc(200_000, i), method: 0, source: 0 }),
  );
  const { layout, sources } = plan(members);
  let running = 0;
  const inner = bufferSource(sources[0] as Buffer);
  const open = async (): Promise<RangedSource> => ({
    ...inner,
    async read(offset, length) {
      running++;
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return inner.read(offset, length);
    },
  });
  for await (const _ of streamLayout(layout, 0, layout.size, open)) break;
  assert.equal(running, 0);
});

test('a source that fails or is too short is an error, not a wrong zip', async () => {
  for (const size of [10, 400_000]) {
    const { layout, sources } = plan([{ name: 'a', content: Buffer.alloc(size), method: 0, source: 0 }]);
    const short = bufferSource(sources[0] as Buffer);
    const lying: RangedSource = {
      ...short,
      read: async (offset, length) => (await short.read(offset, length)).subarray(0, length - 1),
    };
    const read = (open: () => Promise<RangedSource>) => collect(streamLayout(layout, 0, layout.size, open));
    await assert.rejects(
      read(async () => lying),
      /where \d+ were planned/,
    );
    await assert.rejects(
      read(() => Promise.reject(new Error('no such archive'))),
      /no such archive/,
    );
  }
});

test('unsafe and duplicate names, impossible sizes and ranges are refused', () => {
  const member = { method: 0, crc32: 0, compressedSize: 0, size: 0, modified, source: 0, offset: 0 } as const;
  for (const name of ['', '/a', '../a', 'a/..', 'a/../b', 'C:\\a', 'a\\b', 'a/', 'a//b', './a', 'a\0']) {
    assert.throws(() => planZip([{ ...member, name }]), InvalidMemberName, JSON.stringify(name));
  }
  assert.throws(
    () =>
      planZip([
        { ...member, name: 'a' },
        { ...member, name: 'b' },
        { ...member, name: 'a' },
      ]),
    (error: InvalidMemberName) => error.code === 'MEMBER_DUPLICATE' && error.memberName === 'a',
  );
  for (const wrong of [
    { size: 1 },
    { size: -1, compressedSize: -1 },
    { offset: 0.5 },
    { crc32: -1 },
    { size: Number.NaN },
  ]) {
    assert.throws(() => planZip([{ ...member, name: 'a', ...wrong }]), RangeError);
  }
  const layout = planZip([{ ...member, name: 'a' }]);
  const open = async () => bufferSource(new Uint8Array(0));
  assert.throws(() => streamLayout(layout, 0, layout.size + 1, open), RangeError);
  assert.throws(() => streamLayout(layout, 2, 1, open), RangeError);
});

test('the digest changes with everything that changes the bytes, and with nothing else', async () => {
  const member = {
    name: 'a',
    method: 8,
    crc32: 1,
    compressedSize: 2,
    size: 3,
    modified,
    source: 'archive',
    offset: 0,
  } as const;
  const digest = (...members: PlannedMember<string>[]) =>
    layoutDigest(planZip(members), (source) => source, backgroundSlices());
  const base = await digest(member);
  assert.match(base, /^[0-9a-f]{64}$/);
  assert.equal(await digest({ ...member }), base);
  const changes = [
    { name: 'b' },
    { method: 0 as const, size: 2 },
    { crc32: 2 },
    { compressedSize: 3 },
    { size: 4 },
    { modified: modified + 2000 },
    { source: 'other' },
    { offset: 1 },
  ];
  const digests = await Promise.all(changes.map((change) => digest({ ...member, ...change })));
  assert.equal(new Set([base, await digest(), ...digests]).size, changes.length + 2);
});

test('the digest is the SHA-256 of records, places and sources, on every server', async () => {
  const members = [
    { name: 'a', source: 'first', offset: 2 ** 33 + 1 },
    { name: 'b/c', source: '第二', offset: 7 },
  ].map((own) => ({ ...own, method: 8 as const, crc32: 1, compressedSize: 2, size: 3, modified }));
  const layout = planZip(members);
  const expected = createHash('sha256');
  for (const [i, { source, offset }] of members.entries()) {
    const place = Buffer.alloc(12);
    place.writeDoubleLE(offset, 0);
    place.writeUInt32LE(Buffer.byteLength(source), 8);
    expected.update(layout.centralRecord(i)).update(place).update(source);
  }
  const digest = await layoutDigest(layout, (source) => source, backgroundSlices());
  assert.equal(digest, expected.update(layout.endRecords()).digest('hex'));
});
