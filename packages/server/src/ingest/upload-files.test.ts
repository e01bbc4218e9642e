import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDirectoryUpload } from './directory-upload.ts';
import { openIngesting, writeFiles } from './testing/ingesting.ts';
import { uploadFiles } from './upload-files.ts';

test('an upload is read below the root of its package, up to a limit', async () => {
  await using at = await openIngesting();
  const path = await writeFiles(join(at.directory, 'upload'), {
    'a/b.txt': '12345',
    'a/c/d.txt': '',
    'e.txt': 'e',
  });
  await using upload = await openDirectoryUpload(path);
  const files = uploadFiles(upload, 'a/');
  assert.deepEqual([...files.paths()].sort(), ['b.txt', 'c/d.txt']);
  assert.deepEqual([files.size('b.txt'), files.size('c/d.txt'), files.size('e.txt')], [5, 0, undefined]);
  const read = async (name: string, limit?: number) => {
    const bytes = await files.read(name, limit);
    return bytes && String(bytes);
  };
  assert.deepEqual(
    [await read('b.txt'), await read('b.txt', 5), await read('c/d.txt', 0)],
    ['12345', '12345', ''],
  );
  await assert.rejects(read('b.txt', 4), {
    name: 'RangeError',
    message: 'b.txt is larger than the 4 bytes that are read of such a file',
  });
  assert.equal(await read('none.txt'), null);
  await rm(path, { recursive: true });
});
