/** What two editions differ in: of the invented town, and of a real city where its packages are at hand. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ROOT, removeDirectory, tempDirectory } from './support/program.ts';
import { type Reply, startServer, type TestServer } from './support/server.ts';
import { ingest, ingestSample } from './support/store.ts';

const REAL = join(ROOT, '../shared/data/packages');
const KAGA = ['17206_kaga-shi_2022_citygml_1_op.zip', '17206_kaga-shi_city_2024_citygml_1_op.zip'];
const HAS_REAL = existsSync(join(REAL, KAGA[0]!));

let directory: string;
let server: TestServer;

before(async () => {
  directory = await tempDirectory();
  const { data } = await ingestSample(directory);
  if (HAS_REAL) {
    const { run } = await ingest(
      data,
      KAGA.map((name) => join(REAL, name)),
    );
    assert.equal(run.code, 0, run.stderr);
  }
  server = await startServer(data);
});

after(async () => {
  await server.stop();
  await removeDirectory(directory);
});

interface Changes {
  state: 'comparing' | 'compared';
  from: { package: string; year: number };
  to: { package: string; year: number };
  summary: {
    features: { from: number; to: number };
    added: number;
    removed: number;
    changed: number;
    unchanged: number;
    matchedBy: Record<string, number>;
    byAttribute: Record<string, number>;
  } | null;
  differences: Array<{ position: number; change: string; id: string; centre: [number, number] | null }>;
  next: number | null;
}

/** The first answer, and that which comes when the editions are compared. */
async function compared(address: string): Promise<{ first: Reply; changes: Changes }> {
  const first = await server.request(address);
  for (let reply = first; ; reply = await server.request(address)) {
    assert.ok(reply.status === 200 || reply.status === 202, reply.text);
    if (reply.status === 200) return { first, changes: reply.json<Changes>() };
    await pause(100);
  }
}

const TOWN = '/citygml/changes?city_code=47950';

test('editions are compared when somebody asks, and every form has all that they differ in', async () => {
  const { first, changes } = await compared(TOWN);
  assert.equal(first.status, 202);
  assert.equal(first.headers['retry-after'], '2');
  assert.deepEqual([first.json<Changes>().state, first.json<Changes>().summary], ['comparing', null]);
  const { state, from, to, summary, differences, next } = changes;
  assert.deepEqual([state, from.year, to.year], ['compared', 2023, 2024]);
  const { features, added, removed, changed, unchanged, matchedBy } = summary!;
  const matched = Object.values(matchedBy).reduce((sum, count) => sum + count, 0);
  assert.deepEqual([matched + removed, matched + added], [features.from, features.to]);
  assert.equal(changed + unchanged, matched);
  assert.ok(matched > 0 && added + removed > 0, JSON.stringify(summary));
  const total = added + removed + changed;
  assert.equal(differences.length, Math.min(100, total));

  const schemas = JSON.parse((await server.request('/openapi.json')).text).components.schemas;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  for (const [name, schema] of Object.entries(schemas))
    ajv.addSchema(schema as object, `#/components/schemas/${name}`);
  for (const body of [changes, first.json()]) {
    assert.ok(ajv.validate('#/components/schemas/Changes', body), ajv.errorsText());
  }

  const pages: number[] = [];
  for (let after: number | null = -1; after !== null; ) {
    const page: Changes = await server.json(`${TOWN}&from=2023&to=2024&type=bldg&limit=7&after=${after}`);
    pages.push(...page.differences.map(({ position }) => position));
    after = page.next;
  }
  assert.deepEqual(pages, [...Array(total).keys()]);
  const gone = await server.json<Changes>(`${TOWN}&change=removed&limit=1000`);
  assert.deepEqual([gone.differences.length, gone.next], [removed, null]);
  const { centre } = differences.find((one) => one.centre !== null)!;
  const box = [centre![0] - 1e-4, centre![1] - 1e-4, centre![0] + 1e-4, centre![1] + 1e-4].join(',');
  const near = await server.json<Changes>(`${TOWN}&bbox=${box}`);
  assert.ok(near.differences.length >= 1 && near.differences.length < total);

  const csv = await server.request(`${TOWN}&format=csv`);
  assert.match(String(csv.headers['content-type']), /^text\/csv/);
  assert.equal(csv.text.trimEnd().split('\r\n').length, 1 + total);
  const geojson = (await server.request(`${TOWN}&format=geojson`)).json<{
    features: Array<{ geometry: { type: string; coordinates: number[][][] }; bbox: number[] }>;
  }>();
  assert.equal(geojson.features.length, total);
  for (const { geometry, bbox } of geojson.features) {
    assert.match(geometry.type, /Polygon$/, 'footprints of buildings');
    const numbers = geometry.coordinates.flat(3);
    const west = Math.min(...numbers.filter((_, i) => i % 2 === 0));
    assert.ok(Math.abs(west - bbox[0]!) < 1e-6, `${west} of ${bbox}`);
  }
  const none = await server.request(`${TOWN}&format=geojson&bbox=0,0,1,1`);
  assert.deepEqual(none.json(), { type: 'FeatureCollection', features: [] });
  assert.equal(next === null, total <= 100);
  const again = await server.request(TOWN);
  assert.equal(
    (await server.request(TOWN, { headers: { 'if-none-match': again.headers.etag! } })).status,
    304,
  );
});

test('what cannot be compared is refused with a reason', async () => {
  const cases: Array<[string, number, RegExp]> = [
    ['', 400, /city_code is missing/],
    ['city_code=abc', 400, /2 or 5 digits/],
    ['city_code=99999', 404, /no CityGML of 99999/],
    ['city_code=47900', 404, /no edition before 2024/],
    ['city_code=47950&from=2024', 400, /two different years/],
    ['city_code=47950&from=2001', 404, /of 2001.*2024, 2023/],
    ['city_code=47950&from=last', 400, /year of 4 digits/],
    ['city_code=47950&type=dem', 404, /no features of the type dem; it has bldg/],
    ['city_code=47950&change=moved', 400, /added, removed, changed/],
    ['city_code=47950&format=xml', 400, /json, csv, geojson/],
    ['city_code=47950&bbox=1,2', 400, /bbox/],
    ['city_code=47950&limit=5000', 400, /from 0 to 1000/],
  ];
  for (const [words, status, reason] of cases) {
    const reply = await server.request(`/citygml/changes?${words}`);
    assert.equal(reply.status, status, `${words}: ${reply.text}`);
    assert.match(reply.json<{ reason: string }>().reason, reason);
  }
});

test('a real city: most buildings have new ids, and are found by their footprints', async (t) => {
  if (!HAS_REAL) return t.skip('needs ../shared/data');
  const { changes } = await compared('/citygml/changes?city_code=17206');
  const { summary } = changes;
  assert.deepEqual([changes.from.year, changes.to.year], [2022, 2024]);
  assert.deepEqual(summary!.features, { from: 182, to: 192 });
  assert.deepEqual([summary!.added, summary!.removed, summary!.changed], [26, 16, 166]);
  assert.deepEqual(summary!.matchedBy, { id: 31, stableId: 0, footprint: 135 });
});
