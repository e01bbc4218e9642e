import assert from 'node:assert/strict';
import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { openDirectoryUpload } from './directory-upload.ts';
import { openIngesting, writeFiles } from './testing/ingesting.ts';

test('files of a directory are members in the order of their names, with sizes and even seconds', async () => {
  await using at = await openIngesting();
  const path = await writeFiles(join(at.directory, 'upload'), {
    'b.txt': 'bb',
    'a/z.txt': 'zzz',
    'a/b/c.txt': '',
  });
  await utimes(join(path, 'b.txt'), 1_000_000_003.5, 1_000_000_003.5);
  await using upload = await openDirectoryUpload(path);
  assert.deepEqual(
    [...upload.members()].map(({ name, size, crc32 }) => [name, size, crc32]),
    [
      ['a/b/c.txt', 0, null],
      ['a/z.txt', 3, null],
      ['b.txt', 2, null],
    ],
  );
  assert.equal(upload.member(2).modified, 1_000_000_002_000);
  assert.deepEqual([upload.location, upload.name, upload.uploadBytes], [path, basename(path), 5]);
  assert.equal(upload.raw(upload.member(0)), null);
  assert.equal(String(await buffer(upload.read(upload.member(1)))), 'zzz');
  assert.deepEqual(upload.issues, []);
});

test('links, special names and what desktops leave behind are left out, with an issue each', async () => {
  await using at = await openIngesting();
  const path = await writeFiles(join(at.directory, 'upload'), {
    'a/good.txt': '1',
    'a/.DS_Store': '',
    'Thumbs.db': '',
  });
  await symlink('good.txt', join(path, 'a/link.txt'));
  await symlink('a', join(path, 'linked'));
  await mkdir(join(path, '__MACOSX/x'), { recursive: true });
  await writeFile(join(path, 'a/tab\there.txt'), '');
  await writeFile(join(path, 'a/back\\slash.txt'), '');
  await writeFile(Buffer.concat([Buffer.from(join(path, 'a/')), Buffer.from([0x82, 0xa0])]), '');
  await using upload = await openDirectoryUpload(path);
  assert.deepEqual(
    [...upload.members()].map(({ name }) => name),
    ['a/good.txt'],
  );
  const issues = upload.issues.map(({ severity, code, member, message }) => [
    severity,
    code,
    member,
    message,
  ]);
  issues.sort(([, a = '', b = ''], [, c = '', d = '']) => (`${a} ${b}` < `${c} ${d}` ? -1 : 1));
  const link = 'It is a link or a special file, which is left out; only files and directories go in.';
  const junk = 'A file that a desktop system leaves behind was left out.';
  const holds = (what: string) => `The name holds ${what}, which no zip may have; the file is left out.`;
  assert.deepEqual(issues, [
    ['info', 'MEMBER_JUNK', 'Thumbs.db', junk],
    ['info', 'MEMBER_JUNK', '__MACOSX', junk],
    ['info', 'MEMBER_JUNK', 'a/.DS_Store', junk],
    ['error', 'MEMBER_NAME_BACKSLASH', 'a/back\\slash.txt', holds('a backslash or a drive letter')],
    ['error', 'MEMBER_NAME_CONTROL', 'a/tab\\x09here.txt', holds('a control character')],
    ['error', 'MEMBER_NAME_UNREADABLE', 'a/\ufffd\ufffd', 'The name is not UTF-8; the file is left out.'],
    ['error', 'MEMBER_SYMLINK', 'a/link.txt', link],
    ['error', 'MEMBER_SYMLINK', 'linked', link],
  ]);
});
