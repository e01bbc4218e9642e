import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CatalogueStore } from '../catalogue-store.ts';
import type { ComparisonStore, DifferenceQuery, DifferenceRow } from '../comparison-store.ts';
import { packageOf, publish } from './fixtures.ts';

/** Where the stores of one test keep their database. */
export interface ComparisonStoreFixture extends AsyncDisposable {
  open(): Promise<{ catalogue: CatalogueStore; comparisons: ComparisonStore }>;
}

const rowOf = (position: number): DifferenceRow => ({
  position,
  change: (['added', 'removed', 'changed'] as const)[position % 3]!,
  bounds: position === 4 ? null : [139 + position / 100, 35, 139.005 + position / 100, 35.5],
  text: JSON.stringify({ id: `見本-${position}` }),
});

/** Registers the tests that every ComparisonStore has to pass; `create` makes an empty database for each. */
export function comparisonStoreConformance(
  name: string,
  create: () => Promise<ComparisonStoreFixture>,
): void {
  describe(`comparison store: ${name}`, () => {
    test('shows a list when it is complete, in the place of the one before, until a package goes', async () => {
      await using fixture = await create();
      const { catalogue, comparisons } = await fixture.open();
      try {
        await catalogue.migrate();
        const [one, two] = [
          await publish(catalogue, packageOf('a')),
          await publish(catalogue, packageOf('b')),
        ];
        const key = { from: one.no, to: two.no, type: 'bldg' };
        const rows = Array.from({ length: 30 }, (_, i) => rowOf(i));
        assert.equal(await comparisons.find(key), null);
        assert.equal(await comparisons.begin({ ...key, to: 999 }, 'x'), false);
        assert.equal(await comparisons.begin(key, 'first'), true);
        await comparisons.add('first', rows.slice(0, 10));
        assert.equal(await comparisons.find(key), null, 'a list that is not complete');
        await comparisons.add('nowhere', rows.slice(0, 2));

        assert.equal(await comparisons.begin(key, 'second'), true);
        await comparisons.add('second', rows.slice(0, 20));
        await comparisons.add('second', rows.slice(20));
        assert.equal(await comparisons.finish('second', '{"n":30}'), true);
        assert.deepEqual(await comparisons.find(key), { list: 'second', summary: '{"n":30}' });
        assert.equal(await comparisons.find({ ...key, type: 'tran' }), null);
        assert.equal(await comparisons.find({ ...key, from: two.no, to: one.no }), null);
        // The attempt before goes on, and finds that another has followed.
        await comparisons.add('first', rows.slice(10, 12));
        assert.equal(await comparisons.finish('first', '{}'), false);
        await comparisons.add('second', [rowOf(30)]);

        const all: DifferenceQuery = { list: 'second', change: null, bounds: null, after: -1, limit: 100 };
        const found = (changes: Partial<DifferenceQuery>) => comparisons.rows({ ...all, ...changes });
        assert.deepEqual(await found({}), rows, 'nothing is added to a list that is complete');
        assert.deepEqual(await found({ list: 'first' }), []);
        assert.deepEqual(await found({ after: 4, limit: 2 }), rows.slice(5, 7));
        assert.deepEqual(
          await found({ change: 'removed', after: 1 }),
          rows.filter((_, i) => i > 1 && i % 3 === 1),
        );
        const near = rows.filter(
          ({ bounds }) => bounds !== null && bounds[2] >= 139.1 && bounds[0] <= 139.12,
        );
        assert.deepEqual(await found({ bounds: [139.1, 35.5, 139.12, 36] }), near);
        assert.deepEqual(await found({ bounds: [139.1, 35.51, 139.12, 36] }), []);

        await catalogue.setState(one.no, 'removed');
        await catalogue.forget(one.no);
        assert.equal(await comparisons.find(key), null);
        assert.deepEqual(await found({}), []);
        assert.equal(await comparisons.finish('second', '{}'), false);
      } finally {
        await catalogue.close();
      }
    });
  });
}
