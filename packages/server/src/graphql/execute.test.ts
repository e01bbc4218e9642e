import assert from 'node:assert/strict';
import test from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { getIntrospectionQuery, validateSchema } from 'graphql';
import { textOf } from '../base/testing/text-of.ts';
import { cityPackage, snapshotOf, testUrls, tilePackage } from '../catalogue/testing/snapshot-rows.ts';
import { buildGraph } from './catalogue-graph.ts';
import { Documents } from './documents.ts';
import { buildGraphSchema } from './schema.ts';
import { type Answer, asking, LIMITS } from './testing/ask.ts';

const ROWS = [
  cityPackage(),
  tilePackage(),
  tilePackage({ type: 'tran', format: 'MVT' }),
  tilePackage({}, { cityCode: '14201', year: 2022 }),
];
const catalogue = await asking(ROWS);

function codesOf(answer: Answer): unknown[] {
  return answer.errors.map((error: Answer) => error.extensions.code);
}

test('the schema is valid, and every type, field, argument and value is described', async () => {
  const schema = buildGraphSchema();
  assert.deepEqual(validateSchema(schema), []);
  const { __schema } = await catalogue.data(getIntrospectionQuery({ inputValueDeprecation: true }));
  const silent: string[] = [];
  for (const type of __schema.types) {
    if (type.name.startsWith('__')) continue;
    if (!type.description) silent.push(type.name);
    for (const field of [...(type.fields ?? []), ...(type.inputFields ?? []), ...(type.enumValues ?? [])]) {
      if (!field.description) silent.push(`${type.name}.${field.name}`);
      for (const arg of field.args ?? []) {
        if (!arg.description) silent.push(`${type.name}.${field.name}(${arg.name})`);
      }
    }
  }
  assert.deepEqual(silent, []);
});

test('the schema has the types and fields that clients name', async () => {
  const { __schema } = await catalogue.data(getIntrospectionQuery());
  const types = new Map<string, Answer>(__schema.types.map((type: Answer) => [type.name, type]));
  const fieldsOf = (name: string) => types.get(name).fields.map((field: Answer) => field.name);
  const expected: Record<string, string> = {
    Area: 'id type code name datasets parentId parent children bbox',
    Prefecture: 'cities',
    City: 'prefectureId prefectureCode prefecture wards planarCrsEpsgCode citygmlId citygml',
    Ward: 'prefectureId prefectureCode prefecture cityId cityCode city',
    Dataset:
      'id name description year registerationYear registrationYear groups openDataUrl prefectureId prefectureCode ' +
      'cityId cityCode wardId wardCode typeId typeCode prefecture city ward type items ar admin',
    PlateauDataset: 'subname subcode suborder plateauSpecMinorId plateauSpecMinor pictureUrl river',
    RelatedDataset: 'items',
    GenericDataset: 'items',
    DatasetItem: 'id format name url layers parentId parent',
    PlateauDatasetItem:
      'lod lodEx texture floodingScale floodingScaleSuffix fileSize formatVersion compositeUrl latestUrl ' +
      'pictureUrl',
    RelatedDatasetItem: 'originalFormat originalUrl',
    GenericDatasetItem: 'url',
    DatasetType: 'id code name category order datasets',
    PlateauDatasetType: 'plateauSpecId plateauSpec year flood',
    RelatedDatasetType: 'code',
    GenericDatasetType: 'code',
    PlateauSpec: 'id majorVersion year datasetTypes minorVersions',
    PlateauSpecMinor: 'id name version majorVersion year parentId parent datasets',
    CityGMLDataset:
      'id year registrationYear prefectureId prefectureCode prefecture cityId cityCode city plateauSpecMinorId ' +
      'plateauSpecMinor url fileSize featureTypes metadataZipUrls tables admin',
    FeatureTable: 'type parquetUrl features fileSize sha256',
    River: 'name admin',
    Query: 'node nodes area areas datasetTypes datasets citygmlDatasets plateauSpecs years areasAt',
  };
  for (const [name, fields] of Object.entries(expected)) {
    for (const field of fields.split(' ')) assert.ok(fieldsOf(name).includes(field), `${name}.${field}`);
  }
  const valuesOf = (name: string) => types.get(name).enumValues.map((value: Answer) => value.name);
  assert.deepEqual(valuesOf('AreaType'), ['PREFECTURE', 'CITY', 'WARD']);
  assert.deepEqual(valuesOf('DatasetTypeCategory'), ['PLATEAU', 'RELATED', 'GENERIC']);
  assert.deepEqual(valuesOf('Texture'), ['NONE', 'TEXTURE']);
  assert.deepEqual(valuesOf('FloodingScale'), ['PLANNED', 'EXPECTED_MAXIMUM']);
  assert.deepEqual(valuesOf('RiverAdmin'), ['NATIONAL', 'PREFECTURE']);
  assert.deepEqual(
    valuesOf('DatasetFormat'),
    'CSV CZML CESIUM3DTILES GLTF GTFS_REALTIME GEOJSON MVT TMS TILES WMS'.split(' '),
  );
  for (const name of ['AreaCode', 'Any']) assert.equal(types.get(name).kind, 'SCALAR');
});

test('a bare value where a list is expected is a list of it, in literals and variables', async () => {
  const literal = await catalogue.data('{areas(input:{areaTypes:PREFECTURE}){id}}');
  assert.deepEqual(literal.areas, [{ id: 'p_13' }, { id: 'p_14' }]);
  const query = 'query($input:AreasInput){areas(input:$input){id}}';
  assert.deepEqual(await catalogue.data(query, { input: { areaTypes: 'PREFECTURE' } }), literal);
});

test('area codes are strings, or numbers that lost their zeros', async () => {
  const query = 'query($code:AreaCode!){area(code:$code){id}}';
  for (const code of ['13101', 13101, ' 13101 ']) {
    assert.deepEqual((await catalogue.data(query, { code })).area, { id: 'c_13101' });
  }
  assert.equal((await catalogue.data('{area(code:1){id}}')).area, null);
  for (const [code, id] of [
    [13, 'p_13'],
    ['13', 'p_13'],
    [99, null],
    [100, null],
  ] as const)
    assert.equal((await catalogue.data(query, { code })).area?.id ?? null, id);
  for (const code of [0, -1, 1.5, 2 ** 53])
    assert.deepEqual(codesOf(await catalogue.answer(query, { code })), ['BAD_USER_INPUT']);
  assert.deepEqual(codesOf(await catalogue.answer(query, { code: { a: 1 } })), ['BAD_USER_INPUT']);
  assert.deepEqual(codesOf(await catalogue.answer('{area(code:true){id}}')), ['GRAPHQL_VALIDATION_FAILED']);
});

test('fragments on every concrete type, also on those that nothing is of', async () => {
  const { datasets } = await catalogue.data(
    '{datasets(input:{areaCodes:"13101",includeTypes:"bldg"}){__typename ...on PlateauDataset{p:id items{...on ' +
      'PlateauDatasetItem{p:lod} ...on DatasetItem{format}}} ...on RelatedDataset{r:id} ...on GenericDataset{g:id} ' +
      'type{...on PlateauDatasetType{flood} ...on RelatedDatasetType{r:id} ...on GenericDatasetType{g:id}}}}',
  );
  assert.deepEqual(datasets, [
    {
      __typename: 'PlateauDataset',
      p: 'd_13101_bldg_2023',
      items: [{ p: 1, format: 'CESIUM3DTILES' }],
      type: { flood: false },
    },
  ]);
});

test('what is wrong with a request is told in errors', async () => {
  assert.deepEqual(codesOf(await catalogue.answer('{')), ['GRAPHQL_PARSE_FAILED']);
  assert.deepEqual(codesOf(await catalogue.answer('{nothing}')), ['GRAPHQL_VALIDATION_FAILED']);
  assert.deepEqual(codesOf(await catalogue.answer('query($a:AreaCode!){area(code:$a){id}}')), [
    'BAD_USER_INPUT',
  ]);
  assert.deepEqual(codesOf(await catalogue.answer('query A{years} query B{years}')), ['BAD_USER_INPUT']);
  assert.deepEqual(codesOf(await catalogue.answer('{years}', 'x')), ['BAD_USER_INPUT']);
  assert.deepEqual(codesOf(await catalogue.answer('{years}', [])), ['BAD_USER_INPUT']);
  assert.deepEqual(codesOf(await catalogue.answer('{years}', null, 1)), ['BAD_USER_INPUT']);
  assert.deepEqual(codesOf(await catalogue.answer('mutation{a}')), ['BAD_USER_INPUT']);
  assert.deepEqual(await catalogue.answer('query A{years} query B{years}', null, 'B'), {
    data: { years: [2023, 2022] },
  });
  const { errors } = await catalogue.answer('{\n  nothing\n}');
  assert.deepEqual(errors[0].locations, [{ line: 2, column: 3 }]);
  for (const [wrong, expected] of [
    [19, 19],
    [20, 20],
    // The last one says that there are more.
    [21, 21],
    [1000, 21],
  ] as const) {
    const fields = Array.from({ length: wrong }, (_, n) => `x${n}`).join(' ');
    assert.equal((await catalogue.answer(`{${fields}}`)).errors.length, expected, `${wrong}`);
  }
  assert.deepEqual(catalogue.faults, []);
});

test('of several operations one has to be named, and one that there is', async () => {
  const two = 'query A{years} query B{years}';
  for (const [query, name, message] of [
    [two, undefined, /Give operationName: the query has several operations/],
    [two, '', /Give operationName/],
    [two, 'C', /no operation of that name/],
    ['{years}', 'A', /no operation of that name/],
    ['query A{years} query A{years}', 'A', /only one operation named "A"/],
  ] as const) {
    const { errors } = await catalogue.answer(query, undefined, name);
    assert.equal(errors.length, 1, query);
    assert.match(errors[0].message, message);
  }
  assert.deepEqual((await catalogue.answer('query A{years}', undefined, 'A')).errors, undefined);
});

test('what is refused, and what has a very long key, is not kept', async () => {
  const { executor, graph } = await asking(ROWS);
  const query = 'query($c:[AreaCode!]){citygmlDatasets(input:{cityCodes:$c}){id}}';
  const twice = async (variables: object) => {
    const found: unknown[] = [];
    for (let time = 0; time < 2; time++) {
      const { hasData, kept } = await executor.answer(graph, { query, variables });
      found.push(`${hasData} ${kept}`);
    }
    return found;
  };
  assert.deepEqual(await twice({ c: ['13101'] }), ['true false', 'true true']);
  assert.deepEqual(await twice({ c: {} }), ['false false', 'false false']);
  // With the query, quotes and brackets.
  const of = (length: number) => ({ c: ['13101'], x: 'x'.repeat(length) });
  const rest = JSON.stringify([query, undefined, of(0)]).length;
  assert.deepEqual(await twice(of(20_000 - rest)), ['true false', 'true true']);
  assert.deepEqual(await twice(of(20_001 - rest)), ['true false', 'true false']);
});

test('limits say what they are', async () => {
  const small = await asking(ROWS, { maxDepth: 4, maxAliases: 2, maxTokens: 60, maxBytes: 300, maxCost: 18 });
  const messagesOf = async (query: string) => {
    const answer = await small.answer(query);
    assert.deepEqual(codesOf(answer), ['QUERY_TOO_LARGE'], query);
    assert.equal(answer.data, undefined);
    return answer.errors[0].message;
  };
  assert.match(await messagesOf('{areas{parent{parent{parent{id}}}}}'), /is 5 fields deep; at most 4/);
  assert.match(
    await messagesOf('{areas{...A}} fragment A on Area{parent{...B}} fragment B on Area{parent{parent{id}}}'),
    /is 5 fields deep/,
  );
  assert.match(await messagesOf('{a:years b:years c:years}'), /has 3 aliases; at most 2/);
  assert.match(await messagesOf(`{${'a '.repeat(60)}}`), /more than 60 words/);
  assert.match(await messagesOf(`{years #${'x'.repeat(300)}\n}`), /has 310 bytes; at most 300/);
  assert.match(await messagesOf('{areas{id name code type bbox}}'), /more than 18 entries.* Ask for fewer/);
  assert.match(await messagesOf('{datasets{id items{id name url format}}}'), /more than 18 entries/);
  assert.deepEqual(await small.answer('{years}'), { data: { years: [2023, 2022] } });
  const longest = `{years #${'x'.repeat(290)}\n}`;
  assert.equal(longest.length, 300);
  for (const query of ['{area(code:"13101"){parent{parent{id}}}}', '{a:years b:years}', longest]) {
    assert.equal((await small.answer(query)).errors, undefined, query);
  }
  const words = (count: number) => small.answer(`{node(id:"a"){${'id '.repeat(count - 10)}}}`);
  assert.deepEqual(await words(60), { data: { node: null } });
  assert.deepEqual(codesOf(await words(61)), ['QUERY_TOO_LARGE']);
});

test('fragments that contain each other many times cost no time', async () => {
  let query = '{areas{...F0}}';
  for (let i = 0; i < 60; i++) query += ` fragment F${i} on Area{...F${i + 1} ...F${i + 1} code}`;
  assert.deepEqual((await catalogue.data(`${query} fragment F60 on Area{id}`)).areas[0], {
    id: 'p_13',
    code: '13',
  });
  const repeated = await catalogue.answer(`{areas{${'parent{id} '.repeat(2000)}}}`);
  assert.deepEqual(codesOf(repeated), ['QUERY_TOO_LARGE']);
  const circle = await catalogue.answer('{areas{...A}} fragment A on Area{...B} fragment B on Area{...A}');
  assert.deepEqual(codesOf(circle), ['GRAPHQL_VALIDATION_FAILED']);
});

test('the budget counts every field of the answer once', async () => {
  const query = '{areas{id code datasets{id items{url}}}}';
  const { cost } = await catalogue.executor.answer(catalogue.graph, { query });
  // Of the query 1; 4 areas (p_13, c_13101, p_14, c_14201) of 3; each dataset, seen from both its areas, of 2; items of
  // 1. The filter looks at 4 areas.
  assert.equal(cost, 1 + 4 * 3 + 6 * 2 + 6 * 1 + 4);
});

test('an unexpected error is masked, told to the operator, and not kept', async () => {
  const broken = await asking(ROWS);
  const dataset = broken.graph.datasets[0]!;
  let fails = true;
  Object.defineProperty(dataset, 'year', {
    get() {
      if (fails) throw new Error('secret of the inside');
      return 2023;
    },
  });
  const query = `{node(id:"${dataset.id}"){id ... on Dataset{year}}}`;
  const answer = await broken.answer(query);
  assert.deepEqual(codesOf(answer), ['INTERNAL_SERVER_ERROR']);
  assert.ok(!JSON.stringify(answer).includes('secret'));
  assert.deepEqual(answer.errors[0].path, ['node', 'year']);
  assert.equal((broken.faults[0] as Error).message, 'secret of the inside');
  fails = false;
  assert.deepEqual(await broken.data(query), { node: { id: dataset.id, year: 2023 } });
});

test('an answer is kept for the same query and variables over the same state, and no longer', async () => {
  const { executor } = catalogue;
  const pause = async () => {};
  const before = await buildGraph(await snapshotOf(...ROWS), testUrls, { pause });
  const after = await buildGraph(await snapshotOf(...ROWS.slice(1)), testUrls, { pause });
  const ask = (graph: typeof before, variables: object) =>
    executor.answer(graph, {
      query: 'query($c:[AreaCode!]){citygmlDatasets(input:{cityCodes:$c}){id}}',
      variables,
    });
  assert.equal((await ask(before, { c: ['13101'] })).kept, false);
  assert.equal((await ask(before, { c: ['13101'] })).kept, true);
  assert.equal((await ask(before, { c: ['14201'] })).kept, false);
  const last = await ask(after, { c: ['13101'] });
  assert.equal(last.kept, false);
  assert.equal(await textOf(last.document), '{"data":{"citygmlDatasets":[]}}');
});

test('lists and texts in arguments are bounded', async () => {
  const datasets = 'query($i:DatasetsInput){datasets(input:$i){id}}';
  const many = (n: number) => Array.from({ length: n }, (_, i) => String(i));
  for (const [query, variables, message] of [
    [datasets, { i: { searchTokens: many(201) } }, /searchTokens has 201 entries; at most 200/],
    [datasets, { i: { areaCodes: many(1_001) } }, /areaCodes has 1001 entries; at most 1000/],
    [datasets, { i: { includeTypes: ['x'.repeat(301)] } }, /includeTypes has a text of 301 characters/],
    ['query($i:[ID!]!){nodes(ids:$i){id}}', { i: many(1_001) }, /ids has 1001 entries; at most 1000/],
    ['query($i:ID!){node(id:$i){id}}', { i: 'x'.repeat(500_000) }, /id has a text of 500000 characters/],
  ] as const) {
    const answer = await catalogue.answer(query, variables);
    assert.deepEqual(codesOf(answer), ['BAD_USER_INPUT']);
    assert.match(answer.errors[0].message, message);
    assert.ok(answer.errors[0].message.length < 300);
    assert.ok(answer.errors[0].locations.length > 0);
  }
  assert.deepEqual(
    await catalogue.data(datasets, { i: { areaCodes: Array(1_000).fill('13101') } }),
    await catalogue.data(datasets, { i: { areaCodes: '13101' } }),
  );
});

test('what filters look at is charged, and introspection like everything else', async () => {
  const small = await asking(ROWS, { maxCost: 700 });
  const filter = (n: number) =>
    `{${Array.from({ length: n }, (_, i) => `a${i}:datasets(input:{searchTokens:["デ","zz"]}){id}`).join(' ')}}`;
  assert.deepEqual((await small.data(filter(10))).a9, []);
  assert.deepEqual(codesOf(await small.answer(filter(400))), ['QUERY_TOO_LARGE']);
  const types = (n: number) =>
    `{${Array.from({ length: n }, (_, i) => `a${i}:__schema{types{name fields{name}}}`).join(' ')}}`;
  assert.ok((await small.data(types(1))).a0.types.length > 20);
  assert.deepEqual(codesOf(await small.answer(types(3))), ['QUERY_TOO_LARGE']);
});

test('an answer of too many bytes is refused', async () => {
  const small = await asking(ROWS, { maxAnswerBytes: 100_000 });
  const query = (n: number) =>
    `{${Array.from({ length: n }, (_, i) => `a${i}:datasets{description id}`).join(' ')}}`;
  assert.equal(Object.keys(await small.data(query(20))).length, 20);
  const answer = await small.answer(query(500));
  assert.deepEqual(codesOf(answer), ['QUERY_TOO_LARGE']);
  assert.match(answer.errors[0].message, /more than 100000 bytes/);
  assert.deepEqual(answer.errors[0].locations, [{ line: 1, column: 1 }]);
});

test('a fault far into a long answer leaves null as data, and says why', async () => {
  const broken = await asking(ROWS);
  Object.defineProperty(broken.graph.areas.byCode('13101'), 'type', {
    get() {
      throw new Error('broken');
    },
  });
  const query = (n: number) =>
    `{years area(code:"13101"){${Array.from({ length: n }, (_, i) => `a${i}:datasets{description id}`).join(' ')} ` +
    `type}}`;
  const short = await broken.answer(query(1));
  assert.equal(short.data.area, null);
  assert.ok(short.data.years.length > 0);
  assert.deepEqual(codesOf(short), ['INTERNAL_SERVER_ERROR']);
  const request = { query: query(400) };
  for (let round = 0; round < 2; round++) {
    const answer = await broken.executor.answer(broken.graph, request);
    const long = JSON.parse(await textOf(answer.document));
    assert.equal(long.data, null);
    assert.deepEqual(codesOf(long), ['INTERNAL_SERVER_ERROR', 'INTERNAL_SERVER_ERROR']);
    assert.deepEqual(long.errors[0].path, ['area', 'type']);
    assert.match(long.errors[1].message, /too long/);
    assert.equal(answer.hasData, true);
    assert.equal(answer.kept, false);
  }
  assert.equal(broken.faults.length, 3);
});

test('what is nested too deeply is refused with an error', async () => {
  const nested = (n: number) => `{areas(input:${'['.repeat(n)}1${']'.repeat(n)}){id}}`;
  for (const query of [nested(3_000), nested(4_900), `${'{a'.repeat(3_000)}`]) {
    assert.deepEqual(codesOf(await catalogue.answer(query)), ['QUERY_TOO_LARGE']);
  }
  assert.deepEqual(codesOf(await catalogue.answer(nested(100))), ['GRAPHQL_VALIDATION_FAILED']);
  let deep: unknown = 1;
  for (let i = 0; i < 90; i++) deep = [deep];
  const answer = await catalogue.answer('query($i:DatasetsInput){datasets(input:$i){id}}', { i: deep });
  assert.deepEqual(codesOf(answer), ['BAD_USER_INPUT']);
});

test('refused queries are not kept, and accepted ones within bounds', async () => {
  const documents = new Documents(catalogue.executor.schema, LIMITS);
  for (let i = 0; i < 100; i++) documents.check(`{${'a '.repeat(20)}}#${i}`);
  assert.equal(documents.size, 0);
  for (let i = 0; i < 1_100; i++) documents.check(`{years}#${i}`);
  assert.equal(documents.size, 1_000);
  const long = `{areas(input:{searchTokens:[${'"a",'.repeat(4_000)}]}){id}}`;
  for (let i = 0; i < 30; i++) documents.check(`${long}#${i}`);
  assert.ok(documents.size < 20, String(documents.size));
});

test('a thousand wrong queries leave nothing behind', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const wrong = (i: number) => catalogue.answer(`{a b}#${i}`);
  for (let i = 0; i < 100; i++) await wrong(i);
  const before = heap();
  for (let i = 0; i < 1_500; i++) await wrong(i);
  assert.ok(heap() - before < 3e5, `${heap() - before} bytes`);
});

test('lists are cut to a number of entries, and counted whole', async () => {
  const all = await catalogue.data(
    '{ datasets { id } datasetCount areas { code datasets { id } datasetCount } }',
  );
  assert.equal(all.datasetCount, all.datasets.length);
  assert.ok(all.datasetCount > 1);
  for (const area of all.areas) assert.equal(area.datasetCount, area.datasets.length);
  const first = await catalogue.data(
    '{ datasets(limit: 1) { id } datasetCount(input: {includeTypes: "tran"}) areas { datasets(limit: 0) { id } } }',
  );
  assert.deepEqual(first.datasets, all.datasets.slice(0, 1));
  assert.equal(first.datasetCount, 1);
  for (const area of first.areas) assert.deepEqual(area.datasets, []);
  assert.deepEqual(codesOf(await catalogue.answer('{ datasets(limit: -1) { id } }')), ['BAD_USER_INPUT']);
});
