import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { AreaNames, builtInAreaNames } from './area-reading.ts';
import { AREAS, area } from './areas.ts';
import { placeKeys, townOf } from './named-places.ts';
import { normalizePlaceName } from './normalise-place-name.ts';

describe('spellings', () => {
  it('brings every way to write a name to one', () => {
    for (const [a, b] of [
      ['霞が関一丁目', '霞ヶ関１丁目'],
      ['霞ケ関1丁目', '霞が関 1 丁目'],
      ['自由が丘', '自由ケ丘'],
      ['ﾀﾞｲﾔﾋﾞﾙ', 'だいやびる'],
      ['Ｔｏｗｅｒ　Ａ', 'tower a'],
      ['北二十四条西十一丁目', '北24条西11丁目'],
      ['一〇丁目', '十丁目'],
      ['百二十丁目', '120丁目'],
      ['大字三川字東', '三川東'],
      ['浪江町字川添', '浪江町川添'],
      ['1−2ー3', '1-2-3'],
    ] as const) {
      assert.equal(normalizePlaceName(a), normalizePlaceName(b), a);
    }
    assert.equal(normalizePlaceName('ガーデンケース'), 'ガーデンケース');
    assert.equal(normalizePlaceName('十文字町'), '十文字町');
    assert.equal(normalizePlaceName('大字十文字'), '十文字');
    assert.equal(normalizePlaceName('三田'), '三田');
  });

  it('changes nothing the second time', () => {
    const signs = fc.constantFrom(...'霞がヶケ関一二十百〇丁目条番町123-ー−あアぁ Ａa市区');
    fc.assert(
      fc.property(fc.array(signs, { maxLength: 12 }), (text) => {
        const once = normalizePlaceName(text.join(''));
        assert.equal(normalizePlaceName(once), once);
      }),
    );
  });
});

describe('area names at the beginning of a text', () => {
  const first = (text: string): string => {
    const reading = builtInAreaNames().read(normalizePlaceName(text))[0];
    return reading === undefined
      ? ''
      : `${reading.chain.map((area) => area.code).join('/')}+${reading.length}`;
  };

  it('reads them with and without what is around them', () => {
    assert.equal(first('神奈川県川崎市幸区大宮町'), '14/14130/14132+9');
    assert.equal(first('川崎市幸区'), '14130/14132+5');
    assert.equal(first('東京都大田区羽田空港三丁目'), '13/13111+6');
    assert.equal(first('東京23区'), '13100+5');
    assert.equal(first('東京都23区千代田区'), '13100/13101+10');
    assert.equal(first('愛知県知多郡東浦町'), '23/23442+9');
    assert.equal(first('沼津'), '22203+2');
    const [alias, half] = [builtInAreaNames().read('23区')[0], builtInAreaNames().read('川崎')[0]];
    assert.deepEqual([alias!.full, half!.full], [true, false], 'an alias is a whole name');
    assert.equal(first('北海道札幌'), '01/01100+5');
    assert.equal(first('どこでもない'), '');
    assert.deepEqual(
      builtInAreaNames()
        .read('府中')
        .map((reading) => reading.chain[0]!.code)
        .sort(),
      ['13206', '34208', '34302'],
    );
  });

  it('reads the full name of every area as that area', () => {
    for (const { code, name } of AREAS.values()) {
      if (/定地$/.test(name)) continue;
      const text = normalizePlaceName(builtInAreaNames().fullName(area(code)!));
      const reading = builtInAreaNames()
        .read(text)
        .find((reading) => reading.chain.at(-1)!.code === code);
      assert.equal(reading?.length, text.length, name);
    }
    assert.equal(builtInAreaNames().fullName(area('14132')!), '神奈川県川崎市幸区');
    assert.equal(builtInAreaNames().fullName(area('13100')!), '東京都23区');
    assert.equal(builtInAreaNames().fullName(area('13101')!), '東京都千代田区');
  });
});

describe('towns of addresses', () => {
  it('takes away the areas before and the house number behind', () => {
    for (const [address, town] of [
      ['東京都大田区羽田空港三丁目', '羽田空港3丁目'],
      ['東京都大田区羽田空港３丁目４－５', '羽田空港3丁目'],
      ['東京都大田区羽田空港三丁目 第2ターミナル', '羽田空港3丁目'],
      ['大手町1-2-3', '大手町'],
      ['静岡県沼津市大字西浦字平沢100番地', '西浦平沢'],
      ['札幌市中央区北一条西二丁目', '北1条西2丁目'],
      ['愛知県知多郡東浦町緒川', '緒川'],
      ['池田町一丁目', '池田町1丁目'],
      ['千代田区一番町', '1番町'],
      ['沼津市', null],
      ['東京都千代田区1-1', null],
      ['', null],
    ] as const) {
      assert.equal(townOf(address), town === null ? null : normalizePlaceName(town), address);
    }
  });

  it('takes away areas that only the caller knows', () => {
    const areas = new AreaNames([
      { code: '99', name: '見本県', kind: 'prefecture', parent: null },
      { code: '99201', name: '見本市', kind: 'municipality', parent: '99' },
    ]);
    assert.equal(townOf('見本県見本市海辺', areas), '海辺');
    assert.equal(townOf('見本県見本市海辺'), '見本県見本市海辺');
    assert.equal(townOf('東京都大田区羽田', areas), '羽田');
    assert.equal(
      areas.fullName({ code: '99202', name: '東区', kind: 'ward', parent: '99201' }),
      '見本県見本市東区',
    );
  });

  it('looks towns up with and without 丁目, buildings as they are', () => {
    assert.deepEqual(placeKeys({ name: '東京都大田区羽田空港三丁目', kind: 'town' }), [
      '羽田空港3丁目',
      '羽田空港',
    ]);
    assert.deepEqual(placeKeys({ name: '沼津市戸田', kind: 'town' }), ['戸田']);
    assert.deepEqual(placeKeys({ name: '沼津市', kind: 'town' }), []);
    assert.deepEqual(placeKeys({ name: '横須賀 美術館', kind: 'building' }), ['横須賀美術館']);
    assert.deepEqual(placeKeys({ name: ' ', kind: 'building' }), []);
  });
});
