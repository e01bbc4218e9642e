/** A build is kept while it was made from the same files, and no longer. */
import assert from 'node:assert/strict';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fingerprint, isMadeFrom, STAMP } from '../scripts/made-from.ts';
import { tempDirectory } from './support/program.ts';

test('names and contents make the value, in whatever order they are found', async (t) => {
  const root = await tempDirectory(t);
  await mkdir(join(root, 'src'));
  await writeFile(join(root, 'src/a.css'), 'one');
  await writeFile(join(root, 'b.json'), 'two');
  const values = [fingerprint(['src/a.css', 'b.json'], root)];
  assert.equal(fingerprint(['b.json', 'src/a.css', 'b.json'], root), values[0]);
  values.push(fingerprint(['b.json'], root));
  await writeFile(join(root, 'src/a.css'), 'onf');
  values.push(fingerprint(['src/a.css', 'b.json'], root));
  await writeFile(join(root, 'src/a.css'), 'one');
  assert.equal(fingerprint(['src/a.css', 'b.json'], root), values[0]);
  await rename(join(root, 'src/a.css'), join(root, 'src/c.css'));
  values.push(fingerprint(['src/c.css', 'b.json'], root));
  assert.equal(new Set(values).size, values.length);
});

test('a directory is a build of these files if its stamp says so', async (t) => {
  const directory = await tempDirectory(t);
  assert.equal(isMadeFrom(join(directory, 'nothing'), 'a'), false);
  assert.equal(isMadeFrom(directory, 'a'), false);
  await writeFile(join(directory, STAMP), 'a');
  assert.equal(isMadeFrom(directory, 'a'), true);
  assert.equal(isMadeFrom(directory, 'b'), false);
});
