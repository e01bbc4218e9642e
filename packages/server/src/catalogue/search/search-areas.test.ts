/** Files by municipality, ward and place name. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { meshBounds } from '@citymodel/geo';
import { CITIES, FILES, gml, question, setUp } from '../testing/search-of.ts';
import { cityPackage } from '../testing/snapshot-rows.ts';
import type { PlaceMatch } from './gazetteer.ts';
import type { Geocoder } from './geocoder.ts';

describe('files by area', () => {
  const sapporo = cityPackage({ cityCode: '01100', city: '札幌市', pref: '北海道' });
  const perWard = cityPackage({
    cityCode: '01100',
    city: '札幌市',
    pref: '北海道',
    wardCode: '01101',
    ward: '中央区',
    year: 2024,
  });
  const sapporoFiles = [
    gml(sapporo, 'bldg', '64414277', { areaCodes: ['01101'] }),
    gml(sapporo, 'bldg', '64414278', { areaCodes: ['01102', '01101'] }),
    gml(sapporo, 'bldg', '64414279', { areaCodes: ['01102'] }),
    gml(sapporo, 'dem', '644142'),
    gml(sapporo, 'luse', '64414279', { areaCodes: ['01100'] }),
    gml(sapporo, 'tran', '644142772'),
  ];

  it('finds a designated city with what is stored per ward', async () => {
    const { list } = await setUp([sapporo, perWard], [...sapporoFiles, gml(perWard, 'bldg', '64414277')]);
    assert.equal((await list('01100')).length, 2);
    assert.equal((await list('01')).length, 2);
    // The ward's own newer files take the place of those that name only it.
    assert.deepEqual(await list('01101', { types: ['bldg'] }), [
      '01101/2024: bldg 64414277',
      '01100/2023: bldg 64414278',
    ]);
  });

  it('restricts a city to the meshes of a ward where its files name wards', async () => {
    const { list, store } = await setUp([sapporo], sapporoFiles);
    assert.deepEqual(await list('01101'), [
      '01100/2023: bldg 64414277, bldg 64414278, dem 644142, tran 644142772',
    ]);
    assert.deepEqual(await list('01101', { types: ['dem'] }), ['01100/2023: dem 644142']);
    assert.deepEqual(await list('01102', { types: ['luse', 'bldg'] }), [
      '01100/2023: bldg 64414278, bldg 64414279, luse 64414279',
    ]);
    assert.deepEqual(await list('01101,01102', { types: ['bldg'] }), [
      '01100/2023: bldg 64414277, bldg 64414278, bldg 64414279',
    ]);
    assert.ok(store.queries.every((query) => query.packageNos?.length === 1));
  });

  it('finds all files that name no ward for a ward that none names, and all where none names any', async () => {
    const { list, find } = await setUp([sapporo], sapporoFiles);
    assert.deepEqual(await list('01103'), ['01100/2023: dem 644142, luse 64414279, tran 644142772']);
    assert.deepEqual((await list('01101,01103'))[0]!.split(',').length, 5);
    const named = sapporoFiles.filter(({ type }) => type === 'bldg');
    const bldgOnly = await setUp([sapporo], named);
    await assert.rejects(bldgOnly.find('01103'), { message: 'not found' });
    await assert.rejects(find('01103', { types: ['bldg'] }), { message: 'not found' });
    const none = sapporoFiles.map((file) => ({
      ...file,
      areaCodes: file.areaCodes.length > 0 ? ['01100'] : [],
    }));
    const { list: listAll } = await setUp([sapporo], none);
    assert.equal((await listAll('01103'))[0]!.split(',').length, 6);
  });

  it('keeps files of a city in meshes where a newer package of the ward has none', async () => {
    const { list, search } = await setUp(
      [sapporo, perWard],
      [
        ...sapporoFiles,
        gml(sapporo, 'bldg', '64414287', { areaCodes: ['01101'] }),
        gml(sapporo, 'tran', '64414277', { areaCodes: ['01101'] }),
        gml(perWard, 'bldg', '64414277'),
      ],
    );
    const found = [
      '01101/2024: bldg 64414277',
      '01100/2023: bldg 64414278, bldg 64414279, bldg 64414287, dem 644142, luse 64414279, tran 644142772, tran ' +
        '64414277',
    ];
    assert.deepEqual(await list('01100'), found);
    assert.deepEqual(await list('m:6441'), found);
    assert.deepEqual(await list('m:64414287', { types: ['bldg'] }), ['01100/2023: bldg 64414287']);
    const { found: counts } = await search.count(question('m:6441'));
    assert.deepEqual(
      [...counts.packages.values()].map((types) => types.get('bldg')?.files),
      [1, 3],
    );
  });

  it('finds a special ward once: in its own package, else in that of all 23', async () => {
    const tokyo = cityPackage({ cityCode: '13100', city: '東京都23区', pref: '東京都', year: 2022 });
    const chiyoda = cityPackage({ cityCode: '13101', city: '千代田区', pref: '東京都', year: 2023 });
    const { list } = await setUp(
      [tokyo, chiyoda],
      [
        gml(tokyo, 'bldg', '53394509', { areaCodes: ['13101'] }),
        gml(tokyo, 'bldg', '53394519', { areaCodes: ['13101', '13102'] }),
        gml(tokyo, 'bldg', '53394499', { areaCodes: ['13102'] }),
        gml(tokyo, 'luse', '533945'),
        gml(chiyoda, 'bldg', '53394509', { areaCodes: ['13101'] }),
      ],
    );
    assert.deepEqual(await list('13101'), [
      '13101/2023: bldg 53394509',
      '13100/2022: bldg 53394519, luse 533945',
    ]);
    const all = ['13101/2023: bldg 53394509', '13100/2022: bldg 53394499, bldg 53394519, luse 533945'];
    assert.deepEqual(await list('13100'), all);
    assert.deepEqual(await list('r:139,35,140,36'), all);
    assert.deepEqual(await list('13102'), ['13100/2022: bldg 53394499, bldg 53394519, luse 533945']);
    assert.deepEqual(await list('13115'), ['13100/2022: luse 533945']);
    assert.equal((await list('13100', { years: 'all' }))[1]!.split(',').length, 4);
  });
});

describe('files by place name', () => {
  const match = (more: Partial<PlaceMatch>): PlaceMatch => ({
    label: '',
    codes: [],
    bounds: null,
    complete: true,
    ...more,
  });
  const { west, south, east, north } = meshBounds('52385722');

  it('finds areas by their codes', async () => {
    const { list } = await setUp(CITIES, FILES);
    assert.deepEqual(await list('g:富士市'), await list('22210'));
    assert.deepEqual(await list('g:静岡'), await list('22'));
  });

  it('asks the outside geocoder only for what the gazetteer does not understand', async () => {
    const asked: string[] = [];
    let answer: PlaceMatch[] = [match({ bounds: { west: west + 1e-5, south: south + 1e-5, east, north } })];
    const geocoder: Geocoder = {
      async locate(name) {
        asked.push(name);
        return answer;
      },
    };
    const { list } = await setUp(CITIES, FILES, geocoder);
    await list('g:沼津市');
    assert.deepEqual(asked, []);
    assert.deepEqual(await list('g:沼津港', { types: ['zzz', 'bldg'] }), [
      '22203/2023: bldg 523857222, zzz 52385722',
    ]);
    answer = [match({ bounds: { west, south, east: west, north: south } })];
    assert.deepEqual(await list('g:点'), await list(`r:${west},${south}`));
    answer = [];
    assert.deepEqual(await list('g:沼津市どこか'), await list('22203'));
    assert.deepEqual(await list('g:どこか'), []);
    assert.deepEqual(asked, ['沼津港', '点', '沼津市どこか', 'どこか']);
  });

  it('finds a file once where several places hold it', async () => {
    const box = { west: west + 1e-5, south: south + 1e-5, east: east - 1e-5, north: north - 1e-5 };
    const geocoder: Geocoder = { locate: async () => [match({ bounds: box }), match({ bounds: box })] };
    const { list } = await setUp(CITIES, FILES, geocoder);
    assert.deepEqual(await list('g:二つ', { types: ['zzz', 'dem'] }), [
      '22203/2023: zzz 52385722',
      '22210/2022: dem 5238',
    ]);
  });
});
