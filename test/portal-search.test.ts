/** What people look for in the portal's search, and where it is. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Places } from '../packages/portal/src/core/gazetteer.ts';
import { understand } from '../packages/portal/src/core/place.ts';
import { PREFECTURE_PLACES } from '../packages/portal/src/map/prefecture-places.ts';
import { areaTable } from '../packages/portal/tables.ts';
import { city } from './support/portal-rows.ts';

test('a search text is a code, a mesh, a spatial ID, a point or a name', () => {
  const condition = (text: string) => understand(text)?.condition;
  assert.equal(condition('13101'), '13101');
  assert.equal(condition('５３３９-４５-０９'), 'm:53394509');
  assert.equal(condition('m:5339'), 'm:5339');
  assert.equal(condition('18/1/232837/103222'), 's:18/1/232837/103222');
  assert.equal(condition('/18/232837/103222'), 's:18/232837/103222');
  assert.equal(condition('35.68, 139.76'), 'r:139.76,35.68');
  assert.equal(condition('139.76,35.68'), 'r:139.76,35.68');
  assert.equal(condition(' 千代田区 '), 'g:千代田区');
  assert.equal(condition('99/1/1'), 'g:99/1/1');
  assert.deepEqual([condition('s:1234567'), condition('1234567')], ['s:1234567', 'g:1234567'], 'a tile hash');
  assert.equal(condition('  '), undefined);
  for (const text of ['g:13101', 'g:35,139', 'g:5339'])
    assert.equal(condition(text), text, 'a name, if it says so');
  assert.deepEqual(['90,139', '-90,139', '90.5,35', '-90.5,35'].map(condition), [
    'r:139,90',
    'r:139,-90',
    'r:90.5,35',
    'r:-90.5,35',
  ]);
});

describe('search', () => {
  const kyoto = city({
    code: '26100',
    name: '京都市',
    kana: 'きょうとし',
    romaji: 'kyoto-shi',
    bbox: [135.6, 34.9, 135.9, 35.2],
  });
  const tokyo = city({
    code: '13100',
    name: '東京都23区',
    kana: null,
    romaji: 'tokyo23-ku',
    bbox: [139.6, 35.5, 139.9, 35.8],
  });
  const sample = city({
    code: '47900',
    name: '青凪市',
    kana: null,
    romaji: 'aonagi-shi',
    bbox: [129.6, 25.7, 129.7, 25.8],
  });
  const places = new Places(areaTable(), [city({}), kyoto, tokyo, sample]);

  test('is the same when it is made in slices', async () => {
    const sliced = await Places.inSlices(areaTable(), [city({}), kyoto, tokyo, sample]);
    for (const text of ['kyo', '青凪', 'よこ', '47900', '大阪府大']) {
      assert.deepEqual(sliced.find(text, 20), places.find(text, 20), text);
    }
    assert.ok(sliced.find('kyo', 20).length > 2);
  });
  const found = (text: string) => places.find(text, 8).map(({ name }) => name);

  test('knows every script, and every municipality of the country', () => {
    for (const text of [
      '大阪',
      'Osaka',
      'osaka',
      'Ōsaka',
      'oosaka',
      'おおさか',
      'オオサカ',
      'ｵｵｻｶ',
      'OSAKA',
    ]) {
      assert.deepEqual(found(text).slice(0, 2), ['大阪市', '大阪府'], text);
    }
    assert.equal(found('tokyo')[0], '東京都');
    assert.equal(found('横浜')[0], '横浜市');
    assert.equal(places.find('yokohama', 1)[0]!.city, null, 'known, without data');
    assert.equal(found('27100')[0], '大阪市');
    assert.equal(found('Aonagi')[0], '青凪市', 'a municipality that the table lacks');
    assert.deepEqual(found('どこにもない'), []);
  });

  test('matches the beginning of words alone', () => {
    // 京都 is inside 東京都23区, and means no part of it.
    assert.ok(!found('京都').includes('東京都23区'));
    assert.equal(found('京都')[0], '京都市');
    assert.ok(!found('saka').some((name) => name === '大阪市'));
    assert.ok(found('大阪府大阪市').includes('大阪市'));
  });

  test('lands somewhere where there is nothing', () => {
    assert.equal(places.begins('東京駅')!.name, '東京都');
    assert.equal(places.begins('横浜ランドマークタワー')!.name, '横浜市');
    assert.equal(places.begins('どこにもない'), null);
    for (const code of ['02201', '01', '13101', '47382', '27127']) {
      const [lng, lat] = places.whereIs(code)!;
      assert.ok(lng > 122 && lng < 149 && lat > 24 && lat < 46, code);
    }
    assert.deepEqual(places.whereIs('14137'), places.whereIs('14130'), 'a ward, at its city and no other');
    const [near] = places.nearest(places.whereIs('28100')!, 1);
    assert.equal(near!.name, '大阪市', 'nearest to 神戸市');
  });
});

test('every municipality has a place, in its prefecture', () => {
  const places = new Places(areaTable(), []);
  const towns = [...places.towns()];
  const named = areaTable().filter(([code, name]) => code.length === 5 && !name.endsWith('区'));
  assert.ok(towns.length >= 1_742, `${towns.length} places`);
  const codes = new Set(towns.map(({ code }) => code));
  assert.deepEqual(
    named.filter(([code]) => !codes.has(code)),
    [],
  );
  for (const { code, name, at } of towns) {
    const middle = PREFECTURE_PLACES.get(code.slice(0, 2))!;
    // Islands of Tokyo, Kagoshima and Okinawa lie far out; Hokkaido is large.
    const most = /^(13|46|47)/.test(code) ? 10 : code.startsWith('01') ? 4 : 1.6;
    assert.ok(Math.hypot(at[0] - middle[0], at[1] - middle[1]) < most, `${code} ${name} at ${at}`);
  }
  assert.ok(Math.hypot(...minus(places.whereIs('01220')!, [142.4, 44.18])) < 0.1, '士別市');
});

function minus(a: readonly number[], b: readonly number[]): number[] {
  return a.map((value, i) => value - b[i]!);
}
