/** Pages of features over small packages, while others are published and removed. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { block, cityModel, member } from '@citymodel/citygml/testing';
import type { Feature } from 'geojson';
import { type Hosted, host } from '../features/testing/hosted.ts';
import { CRS_LIST } from './crs.ts';
import { geoJsonMaker } from './item-record.ts';
import { readItemRequest } from './item-request.ts';
import { OgcApi } from './ogc-api.ts';
import { tokenOf } from './page-token.ts';

const NAHA = '47201_naha-shi_city_2022_citygml_1_op';
const NAHA_NEWER = '47201_naha-shi_city_2023_citygml_1_op';
const NAHA_REVISED = '47201_naha-shi_city_2022_citygml_2_op';
const URUMA = '47213_uruma-shi_city_2022_citygml_1_op';
const FILES = ['udx/bldg/39272554_bldg_6697_op.gml', 'udx/bldg/39272564_bldg_6697_op.gml'];

const building = (id: string, n: number) =>
  member(
    `<bldg:Building${id === '' ? '' : ` gml:id="${id}"`}><bldg:measuredHeight uom="m">${n}</bldg:measuredHeight>` +
      `<bldg:lod1Solid>${block(26.2084 + n * 0.0002, 127.6751, 0.0001, 3, 12)}</bldg:lod1Solid></bldg:Building>`,
  );
const numbered = (prefix: string, from: number, count: number) =>
  Array.from({ length: count }, (_, n) => building(`${prefix}${from + n}`, from + n)).join('');

/** Buildings of a package: five in the first file, four and a second of a name in the other. */
const contents = (prefix: string) => [
  numbered(prefix, 0, 5),
  numbered(prefix, 5, 3) + building('', 8) + building(`${prefix}0`, 9),
];
const SIZE = 10;

let directory: string;
let hosted: Hosted;
let api: OgcApi;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'citymodel-ogc-'));
  for (const [name, prefix] of [
    [NAHA, 'a'],
    [NAHA_NEWER, 'n'],
    [NAHA_REVISED, 'r'],
    [URUMA, 'u'],
  ] as const) {
    for (const [n, content] of contents(prefix).entries()) {
      await mkdir(dirname(join(directory, name, FILES[n]!)), { recursive: true });
      await writeFile(join(directory, name, FILES[n]!), cityModel(content));
    }
  }
});

after(() => rm(directory, { recursive: true, force: true }));

const at = (name: string) => join(directory, name);
const SIGNAL = new AbortController().signal;

/** One page by a query as callers write it. */
async function page(id: string, query: Record<string, string>, { bytesRead = 0 } = {}) {
  const collection = (await api.collections(hosted.snapshot())).get(id)!;
  const request = readItemRequest(query);
  const work = api.begin(SIGNAL);
  work.budget.read(bytesRead);
  const found = await api.page(hosted.snapshot(), collection, request, geoJsonMaker(CRS_LIST[0]!), work);
  const features = found.records.map((record) => JSON.parse(record) as Feature);
  return {
    heights: features.map(({ id, properties }) => `${id} ${properties!['bldg:measuredHeight']}`),
    next: found.next,
  };
}

async function begin(uploads: readonly string[]): Promise<void> {
  hosted = await host(uploads.map(at));
  api = new OgcApi('https://city.example.jp', hosted.service.pages);
}

for (const [what, newer] of [
  ['a newer year', NAHA_NEWER],
  ['another revision', NAHA_REVISED],
] as const) {
  test(`pages go on in the same edition while ${what} is published`, async () => {
    await begin([NAHA, URUMA]);
    await using _hosted = hosted;
    const all: string[] = [];
    let token: string | null = null;
    for (let n = 0; n === 0 || token !== null; n++) {
      const { heights, next }: Awaited<ReturnType<typeof page>> = await page('bldg', {
        limit: '3',
        ...(token === null ? {} : { after: token }),
      });
      all.push(...heights);
      token = next === null ? null : tokenOf(next);
      if (n === 0) await hosted.add([at(newer)]);
    }
    const expected = (prefix: string) =>
      Array.from({ length: SIZE }, (_, n) => `${n === 8 ? undefined : `${prefix}${n === 9 ? 0 : n}`} ${n}`);
    assert.deepEqual(all, [...expected('a'), ...expected('u')]);
    const { heights } = await page('bldg', { limit: '100' });
    assert.deepEqual(heights, [...expected(newer === NAHA_NEWER ? 'n' : 'r'), ...expected('u')]);
  });
}

test('pages of any size put together are the whole, and the last says so', async () => {
  await begin([NAHA, URUMA]);
  await using _hosted = hosted;
  const whole = (await page('bldg', { limit: '100' })).heights;
  for (let limit = 1; limit <= 2 * SIZE + 1; limit++) {
    const all: string[] = [];
    let token: string | null = null;
    let pages = 0;
    do {
      const { heights, next }: Awaited<ReturnType<typeof page>> = await page('bldg', {
        limit: String(limit),
        ...(token === null ? {} : { after: token }),
      });
      all.push(...heights);
      token = next === null ? null : tokenOf(next);
      pages++;
    } while (token !== null);
    assert.deepEqual(all, whole);
    assert.equal(pages, Math.ceil((2 * SIZE) / limit));
  }
});

test('a page with features ends when it has read much text, and the next one goes on behind that', async () => {
  await begin([NAHA]);
  await using _hosted = hosted;
  const MiB = 1 << 20;
  const lowest = { filter: 'bldg:measuredHeight < 1' };
  // A full page looks a little further, to say that it is the last one.
  for (const [limit, read, isLast] of [
    ['1', 0, true],
    ['1', 3 * MiB, true],
    ['1', 5 * MiB, false],
    ['2', 5 * MiB, true],
    ['2', 47 * MiB, true],
    ['2', 49 * MiB, false],
  ] as const) {
    const { heights, next } = await page('bldg', { ...lowest, limit }, { bytesRead: read });
    assert.deepEqual(heights, ['a0 0']);
    assert.equal(next === null, isLast, `${limit} ${read}`);
    if (next === null) continue;
    assert.deepEqual([next.path, next.index], [FILES[0], 4]);
    const rest = await page('bldg', {
      filter: 'bldg:measuredHeight >= 0',
      limit: '100',
      after: tokenOf(next),
    });
    assert.equal(rest.heights.length, SIZE - 5);
  }
  // A page without features goes on.
  const none = await page('bldg', { filter: 'bldg:measuredHeight > 9' }, { bytesRead: 49 * MiB });
  assert.deepEqual([none.heights, none.next], [[], null]);
});

test('a feature is found by its gml:id in the file that has it, the first of a name', async () => {
  await begin([NAHA, URUMA]);
  await using _hosted = hosted;
  const collections = await api.collections(hosted.snapshot());
  const find = async (id: string, name: string) => {
    const record = await api.item(
      hosted.snapshot(),
      collections.get(id)!,
      name,
      geoJsonMaker(CRS_LIST[0]!),
      api.begin(SIGNAL),
    );
    return record === null ? null : (JSON.parse(record) as Feature).properties!['bldg:measuredHeight'];
  };
  assert.equal(await find('bldg', 'u7'), 7);
  assert.equal(await find('47213-bldg', 'u0'), 0);
  assert.equal(await find('47201-bldg', 'u7'), null);
  assert.equal(await find('bldg', 'nothing'), null);
  assert.equal(
    await api.matched(hosted.snapshot(), collections.get('bldg')!, readItemRequest({}), api.begin(SIGNAL)),
    20,
  );
});

test('a collection is named after its type, and after the area that it is of', async () => {
  await begin([NAHA]);
  await using _hosted = hosted;
  const collections = await api.collections(hosted.snapshot());
  assert.deepEqual(
    [...collections.values()].map(({ id, title }) => [id, title.ja, title.en]),
    [
      ['bldg', '建築物', 'Buildings'],
      ['47201-bldg', '沖縄県 那覇市 建築物', 'Buildings of 沖縄県 那覇市 (47201)'],
    ],
  );
});

test('a filter by place finds the features that meet it, and no others', async () => {
  await begin([NAHA]);
  await using _hosted = hosted;
  // Buildings stand one behind the other, 0.0002 degrees to the north of the last.
  const within = (south: number, north: number) =>
    `S_INTERSECTS(geometry, POLYGON((127.6 ${south}, 127.7 ${south}, 127.7 ${north}, 127.6 ${north}, 127.6 ${south})))`;
  const found = async (filter: string) =>
    (await page('bldg', { limit: '100', filter })).heights.map((text) => Number(text.split(' ').at(-1)));
  assert.deepEqual(await found(within(26.20835, 26.20865)), [0, 1]);
  assert.deepEqual(await found(`NOT ${within(26.20835, 26.20985)}`), [8, 9]);
  assert.deepEqual(await found(within(20, 21)), []);
});
