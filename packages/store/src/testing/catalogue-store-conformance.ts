import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { filesConformance } from './catalogue-store/files.ts';
import { historyConformance } from './catalogue-store/history.ts';
import { rowsConformance } from './catalogue-store/rows.ts';
import { statesConformance } from './catalogue-store/states.ts';
import type { CatalogueStoreFixture, WithCatalogue } from './catalogue-store/with-catalogue.ts';
import { allPackages, gmlFileOf, packageOf, publish } from './fixtures.ts';

/** Registers the tests that every CatalogueStore has to pass; `create` makes an empty database for each. */
export function catalogueStoreConformance(name: string, create: () => Promise<CatalogueStoreFixture>): void {
  const withCatalogue: WithCatalogue = (title, run) => {
    test(title, async () => {
      await using fixture = await create();
      const catalogue = await fixture.open();
      try {
        await catalogue.migrate();
        await run(catalogue, fixture);
      } finally {
        await catalogue.close();
      }
    });
  };

  describe(`catalogue store: ${name}`, () => {
    rowsConformance(withCatalogue);
    filesConformance(withCatalogue);
    statesConformance(withCatalogue);
    historyConformance(withCatalogue);

    withCatalogue('serves several at once', async (catalogue, fixture) => {
      const other = await fixture.open();
      try {
        const rows = await Promise.all(
          Array.from({ length: 40 }, (_, i) =>
            publish(i % 2 === 0 ? catalogue : other, packageOf(`p${i}`), { files: [gmlFileOf('53390000')] }),
          ),
        );
        assert.equal(new Set(rows.map(({ no }) => no)).size, 40);
        assert.equal((await other.gmlFiles({ meshes: ['53390000'] })).length, 40);
        assert.equal(await other.version(), await catalogue.version());
        // Of two that publish the same, one wins.
        const same = await Promise.allSettled([
          publish(catalogue, packageOf('x', { identity: 'same' })),
          publish(other, packageOf('y', { identity: 'same' })),
        ]);
        assert.deepEqual(same.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      } finally {
        await other.close();
      }
    });

    withCatalogue('can be migrated any number of times', async (catalogue, fixture) => {
      const { no } = await publish(catalogue, packageOf('a'));
      const other = await fixture.open();
      await Promise.all([other.migrate(), catalogue.migrate(), other.migrate()]);
      assert.equal((await allPackages(other))[0]?.no, no);
      await other.close();
    });
  });
}
