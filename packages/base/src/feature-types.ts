/**
 * The feature types of the product specification, with what catalogues and pages say of each. Data may have others:
 * whatever reads a code takes any, and looks here for what is known of it.
 */

export interface FeatureTypeFacts {
  /** Japanese name in the catalogue. */
  readonly name: string;
  /** A shorter one, in the languages of the portal. */
  readonly label: { readonly ja: string; readonly en: string };
  /**
   * `flood`: water as a scenario assumes it, in files of a river, lake or coast each. `surface`: a surface on the map,
   * coloured by its attributes, which has no photographs. `object`: everything else.
   */
  readonly nature: 'object' | 'flood' | 'surface';
}

/** Every type by its code, in the order of the catalogue. */
export const FEATURE_TYPE_FACTS = {
  bldg: {
    name: '建築物モデル',
    label: { ja: '建築物', en: 'Buildings' },
    nature: 'object',
  },
  tran: {
    name: '交通（道路）モデル',
    label: { ja: '道路', en: 'Roads' },
    nature: 'object',
  },
  rwy: {
    name: '交通（鉄道）モデル',
    label: { ja: '鉄道', en: 'Railways' },
    nature: 'object',
  },
  trk: {
    name: '交通（徒歩道）モデル',
    label: { ja: '徒歩道', en: 'Tracks' },
    nature: 'object',
  },
  squr: {
    name: '交通（広場）モデル',
    label: { ja: '広場', en: 'Squares' },
    nature: 'object',
  },
  wwy: {
    name: '交通（航路）モデル',
    label: { ja: '航路', en: 'Waterways' },
    nature: 'surface',
  },
  luse: {
    name: '土地利用モデル',
    label: { ja: '土地利用', en: 'Land use' },
    nature: 'surface',
  },
  fld: {
    name: '洪水浸水想定区域モデル',
    label: { ja: '洪水浸水想定区域', en: 'River flooding' },
    nature: 'flood',
  },
  tnm: {
    name: '津波浸水想定区域モデル',
    label: { ja: '津波浸水想定区域', en: 'Tsunami' },
    nature: 'flood',
  },
  htd: {
    name: '高潮浸水想定区域モデル',
    label: { ja: '高潮浸水想定区域', en: 'Storm surge' },
    nature: 'flood',
  },
  ifld: {
    name: '内水浸水想定区域モデル',
    label: { ja: '内水浸水想定区域', en: 'Inland flooding' },
    nature: 'flood',
  },
  rfld: {
    name: 'ため池浸水想定区域モデル',
    label: { ja: 'ため池浸水想定区域', en: 'Reservoir flooding' },
    nature: 'flood',
  },
  lsld: {
    name: '土砂災害警戒区域モデル',
    label: { ja: '土砂災害警戒区域', en: 'Landslides' },
    nature: 'surface',
  },
  urf: {
    name: '都市計画決定情報モデル',
    label: { ja: '都市計画決定情報', en: 'Urban planning' },
    nature: 'surface',
  },
  dem: {
    name: '地形モデル',
    label: { ja: '地形', en: 'Terrain' },
    nature: 'surface',
  },
  brid: {
    name: '橋梁モデル',
    label: { ja: '橋梁', en: 'Bridges' },
    nature: 'object',
  },
  tun: {
    name: 'トンネルモデル',
    label: { ja: 'トンネル', en: 'Tunnels' },
    nature: 'object',
  },
  cons: {
    name: 'その他の構造物モデル',
    label: { ja: 'その他の構造物', en: 'Other structures' },
    nature: 'object',
  },
  frn: {
    name: '都市設備モデル',
    label: { ja: '都市設備', en: 'Street furniture' },
    nature: 'object',
  },
  unf: {
    name: '地下埋設物モデル',
    label: { ja: '地下埋設物', en: 'Buried utilities' },
    nature: 'object',
  },
  ubld: {
    name: '地下街モデル',
    label: { ja: '地下街', en: 'Underground malls' },
    nature: 'object',
  },
  veg: {
    name: '植生モデル',
    label: { ja: '植生', en: 'Vegetation' },
    nature: 'object',
  },
  wtr: {
    name: '水部モデル',
    label: { ja: '水部', en: 'Water' },
    nature: 'surface',
  },
  area: {
    name: '区域モデル',
    label: { ja: '区域', en: 'Areas' },
    nature: 'surface',
  },
  gen: {
    name: '汎用都市オブジェクトモデル',
    label: { ja: '汎用都市オブジェクト', en: 'Generic objects' },
    nature: 'object',
  },
} as const satisfies Record<string, FeatureTypeFacts>;

export type FeatureType = keyof typeof FEATURE_TYPE_FACTS;

/** Codes of all types, in the order of the catalogue. */
export const FEATURE_TYPES = Object.keys(FEATURE_TYPE_FACTS) as readonly FeatureType[];

/** What is known of a code; undefined for one that the specification lacks. */
export function factsOfType(code: string): FeatureTypeFacts | undefined {
  return Object.hasOwn(FEATURE_TYPE_FACTS, code) ? FEATURE_TYPE_FACTS[code as FeatureType] : undefined;
}

/** Codes of the types of a nature. */
export function typesOfNature(nature: FeatureTypeFacts['nature']): FeatureType[] {
  return FEATURE_TYPES.filter((code) => FEATURE_TYPE_FACTS[code].nature === nature);
}
