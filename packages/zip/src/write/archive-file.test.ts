import assert from 'node:assert/strict';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createArchiveFile } from './archive-file.ts';

test('bytes are written to their end, however few the system takes at once', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'archive-file-'));
  t.after(() => rm(directory, { recursive: true }));
  const path = join(directory, 'a.zip');
  const any = await open(join(directory, 'any'), 'w');
  const FileHandle = Object.getPrototypeOf(any) as typeof any;
  await any.close();
  const write = FileHandle.write as (...values: unknown[]) => unknown;
  t.mock.method(FileHandle, 'write', function (
    this: unknown,
    ...[bytes, at, length, to]: [Buffer, number, number, number]
  ) {
    return write.call(this, bytes, at, Math.min(3, length), to);
  } as never);
  {
    await using file = await createArchiveFile(path);
    await file.write(Buffer.from('0123456789'));
    await file.write(Buffer.from('abcdefg'));
    await file.patch(5, Buffer.from('-----'));
    await file.rewind(15);
    await file.write(Buffer.from('XYZ'));
    await file.sync();
  }
  assert.equal(await readFile(path, 'utf8'), '01234-----abcdeXYZ');
  await assert.rejects(createArchiveFile(path), { code: 'EEXIST' });
});
