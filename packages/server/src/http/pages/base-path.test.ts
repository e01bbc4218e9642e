import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { basePathOf, pathRewriter, withoutBase } from './base-path.ts';

test('the base path is that of the public URL, without a slash at its end', () => {
  assert.equal(basePathOf('https://city.example'), '');
  assert.equal(basePathOf('https://city.example/'), '');
  assert.equal(basePathOf('https://city.example/a/b'), '/a/b');
  assert.equal(basePathOf('https://city.example/a//'), '/a');
});

test('the base path goes off paths that lie below it, and off no others', () => {
  for (const [path, rest] of [
    ['/a/x', '/x'],
    ['/a', ''],
    ['/a?q=1', '?q=1'],
    ['/ab', '/ab'],
    ['/b/a/x', '/b/a/x'],
    ['/a%2Fx', '/a%2Fx'],
  ] as const)
    assert.equal(withoutBase(path, '/a'), rest, path);
  assert.equal(withoutBase('/a/x', ''), '/a/x');
});

test('a request has a path below the root, whether it names the host or not', () => {
  const rewrite = (url: string, base = '/a') => pathRewriter(base)({ url } as IncomingMessage);
  for (const [url, path] of [
    ['/a/x?q=/a', '/x?q=/a'],
    ['/x', '/x'],
    ['/a', '/'],
    ['/a?q', '/?q'],
    ['http://city.example/a/x', '/x'],
    ['HTTPS://city.example:80/x#y', '/x#y'],
    ['http://city.example', '/'],
    ['http://city.example?q', '/?q'],
    ['*', '/*'],
  ] as const)
    assert.equal(rewrite(url), path, url);
  assert.equal(rewrite('/a/x', ''), '/a/x');
});
