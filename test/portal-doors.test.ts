/** Which doors the front page has, by what the catalogue and the service answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DatasetRow } from '../packages/portal/src/core/catalogue.ts';
import type { FileCounts } from '../packages/portal/src/core/files.ts';
import type { Summary, SummaryCity } from '../packages/portal/src/core/summary.ts';
import { doorTitle } from '../packages/portal/src/front/door-words.ts';
import { candidatesFor, type DoorSource, doorOf } from '../packages/portal/src/front/doors.ts';
import { pictureIn } from '../packages/portal/src/ui/picture-url.ts';

function city(code: string, more: Partial<SummaryCity> = {}): SummaryCity {
  return {
    code,
    name: code,
    kana: null,
    romaji: null,
    pref_code: code.slice(0, 2),
    pref: '',
    bbox: [135, 34, 136, 35],
    types: ['bldg', 'fld'],
    formats: ['3D Tiles', 'CityGML'],
    years: [2024, 2022],
    max_lod: 2,
    max_lods: {},
    textured: false,
    wards: [],
    datasets: 2,
    features: 10,
    bytes: 10,
    ...more,
  };
}

function summaryOf(...cities: SummaryCity[]): Summary {
  return { cities, prefectures: [], totals: {} as Summary['totals'] };
}

function row(code: string, spec: string): DatasetRow {
  const composite_url = `http://h/datacatalog/3dtiles/${code}-${spec}/tileset.json`;
  return { id: spec, name: spec, format: '3D Tiles', year: 2024, composite_url } as DatasetRow;
}

/** Answers by what paths begin with; other paths fail. */
function sourceOf(
  datasets: DatasetRow[],
  answers: Record<string, unknown>,
  asked: string[] = [],
): DoorSource {
  const answer = async (path: string) => {
    asked.push(path);
    const found = Object.entries(answers).find(([start]) => path.startsWith(start));
    if (found === undefined) throw new Error(path);
    return found[1];
  };
  return {
    datasets: async () => datasets,
    buildings: (code) => answer(`counts/${code}`) as Promise<FileCounts>,
    json: <T>(path: string) => answer(path) as Promise<T>,
  };
}

const NAMES = {
  attributes: ['uro:BuildingDetailAttribute.uro:buildingStructureType', 'bldg:yearOfConstruction'],
};
const UNCOUNTED = { attributes: [], features: 0 };
const TILES = [
  row('27100', 'bldg-lod2-2024'),
  row('27100', 'fld_pref_a_l1-lod1-2024'),
  row('27100', 'fld_pref_a_l2-lod1-2024'),
];

test('a door leads to the city with most features, and a question without data has none', async () => {
  const small = city('01100');
  const large = city('27100', { features: 20 });
  const dry = city('13100', { features: 30, types: ['bldg'], formats: ['MVT'], years: [2024] });
  const summary = summaryOf(small, dry, large);
  assert.deepEqual(
    candidatesFor('water', summary).map(({ code }) => code),
    ['27100', '01100'],
  );
  for (const question of ['city', 'water', 'wood', 'years'] as const)
    assert.equal(await doorOf(question, summaryOf(dry), sourceOf(TILES, {})), null, question);
  const seen = (lod: string, picture_url?: string): DatasetRow =>
    ({ ...TILES[0]!, type_en: 'bldg', lod, picture_url }) as DatasetRow;
  const pictured = [...TILES, seen('1', 'a'), seen('4', 'b'), seen('4')];
  assert.equal((await doorOf('city', summary, sourceOf(pictured, {})))!.picture, 'b');
  assert.equal(
    pictureIn('dark', 'https://a/b_picture-0-light-small.jpg'),
    'https://a/b_picture-0-dark-small.jpg',
  );
  const door = await doorOf('city', summary, sourceOf(TILES, {}));
  assert.equal(door!.to.model, '27100-bldg-maxlod4-latest');
  assert.equal(door!.others, 1);
});

test('the door of water shows the largest flood beside the buildings', async () => {
  const summary = summaryOf(city('27100'));
  const door = await doorOf('water', summary, sourceOf(TILES, {}));
  assert.deepEqual(door!.to.also, ['27100-fld_pref_a_l2-maxlod4-latest']);
  // The flood is there as vector tiles or CityGML alone.
  assert.equal(await doorOf('water', summary, sourceOf(TILES.slice(0, 1), {})), null);
});

test('the door of wooden houses counts them, or finds one where nothing is counted', async () => {
  const summary = summaryOf(city('27100'));
  const groups = [
    { by: { 'uro:buildingStructureType': '鉄骨造' }, count: 9, of: {} },
    { by: { 'uro:buildingStructureType': '木造・土蔵造' }, count: 7, of: {} },
  ];
  const counted = await doorOf(
    'wood',
    summary,
    sourceOf(TILES, { '/citygml/statistics': { ...NAMES, features: 16, groups } }),
  );
  assert.equal(counted!.count, 7);
  const where = 'uro:buildingStructureType=木造・土蔵造;bldg:yearOfConstruction<1981';
  assert.equal(counted!.to.where, where);
  const features = [
    { properties: { 'uro:BuildingDetailAttribute.uro:buildingStructureType': '木造・土蔵造' } },
  ];
  const asked: string[] = [];
  const found = await doorOf(
    'wood',
    summary,
    sourceOf(TILES, { '/citygml/statistics': UNCOUNTED, '/citygml/features': { features } }, asked),
  );
  assert.deepEqual([found!.count, found!.to.where], [null, where]);
  // A part in the middle, not the whole city
  assert.match(asked[1]!, /bbox=135\.49,34\.49,135\.51,34\.51&.*limit=100$/);
  const none = { '/citygml/statistics': UNCOUNTED, '/citygml/features': { features: [] } };
  assert.equal(await doorOf('wood', summary, sourceOf(TILES, none)), null);
  // What is counted is not searched again, and nothing is grouped by what no building has.
  for (const counts of [
    { attributes: ['bldg:usage'], features: 16 },
    { ...NAMES, features: 16, groups: groups.slice(0, 1) },
  ]) {
    const all: string[] = [];
    assert.equal(
      await doorOf('wood', summary, sourceOf(TILES, { '/citygml/statistics': counts }, all)),
      null,
    );
    assert.equal(all.length, 'groups' in counts ? 2 : 1);
  }
});

test('the door of two years needs two editions of CityGML, and three cities are asked at most', async () => {
  const years = (...all: number[]) => ({ cities: all.map((year) => ({ year })) });
  const summary = summaryOf(city('27100'));
  const door = await doorOf('years', summary, sourceOf([], { 'counts/27100': years(2022, 2024, 2023) }));
  assert.deepEqual(door!.years, [2023, 2024]);
  assert.equal(door!.to.compared, '27100,bldg,2023,2024');
  const many = summaryOf(...['01100', '02100', '03100', '04100', '05100'].map((code) => city(code)));
  const asked: string[] = [];
  const source = sourceOf([], { 'counts/': years(2024) }, asked);
  assert.equal(await doorOf('years', many, source), null);
  assert.equal(asked.length, 3);
});

test('a service that does not answer leaves a door out', async () => {
  for (const question of ['wood', 'years'] as const)
    assert.equal(await doorOf(question, summaryOf(city('27100')), sourceOf(TILES, {})), null);
});

test('titles in Japanese break between phrases, and are whole without a break', () => {
  assert.deepEqual(doorTitle('ja', 'water'), ['水は', 'どこまで', '来る？']);
  assert.deepEqual(
    doorTitle('ja', 'city', { city: '青|凪市' }),
    ['青|凪市を', '3Dで見る'],
    'a value is no phrase',
  );
  assert.deepEqual(doorTitle('en', 'water'), ['How deep would the water be?']);
});
