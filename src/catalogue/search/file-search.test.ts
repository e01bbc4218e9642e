import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../../base/errors.ts';
import { boundsContain, boundsOverlap } from '../../geo/bounds.ts';
import { isMeshCode, meshBounds } from '../../geo/mesh.ts';
import { spatialIdBounds } from '../../geo/spatial-id.ts';
import type { GmlFileQuery } from '../../store/catalogue-store.ts';
import { listedFile } from '../../store/file-facts.ts';
import type { GmlFileRow, ListedFileRow, PackageRow, PlaceRow } from '../../store/rows.ts';
import { expectedResult, type FileListResult, textOf } from '../testing/file-list.ts';
import { cityPackage, snapshotOf, testUrls, tilePackage } from '../testing/snapshot-rows.ts';
import { type Conditions, parseConditions } from './conditions.ts';
import { FileSearch } from './file-search.ts';
import { Gazetteer, type PlaceMatch } from './gazetteer.ts';
import type { Geocoder } from './geocoder.ts';

/** The store's query by its definition: every file is looked at. */
class FakeStore {
  files: GmlFileRow[] = [];
  queries: GmlFileQuery[] = [];

  async gmlFiles(query: GmlFileQuery): Promise<GmlFileRow[]> {
    this.queries.push(query);
    const { packageNos, types, meshPrefixes, meshes } = query;
    return this.files.filter(
      (file) =>
        (packageNos?.includes(file.packageNo) ?? true) &&
        (types?.includes(file.type) ?? true) &&
        ((meshPrefixes === undefined && meshes === undefined) ||
          meshPrefixes?.some((prefix) => file.mesh.startsWith(prefix)) ||
          meshes?.includes(file.mesh)),
    );
  }

  async *listedFiles(query: GmlFileQuery): AsyncGenerator<ListedFileRow[]> {
    yield (await this.gmlFiles(query)).map(listedFile);
  }

  async places(): Promise<PlaceRow[]> {
    return [];
  }
}

function gml(of: PackageRow, type: string, mesh: string, given: Partial<GmlFileRow> = {}): GmlFileRow {
  return {
    packageNo: of.no,
    path: `udx/${type}/${mesh}_${type}_6697_op.gml`,
    type,
    mesh,
    meshGuessed: false,
    size: 1000,
    features: 10,
    lods: [null, 10, 3, 0, 0],
    maxLod: 2,
    sha256: 'ab'.repeat(32),
    bounds: isMeshCode(mesh) ? meshBounds(mesh) : null,
    minAlt: 0,
    maxAlt: 50,
    crs: 'EPSG:6697',
    areaCodes: [],
    wellFormed: true,
    ...given,
  };
}

async function setUp(packages: PackageRow[], files: GmlFileRow[], geocoder: Geocoder | null = null) {
  const store = new FakeStore();
  store.files = files;
  let snapshot = await snapshotOf(...packages);
  let refreshes = 0;
  const catalogue = {
    current: () => snapshot,
    async refresh() {
      refreshes++;
      return snapshot;
    },
  };
  const search = new FileSearch({
    catalogue,
    store,
    gazetteer: new Gazetteer(catalogue.current, store),
    geocoder,
    urls: testUrls,
  });
  /** The document that answers. */
  const find = async (text: string, options = {}): Promise<FileListResult> => {
    const { json } = await search.search(parseConditions(text, { maxBounds: 1000 }), options);
    return JSON.parse(await textOf(json));
  };
  return {
    search,
    store,
    refreshes: () => refreshes,
    /** What `refresh` finds from now on. */
    publish(now: PackageRow[]): void {
      catalogue.refresh = async () => {
        refreshes++;
        snapshot = await snapshotOf(...now);
        return snapshot;
      };
    },
    find,
    /** `{city code}/{year}: paths` of what is found, without directories and endings. */
    async list(text: string, options = {}): Promise<string[]> {
      const found = await search.searchFiles(parseConditions(text, { maxBounds: 1000 }), options);
      if (found.length > 0 && geocoder === null) {
        // What is kept of whole packages must not tell: the first answer and the next say what the files say.
        const whole = found.map(({ package: of, files: rows }) => ({
          package: of,
          files: rows.map(
            (row) => store.files.find((file) => file.packageNo === of.no && file.path === row.path)!,
          ),
        }));
        const expected = expectedResult(whole, testUrls);
        assert.deepEqual(await find(text, options), expected);
        assert.deepEqual(await find(text, options), expected);
      }
      return found.map(
        ({ package: of, files: rows }) =>
          `${of.wardCode ?? of.cityCode}/${of.year}: ${rows.map((row) => `${row.type} ${row.mesh}`).join(', ')}`,
      );
    },
  };
}

const numazu21 = cityPackage({
  cityCode: '22203',
  city: '沼津市',
  pref: '静岡県',
  year: 2021,
  types: ['bldg', 'luse'],
});
const numazu23 = cityPackage({
  cityCode: '22203',
  city: '沼津市',
  pref: '静岡県',
  year: 2023,
  metadataZips: [
    { directory: 'codelists', size: 5 },
    { directory: 'metadata', size: 6 },
  ],
});
const fuji = cityPackage({ cityCode: '22210', city: '富士市', pref: '静岡県', year: 2022 });
const CITIES = [numazu21, numazu23, fuji];
const FILES = [
  gml(numazu21, 'bldg', '52385721'),
  gml(numazu21, 'luse', '523857'),
  gml(numazu23, 'bldg', '52385721'),
  gml(numazu23, 'bldg', '523857222'),
  gml(numazu23, 'zzz', '52385722', { path: 'udx/zzz/a b+,;.gml' }),
  gml(fuji, 'bldg', '52385721'),
  gml(fuji, 'dem', '5238'),
  gml(fuji, 'tran', '', { path: 'udx/tran/nowhere.gml', bounds: null, lods: [] }),
];

describe('files by condition', () => {
  it('answers with one list per package and their union', async () => {
    const { find } = await setUp(CITIES, FILES);
    const result = await find('m:523857');
    assert.deepEqual(
      result.cities.map((city) => [city.cityCode, city.year, Object.keys(city.files)]),
      [
        ['22203', 2023, ['bldg', 'zzz']],
        ['22210', 2022, ['bldg', 'dem']],
        ['22203', 2021, ['bldg', 'luse']],
      ],
    );
    const [newest] = result.cities;
    const base = `https://cms.example/assets/${numazu23.assetPath}/${numazu23.name}`;
    assert.deepEqual(newest, {
      cityCode: '22203',
      cityName: '沼津市',
      year: 2023,
      registrationYear: 2024,
      spec: '4.1',
      url: `${base}.zip`,
      metadataZipUrls: [`${base}_codelists.zip`, `${base}_metadata.zip`],
      files: newest!.files,
      featureTypes: { bldg: { name: '建築物モデル' }, zzz: { name: 'zzz' } },
    });
    const bounds = meshBounds('52385721');
    assert.deepEqual(newest!.files.bldg![0], {
      code: '52385721',
      maxLod: 2,
      url: `${base}/udx/bldg/52385721_bldg_6697_op.gml`,
      fileSize: 1000,
      features: 10,
      lod0: null,
      lod1: 10,
      lod2: 3,
      lod3: 0,
      lod4: 0,
      sha256: 'ab'.repeat(32),
      bbox: [bounds.west, bounds.south, bounds.east, bounds.north],
    });
    const odd = newest!.files.zzz![0]!.url;
    assert.equal(new URL(odd).href, odd);
    assert.equal(decodeURIComponent(odd), `${base}/udx/zzz/a b+,;.gml`);

    const { cities, ...top } = result;
    assert.deepEqual([top.cityCode, top.year, top.url], ['22203', 2023, `${base}.zip`]);
    assert.deepEqual(Object.keys(top.files), ['bldg', 'luse', 'dem', 'zzz']);
    assert.deepEqual(Object.keys(top.featureTypes), Object.keys(top.files));
    assert.equal(top.files.bldg!.length, 4);
    assert.equal(
      Object.values(top.files).flat().length,
      cities.flatMap((city) => Object.values(city.files).flat()).length,
    );
    assert.deepEqual(top.metadataZipUrls, newest!.metadataZipUrls);
  });

  it('keeps the types and years that are asked for', async () => {
    const { list } = await setUp(CITIES, FILES);
    assert.deepEqual(await list('22203', { types: ['bldg'] }), [
      '22203/2023: bldg 52385721, bldg 523857222',
      '22203/2021: bldg 52385721',
    ]);
    assert.deepEqual(await list('22203', { latest: true, types: ['bldg'] }), [
      '22203/2023: bldg 52385721, bldg 523857222',
    ]);
    assert.deepEqual(await list('m:52385721', { latest: true }), [
      '22203/2023: bldg 52385721',
      '22210/2022: bldg 52385721, dem 5238',
    ]);
    assert.deepEqual(await list('22203', { latest: true, types: ['luse'] }), ['22203/2021: luse 523857']);
  });

  it('finds by mesh, by exact mesh, by point, by box, by spatial ID', async () => {
    const { list, store } = await setUp(CITIES, FILES);
    assert.deepEqual(await list('m:5238572211'), [
      '22203/2023: zzz 52385722',
      '22210/2022: dem 5238',
      '22203/2021: luse 523857',
    ]);
    assert.deepEqual(await list('m:523857222,52385721', { types: ['bldg'], latest: true }), [
      '22203/2023: bldg 52385721, bldg 523857222',
      '22210/2022: bldg 52385721',
    ]);
    assert.deepEqual(await list('mm:523857'), ['22203/2021: luse 523857']);
    assert.deepEqual(await list('mm:52385722,5238'), ['22203/2023: zzz 52385722', '22210/2022: dem 5238']);
    const { west, south, east, north } = meshBounds('52385722');
    const [lng, lat] = [(west + east) / 2, (south + north) / 2];
    assert.deepEqual(await list(`r:${west},${south}`), await list('m:5238572211'));
    // A box that only touches the mesh in the west does not find it.
    assert.deepEqual(await list(`r:${lng},${lat},${east},${north}`, { types: ['bldg', 'zzz'] }), [
      '22203/2023: zzz 52385722',
    ]);
    assert.deepEqual(await list(`r:${west},${south},${lng},${north}`, { types: ['bldg', 'zzz'] }), [
      '22203/2023: zzz 52385722',
    ]);
    assert.equal(store.queries.at(-1)!.meshPrefixes!.length, 1);
    const everything = ['22203/2023: bldg 52385721, bldg 523857222, zzz 52385722'];
    assert.deepEqual(await list('s:0/0/0/0', { types: ['bldg', 'zzz'], latest: true }), [
      ...everything,
      '22210/2022: bldg 52385721',
    ]);
    assert.deepEqual(await list('r:-180,-90,180,90', { types: ['bldg', 'zzz'], latest: true }), [
      ...everything,
      '22210/2022: bldg 52385721',
    ]);
    assert.deepEqual(await list('r:0,0'), []);
    assert.deepEqual(await list('r:-20,-20,-10,-10'), []);
  });

  it('says why nothing was found', async () => {
    const { find } = await setUp(CITIES, FILES);
    const reason = async (text: string, options = {}): Promise<string> => {
      const error = await find(text, options).catch((thrown) => thrown);
      assert.ok(error instanceof ServiceError, text);
      assert.deepEqual([error.status, error.message], [404, 'not found']);
      return error.reason!;
    };
    assert.match(await reason('m:53394509'), /No published CityGML file lies there/);
    assert.match(
      await reason('22203', { types: ['fld', 'tnm'] }),
      /of type fld, tnm; there are bldg, .*luse/,
    );
    assert.match(await reason('01100'), /published for 01100/);
    assert.match(await reason('g:どこか'), /"どこか"/);
  });

  it('finds what the definition of each condition says', async () => {
    const packages = [...CITIES, cityPackage({ cityCode: '14101', year: 2020 })];
    const meshDigit = (max: number, min = 0): fc.Arbitrary<number> => fc.integer({ min, max });
    const mesh = fc
      .tuple(
        fc.constantFrom(4, 6, 6, 8, 8, 8, 8, 9, 10, 11),
        fc.constantFrom('5238', '5338', '5239'),
        meshDigit(7),
        fc.constantFrom(0, 1, 7),
        meshDigit(9),
        fc.constantFrom(0, 1, 9),
        meshDigit(4, 1),
        meshDigit(4, 1),
        meshDigit(4, 1),
      )
      .map(([length, ...rest]) => rest.join('').slice(0, length));
    const lng = fc.double({ min: 137.9, max: 140.1, noNaN: true });
    const lat = fc.double({ min: 34.5, max: 36.1, noNaN: true });
    const span = fc.constantFrom(1e-4, 0.01, 0.1, 0.5, 2);
    const condition: fc.Arbitrary<Conditions> = fc.oneof(
      fc.record({
        kind: fc.constant('mesh' as const),
        codes: fc.array(mesh, { minLength: 1, maxLength: 4 }),
        exact: fc.boolean(),
      }),
      fc.record({ kind: fc.constant('point' as const), lng, lat }),
      fc.tuple(lng, lat, span, span).map(([west, south, width, height]) => ({
        kind: 'box' as const,
        bounds: { west, south, east: west + width, north: south + height },
      })),
      fc.array(fc.tuple(meshDigit(18), lng, lat), { minLength: 1, maxLength: 4 }).map((cells) => ({
        kind: 'spatial-id' as const,
        ids: cells.map(([z, x, y]) => {
          const cells = 2 ** z;
          const row = (1 - Math.asinh(Math.tan((y * Math.PI) / 180)) / Math.PI) / 2;
          return { z, x: Math.floor(((x + 180) / 360) * cells), y: Math.floor(row * cells), f: null };
        }),
      })),
    );
    const finds = (file: string, conditions: Conditions): boolean => {
      const cell = meshBounds(file);
      switch (conditions.kind) {
        case 'mesh':
          return conditions.codes.some((code) =>
            conditions.exact ? file === code : file.startsWith(code) || code.startsWith(file),
          );
        case 'point':
          return boundsContain(cell, conditions.lng, conditions.lat);
        case 'box':
          return boundsOverlap(cell, conditions.bounds);
        case 'spatial-id':
          return conditions.ids.some((id) => boundsOverlap(cell, spatialIdBounds(id)));
        default:
          throw new Error('no oracle');
      }
    };
    const { search, store } = await setUp(packages, []);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...packages), mesh), { maxLength: 80 }),
        fc.array(condition, { minLength: 1, maxLength: 5 }),
        async (files, conditions) => {
          store.files = files.map(([of, code], i) => gml(of, 'bldg', code, { path: String(i) }));
          for (const each of conditions) {
            const found = await search.searchFiles(each);
            assert.deepEqual(
              found.flatMap((one) => one.files.map((file) => file.path)).sort(),
              store.files
                .filter((file) => finds(file.mesh, each))
                .map((file) => file.path)
                .sort(),
            );
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

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
    assert.deepEqual(await list('01103'), []);
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

  it("restricts it to the extent of the ward's tiles where files name none, else not at all", async () => {
    const files = sapporoFiles.map((file) => ({
      ...file,
      areaCodes: file.areaCodes.length > 0 ? ['01100'] : [],
    }));
    const { west, south, east, north } = meshBounds('64414278');
    const inside = { west: west + 1e-4, south: south + 1e-4, east: east - 1e-4, north: north - 1e-4 };
    const tiles = tilePackage({}, { cityCode: '01100', wardCode: '01102', bounds: inside });
    const { list } = await setUp([sapporo, tiles], files);
    assert.deepEqual(await list('01102'), ['01100/2023: bldg 64414278, dem 644142']);
    assert.equal((await list('01101'))[0]!.split(',').length, 6);
  });

  it('finds the special wards in their own packages and in those of all 23', async () => {
    const tokyo = cityPackage({ cityCode: '13100', city: '東京都23区', pref: '東京都', year: 2022 });
    const chiyoda = cityPackage({ cityCode: '13101', city: '千代田区', pref: '東京都', year: 2023 });
    const { list } = await setUp(
      [tokyo, chiyoda],
      [
        gml(tokyo, 'bldg', '53394509', { areaCodes: ['13101'] }),
        gml(tokyo, 'bldg', '53394499', { areaCodes: ['13102'] }),
        gml(chiyoda, 'bldg', '53394509', { areaCodes: ['13101'] }),
      ],
    );
    assert.deepEqual(await list('13101'), ['13101/2023: bldg 53394509', '13100/2022: bldg 53394509']);
    assert.deepEqual(await list('13100'), [
      '13101/2023: bldg 53394509',
      '13100/2022: bldg 53394509, bldg 53394499',
    ]);
    assert.deepEqual(await list('13102'), ['13100/2022: bldg 53394499']);
    assert.deepEqual(await list('13'), await list('13100'));
    assert.deepEqual(await list('13115'), []);
  });
});

describe('files by place name', () => {
  const match = (given: Partial<PlaceMatch>): PlaceMatch => ({
    label: '',
    codes: [],
    bounds: null,
    complete: true,
    ...given,
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

describe('a catalogue that changes meanwhile', () => {
  const older = cityPackage({ cityCode: '22203', revision: '1' });
  const newer = cityPackage({ cityCode: '22203', revision: '2' });

  it('is asked to catch up when a package was replaced', async () => {
    for (const condition of ['m:52385721', '22203']) {
      const { list, store, publish, refreshes } = await setUp([older], [gml(older, 'bldg', '52385721')]);
      assert.equal((await list(condition)).length, 1);
      assert.equal(refreshes(), 0);
      store.files = [gml(newer, 'bldg', '52385721'), gml(newer, 'dem', '523857')];
      publish([newer]);
      assert.deepEqual(await list(condition), ['22203/2023: bldg 52385721, dem 523857']);
      assert.equal(refreshes(), 1);
    }
  });

  it('is not waited for for ever', async () => {
    const { list, refreshes } = await setUp([older], []);
    assert.deepEqual(await list('22203'), []);
    assert.equal(refreshes(), 1);
  });
});
