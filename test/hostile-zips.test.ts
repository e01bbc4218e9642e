/**
 * Zips that are made to do harm, or only look so: refused or handled with the right code, and the store stays clean.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import type { IngestReport } from '../packages/server/src/ingest/report.ts';
import {
  extraField,
  type RawMember,
  type RawZipOptions,
  rawZip,
  u64,
} from '../packages/zip/src/testing/raw-zip.ts';
import { GML, gml, goodPackage } from './support/packages.ts';
import { removeDirectory, runProgram, tempDirectory } from './support/program.ts';
import { startServer } from './support/server.ts';
import { assertClean, ingest } from './support/store.ts';

interface Case {
  /** Members besides those of a good package, or all of them when `alone`. */
  members?: RawMember[];
  alone?: boolean;
  options?: RawZipOptions;
  /** Changes the finished zip. */
  spoil?: (bytes: Uint8Array) => Uint8Array;
  /** Code with which the whole upload is refused, or codes of the issues, sorted. */
  refused?: string;
  issues?: string[];
  /** Paths that must be served, with their text; and those that must not be. */
  served?: Record<string, string>;
  missing?: string[];
}

const GOOD: RawMember[] = Object.entries(goodPackage()).map(([name, text]) => ({ name, text }));
const text = 'nothing to see here';
const evil = (name: string | Uint8Array, rest: Partial<RawMember> = {}): RawMember => ({
  name,
  text,
  ...rest,
});
/** 説明書 in Shift_JIS. */
const SHIFT_JIS = Buffer.from('90e096be8f91', 'hex');
const u32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const packed = deflateRawSync(text);

const CASES: Record<string, Case> = {
  'nothing wrong': { issues: [], served: { 'README.md': '# 那覇市\n' } },
  'absolute names': {
    members: [evil('/etc/evil.txt'), evil('//host/share/evil.txt')],
    issues: ['MEMBER_NAME_ABSOLUTE', 'MEMBER_NAME_ABSOLUTE'],
    missing: ['etc/evil.txt'],
  },
  'drive letters': {
    members: [evil('C:/evil.txt')],
    issues: ['MEMBER_NAME_DRIVE'],
    missing: ['C:/evil.txt'],
  },
  'names that lead out': {
    members: [evil('../../../evil.txt'), evil('udx/../../evil.txt'), evil('udx/bldg/..')],
    issues: ['MEMBER_NAME_PARENT', 'MEMBER_NAME_PARENT', 'MEMBER_NAME_PARENT'],
    missing: ['evil.txt', '../evil.txt'],
  },
  'backslashes from Unix': {
    members: [evil('udx\\..\\..\\evil.txt'), evil('a\\b.txt')],
    issues: ['MEMBER_NAME_BACKSLASH', 'MEMBER_NAME_PARENT'],
  },
  'backslashes from Windows': {
    members: [evil('specification\\list.txt', { host: 0 })],
    issues: [],
    served: { 'specification/list.txt': text },
  },
  'names that lead out with backslashes': {
    members: [evil('..\\evil.txt', { host: 0 })],
    issues: ['MEMBER_NAME_PARENT'],
  },
  'control characters': {
    members: [evil('a\0.txt'), evil('b\n.txt')],
    issues: ['MEMBER_NAME_CONTROL', 'MEMBER_NAME_CONTROL'],
  },
  'no name': { members: [evil('')], issues: ['MEMBER_NAME_EMPTY'] },
  'a name too long': { members: [evil(`${'x'.repeat(2_000)}.txt`)], issues: ['MEMBER_NAME_TOO_LONG'] },
  'a name of no encoding': {
    members: [evil(Buffer.from([0x81, 0xff, 0xfe, 0x2e]), { flags: 0 })],
    issues: ['MEMBER_NAME_UNREADABLE'],
  },
  'symbolic links': {
    members: [
      evil('link.txt', { text: '/etc/passwd', attributes: 0xa1ff0000 }),
      evil('up.gml', { text: '../../..', attributes: 0xa1ff0000 }),
    ],
    issues: ['MEMBER_SYMLINK', 'MEMBER_SYMLINK'],
    missing: ['link.txt', 'up.gml'],
  },
  'devices and pipes': {
    members: [evil('pipe', { attributes: 0x11a40000 })],
    issues: ['MEMBER_SPECIAL_FILE'],
  },
  'duplicate names': {
    members: [evil('README.md', { text: 'the second' }), evil(GML, { text: gml(9) })],
    issues: ['MEMBER_DUPLICATE', 'MEMBER_DUPLICATE'],
    served: { 'README.md': '# 那覇市\n', [GML]: gml(3) },
  },
  'names that differ in letter case': {
    members: [evil('readme.MD')],
    issues: ['MEMBER_NAME_SIMILAR'],
    served: { 'readme.MD': text, 'README.md': '# 那覇市\n' },
  },
  'a member that inflates further than declared': {
    members: [evil('big.txt', { text: 'x'.repeat(5_000_000), says: { size: 20_000 } })],
    issues: ['INFLATES_TOO_FAR'],
    missing: ['big.txt'],
  },
  'a GML that inflates further than declared': {
    members: [evil('udx/bldg/39272555_bldg_6697_op.gml', { text: gml(50), says: { size: 5_000 } })],
    issues: ['INFLATES_TOO_FAR'],
    missing: ['udx/bldg/39272555_bldg_6697_op.gml'],
  },
  'a member that inflates short': {
    members: [evil('short.txt', { says: { size: 1_000 } })],
    issues: ['INFLATES_SHORT'],
  },
  'a bomb': {
    members: [evil('bomb.bin', { text: Buffer.alloc(40_000_000) })],
    issues: ['RATIO_TOO_HIGH'],
    missing: ['bomb.bin'],
  },
  'a bomb that declares little': {
    members: [evil('bomb.bin', { text: Buffer.alloc(40_000_000), says: { size: 1_000 } })],
    issues: ['INFLATES_TOO_FAR'],
  },
  'members that share bytes': {
    members: [evil('one.txt'), evil('two.txt', { headerOffset: 0, says: { compressedSize: 1 } })],
    refused: 'ZIP_BOMB',
  },
  'a wrong CRC': {
    members: [evil('wrong.txt', { says: { crc32: 1 } })],
    issues: ['CRC_MISMATCH'],
    missing: ['wrong.txt'],
  },
  'a GML with a wrong CRC': {
    members: [evil('udx/bldg/39272555_bldg_6697_op.gml', { text: gml(50), says: { crc32: 1 } })],
    issues: ['CRC_MISMATCH'],
    missing: ['udx/bldg/39272555_bldg_6697_op.gml'],
  },
  'data that is no deflate': {
    members: [evil('noise.txt', { data: Buffer.from('ffffffffffffffff', 'hex'), says: { size: 100 } })],
    issues: ['BAD_DEFLATE'],
  },
  'data that stops': {
    members: [
      evil('cut.txt', { text: 'abc'.repeat(999), data: deflateRawSync('abc'.repeat(999)).subarray(0, 8) }),
    ],
    issues: ['TRUNCATED'],
  },
  'a stored member of two sizes': {
    members: [evil('two.txt', { method: 0, says: { size: 5_000 } })],
    issues: ['MEMBER_SIZES_DISAGREE'],
  },
  'encrypted members': {
    members: [evil('secret.txt', { flags: 0x801 })],
    issues: ['MEMBER_ENCRYPTED'],
    missing: ['secret.txt'],
  },
  'another method': {
    members: [evil('new.zst', { method: 93, data: packed })],
    issues: ['MEMBER_METHOD_UNSUPPORTED'],
  },
  'a local header that says otherwise': {
    members: [evil('a.txt', { localSays: { name: Buffer.from('b.txt') } })],
    issues: ['HEADERS_DISAGREE'],
    missing: ['a.txt', 'b.txt'],
  },
  'no local header where the directory says': {
    members: [evil('a.txt')],
    spoil: (bytes) => {
      const spoilt = Buffer.from(bytes);
      spoilt.write('QQ', spoilt.indexOf('a.txt') - 30, 'latin1');
      return spoilt;
    },
    issues: ['NO_LOCAL_HEADER'],
  },
  'a directory that counts wrong': {
    options: { end: { count: 9, countOnDisk: 9 } },
    refused: 'DIRECTORY_LIES',
  },
  'a directory that lies elsewhere': { options: { end: { offset: 11 } }, refused: 'DIRECTORY_LIES' },
  'a directory beyond the end': { options: { end: { offset: 99_999_999 } }, refused: 'TRUNCATED' },
  'a zip of several files': { options: { end: { disk: 2 } }, refused: 'MULTI_DISK' },
  'a zip cut off': { spoil: (bytes) => bytes.subarray(0, bytes.length - 30), refused: 'TRUNCATED' },
  'no zip': { spoil: () => Buffer.from('<html>504 Gateway Time-out</html>'), refused: 'NOT_A_ZIP' },
  'an empty file': { spoil: () => Buffer.alloc(0), refused: 'NOT_A_ZIP' },
  'no members': { alone: true, refused: 'NOT_A_PACKAGE' },
  'only what is left out': {
    alone: true,
    members: [evil('/a.gml'), evil('__MACOSX/x')],
    refused: 'NOT_A_PACKAGE',
  },
  'only a damaged GML': {
    alone: true,
    members: [{ name: GML, text: gml(3), says: { crc32: 5 } }],
    refused: 'NO_USABLE_GML',
  },
  'desktop junk': {
    members: [evil('__MACOSX/._a'), evil('.DS_Store')],
    issues: ['MEMBER_JUNK', 'MEMBER_JUNK'],
  },
  'Shift_JIS names': {
    members: [evil(Buffer.concat([SHIFT_JIS, Buffer.from('.txt')]), { flags: 0, host: 0 })],
    issues: [],
    served: { '説明書.txt': text },
  },
  'data descriptors': {
    members: [
      evil('streamed.txt', {
        flags: 0x808,
        localSays: { crc32: 0, size: 0, compressedSize: 0 },
        after: Buffer.concat([u32(0x08074b50), u32(crc32(text)), u32(packed.length), u32(text.length)]),
      }),
    ],
    issues: [],
    served: { 'streamed.txt': text },
  },
  Zip64: {
    members: [
      evil('large.txt', {
        says: { size: 0xffffffff, compressedSize: 0xffffffff },
        extra: extraField(1, u64(text.length), u64(packed.length)),
      }),
    ],
    options: { zip64: {}, end: { count: 0xffff, countOnDisk: 0xffff, size: 0xffffffff, offset: 0xffffffff } },
    issues: [],
    served: { 'large.txt': text },
  },
  'bytes before the zip': {
    options: { prefix: Buffer.from('#!/bin/sh\n') },
    issues: ['ZIP_PREFIXED'],
  },
  'entities that explode': {
    members: [
      evil('udx/bldg/39272555_bldg_6697_op.gml', {
        text: gml(1).replace(
          '?>',
          `?><!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c SYSTEM ` +
            `"file:///etc/passwd">]>`,
        ),
      }),
    ],
    issues: ['DOCTYPE'],
  },
};

describe('hostile zips', () => {
  let directory: string;
  let data: string;
  const reports = new Map<string, IngestReport>();
  const nameOf = (i: number) => `472${String(i).padStart(2, '0')}_case-shi_city_2023_citygml_1_op`;

  before(async () => {
    directory = await tempDirectory();
    data = join(directory, 'deep/er/data');
    const shelf = join(directory, 'deep/shelf');
    await mkdir(shelf, { recursive: true });
    const names = Object.keys(CASES);
    for (const [i, name] of names.entries()) {
      const { members = [], alone, options, spoil = (bytes) => bytes } = CASES[name]!;
      const bytes = rawZip([...(alone ? [] : GOOD), ...members], options);
      await writeFile(join(shelf, `${nameOf(i)}.zip`), spoil(bytes));
    }
    const { run, reports: all } = await ingest(data, [shelf]);
    assert.equal(run.code, 1);
    assert.equal(run.stderr, '');
    for (const [i, name] of names.entries()) {
      reports.set(name, all.find(({ upload }) => upload.endsWith(`${nameOf(i)}.zip`))!);
    }
  });
  after(() => removeDirectory(directory));

  for (const [name, { refused, issues }] of Object.entries(CASES)) {
    it(name, () => {
      const report = reports.get(name)!;
      if (refused !== undefined) {
        assert.equal(report.refusal?.code, refused, JSON.stringify(report, null, 1));
        assert.match(report.refusal!.reason, /\.$/);
        return;
      }
      assert.equal(report.refusal, null);
      assert.equal(report.outcome, 'published');
      assert.deepEqual(
        report.issues.map(({ code }) => code).sort(),
        issues,
        JSON.stringify(report.issues, null, 1),
      );
    });
  }

  it('serve what is good, and nothing that was left out', async () => {
    await using server = await startServer(data);
    for (const [i, [name, { refused, served = {}, missing = [] }]] of Object.entries(CASES).entries()) {
      if (refused !== undefined) continue;
      const files = await server.request(`/datacatalog/citygml/472${String(i).padStart(2, '0')}?types=bldg`);
      assert.equal(files.status, 200, name);
      const url: string = files.json<{ url: string }>().url;
      const base = server.pathOf(url).replace(/\.zip$/, '');
      for (const [path, content] of Object.entries({ [GML]: gml(3), ...served })) {
        const reply = await server.request(`${base}/${encodeURI(path)}`);
        assert.equal(reply.status, 200, `${name}: ${path}`);
        assert.equal(reply.text, content, `${name}: ${path}`);
      }
      for (const path of missing) {
        assert.equal((await server.request(`${base}/${encodeURI(path)}`)).status, 404, `${name}: ${path}`);
      }
      assert.equal((await server.request(url)).status, 200, name);
    }
  });

  it('leave nothing behind and nothing outside', async () => {
    const { packages } = await assertClean(data);
    assert.equal(packages, Object.values(CASES).filter(({ refused }) => refused === undefined).length);
    assert.deepEqual(await readdir(join(data, 'staging')), []);
    for (const place of ['evil.txt', 'deep/evil.txt', 'deep/er/evil.txt']) {
      assert.ok(!existsSync(join(directory, place)), place);
    }
    assert.ok(!existsSync('/etc/evil.txt'));
    assert.deepEqual((await readdir(join(directory, 'deep/er'))).sort(), ['data']);
    const list = await runProgram(['list'], { DATA_DIR: data });
    assert.equal(list.code, 0);
  });
});
