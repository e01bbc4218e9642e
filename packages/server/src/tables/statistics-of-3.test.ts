/** Statistics of the sample city in CityGML 3.0 are, under the names of 2.0, those of the same city in 2.0. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeSample } from '@citymodel/sample';
import { FeatureWorkshop } from '../features/feature-work.ts';
import { GmlFiles } from '../features/gml-files.ts';
import { FeatureStatistics, type Statistics } from '../features/statistics/feature-statistics.ts';
import { type StatisticsQuery, statisticsQuestion } from '../features/statistics/statistics-query.ts';
import { TableObjects } from '../features/tables/table-objects.ts';
import { type Hosted, host } from '../features/testing/hosted.ts';
import { makeTables } from './make-tables.ts';

const CITY = '47900_aonagi-shi_city_2024_citygml_1_op';
const NEVER = new AbortController().signal;

let directory: string;
const cities: Hosted[] = [];

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'citymodel-statistics-of-3-'));
  for (const citygml of [2, 3] as const) {
    const of = join(directory, String(citygml));
    await writeSample(of, { size: 60, citygml });
    const hosted = await host([join(of, `${CITY}.zip`)]);
    cities.push(hosted);
    for (const row of hosted.rows) {
      const options = { maxGeometryBytes: 3e6, onProgress() {}, signal: NEVER };
      await makeTables(row, { ...hosted.stores, stagingDir: directory }, options);
    }
    await hosted.refresh();
  }
});

after(async () => {
  for (const hosted of cities) await hosted[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

async function count(hosted: Hosted, query: StatisticsQuery): Promise<Statistics> {
  const statistics = new FeatureStatistics({
    files: new GmlFiles(hosted.stores.catalogue),
    tables: new TableObjects(hosted.archives, hosted.stores.catalogue),
    workshop: new FeatureWorkshop({ maxGeometryBytes: 3e6, maxItems: 1e8, maxReadBytes: 16e9 }),
  });
  return statistics.count(
    statisticsQuestion({ area: '47900', type: ['bldg'], ...query }),
    hosted.snapshot(),
    NEVER,
  );
}

const ID = 'uro:buildingIDAttribute.uro:city';

for (const query of [
  { by: ['bldg:usage'], of: ['bldg:measuredHeight'] },
  { by: ['bldg:measuredHeight'], step: ['3'] },
  { by: ['bldg:yearOfConstruction'], step: ['10'] },
  { by: ['bldg:measuredHeight_uom'] },
  { by: [ID, 'uro:city_code'] },
  { by: ['uro:buildingStructureType'], where: 'bldg:yearOfConstruction<1990' },
  { by: ['uro:buildingDetailAttribute.uro:surveyYear'] },
  { by: ['uro:bldgDisasterRiskAttribute.uro:rank'], of: ['uro:depth'] },
  { where: 'bldg:measuredHeight>6;uro:buildingDetailAttribute.uro:buildingStructureType=木造・土蔵造' },
  { where: 'bldg:measuredHeight=' },
  { by: ['_type'], where: '_bbox.min.lng>131' },
  { type: ['luse'], by: ['luse:class'] },
  { type: ['tran'], by: ['_type'], of: ['uro:width'] },
] satisfies StatisticsQuery[]) {
  test(`both cities have the same ${JSON.stringify(query)}`, async () => {
    const [two, three] = await Promise.all(
      cities.map((hosted) => count(hosted, { ...query, names: 'v2' }).catch(({ reason }) => String(reason))),
    );
    if (typeof two === 'string' || typeof three === 'string') {
      assert.deepEqual([typeof two, typeof three], ['string', 'string'], `${two} ${three}`);
      return;
    }
    assert.deepEqual(three!.groups.list(), two!.groups.list());
    assert.ok(two!.groups.features > 0 || query.where !== undefined);
  });
}

test('names that are listed are those of 2.0, and others are refused', async () => {
  const [two, three] = await Promise.all(cities.map((hosted) => count(hosted, { names: 'v2' })));
  const missing = two!.attributes.filter((name) => !three!.attributes.includes(name));
  assert.deepEqual(missing, []);
  const own = await count(cities[1]!, {});
  assert.ok(own.attributes.includes('uro:BuildingIDAttribute.uro:city'));
  await assert.rejects(count(cities[1]!, { by: ['bldg:measuredHeight'] }), { status: 404 });
  await assert.rejects(count(cities[1]!, { by: ['uro:nothing.uro:city'], names: 'v2' }), { status: 404 });
  await assert.rejects(async () => count(cities[1]!, { names: 'v3' }), { status: 400 });
});
