/** Statistics as an answer: what they are called, and that a question is counted once for each state of the catalogue. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { cityPackage, snapshotOf } from '../../catalogue/testing/snapshot-rows.ts';
import type { Statistics } from '../../features/statistics/feature-statistics.ts';
import { Groups } from '../../features/statistics/groups.ts';
import { handleFailures } from '../answers/failures.ts';
import type { ServiceContext } from '../context.ts';
import { serveStatistics } from './statistics.ts';

const QUERY = 'area=14201&type=bldg&by=bldg:usage&of=bldg:measuredHeight';

function counted(): Statistics {
  const groups = new Groups();
  for (const heights of [[4], [5, 9], [-9999], ['high']]) groups.add(['house'], [heights]);
  groups.add([null], [[]]);
  return {
    groups,
    packages: 2,
    withoutTable: { packages: 1, features: 30, names: ['a'] },
    leftOut: 3,
    attributes: ['bldg:usage'],
  };
}

/** A service over the newest of these snapshots; `onCount` is called while it counts. */
async function serving(onCount = async () => {}) {
  const state = { snapshot: await snapshotOf(cityPackage({ cityCode: '14201' })), counts: 0 };
  const statistics = {
    async count() {
      state.counts++;
      await onCount();
      return counted();
    },
  };
  const context = { features: { statistics }, watch: { current: () => state.snapshot } };
  const app = Fastify();
  handleFailures(app, () => {});
  app.get('/citygml/statistics', serveStatistics(context as unknown as ServiceContext));
  const ask = (query = QUERY, headers = {}) => app.inject({ url: `/citygml/statistics?${query}`, headers });
  return { ask, state, [Symbol.asyncDispose]: () => app.close() };
}

test('groups have their sums with a mean of what is known, null where nothing is', async () => {
  await using at = await serving();
  const { statusCode, body } = await at.ask();
  assert.equal(statusCode, 200, body);
  const { groups, ...rest } = JSON.parse(body);
  assert.deepEqual(rest, {
    ...{ area: '14201', type: ['bldg'], where: null, features: 5, packages: 2 },
    ...{
      without_table: { packages: 1, features: 30, names: ['a'] },
      left_out: 3,
      attributes: ['bldg:usage'],
    },
  });
  const height = (sums: object) => ({ 'bldg:measuredHeight': sums });
  assert.deepEqual(groups, [
    {
      by: { 'bldg:usage': 'house' },
      count: 4,
      of: height({ values: 3, sum: 18, min: 4, max: 9, mean: 6, unknown: 1, other: 1 }),
    },
    {
      by: { 'bldg:usage': null },
      count: 1,
      of: height({ values: 0, sum: 0, min: null, max: null, mean: null, unknown: 0, other: 0 }),
    },
  ]);
});

test('a question is counted once for each state of the catalogue, however many ask', async () => {
  await using at = await serving();
  const answers = await Promise.all([at.ask(), at.ask()]);
  const { etag } = answers[0].headers;
  assert.equal((await at.ask(QUERY, { 'if-none-match': String(etag) })).statusCode, 304);
  assert.deepEqual([answers[1].headers.etag, at.state.counts], [etag, 1]);
  await at.ask(`${QUERY}&where=bldg:usage%3D1`);
  assert.equal(at.state.counts, 2);
  at.state.snapshot = await snapshotOf(cityPackage({ cityCode: '14201' }));
  await at.ask();
  assert.equal(at.state.counts, 3);
});

test('what was counted while another state was published is not kept', async () => {
  const newer = await snapshotOf(cityPackage({ cityCode: '14201' }));
  const older = await serving(async () => {
    older.state.snapshot = newer;
  });
  await using at = older;
  const before = at.state.snapshot;
  assert.equal((await at.ask()).statusCode, 200);
  at.state.snapshot = before;
  await at.ask();
  assert.equal(at.state.counts, 2);
});
