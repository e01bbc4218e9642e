import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findEntryTileset } from './find-entry.ts';
import { collectIssues, memoryFiles } from './testing/memory-files.ts';

async function entryOf(contents: Record<string, unknown>) {
  const { sink, issues } = collectIssues();
  const found = await findEntryTileset(memoryFiles(contents), sink);
  return { entry: found?.entry ?? null, json: found?.json, issues };
}

const tileset = (...uris: string[]) => ({
  asset: { version: '1.0' },
  root: { children: uris.map((uri) => ({ content: { uri } })) },
});

test('the tileset at the root is the entry, whatever lies beside it', async () => {
  const root = tileset();
  const { entry, json, issues } = await entryOf({ 'a/tileset.json': tileset(), 'tileset.json': root });
  assert.deepEqual([entry, json, issues], ['tileset.json', root, []]);
});

test('the only tileset one directory down is the entry, and deeper ones are none', async () => {
  const { entry, issues } = await entryOf({ 'a/tileset.json': tileset(), 'a/b/tileset.json': tileset() });
  assert.deepEqual([entry, issues], ['a/tileset.json', []]);
  const none = await entryOf({ 'a/b/tileset.json': tileset(), 'a/my-tileset.json': tileset() });
  assert.deepEqual(none.entry, null);
  assert.deepEqual(none.issues, [
    {
      code: 'TILESET_MISSING',
      severity: 'error',
      message: 'There is no tileset.json at the root of the package nor one directory down.',
      member: null,
    },
  ]);
});

test('of several side by side the one that no other refers to is the entry', async () => {
  const two = { root: { children: [{ contents: [{ uri: '../b/tileset.json' }] }, null, { content: 5 }] } };
  for (const top of [tileset('../b/tileset.json', '0.b3dm', 'http://x/b/tileset.json', '../../c'), two]) {
    const { entry, issues } = await entryOf({ 'b/tileset.json': tileset(), 'a/tileset.json': top });
    assert.deepEqual([entry, issues], ['a/tileset.json', []]);
  }
  // One that refers to itself is still an entry.
  const own = await entryOf({
    'a/tileset.json': tileset('tileset.json', '../b/tileset.json'),
    'b/tileset.json': {},
  });
  assert.equal(own.entry, 'a/tileset.json');
});

test('several that nobody refers to, or that refer to each other, are ambiguous', async () => {
  const message =
    'The tilesets a/tileset.json, b/tileset.json lie side by side; exactly one that none of the others refers to ' +
    'was expected.';
  for (const [a, b] of [
    [tileset(), tileset()],
    [tileset('../b/tileset.json'), tileset('../a/tileset.json')],
  ]) {
    const { entry, issues } = await entryOf({ 'b/tileset.json': b, 'a/tileset.json': a });
    assert.equal(entry, null);
    assert.deepEqual(issues, [{ code: 'TILESET_AMBIGUOUS', severity: 'error', message, member: null }]);
  }
});

test('one that cannot be read is reported, and is no entry', async () => {
  const { entry, issues } = await entryOf({ 'tileset.json': '{' });
  assert.equal(entry, null);
  assert.deepEqual(
    issues.map(({ code, member }) => [code, member]),
    [['TILESET_UNREADABLE', 'tileset.json']],
  );
  const beside = await entryOf({ 'a/tileset.json': '{', 'b/tileset.json': tileset() });
  assert.equal(beside.entry, 'b/tileset.json');
});
