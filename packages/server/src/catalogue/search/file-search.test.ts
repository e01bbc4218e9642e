/** Files by condition: what each condition finds. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { boundsOverlap, formatSpatialId, meshBounds, spatialIdBounds, spatialIdOf } from '@citymodel/geo';
import type { GmlFileRow } from '@citymodel/store';
import fc from 'fast-check';
import { ServiceError } from '../../base/errors.ts';
import { type Asked, CITIES, FILES, gml, numazu23, question, setUp } from '../testing/search-of.ts';
import { cityPackage } from '../testing/snapshot-rows.ts';
import type { Conditions } from './conditions.ts';

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
