import assert from 'node:assert/strict';
import test from 'node:test';
import { AREAS, area } from '../catalogue/names/areas.ts';
import { planarCrsOf } from './planar-crs.ts';

const zoneOf = (code: string) => Number(planarCrsOf(code)) - 6668;

test('municipalities have the zone that the notice gives them', () => {
  const expected: Array<[code: string, name: string, zone: number]> = [
    ['42201', '長崎市', 1],
    ['46222', '奄美市', 1],
    ['46304', '十島村', 1],
    ['46535', '与論町', 1],
    ['46201', '鹿児島市', 2],
    ['46303', '三島村', 2],
    ['46505', '屋久島町', 2],
    ['40131', '東区', 2],
    ['34100', '広島市', 3],
    ['39201', '高知市', 4],
    ['28100', '神戸市', 5],
    ['27100', '大阪市', 6],
    ['18201', '福井市', 6],
    ['23100', '名古屋市', 7],
    ['15100', '新潟市', 8],
    ['22203', '沼津市', 8],
    ['13101', '千代田区', 9],
    ['13361', '大島町', 9],
    ['07201', '福島市', 9],
    ['06201', '山形市', 10],
    ['01202', '函館市', 11],
    ['01395', 'ニセコ町', 11],
    ['01571', '豊浦町', 11],
    ['01100', '札幌市', 12],
    ['01204', '旭川市', 12],
    ['01581', '厚真町', 12],
    ['01208', '北見市', 13],
    ['01564', '大空町', 13],
    ['01555', '遠軽町', 12],
    ['01648', '陸別町', 13],
    ['13421', '小笠原村', 14],
    ['47201', '那覇市', 15],
    ['47207', '石垣市', 16],
    ['47382', '与那国町', 16],
    ['47358', '北大東村', 17],
  ];
  for (const [code, name, zone] of expected) {
    assert.equal(area(code)?.name, name);
    assert.equal(zoneOf(code), zone, name);
  }
});

test('every municipality and ward of the country has a zone, and wards that of their city', () => {
  for (const { code, kind, parent } of AREAS.values()) {
    if (kind === 'prefecture') {
      assert.equal(planarCrsOf(code), null);
      continue;
    }
    assert.ok(zoneOf(code) >= 1 && zoneOf(code) <= 19, code);
    if (kind === 'ward') assert.equal(planarCrsOf(code), planarCrsOf(parent!));
  }
  assert.equal(planarCrsOf('99999'), null);
  assert.equal(planarCrsOf('00000'), null);
});

test('a municipality that the notice does not name has the zone of its prefecture', () => {
  const notice: Record<number, string> = {
    1: '長崎県',
    2: '福岡県 佐賀県 熊本県 大分県 宮崎県 鹿児島県',
    3: '山口県 島根県 広島県',
    4: '香川県 愛媛県 徳島県 高知県',
    5: '兵庫県 鳥取県 岡山県',
    6: '京都府 大阪府 福井県 滋賀県 三重県 奈良県 和歌山県',
    7: '石川県 富山県 岐阜県 愛知県',
    8: '新潟県 長野県 山梨県 静岡県',
    9: '東京都 福島県 栃木県 茨城県 埼玉県 千葉県 群馬県 神奈川県',
    10: '青森県 秋田県 山形県 岩手県 宮城県',
    12: '北海道',
    15: '沖縄県',
  };
  const prefectures = [...AREAS.values()].filter(({ kind }) => kind === 'prefecture');
  assert.equal(prefectures.length, 47);
  const zones = new Map(
    Object.entries(notice).flatMap(([zone, names]) => names.split(' ').map((name) => [name, Number(zone)])),
  );
  for (const { code, name } of prefectures) assert.equal(zoneOf(`${code}999`), zones.get(name), name);
});
