import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OpenEdges } from './open-edges.ts';

interface Added {
  hash: number;
  from: number;
  to: number;
}

function singlesOf(edges: readonly Added[]): Array<{ from: number; to: number }> {
  const open = new OpenEdges();
  for (const { hash, from, to } of edges) open.add(hash, from, to);
  return open.singles();
}

function expectedOf(edges: readonly Added[]): Array<{ from: number; to: number }> {
  const counts = new Map<number, number>();
  for (const { hash } of edges) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  return edges.filter(({ hash }) => counts.get(hash) === 1).map(({ from, to }) => ({ from, to }));
}

test('edges that come once are left in their order, whatever comes twice, thrice or more often', () => {
  // Hashes that fall into the same slots.
  const hash = fc.tuple(fc.nat(12), fc.nat(2)).map(([low, high]) => low + high * 2 ** 40);
  const edge = fc.record({ hash, from: fc.nat(), to: fc.nat() });
  fc.assert(
    fc.property(fc.array(edge, { maxLength: 60 }), (edges) => {
      assert.deepEqual(singlesOf(edges), expectedOf(edges));
    }),
  );
});

test('the edges of a large strip are let go, and those of its border stay', () => {
  const edges = Array.from({ length: 30_000 }, (_, i): Added[] => [
    { hash: 2 ** 52 + i, from: i, to: i + 1 },
    ...(i % 10 === 0 ? [] : [{ hash: 2 ** 52 + i, from: i + 1, to: i }]),
    ...(i % 100 === 1 ? [{ hash: 2 ** 52 + i, from: i, to: i + 1 }] : []),
  ]).flat();
  assert.deepEqual(singlesOf(edges), expectedOf(edges));
});
