import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveUri } from './resolve-uri.ts';

test('a reference is a path in the package, from the document that has it', () => {
  const paths: Record<string, string> = {
    '0.b3dm': 'a/b/0.b3dm',
    './0.b3dm': 'a/b/0.b3dm',
    '../0.b3dm': 'a/0.b3dm',
    '../../0.b3dm': '0.b3dm',
    'c//d/.././0.b3dm': 'a/b/c/0.b3dm',
    '0%201.b3dm?v=2#x': 'a/b/0 1.b3dm',
    '0.b3dm#x?y': 'a/b/0.b3dm',
    '100%.b3dm': 'a/b/100%.b3dm',
    '%E7%AF%89.glb': 'a/b/築.glb',
    '?v=1': 'a/b',
    '1a:b': 'a/b/1a:b',
  };
  for (const [uri, path] of Object.entries(paths)) {
    assert.deepEqual(resolveUri('a/b/tileset.json', uri), { kind: 'member', path }, uri);
  }
  assert.deepEqual(resolveUri('tileset.json', 'a.glb'), { kind: 'member', path: 'a.glb' });
});

test('what leaves the package is told apart from what is in the document or elsewhere', () => {
  const kind = (uri: string) => resolveUri('a/tileset.json', uri);
  for (const uri of ['../../x', '..%2F../x', '../b/../../x'])
    assert.deepEqual(kind(uri), { kind: 'escaping' }, uri);
  for (const uri of ['data:,x', 'DATA:text/plain,x']) assert.deepEqual(kind(uri), { kind: 'inline' }, uri);
  const foreign = [
    'http://x/y',
    'HTTPS:x',
    'a+b-c.1:x',
    'ht\ttp://x',
    ' \0http://x',
    '//x/y',
    '\\\\x',
    '/\\x',
    '\n//x',
  ];
  for (const uri of foreign) assert.deepEqual(kind(uri), { kind: 'absolute', isForeign: true }, uri);
  for (const uri of ['/x', '\\x', ' /x'])
    assert.deepEqual(kind(uri), { kind: 'absolute', isForeign: false }, uri);
});
