import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../base/errors.ts';
import type { FilterState } from '../../catalogue/search/file-filter.ts';
import { cityPackage } from '../../catalogue/testing/snapshot-rows.ts';
import {
  filesAsked,
  filesOfArea,
  isAreaName,
  type StatisticsQuery,
  statisticsQuestion,
} from './statistics-query.ts';

const ask = (query: StatisticsQuery = {}) => statisticsQuestion({ area: '13101', type: ['bldg'], ...query });

function reasonOf(query: StatisticsQuery): string | undefined {
  try {
    ask(query);
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.status === 400);
    return error.body().reason as string;
  }
  return assert.fail('it is taken');
}

test('a question has what was asked, each name once, and a step for each name', () => {
  const { types, where, ...question } = ask({
    type: ['bldg', 'tran', 'bldg'],
    by: ['a', 'b', 'a'],
    step: ['2.5'],
    of: ['c', 'c'],
    where: 'a>1',
  });
  assert.deepEqual(question, {
    ...{ area: '13101', typeWords: ['bldg', 'tran'], years: 'newest', by: ['a', 'b'], steps: [2.5, 0] },
    ...{ of: ['c'], whereText: 'a>1', hasVersion2Names: false },
  });
  assert.deepEqual([...types.codes!].sort(), ['bldg', 'tran']);
  assert.notEqual(where, null);
  const plain = ask();
  assert.deepEqual([plain.by, plain.steps, plain.of, plain.where, plain.whereText], [[], [], [], null, null]);
});

test('an area is a municipality, a prefecture or everything', () => {
  for (const area of ['13101', '13', 'all']) assert.equal(ask({ area }).area, area);
  const expected = 'expected a code of 5 digits, a prefecture of 2 digits, or all.';
  assert.equal(reasonOf({ area: undefined }), `area is missing; ${expected}`);
  for (const area of ['', '131', '131010', 'All'])
    assert.equal(reasonOf({ area }), `area is "${area}"; ${expected}`);
});

test('names and steps are few, short and in bounds', () => {
  const names = (count: number) => Array.from({ length: count }, (_, i) => `n${i}`);
  assert.equal(ask({ by: names(4) }).by.length, 4);
  assert.equal(reasonOf({ by: names(5) }), 'by has 5 names; at most 4 are accepted.');
  assert.equal(ask({ of: names(8) }).of.length, 8);
  assert.equal(reasonOf({ of: names(9) }), 'of has 9 names; at most 8 are accepted.');
  assert.equal(ask({ of: ['x'.repeat(300)] }).of.length, 1);
  assert.equal(
    reasonOf({ of: ['a', 'x'.repeat(301)] }),
    'of has a name of 301 characters; at most 300 are accepted.',
  );
  for (const step of ['0', '0.001', '1000000000'])
    assert.deepEqual(ask({ by: ['a'], step: [step] }).steps, [Number(step)]);
  for (const step of ['-1', '0.0009', '1000000001', 'x', ''])
    assert.equal(
      reasonOf({ by: ['a'], step: [step] }),
      `step has "${step}"; expected a number from 0.001 to 1000000000, or 0 for none.`,
    );
  assert.equal(
    reasonOf({ by: ['a'], step: ['1', '2'] }),
    'step has 2 values, and by has 1 names: one for each is accepted.',
  );
});

test('where a feature is may be asked for by two names', () => {
  assert.deepEqual(['_municipality', '_prefecture', '_ward', ''].map(isAreaName), [true, true, false, false]);
});

test('files are those of the area, of the types and years where these are asked for', async () => {
  const state = {
    snapshot: { cityGml: new Map(), cityAround: (code: string) => (code === '14101' ? '14100' : null) },
  } as unknown as FilterState;
  const packages = [
    cityPackage({ cityCode: '13101' }),
    cityPackage({ cityCode: '13102', types: ['tran'] }),
    cityPackage({ cityCode: '14100' }),
  ];
  const passing = async (area: string, filters = filesOfArea({ area })) => {
    const tests = await Promise.all(
      filters.all.filter(({ name }) => name !== 'years').map((filter) => filter.at(state)),
    );
    const file = { type: 'bldg', areaCodes: '14101', mesh: '' };
    return packages.map((pkg) =>
      tests.map((one) =>
        [one.accepts(pkg, file), one.mayHave(pkg, 'bldg'), one.hasAll?.(pkg, 'bldg')].map(Number).join(''),
      ),
    );
  };
  const [all, none] = ['111', '000'];
  assert.deepEqual(await passing('13'), [
    [all, all],
    [all, all],
    [all, none],
  ]);
  assert.deepEqual(await passing('all'), [[all], [all], [all]]);
  assert.deepEqual(await passing('13101'), [
    [all, all],
    [all, none],
    [all, none],
  ]);
  assert.deepEqual(await passing('14101'), [
    [all, none],
    [all, none],
    [all, '110'],
  ]);
  assert.deepEqual(await passing('14100'), [
    [all, none],
    [all, none],
    [all, all],
  ]);
  const ofTran = filesAsked(ask({ area: '13', type: ['tran'] }));
  assert.deepEqual((await passing('13', ofTran))[0], [none, all]);
  assert.match(filesOfArea({ area: '13' }).words, /of 13$/);
  const keys = ['13', '14', 'all', '13101'].map((area) => filesOfArea({ area }).key);
  assert.equal(new Set(keys).size, 4);
});
