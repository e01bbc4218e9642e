/** The description of the interface: valid, complete, and true. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import SwaggerParser from '@apidevtools/swagger-parser';
import fc from 'fast-check';
import { type Examples, SAMPLE, SAMPLE_GML } from '../packages/server/src/http/describe/examples.ts';
import type { Operation } from '../packages/server/src/http/describe/operation.ts';
import { OPERATIONS } from '../packages/server/src/http/operations/index.ts';
import { assertDescribed } from '../packages/server/src/http/testing/validate-response.ts';
import type { FileListResult } from './support/interface-schemas.ts';
import { ROOT, removeDirectory, runProgram, tempDirectory } from './support/program.ts';
import { type Reply, type RequestOptions, startServer, type TestServer } from './support/server.ts';
import { ingestSample } from './support/store.ts';

// biome-ignore lint/suspicious/noExplicitAny: documents of many shapes
type Any = any;

let directory: string;
let server: TestServer;
/** What examples name. */
let known: Examples;

before(async () => {
  directory = await tempDirectory();
  const { data } = await ingestSample(directory);
  const tables = await runProgram(['reindex'], { DATA_DIR: data, TABLES: 'published' });
  assert.equal(tables.code, 0, tables.stderr);
  server = await startServer(data, { env: { MAX_BODY_BYTES: '20000', PACK_RATE: '0' } });
  const found = await server.json<FileListResult>(`/datacatalog/citygml/m:${SAMPLE.mesh}?types=bldg`);
  const gml = found.cities
    .flatMap(({ files }) => files.bldg ?? [])
    .map(({ url }) => url)
    .find((url) => url.endsWith(SAMPLE_GML))!;
  const { id } = await server.json<{ id: string }>('/citygml/pack', {
    method: 'POST',
    body: JSON.stringify({ urls: [gml] }),
  });
  known = { ...SAMPLE, gml, pack: id };
  await server.json(`/citygml/pack/${id}/status?wait=30`);
  // Editions are compared when somebody asks.
  const changes = `/citygml/changes?city_code=${SAMPLE.compared}`;
  while ((await server.request(changes)).status === 202) await pause(100);
});

after(async () => {
  await server?.stop();
  await removeDirectory(directory);
});

/** Sends a request and holds the answer to the description. */
async function send(method: string, target: string, options: RequestOptions = {}): Promise<Reply> {
  const reply = await server.request(target, { method, ...options });
  assertDescribed(method, target, reply);
  return reply;
}

/** The request that the examples of an operation make. */
function exampleOf({ path, parameters }: Operation): string {
  let target = path;
  const query = new URLSearchParams();
  for (const { in: place, name, example } of parameters) {
    if (example === undefined) continue;
    const text = [example(known)].flat().join(',');
    if (place === 'path') target = target.replace(`{${name}}`, text);
    else query.set(name, text);
  }
  return query.size === 0 ? target : `${target}?${query}`;
}

describe('the documents', () => {
  it('are valid OpenAPI 3.1 and 3.0', async () => {
    for (const [path, version] of [
      ['/openapi.json', '3.1.0'],
      ['/openapi-3.0.json', '3.0.3'],
    ] as const) {
      const reply = await send('GET', path);
      const document = reply.json<Any>();
      assert.equal(document.openapi, version);
      assert.deepEqual(document.servers, [{ url: server.publicUrl }]);
      await SwaggerParser.validate(document);
    }
  });

  it('3.0 has none of what only 3.1 has', async () => {
    const text = (await server.request('/openapi-3.0.json')).text;
    assert.doesNotMatch(text, /"const"|"type":"null"|"patternProperties"|"identifier"/);
    assert.match(text, /"nullable":true/);
  });

  it('docs/openapi.json is the same but for the addresses', async () => {
    const documented = JSON.parse(await readFile(join(ROOT, 'docs/openapi.json'), 'utf8'));
    const served = await server.json<Any>('/openapi.json');
    assert.deepEqual(Object.keys(documented.paths), Object.keys(served.paths));
    assert.deepEqual(documented.components, served.components);
  });

  it('names every operation of the interface', () => {
    assert.deepEqual(
      OPERATIONS.flatMap(({ number }) => number ?? []),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
    );
    assert.equal(new Set(OPERATIONS.map(({ id }) => id)).size, OPERATIONS.length);
  });

  it('has the page /docs, which loads nothing from elsewhere', async () => {
    const page = await server.request('/docs');
    assert.equal(page.status, 200);
    assert.doesNotMatch(page.text, /(src|href)="(https?:)?\/\//);
    for (const [, file] of page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
      const reply = await server.request(file!, { headers: { 'accept-encoding': 'br' } });
      assert.equal(reply.status, 200, file!);
      if (file!.includes('/files/')) assert.equal(reply.headers['content-encoding'], 'br');
    }
    for (const name of ['nothing.js', '..%2f..%2fpackage.js', 'docs.html', 'docs-page.js.br']) {
      assert.equal((await server.request(`/docs/files/${name}`)).status, 404, name);
    }
  });
});

describe('statistics', () => {
  it('refuse what is too much or makes no sense, as described', async () => {
    for (const [query, status] of [
      ['', 400],
      ['area=47900', 400],
      ['area=47900&type=', 400],
      ['area=4790&type=bldg', 400],
      ['area=47900&area=47900&type=bldg', 400],
      ['area=%00&type=bldg', 400],
      ['area=47900&type=bldg&by=a,b,c,d,e', 400],
      [`area=47900&type=bldg&of=${'x'.repeat(400)}`, 400],
      ['area=47900&type=bldg&where=height', 400],
      [`area=47900&type=bldg&where=${'a=1;'.repeat(11)}`, 400],
      ['area=47900&type=bldg&by=toString', 404],
      ['area=47900&type=bldg&by=constructor,__proto__', 404],
      ['area=47900&type=nothing', 404],
      ['area=47999&type=bldg', 404],
    ] as const) {
      const reply = await send('GET', `/citygml/statistics?${query}`);
      assert.equal(reply.status, status, `${query}: ${reply.text.slice(0, 200)}`);
      assert.ok(reply.json<Any>().reason.length > 10, query);
    }
  });
});

describe('the examples that a server gives', () => {
  const requests = (document: Any): Array<[id: string, target: string]> =>
    Object.entries<Any>(document.paths).flatMap(([path, { get }]) => {
      if (get === undefined) return [];
      const query = new URLSearchParams();
      let target = path;
      for (const { name, in: place, example } of get.parameters ?? []) {
        if (example === undefined) continue;
        const text = [example].flat().join(',');
        if (place === 'path') target = target.replace(`{${name}}`, text);
        else query.set(name, text);
      }
      return [[get.operationId, query.size === 0 ? target : `${target}?${query}`]];
    });

  it('find data of its own', async () => {
    const targets = requests(await server.json('/openapi.json'));
    assert.ok(targets.length > 15);
    for (const [id, target] of targets) {
      const reply = await send('GET', target);
      // Which packs there are is not told.
      const expected = id.startsWith('getPack') ? [404] : [200, 302];
      assert.ok(expected.includes(reply.status), `${target}: ${reply.status} ${reply.text.slice(0, 200)}`);
      if (id === 'getFeatures') assert.ok(reply.json<Any>().featureIds.length > 0, target);
      if (id === 'getStatistics') assert.ok(reply.json<Any>().groups.length > 0, target);
      if (id === 'getAttributes') assert.equal(reply.json<Any>().length, 1, target);
    }
  });

  it('are those of the sample city on an empty server, and answered as described', async () => {
    const empty = await tempDirectory();
    const other = await startServer(empty);
    for (const [, target] of requests(await other.json('/openapi.json'))) {
      assertDescribedOrRefused(target, await other.request(target));
    }
    await other.stop();
    await removeDirectory(empty);
  });
});

/** Fails unless the answer is as described, be it a refusal that is described for all operations together. */
function assertDescribedOrRefused(target: string, reply: Reply): void {
  if (reply.status >= 400)
    assert.ok(typeof reply.json<Any>().error === 'string' && reply.status < 500, target);
  else assertDescribed('GET', target, reply);
}

describe('every example', () => {
  for (const operation of OPERATIONS) {
    it(`of ${operation.id} is answered as described, and so is HEAD`, async () => {
      if (operation.method === 'get') {
        const target = exampleOf(operation);
        const reply = await send('GET', target);
        assert.ok(reply.status === 200 || reply.status === 302, `${target}: ${reply.status}`);
        const head = await server.request(target, { method: 'HEAD' });
        assert.equal(head.status, reply.status);
        // Figures of the moment have no tag, and another length each time.
        if (reply.headers.etag !== undefined) {
          assert.equal(head.headers['content-length'], reply.headers['content-length']);
        }
        if (operation.answers[304] === undefined) return;
        const again = await send('GET', target, {
          headers: { 'if-none-match': String(reply.headers.etag) },
        });
        assert.equal(again.status, 304, target);
        return;
      }
      const examples = Object.values(operation.body!.content['application/json']!.examples!(known));
      assert.ok(examples.length > 0);
      for (const { value } of examples) {
        const body = JSON.stringify(value);
        const reply = await send('POST', operation.path, {
          body,
          headers: { 'content-type': 'application/json' },
        });
        assert.equal(reply.status, 200, reply.text);
        assert.equal(reply.json<Any>().errors, undefined);
      }
    });
  }
});

describe('failures', () => {
  const failing: Array<[status: number, method: string, target: string, body?: string]> = [
    [400, 'POST', '/datacatalog/graphql', '{'],
    [413, 'POST', '/datacatalog/graphql', `"${'x'.repeat(30_000)}"`],
    [400, 'GET', '/datacatalog/citymodel-datasets?pref_code=x'],
    [400, 'GET', '/datacatalog/areas?bbox=1,2'],
    [400, 'GET', '/datacatalog/3dtiles/x/tileset.json'],
    [404, 'GET', '/datacatalog/3dtiles/13-bldg-lod1-latest/tileset.json'],
    [400, 'GET', '/datacatalog/mvt/x/tilejson.json'],
    [404, 'GET', '/datacatalog/mvt/13101-bldg-latest/tilejson.json'],
    [400, 'GET', '/datacatalog/citygml/x/citygml.zip'],
    [404, 'GET', '/datacatalog/citygml/13101-latest/citygml.zip'],
    [400, 'GET', '/datacatalog/citygml/m:x'],
    [404, 'GET', '/datacatalog/citygml/m:53394509'],
    [400, 'POST', '/citygml/pack', '{}'],
    [404, 'POST', '/citygml/pack', '{"conditions":"m:53394509"}'],
    [413, 'POST', '/citygml/pack', `"${'x'.repeat(30_000)}"`],
    [404, 'GET', `/citygml/pack/${'0'.repeat(64)}/status`],
    [404, 'GET', `/citygml/pack/${'0'.repeat(64)}.zip`],
    [400, 'GET', `/citygml/pack/${'0'.repeat(64)}.zip?name=1%2C2`],
    [400, 'GET', '/citygml/attributes'],
    [400, 'GET', '/citygml/attributes?url=x&id=y'],
    [400, 'GET', '/citygml/features'],
    [400, 'GET', '/citygml/spatialid_attributes?sid=0/0/0'],
    [404, 'GET', '/citygml/spatialid_attributes?sid=18/1/1&type=bldg'],
  ];
  for (const [status, method, target, body] of failing) {
    it(`${status} of ${method} ${target} is as described`, async () => {
      const reply = await send(method, target, body === undefined ? {} : { body });
      assert.equal(reply.status, status, reply.text.slice(0, 300));
    });
  }

  it('a pack whose zip is asked for too early says so', async () => {
    // Under load the pack may be done at once; then the zip is there.
    const { id } = await server.json<{ id: string }>('/citygml/pack', {
      method: 'POST',
      body: JSON.stringify({ conditions: SAMPLE.city }),
    });
    const reply = await send('GET', `/citygml/pack/${id}.zip`);
    assert.ok(reply.status === 400 || reply.status === 302);
  });
});

describe('parameters', () => {
  it('in the query are accepted as described, and refused otherwise', async () => {
    const values = fc.oneof(
      fc.constantFrom(
        '13',
        '47',
        '47900',
        '4790',
        '5',
        'bldg',
        'BLDG',
        'b1',
        '2024',
        'latest',
        '20',
        'MVT',
        'datasets',
      ),
      fc.constantFrom('true', 'false', '1', '0', 'yes', 'ok', 'json', 'geojson', 'xml', '129,25,130,26'),
      fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom(...'0123456789ab,. ') }),
    );
    for (const id of ['getCatalogue', 'getAreas', 'findFiles', 'getTileset', 'getAttributes']) {
      const operation = OPERATIONS.find((operation) => operation.id === id)!;
      for (const parameter of operation.parameters) {
        // What texts without a pattern may be is a grammar of its own.
        if (parameter.in !== 'query' || isFree(parameter.schema)) continue;
        const samples = fc.sample(values, { numRuns: 25, seed: 7 });
        for (const value of samples) {
          // Flags are single words.
          if ((parameter.schema as Any).type === 'boolean' && /[ ,.]/.test(value)) continue;
          const expected = accepts(parameter, value);
          const target = withParameter(exampleOf(operation), parameter.name, value);
          const reply = await send('GET', target);
          assert.equal(
            reply.status !== 400,
            expected,
            `${target}: ${reply.status} ${reply.text.slice(0, 200)}`,
          );
        }
      }
    }
  });

  it('that nobody knows are ignored, and refused by the OGC API and STAC', async () => {
    const isStrict = ({ tag, id }: Operation) => (tag === 'OGC API' && id !== 'getOgcApi') || tag === 'STAC';
    for (const operation of OPERATIONS.filter(({ method }) => method === 'get')) {
      const reply = await send('GET', withParameter(exampleOf(operation), 'nobody_knows', 'x'));
      const expected = isStrict(operation) ? [400] : [200, 302];
      assert.ok(expected.includes(reply.status), operation.id);
    }
  });
});

function withParameter(target: string, name: string, value: string): string {
  const [path, query] = target.split('?');
  const parameters = new URLSearchParams(query);
  parameters.set(name, value);
  return `${path}?${parameters}`;
}

function isFree(schema: Any): boolean {
  const item = schema.items ?? schema;
  return item.type === 'string' && item.pattern === undefined && item.enum === undefined;
}

/** Whether the description allows a value, by the slowest reading of it. */
function accepts({ schema, list, name }: Operation['parameters'][number], text: string): boolean {
  const one = (item: Any, value: string): boolean => {
    if (item.type === 'boolean') return ['true', 'false', '1', '0', ''].includes(value);
    if (item.enum !== undefined)
      return (
        item.enum.includes(value) ||
        ['MVT', '3D Tiles'].some(
          (word) => item.enum.includes(word) && word.toLowerCase().replace(' ', '') === value.toLowerCase(),
        )
      );
    if (item.type === 'number') return /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(value);
    return new RegExp(item.pattern, 'u').test(value);
  };
  // `?empty=x` is not `ok`, and nothing else is asked of it.
  if (name === 'empty') return true;
  if (!list) return one(schema, text);
  const values = text
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');
  if (values.length === 0) return true;
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema as Any;
  if (values.length < minItems || values.length > maxItems) return false;
  if (!values.every((value) => one(items, value))) return false;
  if (name !== 'bbox') return true;
  const [west, south, east, north] = values.map(Number) as [number, number, number, number];
  return west >= -180 && west <= east && east <= 180 && south >= -90 && south <= north && north <= 90;
}
