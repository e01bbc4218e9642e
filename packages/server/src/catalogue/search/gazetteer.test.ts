import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Bounds, unionBounds } from '@citymodel/geo';
import type { PackageRow, PlaceRow } from '@citymodel/store';
import { AreaNames } from '../names/area-reading.ts';
import { cityOfWard } from '../names/areas.ts';
import { placeKeys } from '../names/named-places.ts';
import { cityGmlByArea } from '../rows/citygml-rows.ts';
import { Gazetteer } from './gazetteer.ts';

function at(west: number, south: number): Bounds {
  return { west, south, east: west + 0.1, north: south + 0.1 };
}

type Area = [no: number, code: string, city: string, pref: string, ward?: [string, string]];

const PACKAGES: Area[] = [
  [1, '14130', '川崎市', '神奈川県'],
  [2, '14130', '川崎市', '神奈川県', ['14132', '幸区']],
  [3, '14130', '川崎市', '神奈川県', ['14133', '中原区']],
  [4, '13206', '府中市', '東京都'],
  [5, '34208', '府中市', '広島県'],
  [6, '13100', '東京都23区', '東京都'],
  [7, '99201', '見本市', '見本県'],
  [8, '99201', '見本市', '見本県', ['99202', '東区']],
  [9, '13206', '府中市', '東京都'],
];
const BOUNDS = new Map(PACKAGES.map(([no]) => [no, at(100 + no, 30)]));

const packages = PACKAGES.map(
  ([no, cityCode, city, pref, ward]) =>
    ({
      no,
      cityCode,
      city,
      pref,
      prefCode: cityCode.slice(0, 2),
      wardCode: ward?.[0] ?? null,
      ward: ward?.[1] ?? null,
    }) as PackageRow,
);

const snapshot = {
  version: 1,
  packages,
  cityGml: cityGmlByArea(packages),
  packageByNo: (no: number) => packages.find((pkg) => pkg.no === no),
  boundsOf: (code: string) =>
    packages
      .filter((pkg) => [pkg.prefCode, pkg.cityCode, pkg.wardCode].includes(code))
      .map((pkg) => BOUNDS.get(pkg.no)!)
      .reduce<Bounds | null>(unionBounds, null),
  cityAround: (code: string) =>
    /^131(0[1-9]|1\d|2[0-3])$/.test(code)
      ? '13100'
      : (cityOfWard(code) ?? (code === '99202' ? '99201' : null)),
};

const SAMPLE = new AreaNames([
  { code: '99', name: '見本県', kind: 'prefecture', parent: null },
  { code: '99201', name: '見本市', kind: 'municipality', parent: '99' },
  { code: '99202', name: '東区', kind: 'ward', parent: '99201' },
]);

const PLACES = (
  [
    [1, 'town', '神奈川県川崎市幸区大宮町', at(102.05, 30)],
    [1, 'town', '神奈川県川崎市中原区大宮町', at(150, 30)],
    [4, 'town', '東京都府中市宮町一丁目', at(104.01, 30)],
    [9, 'town', '東京都府中市宮町一丁目', at(104.03, 30)],
    [5, 'town', '広島県府中市宮町', at(105.01, 30)],
    [4, 'building', '府中の森 芸術劇場', at(104.05, 30)],
    [7, 'town', '見本県見本市東区海辺', at(108, 30)],
    [4, 'town', '東京都府中市本町', at(104.07, 30)],
    [7, 'town', '見本県見本市府中市本町', at(107, 30)],
  ] as Array<[number, 'town' | 'building', string, Bounds]>
).flatMap(([packageNo, kind, name, bounds]) =>
  placeKeys({ name, kind }, SAMPLE).map((key): PlaceRow => ({ packageNo, kind, name: key, bounds })),
);

let asked = 0;
const store = {
  async places(names: readonly string[]): Promise<PlaceRow[]> {
    asked++;
    return PLACES.filter((row) => names.includes(row.name));
  },
};
const gazetteer = new Gazetteer(() => snapshot, store);
const codes = async (name: string): Promise<string[]> =>
  (await gazetteer.find(name)).flatMap((match) => match.codes).sort();
const labels = async (name: string): Promise<string[]> =>
  (await gazetteer.find(name)).map((match) => match.label).sort();

describe('the gazetteer', () => {
  it('knows areas by all the ways to write them', async () => {
    for (const name of ['神奈川県川崎市', '川崎市', '川崎', '神奈川川崎', ' 神奈川県 川崎市 ']) {
      assert.deepEqual(await codes(name), ['14130'], name);
    }
    for (const name of ['川崎市幸区', '幸区', '神奈川県川崎市幸区', '幸'])
      assert.deepEqual(await codes(name), ['14132']);
    assert.deepEqual(await codes('神奈川県'), ['14']);
    assert.deepEqual(await codes('東京'), ['13']);
    assert.deepEqual(await codes('千代田区'), ['13101']);
    assert.deepEqual(await codes('東京23区'), ['13100']);
    const [match] = await gazetteer.find('幸区');
    assert.deepEqual(match, {
      label: '神奈川県川崎市幸区',
      codes: ['14132'],
      bounds: at(102, 30),
      complete: true,
    });
  });

  it('takes a whole name for the area rather than for a town of that name', async () => {
    const town = { packageNo: 1, kind: 'town' as const, name: '幸区', bounds: at(150, 30) };
    const places = async (names: readonly string[]) => (names.includes(town.name) ? [town] : []);
    const found = await new Gazetteer(() => snapshot, { places }).find('川崎市幸区');
    assert.deepEqual(
      found.map(({ label }) => label),
      ['神奈川県川崎市幸区'],
    );
  });

  it('knows areas in kana and Latin letters', async () => {
    for (const name of [
      'Kawasaki',
      'kawasaki-shi',
      'Kawasaki City',
      'かわさき',
      'カワサキシ',
      'Kanagawa-ken Kawasaki-shi',
    ])
      assert.deepEqual(await codes(name), ['14130'], name);
    assert.deepEqual(await codes('Saiwai-ku, Kawasaki'), ['14132']);
    assert.deepEqual(await codes('Tokyo'), ['13']);
    // Known, but not held.
    assert.deepEqual(await codes('Sapporo'), []);
  });

  it('knows areas that only the catalogue has', async () => {
    assert.deepEqual(await codes('見本市'), ['99201']);
    assert.deepEqual(await codes('見本県見本市東区'), ['99202']);
    assert.deepEqual(await codes('見本'), ['99']);
    assert.deepEqual(await labels('見本市海辺'), ['見本県見本市海辺']);
  });

  it('gives all areas of one name that have data, unless the name tells them apart', async () => {
    assert.deepEqual(await codes('府中市'), ['13206', '34208']);
    assert.deepEqual(await codes('広島県府中市'), ['34208']);
    assert.deepEqual(await codes('府中'), ['13206', '34208']);
    assert.deepEqual(await codes('沼津市'), []);
    assert.deepEqual(await codes('札幌市中央区'), []);
  });

  it('finds towns and buildings, with the areas before them', async () => {
    assert.deepEqual(await labels('宮町'), ['広島県府中市宮町', '東京都府中市宮町']);
    assert.deepEqual(await labels('東京都府中市宮町'), ['東京都府中市宮町']);
    assert.deepEqual(await labels('府中市宮町一丁目'), ['東京都府中市宮町1丁目']);
    assert.deepEqual(await labels('府中市宮町１−２−３'), ['広島県府中市宮町', '東京都府中市宮町']);
    assert.deepEqual(await labels('ふちゅうの森'), []);
    assert.deepEqual(await labels('府中の森芸術劇場'), ['東京都府中市府中ノ森芸術劇場']);
    assert.deepEqual(await labels('東京都府中市浅間町府中の森芸術劇場'), ['東京都府中市府中ノ森芸術劇場']);
    const [years] = await gazetteer.find('宮町1丁目');
    assert.deepEqual(years?.bounds, { west: 104.01, south: 30, east: 104.03 + 0.1, north: 30.1 });
    assert.deepEqual(years?.codes, []);
  });

  it('takes the beginning of a name for an area rather than for a part of the name of a town', async () => {
    assert.deepEqual(await labels('府中市本町'), ['東京都府中市本町']);
    assert.deepEqual(await labels('見本市府中市本町'), ['見本県見本市府中市本町']);
  });

  it('tells wards of one city apart by where the place is', async () => {
    const [match, ...others] = await gazetteer.find('幸区大宮町');
    assert.deepEqual(others, []);
    assert.deepEqual(match?.codes, []);
    // The place of 大宮町 as a row: both wards' towns share it in this package.
    assert.ok(match?.bounds);
    assert.deepEqual(await labels('中原区海辺'), ['神奈川県川崎市中原区']);
  });

  it('leaves the end of a name only after what an address would go on from', async () => {
    assert.deepEqual(await codes('東京駅'), []);
    assert.deepEqual(await codes('府中市どこか'), ['13206', '34208']);
    assert.equal((await gazetteer.find('府中市どこか'))[0]?.complete, false);
    assert.equal((await gazetteer.find('宮町1丁目2-3'))[0]?.complete, true);
    assert.deepEqual(await gazetteer.find('アトランティス'), []);
    assert.deepEqual(await gazetteer.find('  '), []);
  });

  it('asks the store once, whatever the name', async () => {
    asked = 0;
    await gazetteer.find('東京都府中市宮町一丁目2番地3号府中の森芸術劇場');
    await gazetteer.find('あ'.repeat(5000));
    assert.equal(asked, 2);
  });
});
