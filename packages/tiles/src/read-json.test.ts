import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PackageFiles } from '@citymodel/base';
import { JSON_LIMIT } from './bounded-json.ts';
import { DocumentTooLarge, isObject, readJsonObject } from './read-json.ts';
import { collectIssues, memoryFiles } from './testing/memory-files.ts';

test('an object is read, and what is not there is no trouble', async () => {
  const { sink, issues } = collectIssues();
  const files = memoryFiles({ 'a.json': { b: 1 } });
  assert.deepEqual(await readJsonObject(files, 'a.json', sink, 'CODE'), { b: 1 });
  assert.equal(await readJsonObject(files, 'none.json', sink, 'CODE'), null);
  const vanishing: PackageFiles = { paths: () => [], size: () => 5, read: async () => null };
  assert.equal(await readJsonObject(vanishing, 'a.json', sink, 'CODE'), null);
  assert.deepEqual(issues, []);
});

test('what is no object, no JSON or cannot be read is reported with the reason', async () => {
  const messageOf = async (files: PackageFiles) => {
    const { sink, issues } = collectIssues();
    assert.equal(await readJsonObject(files, 'a.json', sink, 'CODE'), null);
    const [{ code, severity, message, member } = assert.fail('nothing is reported'), ...others] = issues;
    assert.deepEqual([code, severity, member, others], ['CODE', 'error', 'a.json', []]);
    return message;
  };
  const list = 'The document is JSON but no object; an object was expected.';
  for (const value of ['[]', '1', 'null'])
    assert.equal(await messageOf(memoryFiles({ 'a.json': value })), list);
  assert.match(
    await messageOf(memoryFiles({ 'a.json': '{' })),
    /^The document is no JSON in UTF-8 \(.+\)\.$/,
  );
  const broken: PackageFiles = {
    paths: () => [],
    size: () => 5,
    read: () => Promise.reject(new Error('the disk is gone')),
  };
  assert.equal(await messageOf(broken), 'The document could not be read (the disk is gone).');
});

test('a document that takes too much memory refuses the package', async () => {
  const { sink } = collectIssues();
  const asked: Array<number | undefined> = [];
  const sized = (size: number): PackageFiles => ({
    paths: () => [],
    size: () => size,
    async read(_, limit) {
      asked.push(limit);
      return Buffer.from('{}');
    },
  });
  await assert.rejects(readJsonObject(sized(JSON_LIMIT + 1), 'a.json', sink, 'CODE'), (error) => {
    assert.ok(error instanceof DocumentTooLarge);
    assert.deepEqual([error.name, error.member], ['DocumentTooLarge', 'a.json']);
    assert.equal(error.message, `The document has ${JSON_LIMIT + 1} bytes; at most ${JSON_LIMIT} are read.`);
    return true;
  });
  assert.deepEqual(asked, []);
  assert.deepEqual(await readJsonObject(sized(JSON_LIMIT), 'a.json', sink, 'CODE'), {});
  assert.deepEqual(asked, [JSON_LIMIT]);
  const crowded = memoryFiles({ 'a.json': `{"a":[${'[],'.repeat(3_000_000)}[]]}` });
  await assert.rejects(readJsonObject(crowded, 'a.json', sink, 'CODE'), {
    name: 'DocumentTooLarge',
    member: 'a.json',
  });
});

test('lists and null are no objects', () => {
  assert.deepEqual([{}, [], null, 'x', 1, undefined].map(isObject), [
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});
