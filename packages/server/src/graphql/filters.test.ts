/** What filters find, and what looking for it is charged. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RequestBudget } from '../base/request-budget.ts';
import { cityPackage, tilePackage } from '../catalogue/testing/snapshot-rows.ts';
import {
  filterDatasets,
  findAreas,
  findAreasAt,
  findCityGml,
  findDatasets,
  findDatasetsOf,
  findDatasetTypes,
  firstOf,
} from './filters.ts';
import { asking } from './testing/ask.ts';

const { graph } = await asking([
  cityPackage(),
  tilePackage(),
  tilePackage({ type: 'tran', format: 'MVT' }),
  tilePackage({}, { cityCode: '14201', year: 2022 }),
]);

/** Ids of what is found, and how many objects were charged. */
function charged(find: (budget: RequestBudget) => ReadonlyArray<{ id: string }>): string {
  const budget = new RequestBudget({ items: 1e9, bytesHeld: 0, bytesRead: 0 }, 'Ask for less.');
  const ids = find(budget).map(({ id }) => id.replace(/^d_|_20\d\d$/g, ''));
  return `${ids.join(' ')} (${budget.used.items})`;
}

describe('are charged what they look at', () => {
  test('for datasets of the catalogue', () => {
    for (const [input, expected] of [
      [{}, '13101_bldg 13101_tran 14201_bldg (0)'],
      [{ year: 2022 }, '14201_bldg (3)'],
      [{ year: 2022, ar: false }, '14201_bldg (6)'],
      [{ ar: true }, ' (3)'],
      [{ registrationYear: 2023 }, '14201_bldg (3)'],
      [{ groupedOnly: true }, ' (3)'],
      [{ groupedOnly: false }, '13101_bldg 13101_tran 14201_bldg (0)'],
      // Each word, and what it is compared with.
      [{ includeTypes: ['BLDG', 'x'] }, '13101_bldg 14201_bldg (5)'],
      [{ includeTypes: ['dt_tran_4'] }, '13101_tran (4)'],
      [{ includeTypes: [' 建築物モデル '] }, '13101_bldg 14201_bldg (4)'],
      [{ excludeTypes: ['bldg', 'x'] }, '13101_tran (5)'],
      [{ searchTokens: ['市13101', ' ', '市13101'] }, '13101_bldg 13101_tran (3)'],
      [{ searchTokens: ['市13101', '交通'] }, '13101_tran (6)'],
      [{ plateauSpec: '4' }, '13101_bldg 13101_tran 14201_bldg (3)'],
      [{ plateauSpec: '4.2' }, ' (3)'],
      // Each area, and what it has.
      [{ areaCodes: ['14201', '13', '13'] }, '13101_bldg 13101_tran 14201_bldg (5)'],
      [{ areaCodes: ['13'], year: 2023 }, '13101_bldg 13101_tran (5)'],
      [{ areaCodes: ['99'] }, ' (1)'],
      [{ areaCodes: [] }, ' (0)'],
      [{ areaCodes: ['13'], shallow: true }, ' (3)'],
      [{ areaCodes: ['13101'], shallow: true }, '13101_bldg 13101_tran (3)'],
    ] as const) {
      const own = { ...input } as Parameters<typeof findDatasets>[1];
      assert.equal(
        charged((budget) => findDatasets(graph, own, budget)),
        expected,
        JSON.stringify(input),
      );
    }
  });

  test('for datasets of an area, or of others', () => {
    const area = graph.areas.byCode('13')!;
    for (const [input, expected] of [
      [{}, '13101_bldg 13101_tran (0)'],
      [{ shallow: true }, ' (2)'],
      [{ year: 2023, areaCodes: ['14'] }, '13101_bldg 13101_tran (2)'],
    ] as const) {
      const own = { ...input } as Parameters<typeof findDatasetsOf>[2];
      assert.equal(
        charged((budget) => findDatasetsOf(graph, area, own, budget)),
        expected,
      );
    }
    const one = graph.datasets.slice(0, 1);
    assert.equal(
      charged((budget) => filterDatasets(one, { year: 2023 }, budget)),
      '13101_bldg (1)',
    );
  });

  test('for areas', () => {
    for (const [input, expected] of [
      [{}, 'p_13 c_13101 p_14 c_14201 (4)'],
      [{ areaTypes: ['CITY'] }, 'c_13101 c_14201 (4)'],
      [{ searchTokens: ['13', '市'] }, 'c_13101 (12)'],
      [{ categories: ['RELATED'] }, ' (4)'],
      // The word, and the datasets of each area.
      [{ datasetTypes: ['tran'] }, 'p_13 c_13101 (11)'],
      [{ datasetTypes: ['tran'], includeEmpty: true, areaTypes: ['CITY'] }, 'c_13101 c_14201 (11)'],
      [{ parentCode: '14' }, 'c_14201 (4)'],
      [{ parentCode: '14', includeParents: true }, 'p_14 c_14201 (4)'],
    ] as const) {
      const own = { ...input } as unknown as Parameters<typeof findAreas>[1];
      assert.equal(
        charged((budget) => findAreas(graph, own, budget)),
        expected,
        JSON.stringify(input),
      );
    }
  });

  test('for types, CityGML and places', () => {
    for (const [input, expected] of [
      [{}, 'dt_bldg_4 dt_tran_4 (2)'],
      [{ category: 'PLATEAU', year: 2022, plateauSpec: '4.1' }, 'dt_bldg_4 dt_tran_4 (2)'],
      [{ category: 'GENERIC' }, ' (2)'],
      [{ year: 2023 }, ' (2)'],
      [{ plateauSpec: '3' }, ' (2)'],
    ] as const)
      assert.equal(
        charged((budget) => findDatasetTypes(graph, input, budget)),
        expected,
      );
    for (const [input, expected] of [
      [{}, 'cg_13101 (0)'],
      [{ years: [2023] }, 'cg_13101 (2)'],
      [{ years: [], cityCodes: ['13101', '14201'] }, ' (4)'],
      [{ prefectureCodes: ['14'] }, ' (2)'],
      [{ prefectureCodes: ['13', '14'], cityCodes: ['13101'], years: [2023] }, 'cg_13101 (7)'],
    ] as const) {
      const own = { ...input } as unknown as Parameters<typeof findCityGml>[1];
      assert.equal(
        charged((budget) => findCityGml(graph, own, budget)),
        expected,
        JSON.stringify(input),
      );
    }
    assert.equal(
      charged((budget) => findAreasAt(graph, 0, 0, budget)),
      ' (4)',
    );
  });
});

test('a place is in an area up to the edges of its extent', async () => {
  const bounds = { west: 140, south: 36, east: 141, north: 37 };
  const one = await asking([cityPackage({ bounds }), cityPackage({ cityCode: '14201', bounds: null })]);
  const budget = new RequestBudget({ items: 1e9, bytesHeld: 0, bytesRead: 0 }, '');
  const isIn = (lng: number, lat: number) => findAreasAt(one.graph, lng, lat, budget).length === 2;
  for (const [lng, lat, expected] of [
    [140, 36, true],
    [141, 37, true],
    [139.999, 36.5, false],
    [141.001, 36.5, false],
    [140.5, 35.999, false],
    [140.5, 37.001, false],
  ] as const)
    assert.equal(isIn(lng, lat), expected, `${lng}, ${lat}`);
});

test('the first of a list are as many as are wanted', () => {
  const all = [1, 2, 3];
  assert.equal(firstOf(all, null), all);
  assert.equal(firstOf(all, undefined), all);
  for (const limit of [0, 1, 3, 4]) assert.deepEqual(firstOf(all, limit), all.slice(0, limit));
  assert.throws(() => firstOf(all, -1), /must be 0 or more/);
});
