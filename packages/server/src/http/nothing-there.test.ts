/** Addresses behind which there is nothing, and forms of answers, at the router. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { BUILDINGS, CITY, type InjectedService, injectService, MEMBER } from './testing/inject-service.ts';

let service: InjectedService;
before(async () => {
  service = await injectService();
});
after(() => service[Symbol.asyncDispose]());

async function refusal(url: string): Promise<[status: number, reason: string]> {
  const answer = await service.ask(url);
  return [answer.status, answer.json<{ reason?: string }>().reason ?? ''];
}

test('below a pack there is its zip alone', async () => {
  const urls = [`http://localhost:8080${await service.asset(MEMBER)}`];
  const posted = await service.ask('/citygml/pack', { method: 'POST', payload: { urls } });
  const { id } = posted.json<{ id: string }>();
  await service.ask(`/citygml/pack/${id}/status?wait=30`);
  assert.equal((await service.ask(`/citygml/pack/${id}/download/${id}.zip`)).status, 200);
  assert.equal((await service.ask(`/citygml/pack/${id}.zip`)).status, 302);
  for (const file of [`${id}.tar`, `${id}xzip`, `${id}.zip.bak`]) {
    for (const path of [`/citygml/pack/${file}`, `/citygml/pack/${id}/download/${file}`]) {
      const [status, reason] = await refusal(path);
      assert.equal(status, 404, path);
      assert.match(reason, /There is no operation GET/, path);
    }
  }
});

test('below a spec there are its zip and tables, and below conditions a slash belongs to them', async () => {
  for (const file of ['readme.txt', 'bldg.parquet.gz', '.parquet'])
    assert.match((await refusal(`/datacatalog/citygml/13101-latest/${file}`))[1], /Below a spec are/, file);
  const [status, reason] = await refusal('/datacatalog/citygml/13101-latest/bldg.parquet');
  assert.equal(status, 404);
  assert.doesNotMatch(reason, /Below a spec are/);
  assert.equal((await service.ask('/datacatalog/citygml/s:0/0/0/0')).status, 200);
});

test('a table that may still come is told from one that never will', async () => {
  const zip = await service.asset('.zip');
  const table = (type: string) => refusal(zip.replace(`${CITY}.zip`, `${CITY}_${type}.parquet`));
  const [known, other] = [await table('bldg'), await table('tran')];
  assert.deepEqual([known[0], other[0]], [404, 404]);
  assert.match(known[1], /is not made yet/);
  assert.doesNotMatch(other[1], /is not made yet/);
});

test('documents of the OGC API are JSON or pages, as they are asked for', async () => {
  for (const path of ['/ogc', '/ogc/collections', '/ogc/collections/bldg', '/ogc/conformance']) {
    const [page, document] = [await service.ask(`${path}?f=html`), await service.ask(`${path}?f=json`)];
    assert.match(String(page.headers['content-type']), /^text\/html/, path);
    assert.match(page.text, /^<!doctype html>/i, path);
    assert.match(String(document.headers['content-type']), /json/, path);
    assert.equal(typeof document.json(), 'object');
  }
  const items = await service.ask('/ogc/collections/bldg/items?f=html');
  for (const id of BUILDINGS) assert.ok(items.text.includes(`/items/${id}`), id);
});

test('GraphQL answers in the media type that the caller prefers', async () => {
  const typeFor = async (accept: string | undefined) => {
    const answer = await service.ask(`/datacatalog/graphql?query=${encodeURIComponent('{__typename}')}`, {
      headers: accept === undefined ? {} : { accept },
    });
    assert.equal(answer.status, 200, answer.text);
    return String(answer.headers['content-type']).split(';')[0];
  };
  const [plain, own] = ['application/json', 'application/graphql-response+json'];
  assert.equal(await typeFor(undefined), plain);
  assert.equal(await typeFor('*/*'), plain);
  assert.equal(await typeFor(own), own);
  assert.equal(await typeFor(`${own}, ${plain};q=0.9`), own);
  assert.equal(await typeFor(`${own};q=0.5, ${plain}`), plain);
});

test('a body of too many lists is refused before it is read', async () => {
  for (const payload of [`{"urls":${'['.repeat(500_000)}`, `[${'{"a":[]},'.repeat(200_000)}0]`]) {
    const answer = await service.ask('/citygml/pack', { method: 'POST', payload });
    assert.equal(answer.status, 400);
    assert.match(answer.json<{ reason: string }>().reason, /too many lists or objects/);
  }
  assert.equal((await service.ask(await service.asset(MEMBER))).status, 200);
});

test('the body of a search of STAC has 200,000 bytes at most', async () => {
  const of = (length: number) => {
    const body = JSON.stringify({ limit: 1 });
    return service.ask('/stac/search', {
      method: 'POST',
      payload: body + ' '.repeat(length - body.length),
      headers: { 'content-type': 'application/json' },
    });
  };
  const most = await of(200_000);
  assert.deepEqual([most.status, most.json<{ type: string }>().type], [200, 'FeatureCollection']);
  const larger = await of(200_001);
  assert.deepEqual([larger.status, larger.json<{ error: string }>().error], [413, 'request too large']);
});

test('the description is of OpenAPI 3.1, and of 3.0 for who asks for that', async () => {
  for (const [path, version] of [
    ['/openapi.json', /^3\.1\./],
    ['/openapi-3.0.json', /^3\.0\./],
  ] as const) {
    assert.match((await service.ask(path)).json<{ openapi: string }>().openapi, version);
  }
});
