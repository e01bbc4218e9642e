import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DifferenceRow } from '@citymodel/store';
import Fastify from 'fastify';
import { cityPackage, snapshotOf } from '../../catalogue/testing/snapshot-rows.ts';
import { handleFailures } from '../answers/failures.ts';
import type { ServiceContext } from '../context.ts';
import { Rounds } from '../testing/rounds.ts';
import { serveChanges } from './changes.ts';

const [of2020, of2022, of2024] = [2020, 2022, 2024].map((year) =>
  cityPackage({ cityCode: '17206', year, types: year === 2020 ? ['luse'] : ['bldg', 'luse'] }),
) as [ReturnType<typeof cityPackage>, ReturnType<typeof cityPackage>, ReturnType<typeof cityPackage>];
const lone = cityPackage({ cityCode: '17201', year: 2022, types: ['bldg'] });
const parts = [
  { year: 2018, types: ['luse'] },
  { year: 2020, types: ['bldg'] },
  { year: 2022, types: ['luse'] },
  { year: 2024, types: ['bldg'] },
].map((edition) => cityPackage({ cityCode: '17210', ...edition }));
const city = [2021, 2023].map((year) => cityPackage({ cityCode: '14130', year, types: ['bldg'] }));
const snapshot = await snapshotOf(of2024, of2020, of2022, lone, ...parts, ...city);

const facts = { change: 'removed', type: 'bldg:Building', id: 'a', bounds: null, centre: null };
const sizes = { height: 6, footprintArea: 80, volume: null, lods: [1] };
const rowsOf = (count: number): DifferenceRow[] =>
  Array.from({ length: count }, (_, n) => ({
    ...{ position: n * 2, text: JSON.stringify({ ...facts, ...sizes, id: `id${n}` }) },
  })) as unknown as DifferenceRow[];

/** Asks over so many rows of a comparison, or none that is finished; the answer, and what the stores were asked. */
async function ask(query: string, rows: DifferenceRow[] | null = []) {
  const keys: unknown[] = [];
  const queries: Array<Record<string, unknown>> = [];
  const jobs: Array<{ label: string; payload: unknown }> = [];
  const context = {
    watch: { current: () => snapshot },
    settings: { JOB_ATTEMPTS: 3 },
    comparisons: {
      async find(key: object) {
        keys.push(key);
        return rows === null ? null : { list: 'l', summary: '{"removed":7}' };
      },
      async rows(wanted: { after: number; limit: number }) {
        queries.push({ ...wanted });
        return rows!.filter(({ position }) => position > wanted.after).slice(0, wanted.limit);
      },
    },
    jobs: {
      list: async () => [],
      counts: async () => ({ queued: 0 }),
      findUnique: async () => null,
      async enqueue(list: typeof jobs) {
        jobs.push(...list);
        return list.map((job) => ({ ...job, state: 'queued', progress: null }));
      },
    },
  } as unknown as ServiceContext;
  const app = Fastify();
  handleFailures(app, () => {});
  app.get('/citygml/changes', serveChanges(context));
  const { statusCode, headers, payload } = await app.inject(`/citygml/changes?${query}`);
  await app.close();
  const json = () => JSON.parse(payload);
  return { status: statusCode, headers, text: payload, json, keys, queries, jobs };
}

test('the two newest editions are compared unless years are asked for', async () => {
  const years = async (query: string) => {
    const { json, keys } = await ask(`city_code=17206&${query}`);
    const { from, to, type } = json();
    return [keys, from, to, type];
  };
  const edition = ({ name, year }: typeof lone) => ({ package: name, year });
  const key = (from: typeof lone, to: typeof lone, type: string) => [{ from: from.no, to: to.no, type }];
  assert.deepEqual(await years(''), [key(of2022, of2024, 'bldg'), edition(of2022), edition(of2024), 'bldg']);
  const older = [key(of2020, of2022, 'luse'), edition(of2020), edition(of2022), 'luse'];
  assert.deepEqual(await years('type=luse&to=2022'), older);
  const far = [key(of2020, of2024, 'luse'), edition(of2020), edition(of2024), 'luse'];
  assert.deepEqual(await years('type=luse&from=2020'), far);
  const back = [key(of2024, of2022, 'bldg'), edition(of2024), edition(of2022), 'bldg'];
  assert.deepEqual(await years('from=2024&to=2022'), back);
});

test('pages that are read together are put together in a round of the event loop each', async () => {
  using rounds = new Rounds();
  const sentIn: number[] = [];
  const app = Fastify();
  app.addHook('onSend', async () => {
    sentIn.push(rounds.now);
  });
  const comparisons = { find: async () => ({ list: 'l', summary: '{}' }), rows: async () => rowsOf(3) };
  const context = { watch: { current: () => snapshot }, settings: {}, comparisons };
  app.get('/citygml/changes', serveChanges(context as unknown as ServiceContext));
  await Promise.all(Array.from({ length: 8 }, () => app.inject('/citygml/changes?city_code=17206')));
  await app.close();
  assert.equal(new Set(sentIn).size, 8, `rounds ${sentIn}`);
});

test('without years the newest editions that have the type are compared', async () => {
  const years = async (query: string) => {
    const { from, to } = (await ask(`city_code=17210&${query}`)).json();
    return [from.year, to.year];
  };
  assert.deepEqual(await years('type=luse'), [2018, 2022]);
  assert.deepEqual(await years('type=luse&to=2022'), [2018, 2022]);
});

test('a ward is compared by the editions of its city', async () => {
  const years = async (query: string) => {
    const { status, json } = await ask(query);
    assert.equal(status, 200, query);
    return [json().from.year, json().to.year];
  };
  assert.deepEqual(await years('city_code=14131'), [2021, 2023]);
  assert.deepEqual(await years('city_code=14130'), [2021, 2023]);
});

test('a question that has no answer is refused with what there is', async () => {
  for (const [query, status, reason] of [
    ['', 400, /city_code/],
    ['city_code=1720', 400, /2 or 5 digits/],
    ['city_code=172061', 400, /2 or 5 digits/],
    ['city_code=17206&from=22', 400, /from must be a year of 4 digits/],
    ['city_code=17206&to=20221', 400, /to must be a year of 4 digits/],
    ['city_code=17206&from=2024', 400, /both the edition of 2024/],
    ['city_code=17206&change=moved', 400, /change must be one of added, removed, changed\./],
    ['city_code=17206&format=xml', 400, /format must be one of json, csv, geojson\./],
    ['city_code=17206&limit=1001', 400, /limit/],
    ['city_code=17206&after=-2', 400, /after/],
    ['city_code=99999', 404, /^There is no CityGML of 99999\.$/],
    [
      'city_code=17206&from=2021',
      404,
      /^There is no CityGML of 17206 of 2021\. It is published for the years .*2020/,
    ],
    ['city_code=17201', 404, /^17201 has no edition before 2022\.$/],
    ['city_code=17206&type=luse&to=2020', 404, /^17206 has no edition before 2020\.$/],
    ['city_code=17206&to=2022', 404, /has no features of the type bldg; it has luse\./],
    ['city_code=17206&type=tran', 404, /no features of the type tran; it has bldg, luse\./],
  ] as const) {
    const answer = await ask(query);
    assert.equal(answer.status, status, query);
    assert.match(answer.json().reason, reason);
    assert.deepEqual([answer.keys, answer.jobs], [[], []], query);
  }
});

test('a comparison that nobody has made is asked for, and the answer is not kept', async () => {
  const { status, headers, json, jobs, queries } = await ask('city_code=17206', null);
  assert.equal(status, 202);
  assert.equal(headers['retry-after'], '2');
  assert.equal(headers['cache-control'], 'no-store');
  assert.deepEqual([jobs.length, queries], [1, []]);
  const { state, summary, differences, next, progress } = json();
  assert.deepEqual([state, summary, differences, next, progress], ['comparing', null, [], null, null]);
});

test('a page has so many features, and where the next one begins', async () => {
  const page = async (query: string, rows: DifferenceRow[]) => {
    const { json, queries } = await ask(`city_code=17206&${query}`, rows);
    const { differences, next, state, summary } = json();
    assert.deepEqual([state, summary], ['compared', { removed: 7 }]);
    return { positions: differences.map(({ position }: { position: number }) => position), next, queries };
  };
  const rows = rowsOf(5);
  assert.deepEqual(await page('limit=2', rows), {
    ...{ positions: [0, 2], next: 2 },
    queries: [{ list: 'l', change: null, bounds: null, after: -1, limit: 3 }],
  });
  assert.deepEqual((await page('limit=2&after=2', rows)).positions, [4, 6]);
  const { positions, next } = await page('limit=2&after=4', rows);
  assert.deepEqual([positions, next], [[6, 8], null]);
  const none = await page('limit=0', rows);
  assert.deepEqual([none.positions, none.next], [[], null]);
  const most = await page('', rowsOf(101));
  assert.deepEqual([most.positions.length, most.next], [100, 198]);
  const wanted = await page('change=removed&bbox=136,36,137,37', rows);
  const bounds = [136, 36, 137, 37];
  assert.deepEqual(wanted.queries, [{ list: 'l', change: 'removed', bounds, after: -1, limit: 101 }]);
});

test('a document has all features, read a thousand at a time', async () => {
  const csv = await ask('city_code=17206&format=csv&limit=1&after=6&change=removed', rowsOf(2_000));
  assert.equal(csv.headers['content-type'], 'text/csv; charset=utf-8');
  const name = 'attachment; filename="17206_bldg_2022_2024_changes.csv"';
  assert.equal(csv.headers['content-disposition'], name);
  assert.equal(csv.text.trim().split('\r\n').length, 2_001);
  assert.deepEqual(
    csv.queries.map(({ after, limit, change }) => [after, limit, change]),
    [
      [-1, 1_000, 'removed'],
      [1_998, 1_000, 'removed'],
      [3_998, 1_000, 'removed'],
    ],
  );
  const geojson = await ask('city_code=17206&format=geojson', rowsOf(999));
  assert.equal(geojson.headers['content-type'], 'application/geo+json; charset=utf-8');
  assert.equal(geojson.json().features.length, 999);
  assert.equal(geojson.queries.length, 1);
  assert.deepEqual((await ask('city_code=17206&format=geojson', [])).json().features, []);
  assert.equal((await ask('city_code=17206&format=json', [])).json().state, 'compared');
});

test('of twenty callers two have a page in memory at once, whatever form they ask for', async () => {
  const rows = rowsOf(1_001);
  let running = 0;
  let most = 0;
  const context = {
    watch: { current: () => snapshot },
    settings: { JOB_ATTEMPTS: 3 },
    comparisons: {
      find: async () => ({ list: 'l', summary: '{}' }),
      async rows({ after, limit }: { after: number; limit: number }) {
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running--;
        return rows.filter(({ position }) => position > after).slice(0, limit);
      },
    },
  } as unknown as ServiceContext;
  const app = Fastify();
  handleFailures(app, () => {});
  app.get('/citygml/changes', serveChanges(context));
  for (const form of ['limit=1000', 'format=csv', 'format=geojson']) {
    most = 0;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => app.inject(`/citygml/changes?city_code=17206&${form}`)),
    );
    assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [200]);
    assert.equal(new Set(answers.map(({ payload }) => payload)).size, 1);
    assert.equal(most, 2, form);
  }
  await app.close();
});
