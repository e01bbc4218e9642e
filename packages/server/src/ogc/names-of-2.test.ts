/** Features of the sample city in CityGML 3.0 are asked for, and answered, under the names of 2.0. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeSample } from '@citymodel/sample';
import type { Feature } from 'geojson';
import { type Hosted, host } from '../features/testing/hosted.ts';
import { CRS_LIST } from './crs.ts';
import { geoJsonMaker } from './item-record.ts';
import { readItemRequest } from './item-request.ts';
import { OgcApi } from './ogc-api.ts';

const CITY = '47900_aonagi-shi_city_2024_citygml_1_op';
const SIGNAL = new AbortController().signal;

let directory: string;
const cities: Array<{ hosted: Hosted; api: OgcApi }> = [];

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'citymodel-ogc-of-3-'));
  for (const citygml of [2, 3] as const) {
    const of = join(directory, String(citygml));
    await writeSample(of, { size: 60, citygml });
    const hosted = await host([join(of, `${CITY}.zip`)]);
    cities.push({ hosted, api: new OgcApi('https://city.example.jp', hosted.service.pages) });
  }
});

after(async () => {
  for (const { hosted } of cities) await hosted[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

/** Features by a query as callers write it; of 2.0, then of 3.0. */
async function items(query: Record<string, string>): Promise<[Feature[], Feature[]]> {
  const [two, three] = await Promise.all(
    cities.map(async ({ hosted, api }) => {
      const collection = (await api.collections(hosted.snapshot())).get('47900-bldg')!;
      const request = readItemRequest({ limit: '200', ...query });
      const maker = geoJsonMaker(CRS_LIST[0]!);
      const page = await api.page(hosted.snapshot(), collection, request, maker, api.begin(SIGNAL));
      return page.records.map((record) => JSON.parse(record) as Feature);
    }),
  );
  return [two!, three!];
}

for (const query of [
  { filter: '"bldg:measuredHeight" >= 31' },
  { filter: '"bldg:yearOfConstruction" < 1990 AND "bldg:measuredHeight" BETWEEN 11 AND 25' },
  { filter: '{"op":"<","args":[{"property":"bldg:yearOfConstruction"},1990]}', 'filter-lang': 'cql2-json' },
  { filter: '"uro:buildingDetailAttribute.uro:buildingStructureType" = \'鉄骨造\'' },
  { 'uro:buildingIDAttribute.uro:city_code': '47901' },
]) {
  test(`${JSON.stringify(query)} finds the same buildings in both versions`, async () => {
    const [two, three] = await items({ ...query, attributes: 'v2' });
    assert.ok(two.length > 0 && two.length < 200, `${two.length}`);
    assert.deepEqual(
      three.map(({ id }) => id),
      two.map(({ id }) => id),
    );
    const name = 'bldg:measuredHeight';
    assert.deepEqual(
      three.map(({ properties }) => properties![name]),
      two.map(({ properties }) => properties![name]),
    );
    const without = await items(query);
    assert.deepEqual([without[0].length, without[1].length], [two.length, 0], 'names of 3.0 are others');
  });
}

test('a feature alone, and properties to search by', async () => {
  const [{ id }] = (await items({}))[0] as [Feature];
  const found = await Promise.all(
    cities.map(async ({ hosted, api }) => {
      const collection = (await api.collections(hosted.snapshot())).get('47900-bldg')!;
      const maker = geoJsonMaker(CRS_LIST[0]!);
      const record = await api.item(
        hosted.snapshot(),
        collection,
        String(id),
        maker,
        api.begin(SIGNAL),
        true,
      );
      const document = (await api.queryables(hosted.snapshot(), collection, true)) as {
        $id: string;
        properties: Record<string, unknown>;
      };
      const own = (await api.queryables(hosted.snapshot(), collection)) as typeof document;
      return { feature: JSON.parse(record!) as Feature, document, own };
    }),
  );
  const [two, three] = found as [(typeof found)[0], (typeof found)[0]];
  for (const name of ['bldg:measuredHeight', 'bldg:usage']) {
    assert.equal(three.feature.properties![name], two.feature.properties![name]);
    assert.ok(name in three.document.properties && name in two.own.properties, name);
  }
  assert.ok(!('bldg:measuredHeight' in three.own.properties));
  assert.match(three.document.$id, /queryables\?attributes=v2$/);
  const missing = Object.keys(two.document.properties).filter((name) => !(name in three.document.properties));
  assert.deepEqual(missing, []);
});

test('another version is refused', () => {
  assert.throws(() => readItemRequest({ attributes: 'v3' }), { name: 'RangeError', message: /must be v2/ });
});
