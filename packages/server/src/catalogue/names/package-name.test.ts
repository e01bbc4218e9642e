import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { compareRevisions, packageIdentity, parsePackageName, type TileName } from './package-name.ts';

const DATA = new URL('../../../../../../shared/data/', import.meta.url);

const plain: TileName = {
  type: 'bldg',
  sub: null,
  wardCode: null,
  wardName: null,
  lod: null,
  lodEx: null,
  interior: false,
  noTexture: false,
};

describe('names of CityGML packages', () => {
  it('reads them with and without provider, for municipalities and prefectures', () => {
    assert.deepEqual(parsePackageName('13101_chiyoda-ku_city_2023_citygml_1_op.zip'), {
      directory: '13101_chiyoda-ku_city_2023_citygml_1_op',
      kind: 'citygml',
      code: '13101',
      romanName: 'chiyoda-ku',
      provider: 'city',
      year: 2023,
      revision: '1',
      words: null,
      open: true,
      ward: null,
      tiles: null,
    });
    const older = parsePackageName('13100_tokyo23-ku_2022_citygml_1_3_op')!;
    assert.deepEqual([older.provider, older.romanName, older.revision], [null, 'tokyo23-ku', '1_3']);
    const prefecture = parsePackageName('13_tokyo_pref_2023_citygml_2.ZIP')!;
    assert.deepEqual([prefecture.code, prefecture.provider, prefecture.open], ['13', 'pref', false]);
    assert.equal(parsePackageName('99201_sample-shi_mlit_2022_citygml_op')?.revision, '');
  });

  it('reads providers with a hyphen, and words before the end of the general part', () => {
    const sample = '13999_tokyo_udx-mlit_2023_citygml_2_sample-takeshiba_op';
    const { code, provider, year, revision, words, open, tiles } = parsePackageName(sample)!;
    assert.deepEqual(
      { code, provider, year, revision, words, open, tiles },
      {
        ...{ code: '13999', provider: 'udx-mlit', year: 2023, revision: '2' },
        ...{ words: 'sample-takeshiba', open: true, tiles: null },
      },
    );
    assert.equal(
      parsePackageName('13999_tokyo_2023_citygml_2_sample_of_a_street_op')?.words,
      'sample_of_a_street',
    );
    assert.equal(parsePackageName('13999_tokyo_2023_citygml_sample_op')?.words, 'sample');
    const bridge = parsePackageName(`${sample}_tun_3dtiles_13101_chiyoda-ku_lod3_no_texture`)!;
    assert.deepEqual([bridge.words, bridge.kind], ['sample-takeshiba', '3dtiles']);
    assert.deepEqual(bridge.tiles, {
      ...plain,
      ...{ type: 'tun', wardCode: '13101', wardName: 'chiyoda-ku', lod: 3, noTexture: true },
    });
  });

  it('reads the ward of a city that is packed by wards', () => {
    const { kind, code, ward, tiles } = parsePackageName(
      '27100_osaka-shi_city_2024_citygml_1_op_27120_sumiyoshi-ku',
    )!;
    assert.deepEqual(
      [kind, code, ward, tiles],
      ['citygml', '27100', { code: '27120', romanName: 'sumiyoshi-ku' }, null],
    );
  });

  it('knows when a name follows no rule', () => {
    for (const name of [
      '',
      'data.zip',
      '131_x_2023_citygml_1_op',
      '13101_chiyoda-ku_city_23_citygml_1_op',
      '13101_chiyoda-ku_city_2023_geojson_1_op',
      '13101_chiyoda-ku_city_2023_citygml_1_op (1)',
      '13101_chiyoda-ku_city_2023_citygml_1_op_notes',
      '13101_chiyoda-ku_city_2023_citygml_1_op_codelists',
      '13101_chiyoda-ku_2023_3dtiles_1_op',
      '13101_chiyoda-ku_2023_citygml_1_bldg_mvt_op',
      '13101_chiyoda-ku_2023_citygml_1_sample',
      '13101_chiyoda-ku_2023_3dtiles_1_op_lod2',
      'x/13101_chiyoda-ku_city_2023_citygml_1_op',
    ]) {
      assert.equal(parsePackageName(name), null, name);
    }
  });
});

describe('names of tile packages', () => {
  const tiles = (rest: string): unknown => {
    const parsed = parsePackageName(`01100_sample-shi_city_2023_citygml_2_op_${rest}`);
    return parsed && [parsed.kind, parsed.tiles];
  };

  it('reads type, ward, LOD, interior and texture', () => {
    assert.deepEqual(tiles('bldg_3dtiles_lod2'), ['3dtiles', { ...plain, lod: 2 }]);
    assert.deepEqual(tiles('bldg_3dtiles_01101_chuo-ku_lod2_no_texture'), [
      '3dtiles',
      { ...plain, wardCode: '01101', wardName: 'chuo-ku', lod: 2, noTexture: true },
    ]);
    for (const older of [
      '01101_chuo-ku_bldg_3dtiles_lod2_no_texture',
      '01101_chuo-ku_bldg_lod2_3dtiles_no_texture',
    ]) {
      assert.deepEqual(tiles(older), tiles('bldg_3dtiles_01101_chuo-ku_lod2_no_texture'), older);
    }
    assert.equal(tiles('01101_chuo-ku_3dtiles_lod2'), null);
    assert.deepEqual(tiles('bldg_3dtiles_lod4_interior'), ['3dtiles', { ...plain, lod: 4, interior: true }]);
    assert.deepEqual(
      tiles('bldg_3dtiles_lod4_no_texture_interior'),
      tiles('bldg_3dtiles_lod4_interior_no_texture'),
    );
    assert.deepEqual(tiles('tran_mvt_lod33'), ['mvt', { ...plain, type: 'tran', lod: 3, lodEx: 33 }]);
    assert.deepEqual(tiles('luse_mvt'), ['mvt', { ...plain, type: 'luse' }]);
    assert.deepEqual(tiles('newtype_mvt_lod1'), ['mvt', { ...plain, type: 'newtype', lod: 1 }]);
  });

  it('reads what is below the type', () => {
    const sub = (rest: string): unknown =>
      parsePackageName(`22203_x-shi_city_2023_citygml_1_op_${rest}`)?.tiles?.sub;
    assert.deepEqual(sub('fld_natl_kanogawa_kisegawa_3dtiles_l2-1_no_texture'), {
      code: 'natl_kanogawa_kisegawa_l2-1',
      name: 'natl_kanogawa_kisegawa_l2-1',
      admin: 'natl',
      river: 'kanogawa_kisegawa',
      scale: 'l2',
      scaleSuffix: '1',
    });
    const flat = { admin: null, river: null, scale: null, scaleSuffix: null };
    assert.deepEqual(sub('tnm_22_1_3dtiles'), { code: '22_1', name: '22_1', ...flat });
    assert.deepEqual(sub('urf_UseDistrict_mvt_lod1'), { code: 'usedistrict', name: 'UseDistrict', ...flat });
    assert.equal(sub('fld_mvt'), null);
  });

  it('reads the older order to the same result', () => {
    for (const [older, present] of [
      [
        '2023_3dtiles_2_op_bldg_01101_chuo-ku_lod2_no_texture',
        '2023_citygml_2_op_bldg_3dtiles_01101_chuo-ku_lod2_no_texture',
      ],
      [
        '2023_3dtiles_1_1_op_fld_pref_a-gawa_b-gawa_l1',
        '2023_citygml_1_1_op_fld_pref_a-gawa_b-gawa_3dtiles_l1',
      ],
      ['2023_3dtiles_op_nodem_tnm_22_1', '2023_citygml_op_tnm_22_1_3dtiles'],
      ['2023_mvt_1_op_luse', '2023_citygml_1_op_luse_mvt'],
    ] as const) {
      const [a, b] = [parsePackageName(`01100_s-shi_${older}`), parsePackageName(`01100_s-shi_${present}`)];
      assert.ok(a !== null && b !== null);
      assert.deepEqual({ ...a, directory: '' }, { ...b, directory: '' });
    }
    const zone = parsePackageName('22100_s-shi_2022_3dtiles_1_op_ex-port-shimizuko-bldg_lod2')?.tiles;
    assert.deepEqual([zone?.type, zone?.sub?.code, zone?.lod], ['bldg', 'ex-port-shimizuko', 2]);
    const part = parsePackageName('21201_s-shi_2022_3dtiles_1_op_bldg_lod3_2')?.tiles;
    assert.deepEqual([part?.type, part?.sub?.code, part?.lod], ['bldg', '2', 3]);
  });
});

describe('revisions and identities', () => {
  it('orders revisions by their numbers', () => {
    const sorted = ['', '1', '1_1', '1_3', '2', '10', '10_1'];
    assert.deepEqual([...sorted].reverse().sort(compareRevisions), sorted);
    for (const [i, a] of sorted.entries()) {
      for (const [k, b] of sorted.entries())
        assert.equal(Math.sign(compareRevisions(a, b)), Math.sign(i - k));
    }
    assert.ok(compareRevisions('draft', 'final') < 0);
  });

  it('is the same for revisions and differs for everything else', () => {
    const identity = (name: string): string => {
      const parsed = parsePackageName(name)!;
      return packageIdentity({ ...parsed, wardCode: parsed.tiles?.wardCode ?? null });
    };
    assert.equal(identity('13101_chiyoda-ku_city_2023_citygml_1_op'), 'citygml/13101/city/2023');
    assert.equal(identity('13101_chiyoda-ku_2023_citygml_4_op'), 'citygml/13101/city/2023');
    assert.equal(
      identity('13100_tokyo23-ku_2022_3dtiles_1_1_op_bldg_13101_chiyoda-ku_lod2_no_texture'),
      '3dtiles/13100/city/2022/bldg/13101/lod2/no_texture',
    );
    assert.equal(
      identity('13999_tokyo_udx-mlit_2023_citygml_2_sample-takeshiba_op'),
      'citygml/13999/udx-mlit/2023/words-sample-takeshiba',
    );
    const names = [
      'citygml_1_sample_op',
      'citygml_1_sample_op_bldg_3dtiles',
      'citygml_1_op',
      'citygml_1_op_bldg_3dtiles',
      'citygml_1_op_bldg_3dtiles_lod1',
      'citygml_1_op_bldg_3dtiles_lod1_interior',
      'citygml_1_op_bldg_3dtiles_lod3',
      'citygml_1_op_bldg_3dtiles_lod33',
      'citygml_1_op_bldg_mvt_lod1',
      'citygml_1_op_fld_natl_a_3dtiles_l1',
      'citygml_1_op_fld_natl_a_3dtiles_l2',
    ].map((rest) => identity(`01100_s-shi_city_2023_${rest}`));
    assert.equal(new Set(names).size, names.length);
    assert.notEqual(
      identity('01100_s-shi_pref_2023_citygml_1_op'),
      identity('01100_s-shi_city_2023_citygml_1_op'),
    );
  });
});

describe('real names', () => {
  it('agree with all 1,676 rows of a real catalogue', (t) => {
    const path = new URL('catalogue/3dtiles_url_2023-10-25.json', DATA);
    if (!existsSync(path)) return t.skip('needs ../shared/data');
    interface Row {
      url: string;
      city_code: string;
      ward_code?: string;
      ward_en?: string;
      type_en: string;
      lod?: string;
      no_texture?: boolean;
      year: number;
      scale?: string;
      category?: string;
      group?: string;
    }
    const rows = JSON.parse(readFileSync(path, 'utf8')) as Row[];
    assert.equal(rows.length, 1676);
    const identities = new Map<string, string>();
    for (const row of rows) {
      const name = decodeURIComponent(row.url.split('/').at(-2)!);
      const parsed = parsePackageName(name);
      assert.ok(parsed?.tiles, name);
      // Two sample packages of Gifu carry a LOD in their names that their rows leave out, and their rows
      // name another city; the rows of the ports give the year of the city's other packages.
      if (row.category === undefined) {
        assert.equal(parsed.code, row.city_code, name);
        assert.equal(parsed.tiles.lod, row.lod === undefined ? null : Number(row.lod), name);
      }
      if (row.group === undefined) assert.equal(parsed.year, row.year, name);
      assert.equal(parsed.kind, '3dtiles');
      assert.equal(parsed.tiles.type, row.type_en, name);
      assert.equal(parsed.tiles.wardCode, row.ward_code ?? null, name);
      assert.equal(parsed.tiles.wardName, row.ward_en ?? null, name);
      assert.equal(parsed.tiles.noTexture, row.no_texture ?? false, name);
      if (row.scale !== undefined) {
        const planned = !row.scale.includes('最大');
        assert.equal(parsed.tiles.sub?.scale, planned ? 'l1' : 'l2', name);
        assert.ok(parsed.tiles.sub?.admin, name);
      }
      const identity = packageIdentity({ ...parsed, wardCode: parsed.tiles.wardCode });
      assert.ok(
        !identities.has(identity) || identities.get(identity) === name,
        `${name} and ${identities.get(identity)}`,
      );
      identities.set(identity, name);
    }
  });

  it('agree with real CityGML packages and tile packages', (t) => {
    const plan = new URL('catalogue/ckan_download_plan.csv', DATA);
    if (!existsSync(plan)) return t.skip('needs ../shared/data');
    for (const line of readFileSync(plan, 'utf8').trim().split('\n').slice(1)) {
      const [code, dataset, year, , , url] = line.trim().split(',') as [
        string,
        string,
        string,
        string,
        string,
        string,
      ];
      const parsed = parsePackageName(url.split('/').at(-1)!);
      assert.equal(parsed?.kind, 'citygml', url);
      assert.equal(parsed.code, code);
      assert.equal(parsed.year, Number(year), dataset);
      assert.ok(parsed.provider === 'city' || parsed.provider === 'pref');
    }
    for (const file of readdirSync(new URL('packages/', DATA))) {
      assert.equal(parsePackageName(file)?.kind, 'citygml', file);
    }
    for (const file of readdirSync(new URL('tiles/', DATA))) {
      const parsed = parsePackageName(file);
      assert.equal(parsed?.kind, file.includes('mvt') ? 'mvt' : '3dtiles', file);
      assert.equal(parsed.tiles?.lod, Number(/lod(\d)/.exec(file)?.[1]), file);
    }
  });
});
