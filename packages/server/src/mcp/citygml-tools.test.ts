import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { type AskOptions, type OperationAnswer, ToolError } from './ask.ts';
import { TOOLS } from './server.ts';
import { queryOf, tokensOf } from './tool.ts';

interface Asked extends AskOptions {
  path: string;
}

/** Calls a tool over operations that answer this, one after the other; what it asked, and its result. */
async function run(name: string, args: Record<string, unknown>, ...answers: Array<Partial<OperationAnswer>>) {
  const asked: Asked[] = [];
  const result = (await toolNamed(name).run(args, {
    publicUrl: 'https://city.example.jp',
    signal: new AbortController().signal,
    async ask(path, { signal: _signal, ...options } = {}) {
      asked.push({ path, ...options });
      return { status: 200, json: {}, ...answers[asked.length - 1] };
    },
    // biome-ignore lint/suspicious/noExplicitAny: results of tools are JSON
  })) as any;
  return { asked, result };
}

const toolNamed = (name: string) => TOOLS.find((tool) => tool.name === name)!;
const metadata = (total: number | null, count: number, narrower: string[] = []) => ({
  total_count: total,
  returned_count: count,
  has_more: narrower.length > 0,
  refinement_suggestions: narrower,
});

describe('parameters of a tool', () => {
  const many = (count: number, text = 'a') => Array.from({ length: count }, () => text);
  const long = (length: number) => 'a'.repeat(length);
  /** A parameter, the most that it takes, and what is too much; the least where there is one. */
  const BOUNDS: Array<[tool: string, parameter: string, taken: unknown[], refused: unknown[]]> = [
    ['plateau_search_areas', 'parent_code', [long(10), undefined], [long(11)]],
    ['plateau_search_areas', 'dataset_types', [many(50), [long(200)], []], [many(51), [long(201)]]],
    ['plateau_search_areas', 'categories', [many(3, 'PLATEAU')], [many(4, 'PLATEAU'), ['OTHER']]],
    ['plateau_search_areas', 'area_types', [many(3, 'WARD')], [many(4, 'WARD'), ['TOWN']]],
    ['plateau_search_areas', 'search_text', [long(200)], [long(201)]],
    ['plateau_get_area', 'code', [long(10)], [long(11), undefined]],
    ['plateau_search_datasets', 'area_codes', [many(200)], [many(201)]],
    ['plateau_search_datasets', 'dataset_types', [many(50)], [many(51)]],
    ['plateau_search_datasets', 'categories', [many(3, 'RELATED')], [many(4, 'RELATED')]],
    ['plateau_search_datasets', 'plateau_spec', [long(20)], [long(21)]],
    ['plateau_search_datasets', 'search_text', [long(200)], [long(201)]],
    ['plateau_get_dataset', 'id', [long(300)], [long(301), undefined]],
    ['plateau_list_dataset_types', 'plateau_spec', [long(20)], [long(21)]],
    ['plateau_tileset_url', 'area', [long(10)], [long(11)]],
    ['plateau_tileset_url', 'type', [long(10)], [long(11)]],
    ['plateau_tileset_url', 'lod', [long(10), undefined], [long(11)]],
    ['plateau_tileset_url', 'year', [long(10), undefined], [long(11)]],
    ['plateau_get_citygml_files', 'condition', ['a', long(20_000)], ['', long(20_001)]],
    ['plateau_get_citygml_files', 'feature_types', [many(50)], [many(51)]],
    ['plateau_citygml_get_attributes', 'url', [long(2_000)], [long(2_001)]],
    [
      'plateau_citygml_get_attributes',
      'building_ids',
      [['a'], many(5_000), [long(200)]],
      [[], many(5_001), [long(201)]],
    ],
    [
      'plateau_citygml_get_features',
      'spatial_ids',
      [['a'], many(1_000), [long(60)]],
      [[], many(1_001), [long(61)]],
    ],
    ['plateau_spatialid_attributes', 'types', [['a'], many(50), [long(60)]], [[], many(51), [long(61)]]],
    ['plateau_citygml_compare_editions', 'area', [long(10)], [long(11)]],
    ['plateau_citygml_compare_editions', 'type', [long(20)], [long(21)]],
    ['plateau_citygml_compare_editions', 'from', [1_900, 2_999], [1_899, 3_000, 2020.5]],
    ['plateau_citygml_compare_editions', 'to', [1_900, 2_999], [1_899, 3_000, 2020.5]],
    [
      'plateau_citygml_compare_editions',
      'bbox',
      [[1, 2, 3, 4]],
      [
        [1, 2, 3],
        [1, 2, 3, 4, 5],
      ],
    ],
    ['plateau_citygml_get_geoid_height', 'latitude', [-90, 90], [-90.1, 90.1]],
    ['plateau_citygml_get_geoid_height', 'longitude', [-180, 180], [-180.1, 180.1]],
    ['plateau_citygml_statistics', 'area', [long(10)], [long(11)]],
    [
      'plateau_citygml_statistics',
      'feature_types',
      [['a'], many(50), [long(200)]],
      [[], many(51), [long(201)]],
    ],
    ['plateau_citygml_statistics', 'by', [many(4), undefined], [many(5)]],
    ['plateau_citygml_statistics', 'of', [many(8), undefined], [many(9)]],
    ['plateau_citygml_statistics', 'where', [long(2_000)], [long(2_001)]],
    ['plateau_pack', 'urls', [['a'], many(1_000), [long(2_000)]], [[], many(1_001), [long(2_001)]]],
    ['plateau_pack_status', 'id', [long(100)], [long(101)]],
  ];
  for (const [name, parameter, taken, refused] of BOUNDS) {
    test(`${name} has bounds of ${parameter}`, () => {
      const schema = z.object(toolNamed(name).parameters).shape[parameter] as z.ZodType;
      for (const value of taken)
        assert.ok(schema.safeParse(value).success, JSON.stringify(value)?.slice(0, 50));
      for (const value of refused)
        assert.ok(!schema.safeParse(value).success, JSON.stringify(value)?.slice(0, 50));
    });
  }

  test('become a query without those that are missing or empty', () => {
    assert.equal(queryOf({}), '');
    assert.equal(queryOf({ a: undefined, b: [] }), '');
    assert.equal(
      queryOf({ a: 'x&y', b: ['1', 'ä,'], c: undefined, d: false, e: '' }),
      '?a=x%26y&b=1,%C3%A4%2C&d=false&e=',
    );
    assert.deepEqual(tokensOf(' 横浜\u3000市  a '), ['横浜', '市', 'a']);
    assert.deepEqual(
      [tokensOf(undefined), tokensOf(''), tokensOf(' \u3000')],
      [undefined, undefined, undefined],
    );
  });
});

describe('files by condition', () => {
  const file = (n: number) => ({ url: `u${n}`, n });
  const files = (from: number, count: number) => Array.from({ length: count }, (_, i) => file(from + i));

  test('are shown as the operation gives them', async () => {
    const json = {
      files: { bldg: [file(1)], tran: [file(2)] },
      cities: [{ code: 'a', files: { bldg: [file(1)], tran: [file(2)] } }],
    };
    const { asked, result } = await run(
      'plateau_get_citygml_files',
      { condition: 'g:東京', feature_types: ['bldg', 'tran'] },
      { json },
    );
    assert.deepEqual(asked, [
      { path: '/datacatalog/citygml/g%3A%E6%9D%B1%E4%BA%AC?types=bldg,tran', entriesAt: 3 },
    ]);
    assert.deepEqual(result, { ...json, metadata: metadata(2, 2) });
  });

  test('are the first 300, in every list alike, and the rest is told of', async () => {
    const json = {
      files: { bldg: files(0, 299), tran: files(299, 3), luse: files(400, 1) },
      cities: [
        { code: 'a', files: { bldg: files(0, 299), tran: files(299, 1) } },
        { code: 'b', files: { tran: files(300, 2), luse: files(400, 1) } },
      ],
    };
    const { asked, result } = await run('plateau_get_citygml_files', { condition: '13' }, { json });
    assert.equal(asked.length, 1);
    assert.deepEqual(result.files, { bldg: files(0, 299), tran: files(299, 1) });
    assert.deepEqual(result.cities, [{ code: 'a', files: result.files }]);
    assert.deepEqual(
      result.metadata,
      metadata(303, 300, ['Give feature_types.', 'Use a smaller mesh code or box.']),
    );
  });

  test('are counted where the answer was cut', async () => {
    const counts = {
      cities: [{ types: { bldg: { files: 3 }, tran: { files: 4 } } }, { types: { bldg: { files: 5 } } }],
    };
    const { asked, result } = await run(
      'plateau_get_citygml_files',
      { condition: '13' },
      { json: { files: { bldg: [file(1)] } }, isCut: true },
      { json: counts },
    );
    assert.equal(asked[1]!.path, '/datacatalog/counts/13');
    assert.equal(result.metadata.total_count, 12);
    assert.equal('cities' in result, false);
  });
});

describe('features', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, i) => `id${i}`);

  test('by gml:id are shown up to 200', async () => {
    const ask = (count: number, isCut = false) =>
      run(
        'plateau_citygml_get_attributes',
        { url: 'u', building_ids: ['a', 'b'], skip_code_list: true },
        { json: ids(count), isCut },
      );
    const { asked, result } = await ask(200);
    assert.deepEqual(asked, [
      { path: '/citygml/attributes?url=u&id=a,b&skip_code_list_fetch=true', entriesAt: 1 },
    ]);
    assert.deepEqual(result, { attributes: ids(200), metadata: metadata(200, 200) });
    const narrower = ['Ask for fewer ids at once.'];
    assert.deepEqual((await ask(201)).result, {
      attributes: ids(200),
      metadata: metadata(201, 200, narrower),
    });
    assert.deepEqual((await ask(3, true)).result.metadata, metadata(null, 3, narrower));
  });

  test('in spatial IDs have attributes of all types that are asked for', async () => {
    const { asked, result } = await run(
      'plateau_spatialid_attributes',
      { spatial_ids: ['1/0/0', '2/0/0'], types: ['bldg'] },
      { json: ids(1) },
    );
    assert.deepEqual(asked, [
      { path: '/citygml/spatialid_attributes?sid=1%2F0%2F0,2%2F0%2F0&type=bldg', entriesAt: 1 },
    ]);
    assert.deepEqual(result.metadata, metadata(1, 1));
    await assert.rejects(
      run('plateau_spatialid_attributes', { spatial_ids: ['a'], types: ['b'] }, { json: {} }),
      /no list of features/,
    );
  });

  test('in spatial IDs are listed up to 2,000, or named as missing', async () => {
    const ask = (count: number, isCut = false) =>
      run(
        'plateau_citygml_get_features',
        { url: 'u', spatial_ids: ['1/0/0'] },
        { json: { featureIds: ids(count) }, isCut },
      );
    const { asked, result } = await ask(2_000);
    assert.deepEqual(asked, [{ path: '/citygml/features?url=u&sid=1%2F0%2F0', entriesAt: 2 }]);
    assert.deepEqual(result, { feature_ids: ids(2_000), metadata: metadata(2_000, 2_000) });
    assert.deepEqual(
      (await ask(2_001)).result.metadata,
      metadata(2_001, 2_000, ['Use smaller spatial IDs.']),
    );
    assert.deepEqual((await ask(1, true)).result.metadata, metadata(null, 1, ['Use smaller spatial IDs.']));
    const none = (await ask(0)).result;
    assert.deepEqual([none.feature_ids, none.reason], [[], 'NO_FEATURES_IN_AREA']);
    assert.deepEqual(none.hint.recommended_zoom, [17, 18, 19]);
  });

  test('longer than a model can read are cut, but for the first', async () => {
    const ask = async (...lengths: number[]) =>
      (
        await run(
          'plateau_citygml_get_attributes',
          { url: 'u', building_ids: ['a'] },
          { json: lengths.map((length) => 'x'.repeat(length - 2)) },
        )
      ).result.metadata.returned_count;
    assert.equal(await ask(30_000, 30_000), 2);
    assert.equal(await ask(30_000, 30_001), 1);
    assert.equal(await ask(60_001, 2), 1);
    assert.equal(await ask(2, 60_001, 2), 1);
  });
});

test('two editions are compared, with at most 100 differences', async () => {
  const args = { area: '17206', from: 2022, to: 2024, change: 'added', bbox: [1, 2, 3, 4] };
  const answer = {
    state: 'compared',
    from: { year: 2022 },
    to: { year: 2024 },
    sums: { added: 1 },
    differences: [{ id: 'a', outline: { type: 'Polygon' } }],
    next: null,
  };
  const { asked, result } = await run('plateau_citygml_compare_editions', args, { json: answer });
  assert.equal(
    asked[0]!.path,
    '/citygml/changes?city_code=17206&from=2022&to=2024&change=added&bbox=1,2,3,4&limit=100',
  );
  const { differences: _, next: _next, ...about } = answer;
  assert.deepEqual(result, { ...about, differences: [{ id: 'a' }], metadata: metadata(1, 1) });
  const more = await run('plateau_citygml_compare_editions', args, { json: { ...answer, next: 7 } });
  assert.deepEqual(more.result.metadata, metadata(null, 1, ['Give change, or a smaller bbox.']));
  const running = {
    state: 'comparing',
    from: {},
    to: {},
    progress: { done: 1 },
    differences: [],
    next: null,
  };
  const wait = (await run('plateau_citygml_compare_editions', args, { json: running })).result;
  assert.deepEqual(wait, {
    state: 'comparing',
    from: {},
    to: {},
    progress: { done: 1 },
    hint: 'Ask again in a few seconds.',
  });
});

test('the height of the geoid comes with its datum', async () => {
  const json = { geoid_height: 36.7, geoid: 'JPGEO2024', datum: 'jgd2024', model: 'm' };
  const place = { latitude: 35.5, longitude: 139.25 };
  const with2024 = await run('plateau_citygml_get_geoid_height', { ...place, datum: 'jgd2024' }, { json });
  assert.deepEqual(with2024.asked, [{ path: '/citygml/geoid_height?lat=35.5&lng=139.25&datum=jgd2024' }]);
  assert.deepEqual(with2024.result, { ...place, ...json });
  const { asked } = await run('plateau_citygml_get_geoid_height', place, { json });
  assert.deepEqual(asked, [{ path: '/citygml/geoid_height?lat=35.5&lng=139.25' }]);
});

test('groups of statistics are the first 300', async () => {
  const groups = Array.from({ length: 301 }, (_, i) => ({ count: i }));
  const args = {
    area: '13',
    feature_types: ['bldg'],
    by: ['bldg:usage'],
    of: ['bldg:measuredHeight'],
    where: 'a>=1',
  };
  const { asked, result } = await run('plateau_citygml_statistics', args, { json: { total: 9, groups } });
  assert.deepEqual(asked, [
    { path: '/citygml/statistics?area=13&type=bldg&by=bldg%3Ausage&of=bldg%3AmeasuredHeight&where=a%3E%3D1' },
  ]);
  assert.equal(result.total, 9);
  assert.deepEqual(result.groups, groups.slice(0, 300));
  assert.deepEqual(
    result.metadata,
    metadata(301, 300, ['Group by attributes with fewer values, or add conditions.']),
  );
});

test('tools of attributes pass on that names of CityGML 2.0 are meant, and take no others', async () => {
  for (const [name, args] of [
    ['plateau_citygml_get_attributes', { url: 'u', building_ids: ['a'] }],
    ['plateau_spatialid_attributes', { spatial_ids: ['18/1/1'], types: ['bldg'] }],
    ['plateau_citygml_statistics', { area: '13', feature_types: ['bldg'] }],
  ] as const) {
    const { asked } = await run(name, { ...args, attributes: 'v2' }, { json: { groups: [] } }).catch(() =>
      run(name, { ...args, attributes: 'v2' }, { json: [] }),
    );
    assert.equal(new URL(asked[0]!.path, 'http://a').searchParams.get('attributes'), 'v2', name);
    const schema = z.object(toolNamed(name).parameters);
    assert.ok(schema.safeParse(args).success && !schema.safeParse({ ...args, attributes: 'v3' }).success);
  }
});

test('a zip is asked for, and has an address when it is ready', async () => {
  const { asked, result } = await run('plateau_pack', { urls: ['a'] }, { json: { id: 'p' } });
  assert.deepEqual([asked, result], [[{ path: '/citygml/pack', body: { urls: ['a'] } }], { id: 'p' }]);
  const state = async (status: string) =>
    (await run('plateau_pack_status', { id: 'p/q' }, { json: { status } })).result;
  assert.deepEqual(await state('succeeded'), {
    status: 'succeeded',
    url: 'https://city.example.jp/citygml/pack/p%2Fq.zip',
  });
  assert.deepEqual(await state('processing'), { status: 'processing' });
});

test('an operation that refuses is the words of the tool', async () => {
  const words = async (answer: OperationAnswer) => {
    const error = await run('plateau_pack', { urls: ['a'] }, answer).then(
      () => null,
      (reason: unknown) => reason,
    );
    return error instanceof ToolError ? error.message : String(error);
  };
  assert.equal(await words({ status: 400, json: { error: 'e', reason: 'why' } }), 'why');
  assert.equal(await words({ status: 404, json: { error: 'e' } }), 'e');
  assert.equal(await words({ status: 500, json: null }), 'The operation answers with status 500.');
  assert.match(await words({ status: 413, json: { error: 'e', reason: 'why' } }), /too large/);
  assert.equal(await words({ status: 399, json: {} }), 'null');
});
