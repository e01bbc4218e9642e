/** What a server answers to requests of every kind, for comparing two servers over the same data. */
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { urlsIn } from './crawl.ts';
import type { TestServer } from './server.ts';

/** Headers that belong to the answer rather than to the moment. */
const HEADERS = ['content-type', 'content-length', 'content-encoding', 'etag', 'location', 'accept-ranges'];
/** URLs of the catalogue that are followed, spread over it. */
const FOLLOWED = 60;

const DATASETS = '/datacatalog/citymodel-datasets';

/**
 * Answers by request: status, headers and the SHA-256 of the body. `normalise` changes texts that differ between two
 * ingestions of the same data.
 */
export async function answersOf(
  server: TestServer,
  normalise: (text: string) => string = (text) => text,
): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  const ask = async (path: string, options: Parameters<TestServer['request']>[1] = {}) => {
    const { status, headers, body } = await server.request(path, options);
    const isText = /json|text|xml/.test(String(headers['content-type']));
    const encoding = headers['content-encoding'];
    const plain = encoding === 'gzip' ? gunzipSync(body) : body;
    const bytes = isText ? normalise(plain.toString()) : plain;
    // How short a compressed text is depends on what is normalised in it.
    const own = encoding === undefined ? HEADERS : HEADERS.filter((name) => name !== 'content-length');
    const kept = own.map((name) => normalise(`${name}: ${headers[name]}`));
    const digest = createHash('sha256').update(bytes).digest('hex');
    answers.set(
      `${options.method ?? 'GET'} ${path} ${JSON.stringify(options)}`,
      `${status} ${kept} ${digest}`,
    );
    return body;
  };

  const catalogue: unknown = JSON.parse(String(await ask(DATASETS)));
  await ask(DATASETS, { headers: { 'accept-encoding': 'gzip' } });
  await ask(`${DATASETS}?city_code=47900`);
  const urls = [...urlsIn(catalogue)].filter((url) => url.startsWith(`${server.publicUrl}/`)).sort();
  const step = Math.max(1, Math.floor(urls.length / FOLLOWED));
  for (const url of urls.filter((_, i) => i % step === 0)) await ask(server.pathOf(url));
  for (const path of [
    '/datacatalog/areas',
    '/datacatalog/3dtiles/all-bldg-maxlod2-latest/tileset.json?empty=ok',
  ]) {
    await ask(path);
  }
  for (const conditions of [
    '47900',
    '47900?types=bldg',
    'm:392725',
    'r:127.6,26.1,127.8,26.3',
    'g:nowhere',
  ]) {
    await ask(`/datacatalog/citygml/${conditions}`);
  }
  const files = await server.json<{ files: Record<string, Array<{ url: string }>> }>(
    '/datacatalog/citygml/47900?types=bldg',
  );
  const gml = server.pathOf(files.files.bldg![0]!.url);
  await ask(gml, { headers: { range: 'bytes=100-999' } });
  await ask(gml, { headers: { 'accept-encoding': 'gzip' } });
  const ids = /gml:id="(bldg_[^"]+)"/.exec((await server.request(gml)).text);
  if (ids !== null)
    await ask(`/citygml/attributes?id=${ids[1]}&url=${encodeURIComponent(server.publicUrl + gml)}`);
  await ask('/datacatalog/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ areas { code name } }' }),
  });
  return answers;
}
