/** Rows of the catalogue and of the summary, for tests of the portal's logic. */
import type { DatasetRow } from '../../packages/portal/src/core/catalogue.ts';
import type { SummaryCity } from '../../packages/portal/src/core/summary.ts';

/** A tileset of a ward, with what a test changes in it. */
export function row(changes: Partial<DatasetRow>): DatasetRow {
  return {
    id: '13101_bldg_lod1',
    name: '建築物モデル（千代田区）',
    pref: '東京都',
    pref_code: '13',
    city: '千代田区',
    city_code: '13101',
    type: '建築物モデル',
    type_en: 'bldg',
    url: 'http://a.example/assets/13101_bldg/tileset.json',
    year: 2023,
    registration_year: 2024,
    spec: '4.1',
    format: '3D Tiles',
    lod: '1',
    texture: false,
    layers: null,
    composite_url: null,
    file_size: 10,
    bbox: [139.7, 35.6, 139.8, 35.7],
    ...changes,
  };
}

/** A municipality with buildings, roads and floods, with what a test changes in it. */
export function city(changes: Partial<SummaryCity>): SummaryCity {
  return {
    code: '27100',
    name: '大阪市',
    kana: 'おおさかし',
    romaji: 'osaka-shi',
    pref_code: '27',
    pref: '大阪府',
    bbox: [135.4, 34.6, 135.6, 34.8],
    types: ['bldg', 'tran', 'fld'],
    formats: ['3D Tiles', 'CityGML'],
    years: [2022],
    max_lod: 2,
    max_lods: { bldg: 2, tran: 1, fld: 1 },
    textured: true,
    wards: [],
    datasets: 3,
    features: 1_000,
    bytes: 4_000,
    ...changes,
  };
}
