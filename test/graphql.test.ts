/** Operations 1 and 2 through the built program: what clients of the interface rely on, line by line. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { buildClientSchema, getIntrospectionQuery, lexicographicSortSchema, printSchema } from 'graphql';
import { SAMPLE_CITY, SAMPLE_TOWN } from '../packages/sample/src/facts.ts';
import { exampleQueries } from '../packages/server/src/graphql/examples.ts';
import type { Catalogue } from './support/interface-schemas.ts';
import { ROOT, removeDirectory, tempDirectory } from './support/program.ts';
import { type Reply, startServer, type TestServer } from './support/server.ts';
import { ingestSample } from './support/store.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
type Answer = any;

const PATH = '/datacatalog/graphql';
const JSON_HEADERS = { 'content-type': 'application/json' };

let directory: string;
let server: TestServer;
let catalogue: Catalogue;

before(async () => {
  directory = await tempDirectory();
  const { data } = await ingestSample(directory);
  server = await startServer(data, { env: { MAX_BODY_BYTES: '100000', GRAPHQL_MAX_COST: '10000' } });
  catalogue = await server.json<Catalogue>('/datacatalog/citymodel-datasets?all_years=true');
});

after(async () => {
  await server?.stop();
  await removeDirectory(directory);
});

function post(body: unknown, headers: Record<string, string> = JSON_HEADERS): Promise<Reply> {
  return server.request(PATH, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

async function data(query: string, variables?: unknown): Promise<Answer> {
  const reply = await post({ query, variables });
  assert.equal(reply.status, 200, reply.text);
  const { data, errors } = reply.json<Answer>();
  assert.equal(errors, undefined, JSON.stringify(errors));
  return data;
}

describe('POST', () => {
  it('answers what the interface shows', async () => {
    const { area } = await data('{area(code:"47900"){datasets{name items{url format}}}}');
    assert.ok(area.datasets.length > 5);
    for (const { items } of area.datasets) {
      for (const { url, format } of items) {
        assert.match(url, /^https:\/\//);
        assert.ok(['CESIUM3DTILES', 'MVT'].includes(format));
      }
    }
    const { citygmlDatasets } = await data(
      'query($input:CitygmlDatasetsInput!){citygmlDatasets(input:$input){id cityCode url fileSize year featureTypes}}',
      { input: { prefectureCodes: ['47'] } },
    );
    assert.deepEqual(
      citygmlDatasets.map(({ id }: Answer) => id),
      ['cg_47900', 'cg_47950', 'cg_47950_2023'],
    );
  });

  it('says the same as the REST catalogue', async () => {
    const { datasets, citygmlDatasets } = await data(`{
      datasets{prefectureCode cityCode wardCode typeCode year registrationYear license
        ... on PlateauDataset{plateauSpecMinor{version}}
        items{url format layers ... on PlateauDatasetItem{lod texture fileSize formatVersion compositeUrl latestUrl}}}
      citygmlDatasets{id cityCode url fileSize year registrationYear featureTypes compositeUrl bbox license}}`);
    const rows = new Map(catalogue.datasets.map((row) => [row.url, row as Answer]));
    const latest = new Set(catalogue.latest_datasets.map((row) => row.url));
    let seen = 0;
    for (const dataset of datasets) {
      for (const item of dataset.items) {
        const row = rows.get(item.url);
        seen++;
        assert.deepEqual(
          {
            pref_code: dataset.prefectureCode,
            city_code: dataset.cityCode,
            ward_code: dataset.wardCode ?? undefined,
            type_en: dataset.typeCode,
            year: dataset.year,
            registration_year: dataset.registrationYear,
            spec: dataset.plateauSpecMinor.version,
            license: dataset.license ?? undefined,
            format: item.format === 'MVT' ? 'MVT' : '3D Tiles',
            layers: item.layers,
            lod: String(item.lod),
            texture: item.texture === 'TEXTURE',
            file_size: item.fileSize,
            format_version: item.formatVersion ?? undefined,
            composite_url: item.compositeUrl,
          },
          {
            pref_code: row.pref_code,
            city_code: row.city_code,
            ward_code: row.ward_code,
            type_en: row.type_en,
            year: row.year,
            registration_year: row.registration_year,
            spec: row.spec,
            license: row.license,
            format: row.format,
            layers: row.layers,
            lod: row.lod,
            texture: row.texture,
            file_size: row.file_size,
            format_version: row.format_version ?? undefined,
            composite_url: row.composite_url,
          },
        );
        // Older years have none: it would answer with another dataset.
        if (item.latestUrl !== null) assert.ok(latest.delete(item.latestUrl), item.latestUrl);
      }
    }
    assert.equal(seen, catalogue.datasets.length);
    assert.deepEqual([...latest], []);
    assert.deepEqual(
      citygmlDatasets.map((dataset: Answer) => [
        dataset.id.slice(3),
        dataset.url,
        dataset.fileSize,
        dataset.featureTypes,
        dataset.bbox,
      ]),
      (catalogue.citygml as Answer[]).map((row) => [
        row.id,
        row.url,
        row.file_size,
        row.feature_types,
        row.bbox,
      ]),
    );
    for (const { compositeUrl, url } of citygmlDatasets) {
      const reply = await server.request(compositeUrl);
      assert.equal(reply.headers.location, url);
    }
  });

  it('sorts as a person expects: area, type, newest year', async () => {
    const { datasets } = await data('{datasets{cityCode wardCode type{order} year}}');
    const keys = datasets.map(({ cityCode, wardCode, type, year }: Answer) => [
      wardCode ?? cityCode,
      type.order,
      -year,
    ]);
    const sorted = [...keys].sort((a, b) =>
      a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] - b[1] || a[2] - b[2],
    );
    assert.deepEqual(keys, sorted);
  });

  it('knows the sample city', async () => {
    const { area, areasAt } = await data(
      'query($code:AreaCode!){area(code:$code){__typename id name bbox ... on City{planarCrsEpsgCode wards{code ' +
        'name} prefecture{name}}} areasAt(lng:129.6875,lat:25.7911){code}}',
      { code: SAMPLE_CITY.code },
    );
    assert.equal(area.name, SAMPLE_CITY.name);
    assert.equal(area.prefecture.name, SAMPLE_CITY.prefecture);
    assert.equal(area.planarCrsEpsgCode, '6683');
    assert.deepEqual(
      area.wards,
      SAMPLE_CITY.wards.map(({ code, name }) => ({ code, name })),
    );
    assert.equal(area.bbox.length, 4);
    assert.deepEqual(
      areasAt.map(({ code }: Answer) => code),
      ['47', '47900', '47901'],
    );
    const { years } = await data('{years}');
    assert.deepEqual(
      years,
      SAMPLE_TOWN.years.map(({ year }) => year),
    );
  });

  it('gives null for unknown ids, and for the empty one', async () => {
    assert.deepEqual(await data('{node(id:""){id} nodes(ids:["d_47901_bldg_2024","?"]){id}}'), {
      node: null,
      nodes: [{ id: 'd_47901_bldg_2024' }, null],
    });
  });

  it('coerces a bare enum to a list', async () => {
    const { areas } = await data('{areas(input:{areaTypes:PREFECTURE}){code}}');
    assert.deepEqual(areas, [{ code: '47' }]);
  });

  it('has the schema of docs/schema.graphql by introspection', async () => {
    const schema = buildClientSchema(await data(getIntrospectionQuery({ specifiedByUrl: true })));
    const printed = printSchema(lexicographicSortSchema(schema));
    const documented = await readFile(join(ROOT, 'docs/schema.graphql'), 'utf8');
    assert.equal(documented.slice(documented.indexOf('\n\n') + 2), `${printed}\n`);
  });

  it('runs the example queries', async () => {
    for (const { title, query, variables } of exampleQueries(SAMPLE_CITY.code)) {
      const answer = await data(query, variables === '' ? undefined : JSON.parse(variables));
      for (const value of Object.values(answer)) assert.ok(value !== null && value !== undefined, title);
    }
  });

  it('tells what is wrong with a query in errors, with status 200', async () => {
    for (const body of [
      { query: '{' },
      { query: '{nothing}' },
      { query: 'query($a:AreaCode!){area(code:$a){id}}' },
      { query: '{years}', variables: 'x' },
      { query: '{years}', operationName: 'x' },
      { query: 'mutation{x}' },
      { query: '{areasAt(lng:200,lat:0){id}}' },
    ]) {
      const reply = await post(body);
      assert.equal(reply.status, 200, reply.text);
      const { errors, error } = reply.json<Answer>();
      assert.equal(error, undefined);
      assert.ok(errors.length > 0);
      for (const error of errors) {
        assert.ok(error.message.length > 10);
        assert.ok(error.extensions.code);
      }
    }
  });

  it('answers 400 only for a body that is no JSON or has no query', async () => {
    for (const body of [
      '',
      'x',
      '{}',
      '[]',
      '[{"query":"{years}"}]',
      '{"query":""}',
      '{"query":1}',
      'null',
      '1',
    ]) {
      const reply = await post(body);
      assert.equal(reply.status, 400, body);
      const { error, reason, errors } = reply.json<Answer>();
      assert.equal(error, 'invalid request body');
      assert.equal(errors[0].message, reason);
    }
    assert.equal((await server.request(PATH, { method: 'POST' })).status, 400);
    const undeclared = await post('{"query":"{years}"}', { 'content-type': 'text/plain;charset=UTF-8' });
    assert.equal(undeclared.status, 400);
    assert.match(undeclared.json<Answer>().reason, /must be application\/json/);
    for (const variables of ['['.repeat(5_000) + ']'.repeat(5_000), `[${'{},'.repeat(20_000)}{}]`]) {
      const heavy = await post(`{"query":"{years}","variables":${variables}}`);
      assert.equal(heavy.status, heavy.text.includes('deep') ? 400 : 200);
    }
    const large = await post({ query: `{years}${' '.repeat(100_000)}` });
    assert.equal(large.status, 413);
    assert.equal(large.json<Answer>().error, 'request too large');
  });

  it('takes what clients send besides: odd content types, nulls, a query as it is', async () => {
    const expected = { data: { years: [2024, 2023] } };
    const body = JSON.stringify({ query: '{years}', variables: null, operationName: null, extensions: {} });
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'application/x-www-form-urlencoded',
    ]) {
      const reply = await post(body, { 'content-type': type, authorization: '' });
      assert.equal(reply.status, 200, type);
      assert.deepEqual(reply.json(), expected);
    }
    const plain = await post('{years}', { 'content-type': 'application/graphql' });
    assert.deepEqual(plain.json(), expected);
    const marked = await post(`\uFEFF${body}`, { 'content-type': 'application/json' });
    assert.deepEqual(marked.json(), expected, 'with a byte order mark');
    for (const query of ['{years}', 'query Named {years}']) {
      const unnamed = await post(JSON.stringify({ query, operationName: '' }), JSON_HEADERS);
      assert.deepEqual(unnamed.json(), expected, 'with an empty name of the operation');
    }
    const form = await server.request(`${PATH}?query=%7Byears%7D&variables=&operationName=`);
    assert.deepEqual(form.json(), expected);
  });

  it('refuses an answer that would be too large, with a GraphQL error', async () => {
    const reply = await post({
      query: '{areas{datasets{city{datasets{city{datasets{city{datasets{id}}}}}}}}}',
    });
    assert.equal(reply.status, 200);
    const { data: none, errors } = reply.json<Answer>();
    assert.equal(none, undefined);
    assert.equal(errors.length, 1);
    assert.match(errors[0].message, /more than 10000 entries/);
    assert.equal(errors[0].extensions.code, 'QUERY_TOO_LARGE');
  });

  it('compresses where that is accepted', async () => {
    const query = '{datasets{id name description}}';
    const plain = await post({ query });
    assert.equal(plain.headers['content-encoding'], undefined);
    const gzip = await post({ query }, { ...JSON_HEADERS, 'accept-encoding': 'gzip' });
    assert.equal(gzip.headers['content-encoding'], 'gzip');
    assert.deepEqual(JSON.parse(gunzipSync(gzip.body).toString()), plain.json());
  });

  it('is open to pages of any origin', async () => {
    const preflight = await server.request(PATH, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://front.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers['access-control-allow-origin'], '*');
    assert.match(String(preflight.headers['access-control-allow-headers']), /authorization.*content-type/);
    assert.match(String(preflight.headers['access-control-allow-methods']), /POST/);
    assert.equal((await post({ query: '{years}' })).headers['access-control-allow-origin'], '*');
  });
});

describe('GET', () => {
  it('gives a browser GraphiQL, with examples', async () => {
    for (const headers of [{ accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }, {}]) {
      const reply = await server.request(PATH, { headers: headers as Record<string, string> });
      assert.equal(reply.status, 200);
      assert.match(String(reply.headers['content-type']), /^text\/html/);
      assert.match(String(reply.headers['content-security-policy']), /default-src 'none'/);
      const [, examples] = /id="examples">(.*?)<\/script>/s.exec(reply.text)!;
      assert.equal(JSON.parse(examples!).length, 4);
    }
    const head = await server.request(PATH, { method: 'HEAD' });
    assert.match(String(head.headers.vary), /accept\b(?!-)/i);
    assert.equal(head.status, 200);
    assert.equal(head.body.length, 0);
  });

  it('answers a query in the address, with an entity tag', async () => {
    const path =
      `${PATH}?query=${encodeURIComponent('query A($c:AreaCode!){area(code:$c){id}} query B{years}')}` +
      `&operationName=A&variables=${encodeURIComponent('{"c":"47900"}')}`;
    const reply = await server.request(path);
    assert.deepEqual(reply.json(), { data: { area: { id: 'c_47900' } } });
    const again = await server.request(path, { headers: { 'if-none-match': String(reply.headers.etag) } });
    assert.equal(again.status, 304);
    const wrong = await server.request(`${PATH}?query=%7Byears%7D&variables=x`);
    assert.match(wrong.json<Answer>().errors[0].message, /variables/);
  });
});

describe('GET /datacatalog/areas', () => {
  it('lists areas with what they have', async () => {
    const { areas } = await server.json<Answer>('/datacatalog/areas');
    assert.deepEqual(
      areas.map(({ code, type }: Answer) => [code, type]),
      [
        ['47', 'prefecture'],
        ['47900', 'city'],
        ['47901', 'ward'],
        ['47902', 'ward'],
        ['47950', 'city'],
      ],
    );
    const [prefecture, city, ward] = areas;
    assert.equal(prefecture.parent_code, null);
    assert.deepEqual(prefecture.years, [2024, 2023]);
    assert.deepEqual(city.feature_types, ['bldg', 'tran', 'luse', 'fld', 'urf', 'dem']);
    assert.deepEqual(city.formats, ['3D Tiles', 'MVT']);
    assert.equal(city.citygml, true);
    assert.equal(ward.citygml, false);
    assert.equal(ward.parent_code, '47900');
    const { datasets } = await data('{datasets{id}}');
    assert.equal(prefecture.datasets, datasets.length);
  });

  it('filters like the catalogue', async () => {
    const codes = async (query: string) =>
      (await server.json<Answer>(`/datacatalog/areas?${query}`)).areas.map(({ code }: Answer) => code);
    assert.deepEqual(await codes('pref_code=13'), []);
    assert.deepEqual(await codes('city_code=47900'), ['47900', '47901', '47902']);
    assert.deepEqual(await codes('type_en=urf'), ['47', '47900']);
    assert.deepEqual(await codes('bbox=129.6990,25.7885,129.6991,25.7886'), ['47', '47950']);
    assert.deepEqual(await codes('nothing=x'), ['47', '47900', '47901', '47902', '47950']);
    const wrong = await server.request('/datacatalog/areas?bbox=1');
    assert.equal(wrong.status, 400);
    assert.equal(wrong.json<Answer>().error, 'invalid parameter');
    const first = await server.request('/datacatalog/areas');
    const again = await server.request('/datacatalog/areas', {
      headers: { 'if-none-match': String(first.headers.etag) },
    });
    assert.equal(again.status, 304);
  });
});
