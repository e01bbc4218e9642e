import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bufferSource } from '../source.ts';
import { extraField, type RawMember, rawZip, u64 } from '../testing/raw-zip.ts';
import { readZipDirectory } from './zip-directory.ts';
import { ZIP_ISSUES, type ZipIssueCode } from './zip-issues.ts';

/** What is said of a member that is left out; null for one that is kept. */
async function messageOf(member: RawMember): Promise<string | null> {
  const { issues, count } = await readZipDirectory(bufferSource(rawZip([member])));
  assert.equal(count + issues.length, 1);
  return issues[0]?.message ?? null;
}

const sentence = (name: string, code: ZipIssueCode, found?: string) =>
  `"${name}" is left out. ${ZIP_ISSUES[code].meaning}${found === undefined ? '' : ` ${found}`}`;

test('what is found stands behind the meaning of the issue', async () => {
  const long = 'x'.repeat(1_001);
  const cases: Array<[RawMember, string]> = [
    [{ name: long }, sentence(`${'x'.repeat(199)}…`, 'MEMBER_NAME_TOO_LONG', 'It has 1001.')],
    [
      { name: Buffer.of(0x61, 0xff, 0xff), flags: 0 },
      sentence('aÿÿ', 'MEMBER_NAME_UNREADABLE', 'Its bytes are 61ffff.'),
    ],
    [
      { name: Buffer.from(`${'80'.repeat(50)}`, 'hex') },
      sentence('\\x80'.repeat(50), 'MEMBER_NAME_UNREADABLE', `Its bytes are ${'80'.repeat(40)}.`),
    ],
    [{ name: '/a' }, sentence('/a', 'MEMBER_NAME_ABSOLUTE')],
    [
      { name: 'pipe', attributes: 0x11a40000 },
      sentence('pipe', 'MEMBER_SPECIAL_FILE', 'Its Unix mode is 010644.'),
    ],
    [
      { name: 'a', method: 0, text: 'abc', says: { size: 4 } },
      sentence('a', 'MEMBER_SIZES_DISAGREE', 'They are 3 and 4.'),
    ],
  ];
  for (const [member, expected] of cases) assert.equal(await messageOf(member), expected);
});

test('a method is named where people meet it', async () => {
  const named = new Map([
    [1, ' (shrink)'],
    [6, ' (implode)'],
    [9, ' (Deflate64, which Windows uses for files over 2 GB)'],
    [12, ' (bzip2)'],
    [14, ' (LZMA)'],
    [93, ' (Zstandard)'],
    [95, ' (XZ)'],
    [98, ' (PPMd)'],
    [99, ' (AES encryption)'],
  ]);
  for (let method = 1; method < 120; method++) {
    const expected = `Its method is ${method}${named.get(method) ?? ''}.`;
    assert.equal(
      await messageOf({ name: 'a', method }),
      method === 8 ? null : sentence('a', 'MEMBER_METHOD_UNSUPPORTED', expected),
    );
  }
});

test('types of files count by their Unix mode, whatever else is set, and only where a system has modes', async () => {
  const S_IFMT = 0xf000;
  const kinds: Record<number, ZipIssueCode | null> = {
    0: null,
    [0x8000]: null,
    [0x4000]: null,
    [0xa000]: 'MEMBER_SYMLINK',
  };
  await fc.assert(
    fc.asyncProperty(
      fc.nat(0xffff),
      fc.nat(0xffff),
      fc.constantFrom(3, 19, 0, 10),
      async (mode, low, host) => {
        // The archive bit of a folder and the reparse point belong to other rules.
        const attributes = ((mode << 16) | (low & ~0x410)) >>> 0;
        const { issues } = await readZipDirectory(bufferSource(rawZip([{ name: 'a', host, attributes }])));
        const type = mode & S_IFMT;
        const onUnix = kinds[type] === undefined ? 'MEMBER_SPECIAL_FILE' : kinds[type];
        const expected = host === 3 || host === 19 || onUnix === 'MEMBER_SYMLINK' ? onUnix : null;
        assert.equal(issues[0]?.code ?? null, expected, `mode ${mode.toString(8)} of host ${host}`);
      },
    ),
  );
});

test('a reparse point is a link where no mode says otherwise', async () => {
  const link = sentence('a', 'MEMBER_SYMLINK');
  assert.equal(await messageOf({ name: 'a', host: 10, attributes: 0x400 }), link);
  assert.equal(await messageOf({ name: 'a', host: 3, attributes: 0x400 }), link);
  assert.equal(await messageOf({ name: 'a', host: 3, attributes: 0x81a40400 }), null);
  for (const bit of [0x200, 0x800, 0x20])
    assert.equal(await messageOf({ name: 'a', host: 10, attributes: bit }), null);
});

test('each of the three flags of encryption is one, and no other flag is', async () => {
  for (let bit = 0; bit < 16; bit++) {
    const expected = [0, 6, 13].includes(bit) ? sentence('a', 'MEMBER_ENCRYPTED') : null;
    assert.equal(await messageOf({ name: 'a', flags: 1 << bit }), expected, `bit ${bit}`);
  }
});

test('a name of exactly a thousand bytes is kept; Zip64 sizes of a stored member are compared', async () => {
  assert.equal(await messageOf({ name: 'x'.repeat(1_000) }), null);
  const max = 0xffffffff;
  const zip64 = (size: number) => ({
    name: 'a',
    method: 0,
    text: 'abc',
    says: { size: max },
    localSays: { size: 3 },
    extra: extraField(1, u64(size)),
  });
  assert.equal(await messageOf(zip64(3)), null);
  assert.equal(await messageOf(zip64(5)), sentence('a', 'MEMBER_SIZES_DISAGREE', 'They are 3 and 5.'));
});
