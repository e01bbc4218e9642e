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

/** Calls a tool over one answer of the interface; its result, and what it asked. */
async function over(name: string, args: Record<string, unknown>, json: unknown) {
  const asked: Array<{ path: string; variables?: unknown; maxBytes?: number | undefined }> = [];
  const result = await CATALOGUE_TOOLS.find((tool) => tool.name === name)!.run(args, {
    publicUrl: 'https://city.example.jp',
    signal: new AbortController().signal,
    async ask(path, { body, maxBytes } = {}) {
      asked.push(body === undefined ? { path, maxBytes } : { path, variables: (body as Answer).variables });
      return { status: 200, json };
    },
  });
  return { result: result as Answer, asked };
}

const dataset = (codes: Record<string, string | null>) => ({
  ...{ id: 'd_1', name: 'n', typeCode: 'bldg', year: 2023, items: [{ format: 'MVT' }] },
  ...{ prefectureCode: null, cityCode: null, wardCode: null, ...codes },
});

test('a dataset lies in the smallest area that it names', async () => {
  const areaOf = async (codes: Record<string, string | null>) =>
    (await over('plateau_get_dataset', { id: 'd_1' }, { data: { node: dataset(codes) } })).result;
  assert.deepEqual(await areaOf({ prefectureCode: '14', cityCode: '14100', wardCode: '14101' }), {
    ...{ id: 'd_1', name: 'n', type: 'bldg', year: 2023, area: '14101', items: [{ format: 'MVT' }] },
  });
  assert.equal((await areaOf({ prefectureCode: '14', cityCode: '14100' })).area, '14100');
  assert.equal((await areaOf({ prefectureCode: '14' })).area, '14');
  assert.equal((await areaOf({})).area, null);
  for (const node of [null, {}])
    await assert.rejects(over('plateau_get_dataset', { id: 'x' }, { data: { node } }), /no dataset x/);
});

test('datasets are found by all that the interface knows, and lists say what they leave out', async () => {
  const args = { area_codes: ['14'], dataset_types: ['bldg'], categories: ['RELATED'], year: 2023 };
  const more = { plateau_spec: '4', registration_year: 2024, search_text: 'a b', shallow: true };
  const all = Array.from({ length: 101 }, () => dataset({ cityCode: '14100' }));
  const data = { datasetCount: 300, datasets: all };
  const { asked, result } = await over('plateau_search_datasets', { ...args, ...more }, { data });
  assert.deepEqual(asked[0]!.variables, {
    input: {
      ...{ areaCodes: ['14'], includeTypes: ['bldg', 'related'], plateauSpec: '4', year: 2023 },
      ...{ registrationYear: 2024, searchTokens: ['a', 'b'], shallow: true, mapSymbols: undefined },
    },
  });
  assert.equal(result.datasets.length, 100);
  assert.deepEqual(result.metadata, {
    ...{ total_count: 300, returned_count: 100, has_more: true },
    refinement_suggestions: ['Give area_codes.', 'Give dataset_types, such as bldg.', 'Give year.'],
  });
  const none = await over('plateau_search_datasets', {}, { data: { datasetCount: 0, datasets: [] } });
  assert.equal(
    (none.asked[0]!.variables as { input: { includeTypes?: string[] } }).input.includeTypes,
    undefined,
  );
  assert.equal(none.result.metadata.has_more, false);
});

test('an area without data leads to those that have some', async () => {
  await assert.rejects(over('plateau_get_area', { code: '99' }, { data: { area: null } }), /no data for 99/);
  const errors = [{ message: 'first' }, { message: 'second' }];
  await assert.rejects(over('plateau_get_area', { code: '99' }, { errors }), /^Error: first$/);
});

test('a composite tileset has an address and a number of datasets', async () => {
  const args = { area: '13', type: 'bldg', lod: 'lod1', year: 'latest' };
  const json = { root: { children: [{}, {}] } };
  const { asked, result } = await over('plateau_tileset_url', args, json);
  const path = '/datacatalog/3dtiles/13-bldg-lod1-latest/tileset.json';
  assert.deepEqual(asked, [{ path, maxBytes: 4 * 2 ** 20 }]);
  assert.deepEqual(result, {
    ...{ spec: '13-bldg-lod1-latest', url: `https://city.example.jp${path}`, datasets: 2 },
  });
  const textured = await over('plateau_tileset_url', { ...args, texture: 'notexture' }, {});
  assert.equal(textured.result.spec, '13-bldg-lod1-notexture-latest');
  assert.equal(textured.result.datasets, 0);
});

test('two hundred areas are listed at most, in the order of their codes', async () => {
  const area = (n: number) => {
    const code = String(n).padStart(5, '0');
    return { ...{ id: `c_${code}`, type: 'CITY', code, name: code, parentId: null }, datasetCount: 1 };
  };
  const areas = Array.from({ length: 201 }, (_, i) => area(201 - i));
  const graph = { data: { tiled: areas, all: areas, around: areas }, areas: [] };
  const { result } = await over('plateau_search_areas', {}, graph);
  assert.equal(result.areas.length, 200);
  assert.equal(result.areas[0].code, '00001');
  assert.equal(result.areas[0].has_citygml, false);
  assert.deepEqual([result.metadata.total_count, result.metadata.has_more], [201, true]);
});
