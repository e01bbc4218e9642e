import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareTexts } from '@citymodel/base';
import {
  boundsOverlap,
  formatSpatialId,
  isMeshCode,
  meshBounds,
  spatialIdBounds,
  spatialIdOf,
} from '@citymodel/geo';
import type {
  GmlFileQuery,
  GmlFileRow,
  ListedFileRow,
  MeasuredFileRow,
  PackageRow,
  PlaceRow,
} from '@citymodel/store';
import { listedFile } from '@citymodel/store/testing';
import fc from 'fast-check';
import { ServiceError } from '../../base/errors.ts';
import { Filters } from '../../base/filter.ts';
import { expectedResult, type FileListResult, textOf } from '../testing/file-list.ts';
import { cityPackage, snapshotOf, testUrls } from '../testing/snapshot-rows.ts';
import { type Conditions, parseConditions } from './conditions.ts';
import { type FileFilter, typesFilter, yearsFilter } from './file-filter.ts';
import { type FileQuestion, FileSearch } from './file-search.ts';
import { Gazetteer, type PlaceMatch } from './gazetteer.ts';
import type { Geocoder } from './geocoder.ts';
import type { Years } from './years.ts';

/** The store's query by its definition: every file is looked at. */
class FakeStore {
  files: GmlFileRow[] = [];
  queries: GmlFileQuery[] = [];

  async gmlFiles(query: GmlFileQuery): Promise<GmlFileRow[]> {
    const { after = '', limit = Infinity } = query;
    this.queries.push(query);
    const { packageNos, types, meshPrefixes, meshes } = query;
    const sorted = this.files.toSorted((a, b) => compareTexts(a.path, b.path));
    const found = sorted.filter(
      (file) =>
        (packageNos?.includes(file.packageNo) ?? true) &&
        (types?.includes(file.type) ?? true) &&
        ((meshPrefixes === undefined && meshes === undefined) ||
          meshPrefixes?.some((prefix) => file.mesh.startsWith(prefix)) ||
          meshes?.includes(file.mesh)) &&
        file.path > after,
    );
    return found.slice(0, limit);
  }

  async *listedFiles(query: GmlFileQuery): AsyncGenerator<ListedFileRow[]> {
    const rows = (await this.gmlFiles(query)).map(listedFile);
    // In pages, as a database gives them.
    for (let at = 0; at < rows.length; at += 3) yield rows.slice(at, at + 3);
  }

  async *placedFiles(query: GmlFileQuery): AsyncGenerator<MeasuredFileRow[]> {
    const rows = (await this.gmlFiles(query)).map(
      ({ packageNo, type, mesh, areaCodes, size, features, maxLod }) => ({
        packageNo,
        type,
        mesh,
        areaCodes: areaCodes.join(),
        size,
        features,
        maxLod,
      }),
    );
    for (let at = 0; at < rows.length; at += 3) yield rows.slice(at, at + 3);
  }

  async places(): Promise<PlaceRow[]> {
    return [];
  }
}

function gml(of: PackageRow, type: string, mesh: string, more: Partial<GmlFileRow> = {}): GmlFileRow {
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
    ...more,
  };
}

/** What tests ask of files. */
interface Asked {
  types?: string[];
  years?: Years;
  further?: FileFilter;
}

function question(
  conditions: string | Conditions,
  { types, years = 'newest', further }: Asked = {},
): FileQuestion {
  return {
    conditions:
      typeof conditions === 'string' ? parseConditions(conditions, { maxBounds: 1000 }) : conditions,
    filters: new Filters([typesFilter(types ?? null), yearsFilter(years), further ?? null]),
  };
}

/** Packages that say which types their files have. */
function withTypes(packages: PackageRow[], files: GmlFileRow[]): PackageRow[] {
  return packages.map((of) => {
    const types = new Set(files.filter((file) => file.packageNo === of.no).map(({ type }) => type));
    return types.size === 0 ? of : { ...of, types: [...types] };
  });
}

async function setUp(packages: PackageRow[], files: GmlFileRow[], geocoder: Geocoder | null = null) {
  const store = new FakeStore();
  store.files = files;
  let snapshot = await snapshotOf(...withTypes(packages, files));
  let refreshes = 0;
  const catalogue = {
    current: () => snapshot,
    async refresh() {
      refreshes++;
      return snapshot;
    },
  };
  const options = {
    catalogue,
    store,
    gazetteer: new Gazetteer(catalogue.current, store),
    geocoder,
    urls: testUrls,
    cacheBytes: 1_000_000,
  };
  const search = new FileSearch(options);
  const streaming = new FileSearch({ ...options, maxWholeBytes: 0 });
  /** The document that answers. */
  const find = async (text: string, asked: Asked = {}, by = search): Promise<FileListResult> =>
    JSON.parse(await textOf(await by.search(question(text, asked))));
  return {
    search,
    streaming,
    store,
    refresh: () => catalogue.refresh(),
    refreshes: () => refreshes,
    /** What `refresh` finds from now on. */
    publish(now: PackageRow[]): void {
      catalogue.refresh = async () => {
        refreshes++;
        snapshot = { ...(await snapshotOf(...withTypes(now, store.files))), version: snapshot.version + 1 };
        return snapshot;
      };
    },
    find,
    /** `{city code}/{year}: paths` of what is found, without directories and endings. */
    async list(text: string, asked: Asked = {}): Promise<string[]> {
      const { packages } = await search.searchFiles(question(text, asked));
      const found = packages.map(({ package: of, types }) => ({
        package: of,
        files: [...types.keys()].sort().flatMap((type) => types.get(type)!.rows),
      }));
      if (found.length > 0 && geocoder === null) {
        // The first answer, the one that is kept and the one that is streamed say what the files say.
        const whole = found.map(({ package: of, files: rows }) => ({
          package: of,
          files: rows.map(
            (row) => store.files.find((file) => file.packageNo === of.no && file.path === row.path)!,
          ),
        }));
        const expected = expectedResult(whole, testUrls);
        assert.deepEqual(await find(text, asked), expected);
        assert.deepEqual(await find(text, asked), expected);
        assert.deepEqual(await find(text, asked, streaming), expected);
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

describe('files outside of the meshes of Japan', () => {
  const cologne = { west: 6.94, south: 50.93, east: 6.98, north: 50.95 };
  const abroad = {
    ...cityPackage({ cityCode: '99001', city: 'Köln', pref: 'NRW', year: 2024 }),
    bounds: cologne,
  };
  const tile = (path: string, type: string, west: number, more: Partial<GmlFileRow> = {}) =>
    gml(abroad, type, '', {
      path: `udx/${type}/${path}.gml`,
      bounds: { ...cologne, west, east: west + 0.01 },
      ...more,
    });
  const files = [
    ...FILES,
    tile('west', 'bldg', 6.94),
    tile('east', 'bldg', 6.97),
    tile('road', 'tran', 6.94),
    tile('lost', 'bldg', 6.94, { bounds: null }),
  ];

  it('are found by box, point and spatial ID where their extents are, as other files by their meshes', async () => {
    const { search, find } = await setUp([...CITIES, abroad], files);
    const paths = async (text: string, asked: Asked = {}) => {
      const { packages } = await search.searchFiles(question(text, asked));
      const found = packages.flatMap(({ types }) => [...types.values()].flatMap(({ rows }) => rows));
      const { found: counts } = await search.count(question(text, asked));
      const sums = [...counts.packages.values()].flatMap((types) => [...types.values()]);
      assert.equal(
        sums.reduce((sum, count) => sum + count.files, 0),
        found.length,
      );
      return found.map(({ path }) => path.slice(4, -4)).sort();
    };
    assert.deepEqual(await paths('r:6.93,50.92,6.945,50.96'), ['bldg/west', 'tran/road']);
    assert.deepEqual(await paths('r:6.93,50.92,6.99,50.96', { types: ['bldg'] }), ['bldg/east', 'bldg/west']);
    assert.deepEqual(await paths('r:6.975,50.94'), ['bldg/east']);
    const sid = formatSpatialId(spatialIdOf(6.975, 50.94, null, 20));
    assert.deepEqual(await paths(`s:${sid}`), ['bldg/east']);
    assert.deepEqual(await paths('r:6.96,50.94'), []);
    const everywhere = await paths('r:0,0,140,60', { years: 'all' });
    assert.equal(everywhere.length, FILES.length - 1 + 3);
    assert.deepEqual(Object.keys((await find('r:6.975,50.94')).files), ['bldg']);
  });

  it('cost what they are looked at', async () => {
    const many = Array.from({ length: 4_000 }, (_, i) => tile(`${i}`, 'bldg', 6.94));
    const { search } = await setUp([abroad], many);
    const cells = Array.from({ length: 1_000 }, (_, i) => {
      const { z, x, y } = spatialIdOf(6.95, 50.94, null, 22);
      return `${z}/${x + (i % 40)}/${y + Math.floor(i / 40)}`;
    });
    await assert.rejects(search.searchFiles(question(`s:${cells.join()}`)), /request too large/);
  });
});

describe('files by condition', () => {
  it('answers with one list per package and their union', async () => {
    const { find } = await setUp(CITIES, FILES);
    const result = await find('m:523857', { years: 'all' });
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

  it('keeps the types that are asked for', async () => {
    const { list } = await setUp(CITIES, FILES);
    assert.deepEqual(await list('22203', { types: ['bldg'] }), ['22203/2023: bldg 52385721, bldg 523857222']);
    assert.deepEqual(await list('22203', { types: ['luse', 'zzz'] }), [
      '22203/2023: zzz 52385722',
      '22203/2021: luse 523857',
    ]);
  });

  it('finds of each municipality and type the newest year, or the years that are asked for', async () => {
    const { list } = await setUp(CITIES, FILES);
    const newest = ['22203/2023: bldg 52385721, bldg 523857222, zzz 52385722', '22203/2021: luse 523857'];
    assert.deepEqual(await list('22203'), newest);
    assert.deepEqual(await list('m:523857'), [newest[0], '22210/2022: bldg 52385721, dem 5238', newest[1]]);
    // Although no newer file lies there: the newest year does not depend on the place.
    assert.deepEqual(await list('mm:52385721'), ['22203/2023: bldg 52385721', '22210/2022: bldg 52385721']);
    assert.deepEqual(await list('22203', { years: 'all' }), [
      newest[0],
      '22203/2021: bldg 52385721, luse 523857',
    ]);
    assert.deepEqual(await list('22203', { years: new Set([2021, 2019]) }), [
      '22203/2021: bldg 52385721, luse 523857',
    ]);
    assert.deepEqual(await list('22', { years: new Set([2022]) }), [
      '22210/2022: bldg 52385721, dem 5238, tran ',
    ]);
    assert.deepEqual(await list('22203', { years: new Set([2022]) }), []);
  });

  it('finds by mesh, by exact mesh, by point, by box, by spatial ID', async () => {
    const { list, store } = await setUp(CITIES, FILES);
    assert.deepEqual(await list('m:5238572211'), [
      '22203/2023: zzz 52385722',
      '22210/2022: dem 5238',
      '22203/2021: luse 523857',
    ]);
    assert.deepEqual(await list('m:523857222,52385721', { types: ['bldg'] }), [
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
    assert.equal(store.queries.findLast((query) => query.meshPrefixes)!.meshPrefixes!.length, 1);
    const everything = ['22203/2023: bldg 52385721, bldg 523857222, zzz 52385722'];
    assert.deepEqual(await list('s:0/0/0/0', { types: ['bldg', 'zzz'] }), [
      ...everything,
      '22210/2022: bldg 52385721',
    ]);
    assert.deepEqual(await list('r:-180,-90,180,90', { types: ['bldg', 'zzz'] }), [
      ...everything,
      '22210/2022: bldg 52385721',
    ]);
    assert.deepEqual(await list('r:0,0'), []);
    assert.deepEqual(await list('r:-20,-20,-10,-10'), []);
  });

  it('says why nothing was found', async () => {
    const { find } = await setUp(CITIES, FILES);
    const reason = async (text: string, asked: Asked = {}): Promise<string> => {
      const error = await find(text, asked).catch((thrown) => thrown);
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
          return (
            cell.west <= conditions.lng &&
            conditions.lng < cell.east &&
            cell.south <= conditions.lat &&
            conditions.lat < cell.north
          );
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
          for (const condition of conditions) {
            const found = await search.searchFiles(question(condition, { years: 'all' }));
            assert.deepEqual(
              found.packages
                .flatMap(({ types }) =>
                  [...types.values()].flatMap(({ rows }) => rows.map(({ path }) => path)),
                )
                .sort(),
              store.files
                .filter((file) => finds(file.mesh, condition))
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

describe('answers of all sizes', () => {
  const files = Array.from({ length: 5_000 }, (_, i) =>
    gml(numazu23, i % 2 === 0 ? 'bldg' : 'luse', '52385721', {
      path: `udx/${String(i).padStart(5, '0')}.gml`,
    }),
  );
  const everything = question('22');

  it('keeps an answer for those who ask again, until the catalogue changes', async () => {
    const { search, store, publish, refresh, find } = await setUp([numazu23, fuji], files);
    assert.equal(search.kept(everything), undefined);
    const [one, other] = await Promise.all([search.search(everything), search.search(everything)]);
    assert.equal(one, other);
    for (const again of [everything, question('22')]) assert.equal(search.kept(again), one);
    assert.equal(search.kept(question('22', { years: 'all' })), undefined);
    const queries = store.queries.length;
    assert.equal(await search.search(question('22')), one);
    assert.equal(store.queries.length, queries);
    assert.notEqual(await search.search(question('22', { years: 'all' })), one);
    assert.notEqual(await search.search(question('22', { types: ['luse'] })), one);
    store.files = files.slice(1);
    publish([{ ...numazu23, no: 999 }]);
    await refresh();
    assert.equal(search.kept(everything), undefined);
    await assert.rejects(find('22'), { message: 'not found' });
  });

  it('says the same of a filter in every way of answering, although none of them knows it', async () => {
    const { find, search, streaming } = await setUp(CITIES, FILES);
    const short: FileFilter = {
      name: 'short',
      key: 'short',
      words: 'of a short mesh code',
      at: () => ({ accepts: (_, { mesh }) => mesh.length < 8, mayHave: () => true }),
    };
    for (const text of ['22203', 'm:5238', 's:0/0/0/0']) {
      const [all, some] = [question(text), question(text, { further: short })];
      const kept = JSON.parse(await textOf(await search.search(all)));
      const found = await find(text, { further: short });
      const count = ({ files }: FileListResult) =>
        Object.values(files).reduce((sum, { length }) => sum + length, 0);
      assert.ok(count(found) > 0 && count(found) < count(kept), text);
      assert.deepEqual(await find(text, { further: short }, streaming), found);
      assert.equal((await search.searchFiles(some)).files, (await search.search(some)).files);
      const { found: counts } = await search.count(some);
      const sums = [...counts.packages.values()].flatMap((types) => [...types.values()]);
      assert.equal(
        sums.reduce((sum, { files }) => sum + files, 0),
        (await search.search(some)).files,
      );
      assert.deepEqual(JSON.parse(await textOf(await search.search(all))), kept);
    }
  });

  it('reads a large answer some files at a time, and nothing before it is asked for', async () => {
    const { search: _, store, streaming } = await setUp([numazu23, fuji], files);
    const answer = await streaming.search(everything);
    assert.ok(answer.kind === 'streamed');
    store.queries = [];
    const pieces = answer.pieces();
    let largest = 0;
    let queries = 0;
    for await (const piece of pieces) {
      largest = Math.max(largest, piece.length);
      assert.ok(store.queries.length <= queries + 1, 'one query for each piece');
      queries = store.queries.length;
    }
    assert.ok(largest < 128 * 1_024, `${largest} bytes`);
    assert.ok(store.queries.every((query) => query.limit === 160));
  });

  it('breaks off when a package goes while its files are sent', async () => {
    const { store, streaming } = await setUp([numazu23, fuji], files);
    const answer = await streaming.search(everything);
    store.files = files.slice(0, 4_000);
    await assert.rejects(textOf(answer), { message: 'unavailable' });
  });

  it('only counts what is more than asked for', async () => {
    const { search } = await setUp([numazu23, fuji], files);
    const { files: count, packages } = await search.searchFiles(everything, { maxFiles: 4_999 });
    assert.equal(count, 5_000);
    assert.deepEqual(
      [...packages[0]!.types.values()].map(({ count, rows }) => [count, rows.length]),
      [
        [2_500, 0],
        [2_500, 0],
      ],
    );
  });
});
