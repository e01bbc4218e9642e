import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namespaceContext } from './feature-xml.ts';
import { MAX_BOUND, NamespaceContext } from './namespace-context.ts';

test('prefixes of all elements around count for the limit of those in scope', () => {
  const prefixes = (count: number, name: string) =>
    new Map(Array.from({ length: count }, (_, i) => [`${name}${i}`, 'urn:x']));
  const { memory } = namespaceContext(Buffer.from('<a>'));
  const half = new NamespaceContext(prefixes(MAX_BOUND / 2, 'a'), memory);
  assert.equal(half.extend(prefixes(MAX_BOUND / 2 + 1, 'b')), null);
  const full = half.extend(prefixes(MAX_BOUND / 2, 'b'))!;
  assert.deepEqual([full.uriOf('a0'), full.uriOf('b0'), full.uriOf('c')], ['urn:x', 'urn:x', undefined]);
  assert.equal(full.extend(prefixes(1, 'c')), null);
});
