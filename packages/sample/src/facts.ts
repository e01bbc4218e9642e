/** What tests can count on in the sample of the default seed and size; `facts.test.ts` holds the data to it. */

export const SAMPLE_CITY = {
  prefectureCode: '47',
  prefecture: '沖縄県',
  code: '47900',
  name: '青凪市',
  wards: [
    { code: '47901', name: '港見区', buildings: 135, lod2: 130 },
    { code: '47902', name: '丘手区', buildings: 75, lod2: 75 },
  ],
  year: 2024,
  spec: '4.1',
} as const;

export const SAMPLE_TOWN = {
  code: '47950',
  name: '汐見野市',
  /** Newest first; the older year has i-UR 2.0 and LOD1 only. */
  years: [
    { year: 2024, spec: '4.1', buildings: 90, lod2: 72 },
    { year: 2023, spec: '3.5', buildings: 74, lod2: 0 },
  ],
} as const;

/** Third meshes with buildings; both cities have files of the shared one. */
export const SAMPLE_MESHES = {
  second: '382955',
  city: ['38295544', '38295545', '38295554'],
  town: ['38295545', '38295546'],
  shared: '38295545',
} as const;

/** Package → GML file → top-level features. */
export const SAMPLE_GML_FEATURES: Record<string, Record<string, number>> = {
  '47900_aonagi-shi_city_2024_citygml_1_op': {
    'udx/bldg/38295544_bldg_6697_op.gml': 73,
    'udx/bldg/38295545_bldg_6697_op.gml': 62,
    'udx/bldg/38295554_bldg_6697_op.gml': 75,
    'udx/dem/382955_dem_6697_op.gml': 1,
    'udx/fld/natl/sumimigawa/38295544_fld_6697_l1_op.gml': 2,
    'udx/fld/natl/sumimigawa/38295544_fld_6697_l2_op.gml': 4,
    'udx/fld/natl/sumimigawa/38295545_fld_6697_l1_op.gml': 2,
    'udx/fld/natl/sumimigawa/38295545_fld_6697_l2_op.gml': 4,
    'udx/fld/pref/ashibegawa/38295554_fld_6697_l2_op.gml': 4,
    'udx/luse/382955_luse_6668_op.gml': 75,
    'udx/tran/38295544_tran_6697_op.gml': 17,
    'udx/tran/38295545_tran_6697_op.gml': 15,
    'udx/tran/38295554_tran_6697_op.gml': 18,
    'udx/urf/382955_urf_6668_op.gml': 25,
  },
  '47950_shiomino-shi_city_2024_citygml_1_op': {
    'udx/bldg/38295545_bldg_6697_op.gml': 44,
    'udx/bldg/38295546_bldg_6697_op.gml': 46,
    'udx/luse/382955_luse_6668_op.gml': 33,
    'udx/tran/38295545_tran_6697_op.gml': 12,
    'udx/tran/38295546_tran_6697_op.gml': 10,
  },
  '47950_shiomino-shi_city_2023_citygml_1_op': {
    'udx/bldg/38295545_bldg_6697_op.gml': 38,
    'udx/bldg/38295546_bldg_6697_op.gml': 36,
    'udx/tran/38295545_tran_6697_op.gml': 12,
    'udx/tran/38295546_tran_6697_op.gml': 10,
  },
};

export interface Landmark {
  id: string;
  name: string;
  mesh: string;
  /** A point inside the footprint's extent, degrees. */
  lng: number;
  lat: number;
  /** Altitudes of the LOD1 body, or of the lowest and highest of its parts, metres. */
  altitudes: [low: number, high: number];
  /** As the attribute has it, metres. */
  measuredHeight: number;
  storeysAboveGround: number;
  usageCode: string;
  usage: string;
  yearOfConstruction: number;
  buildingId: string;
}

/** Where all landmarks stand. */
export const LANDMARK_ADDRESS = '沖縄県青凪市港見区白帆町一丁目';

/** Buildings of ward 47901 that are out of the ordinary; all lie in the same block of the city's bldg files. */
export const LANDMARKS = {
  /** Spans the border of two third meshes. */
  terminal: {
    id: 'bldg_6fa7ff51-f5c8-44a3-bc11-83543b6df621',
    name: '青凪ターミナル',
    mesh: '38295545',
    lng: 129.68755,
    lat: 25.791026,
    altitudes: [3.433, 21.833],
    measuredHeight: 18.4,
    storeysAboveGround: 3,
    usageCode: '431',
    usage: '運輸倉庫施設',
    yearOfConstruction: 2012,
    buildingId: '47900-bldg-165007',
  },
  /** Has a courtyard and every kind of generic attribute; its middle lies in the courtyard. */
  cityHall: {
    id: 'bldg_31616331-2050-4250-87d7-3caea3158cc2',
    name: '青凪市役所',
    mesh: '38295544',
    lng: 129.687241,
    lat: 25.791378,
    altitudes: [3.835, 28.035],
    measuredHeight: 24.2,
    storeysAboveGround: 6,
    usageCode: '421',
    usage: '官公庁施設',
    yearOfConstruction: 2002,
    buildingId: '47900-bldg-682614',
  },
  tower: {
    id: 'bldg_94c3da80-0287-4be4-b56b-c899cb8c0dce',
    name: '凪の塔',
    mesh: '38295545',
    lng: 129.687879,
    lat: 25.791396,
    altitudes: [3.511, 322.011],
    measuredHeight: 318.5,
    storeysAboveGround: 68,
    usageCode: '401',
    usage: '業務施設',
    yearOfConstruction: 2005,
    buildingId: '47900-bldg-66314',
  },
  /** Consists of two parts and has no geometry of its own. */
  complex: {
    id: 'bldg_a6b8702e-e055-42a0-b72d-cdcee78d0d80',
    name: '白帆プラザ',
    mesh: '38295545',
    lng: 129.68757,
    lat: 25.791378,
    altitudes: [3.621, 65.621],
    measuredHeight: 62,
    storeysAboveGround: 17,
    usageCode: '404',
    usage: '商業系複合施設',
    yearOfConstruction: 2016,
    buildingId: '47900-bldg-633060',
  },
  /** Wholly below the ground and the sea level; LOD1 only. */
  parking: {
    id: 'bldg_d23b3542-0d17-4a5a-a703-3dd2afc3ef6e',
    name: '白帆地下駐車場',
    mesh: '38295545',
    lng: 129.687949,
    lat: 25.791035,
    altitudes: [-14.25, -3.25],
    measuredHeight: -9999,
    storeysAboveGround: 0,
    usageCode: '431',
    usage: '運輸倉庫施設',
    yearOfConstruction: 1999,
    buildingId: '47900-bldg-757488',
  },
} satisfies Record<string, Landmark>;
