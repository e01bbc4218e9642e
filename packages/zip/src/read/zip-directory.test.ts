import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { bufferSource, type RangedSource } from '../source.ts';
import { extraField, type RawMember, type RawZipOptions, rawZip, u64 } from '../testing/raw-zip.ts';
import { sparseSource } from '../testing/sparse-source.ts';
import { readZipDirectory, type ZipDirectory, type ZipRefusal, ZipRefused } from './zip-directory.ts';
import { ZIP_ISSUES, type ZipIssueCode } from './zip-issues.ts';

const open = (members: RawMember[], options?: RawZipOptions) =>
  readZipDirectory(bufferSource(rawZip(members, options)));
const names = (directory: ZipDirectory) => [...directory.entries()].map((entry) => entry.name);

function assertRefused(read: Promise<unknown>, code: ZipRefusal) {
  return assert.rejects(read, (error: unknown) => {
    assert.ok(error instanceof ZipRefused, String(error));
    assert.equal(error.code, code, error.reason);
    assert.match(error.reason, /^[A-Z].*\.$/s);
    return true;
  });
}

/** One member is bad in one way; its neighbours must be kept. */
const badMembers: Record<
  Exclude<ZipIssueCode, 'ZIP_PREFIXED' | 'MEMBER_DUPLICATE' | 'MEMBER_NAME_SIMILAR'>,
  RawMember[]
> = {
  MEMBER_NAME_EMPTY: [{ name: '' }],
  MEMBER_NAME_TOO_LONG: [{ name: 'x'.repeat(1001) }],
  MEMBER_NAME_UNREADABLE: [
    { name: Buffer.of(0x61, 0xff, 0xff), flags: 0 },
    { name: Buffer.of(0x83, 0x5c), flags: 0x800 },
  ],
  MEMBER_NAME_ABSOLUTE: [{ name: '/etc/passwd' }, { name: '\\\\server\\share', host: 0 }],
  MEMBER_NAME_DRIVE: [{ name: 'C:/autoexec.bat' }, { name: 'c:x' }],
  MEMBER_NAME_PARENT: [
    { name: '../up.gml' },
    { name: 'udx/../../up.gml' },
    { name: 'udx/..' },
    { name: '..\\up.gml', host: 0 },
    { name: 'a/..\\up.gml', host: 3 },
  ],
  MEMBER_NAME_CONTROL: [{ name: 'a\0.gml' }, { name: 'a\n.gml' }, { name: 'a\u0085' }],
  MEMBER_NAME_BACKSLASH: [
    { name: 'a\\b.gml', host: 3 },
    { name: 'a/b\\c.gml', host: 0 },
  ],
  MEMBER_SYMLINK: [
    { name: 'link', attributes: 0xa1ff0000 },
    { name: 'junction', host: 10, attributes: 0x400 },
  ],
  MEMBER_SPECIAL_FILE: [
    { name: 'pipe', attributes: 0x11a40000 },
    { name: 'device', attributes: 0x21a40000 },
  ],
  MEMBER_ENCRYPTED: [
    { name: 'secret', flags: 0x801 },
    { name: 'masked', flags: 0x2800 },
  ],
  MEMBER_METHOD_UNSUPPORTED: [
    { name: 'deflate64', method: 9 },
    { name: 'zstd', method: 93 },
  ],
  MEMBER_SIZES_DISAGREE: [
    { name: 'stored', method: 0, text: 'abc', says: { size: 4 } },
    { name: 'directory/', text: 'content' },
  ],
  MEMBER_JUNK: [
    { name: '__MACOSX/._a' },
    { name: 'udx/.DS_Store' },
    { name: 'Thumbs.db' },
    { name: 'udx/desktop.ini' },
  ],
};

for (const [code, members] of Object.entries(badMembers) as Array<[ZipIssueCode, RawMember[]]>) {
  test(`a member with ${code} is left out and reported`, async () => {
    for (const member of members) {
      const directory = await open([{ name: 'before' }, member, { name: 'after' }]);
      assert.deepEqual(names(directory), ['before', 'after']);
      assert.deepEqual(
        directory.issues.map((issue) => [issue.code, issue.severity]),
        [[code, ZIP_ISSUES[code].severity]],
      );
      assert.doesNotMatch(directory.issues[0]?.member ?? '', /\p{Cc}/u);
    }
  });
}

test('the first of two members of one name is kept, also when they differ before normalisation', async () => {
  const directory = await open([
    { name: 'udx/a', text: 'first' },
    { name: 'udx/a', text: 'second' },
    { name: './udx//a' },
  ]);
  assert.deepEqual(names(directory), ['udx/a']);
  assert.equal(directory.entry(0).crc32, crc32('first'));
  assert.deepEqual(
    directory.issues.map((issue) => issue.code),
    ['MEMBER_DUPLICATE', 'MEMBER_DUPLICATE'],
  );
});

test('names that differ in letter case or Unicode form are kept with a warning', async () => {
  const directory = await open([{ name: 'A/か\u3099' }, { name: 'a/が' }, { name: 'a/か' }]);
  assert.equal(directory.count, 3);
  assert.deepEqual(
    directory.issues.map((issue) => [issue.code, issue.severity, issue.member]),
    [['MEMBER_NAME_SIMILAR', 'warning', 'a/が']],
  );
});

test('issues of one code are listed up to a hundred and then counted', async () => {
  const directory = await open(Array.from({ length: 150 }, (_, i) => ({ name: `/${i}` })));
  assert.equal(directory.issues.length, 101);
  assert.match(directory.issues.at(-1)?.message ?? '', /^50 further/);
});

test(
  'names: UTF-8 flagged and not, Unicode path, Shift_JIS with 0x5C inside characters, backslashes of ' +
    'Windows',
  async () => {
    // 表示 ソース 能 in Shift_JIS: 表, ソ and 能 have 0x5C as their second byte.
    const sjis = Buffer.from('955c8ea6815c835c815b8358945c2e676d6c', 'hex');
    const path = Buffer.from('地図/本.gml', 'utf8');
    const stored = Buffer.from('chizu.gml\xff', 'latin1');
    const unicodePath = (crc: number) => {
      const crcBytes = Buffer.alloc(4);
      crcBytes.writeUInt32LE(crc);
      return extraField(0x7075, Uint8Array.of(1), crcBytes, path);
    };
    const directory = await open([
      { name: '日本/a.gml' },
      { name: '日本/b.gml', flags: 0 },
      { name: sjis, flags: 0, host: 0 },
      { name: Buffer.concat([Buffer.from('udx\\'), sjis]), flags: 0, host: 0 },
      { name: stored, flags: 0, extra: unicodePath(crc32(stored)) },
      { name: 'dos\\a.gml', host: 0 },
      { name: 'ntfs\\a.gml', host: 10 },
      { name: '\ufeffbom', flags: 0x800 },
    ]);
    assert.deepEqual(directory.issues, []);
    assert.deepEqual(names(directory), [
      '日本/a.gml',
      '日本/b.gml',
      '表示―ソース能.gml',
      'udx/表示―ソース能.gml',
      '地図/本.gml',
      'dos/a.gml',
      'ntfs/a.gml',
      '\ufeffbom',
    ]);
    // A Unicode path that belongs to another name is not believed.
    const other = await open([{ name: 'plain\x83\x5c', flags: 0, extra: unicodePath(1) }]);
    assert.notDeepEqual(names(other), ['地図/本.gml']);
  },
);

test('times: DOS time as UTC, the extended timestamp before it', async () => {
  const seconds = Buffer.alloc(4);
  seconds.writeInt32LE(Date.UTC(2023, 3, 5, 6, 7, 9) / 1000);
  const directory = await open([
    { name: 'dos', dosTime: 0x5684_30e4 },
    { name: 'unix', extra: extraField(0x5455, Uint8Array.of(1), seconds) },
    { name: 'none', dosTime: 0 },
  ]);
  const times = [...directory.entries()].map((entry) => new Date(entry.modified).toISOString());
  assert.deepEqual(times, [
    '2023-04-04T06:07:08.000Z',
    '2023-04-05T06:07:08.000Z',
    '1980-01-01T00:00:00.000Z',
  ]);
});

test('modes and directories', async () => {
  const directory = await open([
    { name: 'udx/', attributes: 0o40755 * 0x10000, method: 0 },
    { name: 'a', attributes: 0o100644 * 0x10000 },
    { name: 'b', host: 0, attributes: 0x20 },
    { name: './' },
  ]);
  assert.deepEqual(
    [...directory.entries()].map(({ name, isDirectory, unixMode }) => [name, isDirectory, unixMode]),
    [
      ['udx/', true, 0o40755],
      ['a', false, 0o100644],
      ['b', false, null],
    ],
  );
  assert.throws(() => directory.entry(3), RangeError);
});

test('comments, also one that looks like an end record, and data before the zip', async () => {
  const members = [
    { name: 'a', text: 'one' },
    { name: 'b', text: 'two' },
  ];
  assert.equal((await open(members, { comment: 'x'.repeat(65_535) })).count, 2);
  assert.equal((await open(members, { comment: 'PK\u0005\u0006 and more' })).count, 2);
  for (const adjusted of [false, true]) {
    const prefix = Buffer.from('#!/bin/sh\nexec unzip "$0"\n');
    const zip = rawZip(members, { prefix, adjusted });
    const directory = await readZipDirectory(bufferSource(zip));
    assert.deepEqual(names(directory), ['a', 'b']);
    assert.equal(directory.entry(0).headerOffset, prefix.length);
    assert.deepEqual(
      directory.issues.map((issue) => issue.code),
      adjusted ? [] : ['ZIP_PREFIXED'],
    );
  }
  const zip64 = await open(members, { prefix: Buffer.from('MZ and more'), zip64: {} });
  assert.equal(zip64.entry(0).headerOffset, 11);
  assert.equal((await open([])).count, 0);
});

test('what is not a zip, cut off, split or lying is refused', async () => {
  const members = [
    { name: 'a', text: 'one' },
    { name: 'b', text: 'two' },
  ];
  const zip = rawZip(members);
  await assertRefused(readZipDirectory(bufferSource(new Uint8Array(0))), 'NOT_A_ZIP');
  await assertRefused(readZipDirectory(bufferSource(Buffer.from('<?xml version="1.0"?>'))), 'NOT_A_ZIP');
  await assertRefused(readZipDirectory(bufferSource(zip.subarray(0, zip.length - 1))), 'TRUNCATED');
  await assertRefused(readZipDirectory(bufferSource(Buffer.concat([zip, Buffer.of(0)]))), 'TRUNCATED');
  await assertRefused(open(members, { end: { offset: 0x7fffffff } }), 'TRUNCATED');

  await assertRefused(open(members, { end: { disk: 1 } }), 'MULTI_DISK');
  await assertRefused(open(members, { end: { countOnDisk: 1 } }), 'MULTI_DISK');
  await assertRefused(open([{ name: 'a', disk: 1 }]), 'MULTI_DISK');
  await assertRefused(open(members, { zip64: { disks: 2 } }), 'MULTI_DISK');

  const lies: RawZipOptions[] = [
    { end: { count: 1, countOnDisk: 1 } },
    { end: { count: 3, countOnDisk: 3 } },
    { end: { count: 60_000, countOnDisk: 60_000 } },
    { end: { size: 20 } },
    { end: { size: 10_000 } },
    { end: { offset: 10 } },
    { zip64: { count: 3 } },
    { zip64: { offset: 3 } },
    { zip64: { recordOffset: 3, size: 1 } },
  ];
  // With room for a third record that is not there.
  const long = members.map(({ name, text }) => ({ name: name.repeat(60), text }));
  await assertRefused(open(long, { end: { count: 3, countOnDisk: 3 } }), 'DIRECTORY_LIES');
  for (const options of lies) await assertRefused(open(members, options), 'DIRECTORY_LIES');
  const inner = Buffer.from(rawZip([]));
  await assertRefused(readZipDirectory(bufferSource(rawZip(members, { comment: inner }))), 'DIRECTORY_LIES');
  await assertRefused(open([{ name: 'a', headerOffset: 5_000 }]), 'DIRECTORY_LIES');
  await assertRefused(open([{ name: 'a', says: { compressedSize: 5_000 } }]), 'DIRECTORY_LIES');
  const hugeOffset = extraField(1, u64(Number.MAX_SAFE_INTEGER + 1));
  await assertRefused(open([{ name: 'a', headerOffset: 0xffffffff, extra: hugeOffset }]), 'DIRECTORY_LIES');
});

test('members that share bytes are refused, in whatever order they come', async () => {
  const text = 'x'.repeat(1000);
  await assertRefused(
    open([
      { name: 'a', text },
      { name: 'b', text, headerOffset: 0 },
    ]),
    'ZIP_BOMB',
  );
  // a claims the bytes of b too: headers quoted in data.
  const b = rawZip([{ name: 'b' }]);
  const quoting = [{ name: 'a', method: 0, says: { compressedSize: 20, size: 20 } }, { name: 'b' }];
  assert.ok(b.length > 20);
  await assertRefused(open(quoting), 'ZIP_BOMB');
  await assertRefused(
    open([
      { name: 'a', text, headerOffset: 40 },
      { name: 'b', text, headerOffset: 0 },
    ]),
    'ZIP_BOMB',
  );
});

test('members that share a single byte are refused, those that touch are not', async () => {
  const claiming = (bytes: number) => [
    { name: 'a', method: 0, text: 'abc', says: { compressedSize: bytes, size: bytes } },
    { name: 'b', text: 'b' },
  ];
  assert.deepEqual(names(await open(claiming(3))), ['a', 'b']);
  await assertRefused(open(claiming(4)), 'ZIP_BOMB');
});

test('too many members are refused before they are read', async () => {
  const zip = bufferSource(rawZip(Array.from({ length: 11 }, (_, i) => ({ name: `${i}` }))));
  await assertRefused(readZipDirectory(zip, { maxMembers: 10 }), 'TOO_MANY_MEMBERS');
  assert.equal((await readZipDirectory(zip, { maxMembers: 11 })).count, 11);
});

test('Zip64: members beyond 4 GiB and more than 65,535 of them', async () => {
  const big = 5 * 2 ** 30;
  const max = 0xffffffff;
  // "big" takes 5 GiB, "late" begins behind it; the file between is holes.
  const dataEnd = 30 + 3 + 20 + big;
  const zip = rawZip(
    [
      {
        name: 'big',
        method: 0,
        says: { size: max, compressedSize: max },
        extra: extraField(1, u64(big), u64(big)),
      },
      {
        name: 'late',
        text: 'behind',
        headerOffset: max,
        extra: extraField(1, u64(dataEnd)),
        localExtra: new Uint8Array(0),
      },
    ],
    { zip64: { offset: 0, recordOffset: 0 }, end: { offset: max } },
  );
  const localBytes = 30 + 3 + 20;
  const shifted = Buffer.from(zip);
  const directoryAt = zip.length - 22 - 20 - 56 - (46 + 3 + 20) - (46 + 4 + 12);
  shifted.writeBigUInt64LE(BigInt(directoryAt + big), zip.length - 22 - 20 - 8);
  shifted.writeBigUInt64LE(BigInt(zip.length - 22 - 20 - 56 + big), zip.length - 22 - 20 + 8);
  const source = sparseSource(zip.length + big, [
    [0, shifted.subarray(0, localBytes)],
    [localBytes + big, shifted.subarray(localBytes)],
  ]);
  const directory = await readZipDirectory(source);
  assert.deepEqual(directory.issues, []);
  const [first, second] = [directory.entry(0), directory.entry(1)];
  assert.deepEqual([first.size, first.compressedSize, first.nextOffset], [big, big, dataEnd]);
  assert.equal(second.headerOffset, dataEnd);
  assert.equal(second.nextOffset, directoryAt + big);

  const many = Array.from({ length: 70_000 }, (_, i) => ({ name: `${i}`, method: 0 }));
  assert.equal((await open(many, { zip64: {}, end: { count: 0xffff, countOnDisk: 0xffff } })).count, 70_000);
});

test('reads the end, the directory once, and nothing else', async () => {
  const zip = rawZip(Array.from({ length: 2_000 }, (_, i) => ({ name: `member ${i}`, text: 'x'.repeat(i) })));
  const inner = bufferSource(zip);
  const reads: Array<[number, number]> = [];
  const source: RangedSource = {
    ...inner,
    read: (offset, length) => {
      reads.push([offset, length]);
      return inner.read(offset, length);
    },
  };
  const directory = await readZipDirectory(source);
  assert.equal(directory.count, 2_000);
  assert.equal(reads.length, 3);
  const total = reads.reduce((sum, [, length]) => sum + length, 0);
  assert.ok(total < 66_000 + 2_000 * (46 + 12), `${total} bytes`);
});

test('any zip of good members is read back', async () => {
  const name = fc.stringMatching(/^[a-zé表ソ能𠮷 _.-]{1,8}$/u).filter((s) => !/^\.+$/.test(s));
  const member = fc.record({
    name: fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
    text: fc.string({ maxLength: 300 }),
    method: fc.constantFrom(0, 8),
  });
  const members = fc.uniqueArray(member, {
    selector: (m) => m.name.normalize('NFC').toLowerCase(),
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(members, fc.uint8Array({ maxLength: 50 }), fc.boolean(), async (list, prefix, zip64) => {
      const directory = await open(list, { prefix, ...(zip64 ? { zip64: {} } : {}) });
      assert.deepEqual(
        [...directory.entries()].map((e) => [e.name, e.method, e.size, e.crc32]),
        list.map((m) => [m.name, m.method, Buffer.byteLength(m.text), crc32(m.text)]),
      );
    }),
  );
});

test('whatever bytes are changed or cut, it is read or refused, never another error', async () => {
  const zip = rawZip(
    [
      { name: 'udx/a.gml', text: 'x'.repeat(200) },
      { name: '日本', extra: extraField(1, u64(1)) },
      { name: 'c', method: 0, text: 'abc' },
    ],
    { zip64: {}, comment: 'comment' },
  );
  const change = fc.record({ at: fc.nat(zip.length - 1), value: fc.nat(255) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 4 }),
      fc.option(fc.nat(zip.length)),
      async (list, cut) => {
        const bytes = Buffer.from(zip.subarray(0, cut ?? zip.length));
        for (const { at, value } of list) if (at < bytes.length) bytes[at] = value;
        try {
          const directory = await readZipDirectory(bufferSource(bytes));
          for (const entry of directory.entries()) assert.ok(entry.nextOffset <= bytes.length);
        } catch (error) {
          assert.ok(error instanceof ZipRefused, String(error));
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

test('the part of a split zip may stand in the Zip64 field', async () => {
  const u32 = (value: number) => Uint8Array.of(value, 0, 0, 0);
  const member = (...extra: Uint8Array[]): RawMember => ({
    name: 'a',
    disk: 0xffff,
    extra: extraField(1, ...extra),
  });
  assert.deepEqual(names(await open([member(u32(0))])), ['a']);
  await assertRefused(open([member(u32(1))]), 'MULTI_DISK');
  await assertRefused(open([member(Uint8Array.of(0, 0, 0))]), 'MULTI_DISK');
  // A part that fits its own field is not looked for elsewhere.
  assert.deepEqual(names(await open([{ name: 'a', disk: 0, extra: extraField(1, u32(1)) }])), ['a']);
  await assertRefused(open([{ name: 'a', disk: 1, extra: extraField(1, u32(0)) }]), 'MULTI_DISK');
});

test('a directory in another order than its members gives each the end of its own data', async () => {
  const zip = rawZip([{ name: 'aa', text: 'first' }, { name: 'bbbb', text: 'second' }, { name: 'c' }]);
  const inOrder = await readZipDirectory(bufferSource(zip));
  const bytes = Buffer.from(zip);
  const [directory, end] = [bytes.readUInt32LE(bytes.length - 6), bytes.length - 22];
  const records: Buffer[] = [];
  for (let at = directory; at < end; ) {
    const length = 46 + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30);
    records.push(bytes.subarray(at, at + length));
    at += length;
  }
  const [a, b, c] = records as [Buffer, Buffer, Buffer];
  for (const order of [
    [b, a, c],
    [a, c, b],
    [c, b, a],
  ]) {
    const changed = Buffer.concat([bytes.subarray(0, directory), ...order, bytes.subarray(end)]);
    const read = await readZipDirectory(bufferSource(changed));
    const ends = (list: ZipDirectory) =>
      new Map([...list.entries()].map((entry) => [entry.name, entry.nextOffset]));
    assert.deepEqual(new Map([...ends(read)].sort()), new Map([...ends(inOrder)].sort()));
  }
});

test('a Zip64 end record with further data behind its fields is found by its locator', async () => {
  const zip = Buffer.from(rawZip([{ name: 'a', text: 'one' }, { name: 'b' }], { zip64: {} }));
  // The locator has 20 bytes, the end record behind it 22.
  const locator = zip.length - 42;
  assert.equal(zip.readUInt32LE(locator), 0x07064b50);
  const longer = Buffer.concat([zip.subarray(0, locator), Buffer.alloc(12, 0xee), zip.subarray(locator)]);
  longer.writeBigUInt64LE(44n + 12n, locator - 56 + 4);
  assert.deepEqual(names(await readZipDirectory(bufferSource(longer))), ['a', 'b']);
});

test('a Zip64 locator leads to a record with its signature', async () => {
  const zip = Buffer.from(rawZip([{ name: 'a' }], { zip64: {} }));
  const record = zip.length - 22 - 20 - 56;
  assert.equal(zip.readUInt32LE(record), 0x06064b50);
  zip[record + 3]!++;
  await assertRefused(readZipDirectory(bufferSource(zip)), 'DIRECTORY_LIES');
});

test('a hundred issues of one code are listed without a count', async () => {
  for (const [count, listed] of [
    [100, 100],
    [101, 101],
  ] as const) {
    const { issues } = await open(Array.from({ length: count }, (_, i) => ({ name: `/${i}` })));
    assert.equal(issues.length, listed);
    assert.equal(/^1 further/.test(issues.at(-1)!.message), count === 101);
  }
});

test('the least of everything is enough: records without names, four bytes, comments as long as may be', async () => {
  const nameless = await open([{ name: '' }]);
  assert.deepEqual([nameless.count, nameless.issues[0]!.code], [0, 'MEMBER_NAME_EMPTY']);
  await assertRefused(readZipDirectory(bufferSource(Buffer.from('PK\u0003\u0004'))), 'TRUNCATED');
  await assertRefused(readZipDirectory(bufferSource(Buffer.from('PK\u0003'))), 'NOT_A_ZIP');
  const saturated = { count: 0xffff, countOnDisk: 0xffff };
  const long = { comment: 'x'.repeat(65_535), zip64: {}, end: saturated };
  assert.deepEqual(names(await open([{ name: 'a', text: 'one' }, { name: 'b' }], long)), ['a', 'b']);
});

test('a Zip64 end record may be all that there is before the end', async () => {
  for (const prefix of ['', 'MZ and more']) {
    const empty = await open([], { prefix: Buffer.from(prefix), zip64: {} });
    assert.deepEqual([empty.count, [...empty.entries()]], [0, []]);
  }
});
