import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openingHints } from './opening-hints.ts';

const count = fc.nat(3_000_000);

test('the end of an index is asked for with its table, within bounds, and code lists where there are any', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('citygml', '3dtiles', 'mvt'),
      fc.record({ memberCount: count, files: count, features: count, archiveSize: fc.maxSafeNat() }),
      fc.option(fc.maxSafeNat()),
      (kind, counts, lists) => {
        const metadataZips = lists === null ? [] : [{ directory: 'codelists' as const, size: lists }];
        const { archive, index } = openingHints({ kind, ...counts, metadataZips });
        const { last } = index;
        assert.ok(Number.isSafeInteger(last) && last! <= 2 * 2 ** 20);
        assert.ok(last! >= Math.min(2 * 2 ** 20, counts.memberCount * 81));
        if (kind !== 'citygml') assert.deepEqual(archive, {});
        else assert.equal(archive.first, lists === null ? 1 : Math.min(lists, 160 * 1024));
      },
    ),
  );
});

test('what finds an id in a package of one file comes along while it is small', () => {
  const of = (features: number, files = 1) =>
    openingHints({ kind: 'citygml', memberCount: 1, files, features, archiveSize: 0, metadataZips: [] }).index
      .last!;
  const more = (features: number) => of(features) - of(features, 2);
  assert.equal(more(0), 0);
  assert.equal(more(200), 200 * 230);
  assert.equal(more(1_000), 26_000);
  assert.equal(more(10_000), 16 * 1024 + 3_000);
});

test('sums of the pages of an archive come along where they are few, or lie before what is read', () => {
  const of = (files: number, archiveSize: number, kind: 'citygml' | 'mvt' = 'citygml') =>
    openingHints({ kind, memberCount: 1, files, features: 100, archiveSize, metadataZips: [] }).index.last!;
  const more = (files: number, size: number, kind?: 'mvt') => of(files, size, kind) - of(files, 0, kind);
  assert.equal(more(2, 2 ** 27), 2 ** 14);
  assert.equal(more(2, 2 ** 28), 0);
  assert.equal(more(1, 2 ** 28), 2 ** 15);
  assert.equal(more(2, 2 ** 28, 'mvt'), 2 ** 15);
});

test('a package of which nothing is known is opened by guesses', () => {
  assert.deepEqual(openingHints({}), { archive: {}, index: { last: 64 * 1024 + 10 * 1024 } });
  assert.deepEqual(openingHints({ kind: 'citygml' }).archive, { first: 64 * 1024 });
});
