import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Identity, identify, nameAreas, type Overrides } from './identify.ts';
import type { PackageLayout } from './layout.ts';
import { PackageRefused } from './upload.ts';

const CITYGML: PackageLayout = { kind: 'citygml', root: '', tileExtension: null };
const TILES: PackageLayout = { kind: '3dtiles', root: '', tileExtension: null };
const NAME = '13101_chiyoda-ku_city_2023_citygml_1_op';

const of = (name: string, overrides: Overrides = {}, layout = CITYGML) => identify([name], layout, overrides);

function refusal(name: string, overrides: Overrides = {}): string {
  try {
    of(name, overrides);
  } catch (error) {
    assert.ok(error instanceof PackageRefused);
    return error.code;
  }
  assert.fail('it is accepted');
}

describe('the identity of a package', () => {
  it('is what its name says', () => {
    const { code, prefCode, cityCode, wardCode, provider, year, revision, name, guessed } = of(NAME);
    assert.deepEqual(
      { code, prefCode, cityCode, wardCode, provider, year, revision, name, guessed },
      {
        ...{ code: '13101', prefCode: '13', cityCode: '13101', wardCode: null },
        ...{ provider: 'city', year: 2023, revision: '1', name: NAME, guessed: [] },
      },
    );
  });

  it('is the first name that follows the pattern, unless the operator says otherwise', () => {
    assert.equal(identify(['upload', NAME], CITYGML, {}).name, NAME);
    const identity = of(NAME, { code: '13102', year: 2024, provider: 'pref', revision: '7', name: 'own' });
    assert.deepEqual(
      [identity.code, identity.year, identity.provider, identity.revision, identity.name],
      ['13102', 2024, 'pref', '7', 'own'],
    );
    const guessed = of('Some Upload', { code: '13101', year: 2023 });
    assert.equal(guessed.name, '13101_some-upload_city_2023_citygml_1');
    assert.deepEqual(guessed.guessed, ['revision', 'name']);
  });

  it('of a ward is one of its city', () => {
    const ward = of('01101_sapporo-shi-chuo-ku_city_2023_citygml_1_op');
    assert.deepEqual([ward.cityCode, ward.wardCode], ['01100', '01101']);
    const tiles = of('01100_sapporo-shi_city_2023_citygml_1_op_bldg_3dtiles_01101_chuo-ku_lod1', {}, TILES);
    assert.deepEqual(
      [tiles.cityCode, tiles.wardCode, tiles.tiles?.type, tiles.tiles?.lod],
      ['01100', '01101', 'bldg', 1],
    );
  });

  it('of tiles whose type nobody names is their name', () => {
    assert.equal(of(NAME, {}, TILES).identity, `3dtiles/${NAME}`);
    assert.notEqual(of(NAME, { type: 'bldg' }, TILES).identity, `3dtiles/${NAME}`);
  });

  it('is refused without a code and a year that can be', () => {
    assert.equal(refusal('upload'), 'UNKNOWN_NAME');
    assert.equal(refusal('upload', { code: '13101' }), 'UNKNOWN_NAME');
    assert.equal(refusal(NAME, { code: '131' }), 'BAD_CODE');
    assert.equal(refusal('48101_nowhere_city_2023_citygml_1_op'), 'BAD_CODE');
    assert.equal(refusal('00101_nowhere_city_2023_citygml_1_op'), 'BAD_CODE');
  });

  it('outside of Japan has the code that the operator chose', () => {
    const abroad = of('koeln', { code: '99001', year: 2024 });
    assert.equal(abroad.cityCode, '99001');
    assert.equal(abroad.name, '99001_koeln_city_2024_citygml_1');
  });
});

describe('the names of a package', () => {
  const names = (identity: Identity, list: Record<string, string> = {}, overrides: Overrides = {}) =>
    nameAreas(identity, new Map(Object.entries(list)), overrides, () => {});

  it('come from the operator, the code list, the built-in table, the romanised name, in this order', () => {
    assert.deepEqual(names(of(NAME)), {
      pref: '東京都',
      city: '千代田区',
      ward: null,
      guessed: [],
      known: [],
    });
    const sample = of('13991_sample-shi_city_2023_citygml_1_op');
    assert.equal(names(sample, { '13991': '東京都見本市' }).city, '見本市');
    assert.equal(names(of(NAME), { '13101': 'x' }, { city: '見本市' }).city, '見本市');
    const unknown = names(sample);
    assert.deepEqual([unknown.city, unknown.guessed], ['sample-shi', ['city']]);
  });

  it('of a ward are without those of its city', () => {
    const ward = of('01101_chuo-ku_city_2023_citygml_1_op');
    const found = names(ward, { '01100': '北海道札幌市', '01101': '北海道札幌市中央区' });
    assert.deepEqual([found.pref, found.city, found.ward], ['北海道', '札幌市', '中央区']);
    assert.equal(names(ward, {}, { ward: '別の区' }).ward, '別の区');
  });

  it('of areas that the table lacks are known from the code list', () => {
    const { known } = names(of(NAME), {
      '13901': '東京都見本市',
      '13902': '東京都見本市北区',
      '14999': '神奈川県外町',
    });
    assert.deepEqual(known, [
      { code: '13901', name: '見本市', kind: 'municipality', parent: '13' },
      { code: '13902', name: '北区', kind: 'ward', parent: '13901' },
    ]);
  });
});
