/**
 * Requests over a socket to a server of the invented city: every answer is one that the description of the interface
 * has for its path, and none is an internal error.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { Random } from '../../packages/sample/src/random.ts';
import { readSettings } from '../../packages/server/src/base/settings.ts';
import { startServer } from '../../packages/server/src/http/server.ts';
import { assertDescribed, describedPath } from '../../packages/server/src/http/testing/validate-response.ts';
import { ingest } from '../../packages/server/src/ingest/ingest.ts';
import { findUploads } from '../../packages/server/src/ingest/open-upload.ts';
import { openStores, type Stores } from '../../packages/store/src/open-stores.ts';
import { writeSampleWithTiles } from '../../test/support/sample.ts';
import type { Reply } from '../../test/support/server.ts';
import type { OpenKind } from './kind.ts';
import { JSON_VALUES, mutateJson, mutateText, NUMBERS } from './mutate.ts';

const TOKENS = [
  '&', '=', '?', '/', '//', '..', '%2F', '%00', '%', '%25', '+', ',', ';', '#', ':', '&format=geojson', '&format=csv',
  '&flatten=true', '&limit=1',
  '&id=', '&type=bldg', '&year=2023', '&all_years=true', ('&bbox=139,35,140,' +
    '36'), '&sid=0/0/0/0', '&raw_codes=1', '.zip', '.json', 'latest', 'm:',
  'r:', 's:', 'g:', '%E5%8D%83', '__proto__', 'constructor', ...NUMBERS,
] as const; // biome-ignore format: a table
const HEADERS: ReadonlyArray<[name: string, values: readonly string[]]> = [
  ['accept-encoding', ['gzip', 'identity', 'br;q=1, gzip;q=0', '*;q=0', 'gzip;q=x']],
  [
    'range',
    ['bytes=0-9', 'bytes=-5', 'bytes=9-1', 'bytes=0-0,2-3', `bytes=${'0-0,'.repeat(500)}1-1`, 'x=1-2'],
  ],
  ['if-none-match', ['*', '"a"', 'W/"a", "b"', '"']],
  ['if-modified-since', ['Thu, 01 Jan 1970 00:00:00 GMT', 'yesterday']],
  ['accept', ['text/html', 'application/graphql-response+json', '*/*;q=0', 'x']],
  ['origin', ['null', 'https://a']],
];

interface Target {
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
}

export const openRequests: OpenKind = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'bench-fuzz-requests-'));
  const stores = await openStores({ dataDir: join(directory, 'data'), databaseUrl: '', objectStore: '' });
  await ingestSample(directory, stores);
  const settings = readSettings({
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'silent',
    PACK_RATE: '0',
    PACK_WORKERS: '0',
    DATA_DIR: join(directory, 'data'),
  });
  const server = await startServer(settings, stores);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (target: Target, headers: Record<string, string>) =>
    request(server.address, agent, target, headers);
  const seeds = await targetsOf(settings.PUBLIC_URL, (path) => ask({ method: 'GET', path }, {}));
  return {
    name: 'requests',
    batch: 20,
    async run(random, keep) {
      const target = changed(random.pick(seeds), random);
      const [name, values] = random.pick(HEADERS);
      const headers: Record<string, string> = random.int(0, 2) === 0 ? { [name]: random.pick(values) } : {};
      keep(() => JSON.stringify({ ...target, headers }));
      const reply = await ask(target, headers);
      assert.ok(reply.status < 500 || reply.status === 503, `${reply.status}: ${reply.text.slice(0, 500)}`);
      // Without a build there is no page of GraphiQL; the media type of GraphQL over HTTP has statuses of its own.
      const lacksPage = target.method === 'GET' && target.path.startsWith('/datacatalog/graphql');
      if (isDescribed(target) && reply.status !== 405 && !lacksPage)
        assertDescribed(target.method, target.path, reply);
      return reply.status < 400 ? 'accepted' : 'refused';
    },
    async close() {
      agent.destroy();
      await server.stop();
      await stores.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
};

async function ingestSample(directory: string, stores: Stores): Promise<void> {
  const sample = join(directory, 'sample');
  await writeSampleWithTiles(sample, 30);
  const context = { ...stores, stagingDir: join(directory, 'data', 'staging'), now: () => new Date(0) };
  for (const path of await findUploads([sample])) {
    const { refusal } = await ingest(path, context, { level: 1 });
    assert.equal(refusal, null);
  }
  await rm(sample, { recursive: true });
}

/** Requests that are answered with what they ask for. */
async function targetsOf(publicUrl: string, get: (path: string) => Promise<Reply>): Promise<Target[]> {
  type File = { url: string };
  const listed = (await get('/datacatalog/citygml/47900')).json<{ files: Record<string, File[]> }>();
  const url = listed.files.bldg?.[0]?.url ?? assert.fail('the invented city has no buildings');
  const asset = url.replace(publicUrl, '');
  const found = (await get('/citygml/features?bbox=120,20,150,46&type=bldg')).json<{
    featureIds?: string[];
  }>();
  const id = found.featureIds?.[0] ?? 'bldg_a';
  const gets = [
    '/datacatalog/citymodel-datasets?city_code=47900&type_en=bldg', ('/datacatalog/citymodel-datasets?bbox=122,24,' +
      '123,25&fields=citygml'),
    '/datacatalog/3dtiles/all-bldg-maxlod2-latest/tileset.json', '/datacatalog/mvt/47900-tran-latest/tilejson.json',
    '/datacatalog/citygml/m:36225745', '/datacatalog/citygml/r:122.9,24.4,123.1,24.6', ('/datacatalog/citygml/s:16/0' +
      '/55157/28133'),
    '/datacatalog/citygml/g:%E9%9D%92%E5%87%AA', '/datacatalog/citygml/47900,47950?year=2024', (`/citygml/attributes` +
      `?url=${encodeURIComponent(url)}&id=${id}`),
    '/citygml/features?bbox=122.9,24.4,123.1,24.6&type=bldg', ('/citygml/features?polygon=122,24,123,24,123,25&' +
      'format=geojson'),
    '/citygml/spatialid_attributes?sid=0/0/0/0&type=bldg', '/citygml/geoid_height?lng=139&lat=35', ('/datacatalog' +
      '/areas?bbox=122,24,124,25'), asset,
    `${asset}?a=1`, `/citygml/pack/${'a'.repeat(64)}/status`, ('/datacatalog/graphql' +
      '?query=%7Byears%7D'), '/health/live', '/status.json', '/openapi.json',
  ]; // biome-ignore format: a table
  return [
    ...gets.map((path): Target => ({ method: 'GET', path })),
    { method: 'POST', path: '/citygml/pack', body: { urls: [url] } },
    { method: 'POST', path: '/citygml/pack', body: { conditions: '47900', types: ['bldg'], latest: true } },
    {
      method: 'POST',
      path: '/datacatalog/graphql',
      body: { query: '{years}', variables: {}, operationName: null },
    },
  ];
}

function changed(seed: Target, random: Random): Target {
  if (seed.body !== undefined && random.int(0, 4) > 0) {
    const body = mutateJson(seed.body, random, JSON_VALUES);
    const text = JSON.stringify(body) ?? '';
    return {
      ...seed,
      body: random.int(0, 3) === 0 ? mutateText(text, random, ['{', '[', '"', ...NUMBERS]) : text,
    };
  }
  const path = mutateText(seed.path, random, TOKENS).slice(0, 20_000);
  return { ...seed, path: `/${escaped(path)}`.replace(/^\/+(?=\/)/, '') };
}

/** A path that a client can send: what is no visible ASCII character is percent-encoded. */
function escaped(path: string): string {
  return path.toWellFormed().replace(/[^!-~]/gu, encodeURIComponent);
}

function isDescribed({ path }: Target): boolean {
  try {
    return describedPath(path) !== '';
  } catch {
    return false;
  }
}

async function request(
  address: string,
  agent: Agent,
  { method, path, body }: Target,
  headers: Record<string, string>,
): Promise<Reply> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const allHeaders = text === undefined ? headers : { 'content-type': 'application/json', ...headers };
  const { hostname, port } = new URL(address);
  return await new Promise<Reply>((resolve, reject) => {
    const sent = send({ agent, hostname, port, method, path, headers: allHeaders }, (answer) => {
      buffer(answer).then((raw) => {
        const bytes = answer.headers['content-encoding'] === 'gzip' && raw.length > 0 ? gunzipSync(raw) : raw;
        resolve({
          status: answer.statusCode!,
          headers: answer.headers,
          body: bytes,
          get text() {
            return bytes.toString();
          },
          json: <T>() => JSON.parse(bytes.toString()) as T,
        });
      }, reject);
    });
    sent.on('error', reject);
    sent.end(text);
  });
}
