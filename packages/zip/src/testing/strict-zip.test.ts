import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { bufferSource } from '../source.ts';
import { extraField, type RawMember, type RawZipOptions, rawZip, u64 } from './raw-zip.ts';
import { strictZip } from './strict-zip.ts';

const check = (members: RawMember[], options?: RawZipOptions) =>
  strictZip(bufferSource(rawZip(members, options)), { crc: true });
const a: RawMember = { name: 'a', text: 'one' };
const b: RawMember = { name: 'b', text: 'two', method: 0 };

test('good zips pass: empty, with comment, with data descriptors', async () => {
  assert.deepEqual((await check([])).members, []);
  assert.equal(Buffer.from((await check([a, b], { comment: 'hello' })).comment).toString(), 'hello');
  const descriptor = Buffer.alloc(16);
  descriptor.writeUInt32LE(0x08074b50, 0);
  descriptor.writeUInt32LE(crc32('one'), 4);
  descriptor.writeUInt32LE(3, 8);
  descriptor.writeUInt32LE(3, 12);
  const described = {
    name: 'a',
    text: 'one',
    method: 0,
    flags: 0x808,
    localSays: { crc32: 0, size: 0, compressedSize: 0 },
  };
  for (const after of [descriptor, descriptor.subarray(4)]) {
    assert.equal((await check([{ ...described, after }, b])).members.length, 2);
  }
  await assert.rejects(check([{ ...described, after: Buffer.alloc(16) }, b]));
});

test('a zip made by another program passes', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'strict-zip-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'a.zip');
  const program =
    'import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1], "w", 8)\nz.writestr("a/b.txt", "x" * ' +
    '1000)\nz.writestr("本", "y")\nz.close()';
  const run = spawnSync('python3', ['-c', program, path]);
  if (run.error !== undefined || run.status !== 0) return t.skip('needs python3 on the PATH');
  const { members } = await strictZip(bufferSource(readFileSync(path)), { crc: true });
  assert.deepEqual(
    members.map((m) => [m.name, m.size]),
    [
      ['a/b.txt', 1000],
      ['本', 1],
    ],
  );
});

const defects: Record<string, [RawMember[], RawZipOptions?]> = {
  'bytes before the zip': [[a], { prefix: Buffer.from('x') }],
  'bytes before the zip that offsets count': [[a], { prefix: Buffer.from('x'), adjusted: true }],
  'a gap between members': [[{ ...a, after: Buffer.from('gap') }, b]],
  'a gap before the directory': [[a, { ...b, after: Buffer.from('gap') }]],
  'two members in one place': [[a, { ...a, name: 'b', headerOffset: 0 }]],
  'two members of one name': [[a, a]],
  'another name in the local header': [[{ ...a, localSays: { name: Buffer.from('x') } }]],
  'another method in the local header': [[{ ...a, localSays: { method: 0 } }]],
  'another CRC in the local header': [[{ ...a, localSays: { crc32: 1 } }]],
  'another size in the local header': [[{ ...a, localSays: { size: 1 } }]],
  'another CRC than the data': [[{ ...a, says: { crc32: 1 } }]],
  'another size than the data': [[{ ...a, says: { size: 4 } }]],
  'an unsupported method': [[{ ...a, method: 9 }]],
  'an encrypted member': [[{ ...a, flags: 0x801 }]],
  'a name beyond ASCII without its flag': [[{ name: '本', flags: 0 }]],
  'an absolute name': [[{ name: '/a' }]],
  'a name that leads upwards': [[{ name: 'a/../../b' }]],
  'another count': [[a, b], { end: { count: 1, countOnDisk: 1 } }],
  'another directory size': [[a, b], { end: { size: 10 } }],
  'a Zip64 end record without need': [[a], { zip64: {} }],
  'a Zip64 field without need': [[{ ...a, extra: extraField(1, u64(3)) }]],
  'a Zip64 field that is missing': [[{ ...a, says: { size: 0xffffffff } }]],
  'an extra field that runs too far': [[{ ...a, extra: Buffer.of(1, 2, 30, 0) }]],
  'a second disk': [[{ ...a, disk: 1 }]],
};
for (const [defect, [members, options]] of Object.entries(defects)) {
  test(`rejects ${defect}`, () => assert.rejects(check(members, options), { name: 'AssertionError' }));
}

test('rejects every cut and bytes behind the end', async () => {
  const zip = Buffer.from(rawZip([a, b]));
  for (let length = 0; length < zip.length; length++) {
    await assert.rejects(strictZip(bufferSource(zip.subarray(0, length))));
  }
  await assert.rejects(strictZip(bufferSource(Buffer.concat([zip, Buffer.of(0)]))));
});
