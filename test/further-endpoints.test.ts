/**
 * What clients call beside the thirteen operations: datasets for game engines, heights of the geoid, tools for
 * assistants.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { removeDirectory, tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';
import { ingestSample } from './support/store.ts';

let directory: string;
let server: TestServer;

before(async () => {
  directory = await tempDirectory();
  const { data } = await ingestSample(directory);
  server = await startServer(data, { reachable: true });
});

after(async () => {
  await server.stop();
  await removeDirectory(directory);
});

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into here
const json = async (path: string, init?: RequestInit): Promise<any> =>
  (await fetch(server.address + path, init)).json();

describe('/sdk/datasets', () => {
  test('lists municipalities by prefecture, whatever the authorization says', async () => {
    const { data } = await json('/sdk/datasets', { headers: { authorization: 'Bearer anything' } });
    assert.deepEqual(
      data.map(({ id, title }: { id: string; title: string }) => [id, title]),
      [['47', '沖縄県']],
    );
    const [first] = data[0].data;
    assert.equal(first.id, '47900');
    assert.equal(first.title, '青凪市');
    assert.equal(typeof first.description, 'string');
    assert.ok(first.featureTypes.includes('bldg'));
  });

  test('lists the files of a municipality by type, and they answer', async () => {
    const files = await json('/sdk/datasets/47900/files');
    for (const [type, list] of Object.entries(files) as Array<[string, Array<Record<string, unknown>>]>) {
      assert.match(type, /^[a-z]+$/);
      for (const file of list) {
        assert.deepEqual(Object.keys(file), ['code', 'maxLod', 'url']);
        assert.match(file.code as string, /^\d{6,10}$/);
      }
    }
    const answer = await fetch(files.bldg[0].url, { method: 'HEAD', redirect: 'error' });
    assert.equal(answer.status, 200);
    const { files: listed } = await json('/datacatalog/citygml/47900');
    assert.deepEqual(Object.keys(files), Object.keys(listed));
    assert.equal(files.bldg.length, listed.bldg.length);
  });

  test('knows no other dataset', async () => {
    const answer = await fetch(`${server.address}/sdk/datasets/13101/files`);
    assert.equal(answer.status, 404);
    assert.equal(((await answer.json()) as { error: string }).error, 'not found');
  });
});

describe('/citygml/geoid_height', () => {
  test('gives the height of the geoid', async () => {
    assert.deepEqual(await json('/citygml/geoid_height?lat=35.68&lng=139.77'), {
      lat: 35.68,
      lng: 139.77,
      geoid_height: 36.643,
      geoid: '36.643',
      datum: 'jgd2011',
      model: 'GSIGEO2011',
    });
    // The south-west corner of third mesh 53351246, where heights fell by 0.19031 m; and a place without a correction.
    const at = 'lat=35.45&lng=135.325';
    const [before, revised] = await Promise.all([
      json(`/citygml/geoid_height?${at}`),
      json(`/citygml/geoid_height?${at}&datum=jgd2024`),
    ]);
    assert.equal(revised.revision, -0.19031);
    assert.match(revised.model, /^GSIGEO2011 less hyokorevBM_jgd2024_h/);
    assert.ok(Math.abs(revised.geoid_height - before.geoid_height - 0.19031) < 0.001);
    const unknown = await json('/citygml/geoid_height?lat=36.55&lng=136.55&datum=JGD2024');
    assert.deepEqual([unknown.datum, unknown.revision, unknown.model], ['jgd2024', null, 'GSIGEO2011']);
  });

  for (const query of [
    '',
    '?lat=35',
    '?lat=x&lng=139',
    '?lat=35&lng=0',
    '?lat=91&lng=139',
    '?lat=1e9999&lng=1',
  ]) {
    test(`refuses ${query === '' ? 'no parameters' : query}`, async () => {
      const answer = await fetch(`${server.address}/citygml/geoid_height${query}`);
      assert.equal(answer.status, 400);
      assert.equal(((await answer.json()) as { error: string }).error, 'invalid parameter');
    });
  }
});

describe('MCP', () => {
  let client: Client;
  before(async () => {
    client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.address}/mcp`)) as never);
  });
  after(() => client.close());

  // biome-ignore lint/suspicious/noExplicitAny: results are looked into here
  const call = async (name: string, args: object = {}): Promise<any> => {
    const result = await client.callTool({ name, arguments: args as Record<string, unknown> });
    const [content] = result.content as Array<{ type: string; text: string }>;
    assert.notEqual(result.isError, true, content?.text);
    assert.deepEqual(JSON.parse(content!.text), result.structuredContent);
    return result.structuredContent;
  };
  const refusal = async (name: string, args: object): Promise<string> => {
    const result = await client.callTool({ name, arguments: args as Record<string, unknown> });
    assert.equal(result.isError, true);
    return (result.content as Array<{ text: string }>)[0]!.text;
  };

  test('lists the tools, all of them read-only', async () => {
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), [
      'plateau_citygml_compare_editions',
      'plateau_citygml_get_attributes',
      'plateau_citygml_get_features',
      'plateau_citygml_get_geoid_height',
      'plateau_citygml_statistics',
      'plateau_explain_spatial_id',
      'plateau_get_area',
      'plateau_get_citygml_files',
      'plateau_get_dataset',
      'plateau_get_metadata',
      'plateau_list_dataset_types',
      'plateau_pack',
      'plateau_pack_status',
      'plateau_search_areas',
      'plateau_search_datasets',
      'plateau_spatialid_attributes',
      'plateau_tileset_url',
    ]);
    for (const { annotations, description } of tools) {
      assert.equal(annotations?.readOnlyHint, true);
      assert.ok(description!.length > 20);
    }
  });

  test('answers from the catalogue', async () => {
    const metadata = await call('plateau_get_metadata');
    assert.deepEqual(metadata.available_years, [2024, 2023]);
    assert.ok(metadata.total_datasets > 5 && metadata.total_areas > 2);
    const { areas } = await call('plateau_search_areas', { area_types: ['CITY'], search_text: '青凪' });
    assert.deepEqual(
      areas.map(({ code }: { code: string }) => code),
      ['47900'],
    );
    const area = await call('plateau_get_area', { code: '47900' });
    assert.equal(area.name, '青凪市');
    const { datasets, metadata: about } = await call('plateau_search_datasets', {
      area_codes: ['47900'],
      dataset_types: ['bldg'],
    });
    assert.equal(about.total_count, datasets.length);
    assert.equal(about.has_more, false);
    for (const { items } of datasets) assert.match(items[0].url, /^http/);
    const dataset = await call('plateau_get_dataset', { id: datasets[0].id });
    assert.deepEqual(dataset, datasets[0]);
    const { dataset_types } = await call('plateau_list_dataset_types', { category: 'PLATEAU' });
    assert.ok(dataset_types.some(({ code }: { code: string }) => code === 'bldg'));
    const tileset = await call('plateau_tileset_url', { area: '47900', type: 'bldg' });
    assert.equal((await fetch(tileset.url)).status, 200);
  });

  test('answers from CityGML', async () => {
    const found = await call('plateau_get_citygml_files', {
      condition: 'm:38295545',
      feature_types: ['bldg'],
    });
    assert.equal(found.cities[0].cityCode, '47900');
    const { url } = found.files.bldg[0];
    const { feature_ids } = await call('plateau_citygml_get_features', { url, spatial_ids: ['0/0/0/0'] });
    assert.ok(feature_ids.length > 3);
    const { attributes } = await call('plateau_citygml_get_attributes', {
      url,
      building_ids: feature_ids.slice(0, 2),
    });
    assert.equal(attributes[1]['gml:id'], feature_ids[1]);
    const nowhere = await call('plateau_citygml_get_features', { url, spatial_ids: ['20/1/1'] });
    assert.equal(nowhere.reason, 'NO_FEATURES_IN_AREA');
    assert.deepEqual(nowhere.hint.recommended_zoom, [17, 18, 19]);
    const cell = await call('plateau_spatialid_attributes', {
      spatial_ids: ['17/112754/55811'],
      types: ['bldg'],
    });
    assert.ok(cell.attributes.length > 0);
    const editions = { area: '47950', from: 2023, to: 2024, change: 'added' };
    let compared = await call('plateau_citygml_compare_editions', editions);
    while (compared.state === 'comparing') {
      assert.match(compared.hint, /again/);
      compared = await call('plateau_citygml_compare_editions', editions);
    }
    assert.equal(compared.differences.length, compared.summary.added);
    assert.equal(compared.metadata.has_more, false);
    assert.match(await refusal('plateau_citygml_compare_editions', { area: '47900' }), /no edition before/);
    const counts = await call('plateau_citygml_statistics', { area: '47900', feature_types: ['bldg'] });
    // No table was made here.
    assert.deepEqual([counts.groups, counts.without_table.packages], [[], 1]);
    assert.match(
      await refusal('plateau_citygml_statistics', { area: '47999', feature_types: ['bldg'] }),
      /There is of: 47/,
    );
    const height = await call('plateau_citygml_get_geoid_height', { latitude: 35.68, longitude: 139.77 });
    assert.deepEqual([height.geoid, height.datum], ['36.643', 'jgd2011']);
    const revised = await call('plateau_citygml_get_geoid_height', {
      ...{ latitude: 35.68, longitude: 139.77, datum: 'jgd2024' },
    });
    assert.equal(revised.datum, 'jgd2024');
    assert.ok(revised.model.length > 0);
    assert.match((await call('plateau_explain_spatial_id')).text, /zoom/);
  });

  test('makes a pack', async () => {
    const { files } = await call('plateau_get_citygml_files', {
      condition: '47900',
      feature_types: ['luse'],
    });
    const { id } = await call('plateau_pack', { urls: files.luse.map(({ url }: { url: string }) => url) });
    const waited = await json(`/citygml/pack/${id}/status?wait=30`);
    assert.equal(waited.status, 'succeeded');
    const { url } = await call('plateau_pack_status', { id });
    assert.equal((await fetch(url, { method: 'HEAD' })).status, 200);
  });

  test('says in a sentence what went wrong', async () => {
    assert.match(await refusal('plateau_get_area', { code: '13101' }), /plateau_search_areas/);
    assert.match(await refusal('plateau_get_citygml_files', { condition: 'x:1' }), /\w+ .*\./);
    assert.match(await refusal('plateau_tileset_url', { area: '13', type: 'bldg' }), /\w+ .*\./);
    assert.match(await refusal('plateau_get_citygml_files', {}), /condition/);
  });

  test('takes messages at the second address, in JSON alone, and nothing else', async () => {
    const post = (body: string) =>
      fetch(`${server.address}/datacatalog/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body,
      });
    const answer = await post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    assert.match(answer.headers.get('content-type')!, /^application\/json/);
    const { result } = (await answer.json()) as { result: { tools: unknown[] } };
    assert.equal(result.tools.length, 17);
    assert.equal((await post('{')).status, 400);
    const get = await fetch(`${server.address}/mcp`);
    assert.equal(get.status, 405);
    assert.match(get.headers.get('allow')!, /POST/);
  });
});
