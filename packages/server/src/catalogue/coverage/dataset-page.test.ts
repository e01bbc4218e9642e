import assert from 'node:assert/strict';
import test from 'node:test';
import { Slices } from '@citymodel/base';
import { Filters } from '../../base/filter.ts';
import { textOf } from '../../base/testing/text-of.ts';
import { snapshotOf, tilePackage } from '../testing/snapshot-rows.ts';
import { type DatasetPageQuery, datasetPage, wordsFilter } from './dataset-page.ts';

const ALL: DatasetPageQuery = {
  filters: new Filters(),
  order: 'place',
  offset: 0,
  limit: 50,
};

test('a page is made in slices, between which others go first, and kept', async () => {
  const years = Array.from({ length: 200 }, (_, i) => 1_900 + i);
  const snapshot = await snapshotOf(...years.map((year) => tilePackage({}, { year })));
  let pauses = 0;
  const slices = new Slices(async () => void pauses++, 0);
  const page = await datasetPage(
    snapshot,
    { ...ALL, filters: new Filters([wordsFilter(['bldg', '1950'])]) },
    () => slices,
  );
  assert.ok(pauses >= 5, `${pauses} pauses`);
  const { total, datasets, facets } = JSON.parse(await textOf(page));
  assert.equal(total, 1);
  assert.equal(datasets[0].year, 1950);
  assert.deepEqual(facets.year, [['1950', 1]]);
  assert.equal(
    await datasetPage(
      snapshot,
      { ...ALL, filters: new Filters([wordsFilter(['bldg', '1950'])]) },
      () => slices,
    ),
    page,
  );
});
