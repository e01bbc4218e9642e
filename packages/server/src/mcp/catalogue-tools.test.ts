import assert from 'node:assert/strict';
import test from 'node:test';
import { mapSymbolsSub } from '@citymodel/citygml';
import { Filters } from '../base/filter.ts';
import { cityPackage, tilePackage } from '../catalogue/testing/snapshot-rows.ts';
import { listAreas } from '../graphql/area-list.ts';
import { type Answer, asking } from '../graphql/testing/ask.ts';
import { CATALOGUE_TOOLS } from './catalogue-tools.ts';

const QUALITY = {
  spec: 4,
  errors: 3,
  warnings: 0,
  complete: false,
  scope: 'ingestion' as const,
  checkedAt: '2026-11-25T00:00:00.000Z',
};

/** A city with tiles of buildings, a town with CityGML alone, and a prefecture in which nobody has tiles. */
const catalogue = await asking([
  cityPackage({ cityCode: '14100', city: '横浜市', pref: '神奈川県', year: 2023 }),
  tilePackage({}, { cityCode: '14100', city: '横浜市', pref: '神奈川県', year: 2023 }),
  cityPackage({ cityCode: '14201', city: '横須賀市', pref: '神奈川県', year: 2022, quality: QUALITY }),
  cityPackage({ cityCode: '17206', city: '加賀市', pref: '石川県', year: 2022 }),
]);

function call(
  name: string,
  args: Record<string, unknown> = {},
  { answer, graph }: typeof catalogue = catalogue,
): Promise<Answer> {
  const one = CATALOGUE_TOOLS.find((tool) => tool.name === name)!;
  return one.run(args, {
    publicUrl: 'https://city.example.jp',
    signal: new AbortController().signal,
    async ask(path, { body } = {}) {
      const { query, variables } = (body ?? {}) as { query?: string; variables?: unknown };
      if (query !== undefined) return { status: 200, json: await answer(query, variables) };
      assert.equal(path, '/datacatalog/areas');
      return { status: 200, json: { areas: listAreas(graph, new Filters()) } };
    },
  });
}

async function codes(args: Record<string, unknown>): Promise<string[]> {
  const { areas } = await call('plateau_search_areas', args);
  return areas.map(({ code }: { code: string }) => code);
}

test('areas that have CityGML alone are found', async () => {
  assert.deepEqual(await codes({ area_types: ['CITY'] }), ['14100', '14201', '17206']);
  assert.deepEqual(await codes({ search_text: '横須賀' }), ['14201']);
  assert.deepEqual(await codes({ parent_code: '17' }), ['17206']);
  assert.deepEqual(await codes({ area_types: ['PREFECTURE'] }), ['14', '17']);
  const { areas } = await call('plateau_search_areas', { search_text: '加賀' });
  assert.deepEqual(areas, [
    {
      id: 'c_17206',
      type: 'CITY',
      code: '17206',
      name: '加賀市',
      parent_id: 'p_17',
      dataset_count: 0,
      feature_types: ['bldg', 'tran'],
      has_citygml: true,
    },
  ]);
});

test('types and categories are those of CityGML too, and parents come when they are asked for', async () => {
  assert.deepEqual(await codes({ area_types: ['CITY'], dataset_types: ['luse'] }), []);
  assert.deepEqual(await codes({ area_types: ['CITY'], dataset_types: ['bldg'] }), [
    '14100',
    '14201',
    '17206',
  ]);
  assert.deepEqual(await codes({ area_types: ['CITY'], categories: ['RELATED'] }), []);
  assert.deepEqual(await codes({ search_text: '加賀', include_parents: true }), ['17', '17206']);
});

test('an area tells of its CityGML, and the catalogue of all', async () => {
  const { citygml, datasets } = await call('plateau_get_area', { code: '14201' });
  assert.deepEqual(datasets, []);
  assert.equal(citygml.year, 2022);
  assert.match(citygml.url, /^https:.*\.zip$/);
  assert.deepEqual(citygml.feature_types, ['bldg', 'tran']);
  assert.deepEqual(citygml.quality, QUALITY);
  assert.equal((await call('plateau_get_area', { code: '14' })).citygml, null);
  assert.equal((await call('plateau_get_metadata')).total_citygml_packages, 3);
});

test('sets of map symbols are found by those who ask', async () => {
  const sub = mapSymbolsSub('frn', '', 'dm_annotations');
  const city = { cityCode: '14100', city: '横浜市', pref: '神奈川県', year: 2023 };
  const frn = { type: 'frn', format: 'MVT', lod: 0, texture: false } as const;
  const own = await asking([tilePackage({}, city), tilePackage({ ...frn, sub }, city)]);
  const count = async (args: Record<string, unknown>) =>
    (await call('plateau_search_datasets', args, own)).datasets.length;
  assert.equal(await count({}), 1);
  assert.equal(await count({ include_map_symbols: true }), 2);
});
