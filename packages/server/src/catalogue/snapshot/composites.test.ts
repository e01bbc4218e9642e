/** Composites of a snapshot, and the URLs of its rows. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { parsedDocument, rowsOf, snapshotOf, tilePackage } from '../testing/snapshot-rows.ts';

test('a composite URL names the texture where there are both, and is null where something is missing', async () => {
  const rows = await rowsOf(
    'datasets',
    tilePackage({ lod: 2 }),
    tilePackage({ lod: 2, texture: false }),
    tilePackage({ lod: 3 }, { cityCode: '', prefCode: '' }),
    tilePackage({ lod: 1, boundingVolume: null, region: null }, { cityCode: '13102', bounds: null }),
  );
  assert.deepEqual(
    Object.fromEntries(rows.map((row) => [row.id, row.composite_url?.split('/').at(-2) ?? null])),
    {
      '13101_bldg_lod2': '13101-bldg-lod2-texture-2023',
      '13101_bldg_lod2_no_texture': '13101-bldg-lod2-notexture-2023',
      _bldg_lod3: null,
      '13102_bldg_lod1': null,
    },
  );
  assert.equal(rows.find((row) => row.id === '13102_bldg_lod1')!.bbox, null);
});

test('composites: nationwide and per prefecture, per year and latest, textures where there are both', async () => {
  const rows = await rowsOf(
    'composite_tilesets',
    tilePackage({ lod: 2 }, { cityCode: '13102', year: 2022 }),
    tilePackage({ lod: 2, texture: false, formatVersion: '1.1' }, { cityCode: '14201', year: 2022 }),
    tilePackage({ lod: 4, interior: true }, { cityCode: '14201' }),
  );
  assert.deepEqual(
    rows.map((row) => row.id),
    [
      '13-bldg-lod2-2022',
      '13-bldg-lod2-latest',
      '14-bldg-lod2-2022',
      '14-bldg-lod2-latest',
      '14-bldg-lod4-interior-2023',
      '14-bldg-lod4-interior-latest',
      'all-bldg-lod2-2022',
      'all-bldg-lod2-latest',
      'all-bldg-lod2-notexture-2022',
      'all-bldg-lod2-notexture-latest',
      'all-bldg-lod2-texture-2022',
      'all-bldg-lod2-texture-latest',
      'all-bldg-lod4-interior-2023',
      'all-bldg-lod4-interior-latest',
    ],
  );
  assert.deepEqual(rows[0], {
    id: '13-bldg-lod2-2022',
    url: 'https://data.example/datacatalog/3dtiles/13-bldg-lod2-2022/tileset.json',
    area: 'pref',
    pref_code: '13',
    pref: '県13',
    type: '建築物モデル',
    type_en: 'bldg',
    lod: 2,
    texture: null,
    year: '2022',
    format_version: '1.0',
    bbox: [139, 35, 139.5, 35.5],
  });
  const national = rows.find((row) => row.id === 'all-bldg-lod2-latest')!;
  assert.ok(!('pref' in national) && !('interior' in national));
  assert.deepEqual([national.area, national.format_version, national.year], ['all', '1.1', 'latest']);
  assert.equal(rows.find((row) => row.id === 'all-bldg-lod4-interior-2023')!.interior, true);
  assert.equal(rows.find((row) => row.id === 'all-bldg-lod2-texture-2022')!.texture, true);
});

test('a composite_url names the texture where a name without LOD has the other one', async () => {
  const area = { cityCode: '22203', year: 2022 };
  const snapshot = await snapshotOf(
    tilePackage({ texture: false }, area),
    tilePackage({ texture: true, lod: null, lodNamed: false }, area),
  );
  const specs = parsedDocument(snapshot).datasets!.map((row) => row.composite_url?.split('/').at(-2));
  assert.deepEqual(specs.sort(), ['22203-bldg-lod1-notexture-2022', '22203-bldg-lod1-texture-2022']);
});
