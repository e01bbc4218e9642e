/** Names and places of what people search for in the portal. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { meshBounds } from '../packages/geo/src/mesh.ts';
import { formatState } from '../packages/portal/src/core/address.ts';
import { areaBounds, parseArea } from '../packages/portal/src/core/area.ts';
import { totalOf } from '../packages/portal/src/core/files.ts';
import { type AreaEntry, Places } from '../packages/portal/src/core/gazetteer.ts';
import { wordsOf } from '../packages/portal/src/core/i18n.ts';
import { INITIAL } from '../packages/portal/src/core/state.ts';
import type { SummaryCity } from '../packages/portal/src/core/summary.ts';
import {
  conditionBounds,
  conditionName,
  dataBounds,
  isUnknownCity,
  plainName,
} from '../packages/portal/src/map/condition-place.ts';

const city = (code: string, name: string, bbox: number[] | null, romaji: string | null = null): SummaryCity =>
  ({
    code,
    name,
    kana: null,
    romaji,
    pref_code: code.slice(0, 2),
    pref: '',
    bbox,
    wards: [],
  }) as unknown as SummaryCity;

const NAHA = city('47201', '那覇市', [127.64, 26.17, 127.74, 26.25], 'naha-shi');
const URUMA = city('47213', 'うるま市', [127.77, 26.31, 128, 26.5]);
const CHIYODA = city('13101', '千代田区', [139.73, 35.66, 139.78, 35.7], 'chiyoda-ku');
const CITIES = { cities: [NAHA, URUMA, city('47999', '海', null), CHIYODA] };

describe('names with typing errors', () => {
  const places = new Places(
    [
      ['01', '北海道', 'ほっかいどう'],
      ['01100', '札幌市', 'さっぽろし'],
      ['14100', '横浜市', 'よこはまし'],
      ['27100', '大阪市', 'おおさかし'],
      ['27227', '東大阪市', 'ひがしおおさかし'],
      ['23100', '名古屋市', 'なごやし'],
    ],
    [NAHA],
  );
  const similar = (text: string) => places.similar(text, 3).map(({ code }) => code);

  test('find the area that was meant', () => {
    for (const [text, code] of [
      ['Sapparo', '01100'],
      ['sappro', '01100'],
      ['ＹＯＫＯＨＯＭＡ', '14100'],
      ['Yokohma-shi', '14100'],
      ['nagyoa', '23100'],
      ['さっぽら', '01100'],
      ['hokaido', '01'],
    ] as const) {
      assert.deepEqual(places.find(text, 3), [], text);
      assert.equal(similar(text)[0], code, text);
    }
  });

  test('find nothing for short texts, other names, and none at all', () => {
    for (const text of ['', 'nah', '札', 'kobe', 'xsapporo', 'm:5339'])
      assert.deepEqual(similar(text), [], text);
  });
});

describe('a condition is called', () => {
  const due = { value: null, error: null };
  const failed = { value: null, error: new Error('offline') };
  const summary = { value: CITIES, error: null };
  const places = {
    value: new Places([['01101', '札幌市中央区', 'さっぽろしちゅうおうく']], []),
    error: null,
  };
  const [ja, en] = [wordsOf('ja'), wordsOf('en')];

  test('by its municipality, from the summary or else from all names', () => {
    assert.equal(conditionName('47201', ja, summary, due), '那覇市');
    assert.equal(conditionName('47201', en, summary, due), 'Naha');
    assert.equal(conditionName('01101', ja, summary, places), '札幌市中央区');
    assert.deepEqual(
      [
        ['47201', CITIES],
        ['01101', CITIES],
        ['01101', null],
        ['m:5339', CITIES],
      ].map(([code, known]) => isUnknownCity(code as string, known as typeof CITIES | null)),
      [false, true, false, false],
    );
  });

  test('nothing until its name may come, and by its code once it cannot', () => {
    assert.equal(conditionName('01101', ja, due, due), null);
    assert.equal(conditionName('01101', ja, summary, due), null);
    assert.equal(conditionName('01101', ja, failed, due), '01101');
    assert.equal(conditionName('01101', ja, summary, failed), '01101');
    assert.equal(conditionName('99999', ja, summary, places), '99999');
  });

  test('as people write it otherwise', () => {
    assert.equal(conditionName('g:沖縄県', en, due, due), 'Okinawa');
    assert.equal(conditionName('g:沖縄県', ja, due, due), '沖縄県');
    assert.equal(conditionName('g:首里城', en, due, due), '首里城');
    assert.equal(conditionName('m:5339', ja, due, due), '5339');
    assert.equal(plainName('r:139.76,35.68'), '35.68, 139.76');
    assert.equal(plainName('r:139,35,140,36'), '139,35,140,36');
    assert.equal(plainName('s:18/1/2/3'), '18/1/2/3');
  });
});

describe('a condition lies', () => {
  test('where it says so itself', () => {
    assert.deepEqual(conditionBounds('m:53394509'), meshBounds('53394509'));
    assert.equal(conditionBounds('m:99'), null);
    const point = { west: 139.76, south: -35.68, east: 139.76, north: -35.68 };
    assert.deepEqual(conditionBounds('r:139.76,-35.68'), point);
    const voxel = conditionBounds('s:18/0/232837/103222')!;
    assert.ok(voxel.west < 139.76 && voxel.east > 139.74 && voxel.north > voxel.south);
    assert.deepEqual(
      ['g:沖縄県', '47201', 'r:1,2,3,4'].map((condition) => conditionBounds(condition)),
      [null, null, null],
    );
  });

  test('where its data are', () => {
    assert.deepEqual(dataBounds('47201', CITIES), { west: 127.64, south: 26.17, east: 127.74, north: 26.25 });
    assert.deepEqual(dataBounds('g:沖縄県', CITIES), { west: 127.64, south: 26.17, east: 128, north: 26.5 });
    for (const none of ['g:北海道', '47999', 'm:5339', 'g:首里城'])
      assert.equal(dataBounds(none, CITIES), null, none);
  });
});

test('a box of an address has a width and a height', () => {
  assert.deepEqual(areaBounds(parseArea('b:1,2,3,4')!), { west: 1, south: 2, east: 3, north: 4 });
  for (const none of [
    'b:3,2,1,4',
    'b:1,4,3,2',
    'b:1,2,1,4',
    'b:1,2,3,2',
    'b:1,2,3',
    'b:1,2,3,4,5',
    'b:1,2,3,x',
    'b:',
  ])
    assert.equal(parseArea(none), null, none);
});

describe('areas of a table', () => {
  const entries: AreaEntry[] = [
    ['27', '大阪府', 'おおさか-ふ'],
    ['27100', '大阪市', 'おおさか-し', 135.5, 34.6],
    ['27127', '大阪市北区', 'きた-く'],
    ['27140', '堺市', 'さかい-し', 135.4, 34.5],
    ['27202', '津市', 'つ-し', 135.1, 34.9],
    ['27203', '北市', 'きた-し', 135.2, 34.3],
    ['27204', '府中市', 'ふちゅう-し', 135.3, 34.7],
    ['27400', '無町', 'む-ちょう'],
    ['28', '兵庫県', 'ひょうご-けん'],
    ['28100', '神戸市', 'こうべ-し', 135.2, 34.68],
    ['28200', '府中市', 'ふちゅう-し'],
    ['28999', '所属未定地', 'しょぞくみていち'],
  ];
  const data = [
    city('27140', '堺', [135, 34, 135.2, 34.1], 'sakai-shi'),
    city('27202', '津', null),
    city('99201', '県外市', [100, 60, 102, 62]),
  ];
  const places = new Places(entries, data);
  const found = (text: string) => places.find(text, 99).map(({ code, rank }) => [code, rank]);

  test('keep what the table has, and lie where their data do, else in their centre', () => {
    assert.deepEqual(places.named('27140')!.name, '堺市');
    assert.equal(places.named('99201')!.name, '県外市');
    assert.deepEqual(
      [places.centre('27140'), places.centre('27'), places.centre('x')],
      [[135.4, 34.5], null, null],
    );
    assert.deepEqual(places.whereIs('27140'), [135.1, 34.05]);
    assert.deepEqual(places.whereIs('27202'), [135.1, 34.9]);
    assert.deepEqual(places.whereIs('27127'), [135.5, 34.6], 'a ward, where its city is');
    // Of a prefecture and what has no centre the middle of all, and not the mean.
    for (const code of ['27', '27400', '27999']) assert.deepEqual(places.whereIs(code), [135.3, 34.6], code);
    assert.deepEqual(places.whereIs('28'), [135.2, 34.68]);
    assert.equal(places.whereIs('46'), null);
  });

  test('are found by all of the name, then its beginning, then a part', () => {
    for (const text of ['大阪市', 'osaka-shi', 'Ōsaka-shi', 'おおさかし'])
      assert.deepEqual(found(text)[0], ['27100', 0]);
    assert.deepEqual(found('大阪').slice(0, 4), [
      ['27', 0],
      ['27100', 0],
      ['27127', 1],
      ['27140', 2],
    ]);
    for (const text of ['oosak', 'おおさ']) assert.deepEqual(found(text)[1], ['27100', 1], text);
    for (const text of ['おおさかふおおさかし', 'osakafuosakashi', 'osakaosa', '27100'])
      assert.deepEqual(found(text), [['27100', 2]], text);
    // A city before a ward, though its code is higher.
    assert.deepEqual(found('きた')[0], ['27203', 1]);
    assert.deepEqual([found(' '), found('所属未定地'), found('null')], [[], [], []]);
  });

  test('begin longer texts by two letters and more, the first of equals', () => {
    assert.equal(places.begins('津波'), null);
    assert.equal(places.begins('津市役所')!.code, '27202');
    const { code, rank } = places.begins('府中駅')!;
    assert.deepEqual([code, rank], ['27204', 3]);
  });

  test('are nearest in metres, not in degrees', () => {
    const north = (lng: number, lat: number) =>
      city(`${lng}/${lat}`, '', [lng - 1, lat - 1, lng + 1, lat + 1]);
    const both = new Places([], [north(12, 60), north(10, 61), north(10, 50), city('0', '', null)]);
    const near = (lng: number) => both.nearest([lng, 60], 2).map(({ code }) => code);
    assert.deepEqual(near(10.01), ['12/60', '10/61']);
    assert.deepEqual(near(9.99), ['10/61', '12/60']);
    assert.equal(both.nearest([10, 60], 9).length, 3);
  });
});

describe('areas by name', () => {
  const entries: AreaEntry[] = [
    ['13', '東京都', 'とうきょうと'],
    ['13100', '東京都区部', 'とうきょうとくぶ'],
    ['27', '大阪府', 'おおさかふ'],
    ['27100', '大阪市', 'おおさかし', 135.5, 34.69],
    ['27377', '大阪狭山町', 'おおさかさやまちょう'],
    ['14100', '山北市', 'やまきたし'],
    ['14364', '山北町', 'やまきたまち'],
    ['14999', '山北村', 'やまきたむら'],
  ];
  const others = Array.from({ length: 60 }, (_, i): AreaEntry => [`40${i + 100}`, `仮${i}市`, 'かり']);

  test('are the same when they are made in slices', async () => {
    const all = [...entries, ...others];
    const [at, slices] = [new Places(all, [NAHA]), await Places.inSlices(all, [NAHA])];
    for (const [code, name] of all) {
      assert.deepEqual(slices.named(code), at.named(code));
      assert.equal(slices.named(code)?.name, name);
    }
    for (const text of ['仮59市', 'おおさか', '那覇', 'かり'])
      assert.deepEqual(slices.find(text, 99), at.find(text, 99));
    assert.equal(slices.find('那覇', 9)[0]!.city, NAHA);
    assert.equal(at.named('13100')!.romaji, 'tokyo23-ku');
  });

  test('begin a longer text: the longest name, of equal ones the larger place', () => {
    for (const order of [entries, entries.toReversed()]) {
      const places = new Places(order, []);
      const begins = (text: string) => places.begins(text)?.code;
      assert.equal(begins('大阪狭山町役場'), '27377');
      assert.equal(begins('大阪府庁'), '27');
      assert.equal(begins('大阪市役所'), '27100');
      assert.equal(begins('山北駅'), '14100');
      assert.equal(begins('山北村役場'), '14999');
      assert.equal(begins('山'), undefined);
      assert.equal(begins(''), undefined);
    }
  });
});

test('what was counted adds up, from nothing', () => {
  const sum = (files: number) => ({ files, features: 2 * files, bytes: 3 * files, zip_bytes: 4 * files });
  const counts = (...cities: object[]) => totalOf({ cities, meshes: 0, meshes_km2: 0 } as never);
  assert.deepEqual(counts(), { files: 0, features: 0, bytes: 0, zip: 0 });
  assert.deepEqual(counts({ types: { bldg: sum(1), luse: sum(10) } }, { types: { bldg: sum(100) } }), {
    files: 111,
    features: 222,
    bytes: 333,
    zip: 444,
  });
});

test('an address says where the camera is to 10 cm, and how it looks to a tenth of a degree', () => {
  const camera = [139.123_456_78, 35.123_456_78, 100.123_45, 45.678, -30.123] as const;
  const query = new URLSearchParams(formatState({ ...INITIAL, camera: [...camera] }).split('?')[1]);
  assert.equal(query.get('camera'), '139.123457,35.123457,100.1,45.7,-30.1');
});
