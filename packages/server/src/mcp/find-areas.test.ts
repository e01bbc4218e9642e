import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AreasWanted, findAreas } from './find-areas.ts';

const area = (code: string, parentId: string | null = null) => ({
  ...{ id: `a_${code}`, type: code.length === 2 ? 'PREFECTURE' : 'CITY', code, name: code, parentId },
  datasetCount: 0,
});
const AREAS = [
  area('13'),
  area('13101', 'a_13'), // with tiles
  area('13102', 'a_13'), // with CityGML of buildings
  area('13103', 'a_13'), // with CityGML of roads
  area('13104', 'a_13'), // with neither
  area('13105', 'a_13'), // not in the list of areas
];
const row = (code: string, citygml: boolean, ...feature_types: string[]) => ({
  ...{ code, citygml, feature_types, type: code.length === 2 ? 'prefecture' : 'city' },
});
const ROWS = [
  row('13', false, 'bldg', 'tran'),
  row('13101', false, 'bldg'),
  row('13102', true, 'bldg'),
  row('13103', true, 'tran'),
  row('13104', false, 'bldg'),
  // Another area of the same code.
  { ...row('13105', true, 'bldg'), type: 'ward' },
];

async function found(wanted: AreasWanted): Promise<string[]> {
  let variables: Record<string, AreasWanted> = {};
  const areas = await findAreas(
    wanted,
    async (path, { body, maxBytes } = {}) => {
      if (path === '/datacatalog/areas') {
        assert.equal(maxBytes, 8 * 2 ** 20);
        return { status: 200, json: { areas: ROWS } };
      }
      variables = (body as { variables: typeof variables }).variables;
      const data = { tiled: [AREAS[1]], all: AREAS.slice(1), around: AREAS.toReversed() };
      return { status: 200, json: { data } };
    },
    new AbortController().signal,
  );
  // What is looked for beside tiles does not depend on what the tiles are of.
  const everything = { ...wanted, datasetTypes: undefined, categories: undefined, includeEmpty: true };
  assert.deepEqual(variables, {
    input: wanted,
    all: { ...everything, includeParents: false },
    around: everything,
  });
  for (const { code, hasCityGml, featureTypes } of areas) {
    const own = code === '13105' ? undefined : ROWS.find((one) => one.code === code);
    assert.deepEqual([hasCityGml, featureTypes], [own?.citygml ?? false, own?.feature_types ?? []]);
  }
  return areas.map(({ code }) => code);
}

test('areas with tiles, and areas with CityGML of what is wanted, come in the order of their codes', async () => {
  assert.deepEqual(await found({}), ['13101', '13102', '13103']);
  assert.deepEqual(await found({ datasetTypes: ['bldg'] }), ['13101', '13102']);
  assert.deepEqual(await found({ datasetTypes: ['luse', 'tran'] }), ['13101', '13103']);
  assert.deepEqual(await found({ datasetTypes: ['luse'] }), ['13101']);
  assert.deepEqual(await found({ datasetTypes: ['plateau'] }), ['13101', '13102', '13103']);
});

test('CityGML is of one category', async () => {
  assert.deepEqual(await found({ categories: ['GENERIC', 'RELATED'] }), ['13101']);
  assert.deepEqual(await found({ categories: ['GENERIC', 'PLATEAU'] }), ['13101', '13102', '13103']);
  assert.deepEqual(await found({ categories: ['PLATEAU'], datasetTypes: ['tran'] }), ['13101', '13103']);
});

test('areas around those with CityGML come when they are asked for', async () => {
  assert.deepEqual(await found({ includeParents: true }), ['13', '13101', '13102', '13103']);
  assert.deepEqual(await found({ includeParents: false }), ['13101', '13102', '13103']);
  assert.deepEqual(await found({ includeParents: true, datasetTypes: ['luse'] }), ['13101']);
});
