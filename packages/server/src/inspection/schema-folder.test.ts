import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readSchemaFolder } from './schema-folder.ts';

const LIMITS = { files: 3, fileBytes: 100, allBytes: 150, names: 20 };

async function folder(t: TestContext, files: Record<string, string>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'citymodel-schemas-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(directory, path, '..'), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  return directory;
}

test('XSDs below a directory are read in the order of their paths; links and other files are not', async (t) => {
  const other = await folder(t, { 'secret.xsd': 'secret' });
  const directory = await folder(t, { 'b/c.XSD': 'c', 'a.xsd': 'a', 'readme.txt': 'x' });
  await symlink(join(other, 'secret.xsd'), join(directory, 'link.xsd'));
  await symlink(other, join(directory, 'linked'));
  const files = await readSchemaFolder(directory);
  assert.deepEqual(
    files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]),
    [
      ['a.xsd', 'a'],
      ['b/c.XSD', 'c'],
    ],
  );
});

test('a directory without XSDs, none at all, and one that is too large are refused', async (t) => {
  const refused = async (files: Record<string, string>, message: RegExp) =>
    assert.rejects(readSchemaFolder(await folder(t, files), LIMITS), { name: 'SchemasRefused', message });
  await refused({ 'a.txt': 'x' }, /has no XSD/);
  await refused({ 'a.xsd': 'x'.repeat(101) }, /The XSD a\.xsd has more than 100 bytes/);
  await refused({ 'a.xsd': 'x'.repeat(99), 'b.xsd': 'x'.repeat(99) }, /more than 150 bytes/);
  await refused({ 'a.xsd': '', 'b.xsd': '', 'c.xsd': '', 'd.xsd': '' }, /more than 3 XSDs/);
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`${i}.txt`, '']));
  await refused(many, /more than 20 files/);
  await assert.rejects(readSchemaFolder(join(tmpdir(), 'no', 'such', 'place')), {
    name: 'SchemasRefused',
    message: /is no directory that can be read/,
  });
});
