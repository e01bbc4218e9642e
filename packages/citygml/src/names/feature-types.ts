/** Feature types of city models: codes, names for people, and the order in which catalogues list them. */

const NAMES: Readonly<Record<string, string>> = {
  bldg: '建築物モデル',
  tran: '交通（道路）モデル',
  rwy: '交通（鉄道）モデル',
  trk: '交通（徒歩道）モデル',
  squr: '交通（広場）モデル',
  wwy: '交通（航路）モデル',
  luse: '土地利用モデル',
  fld: '洪水浸水想定区域モデル',
  tnm: '津波浸水想定区域モデル',
  htd: '高潮浸水想定区域モデル',
  ifld: '内水浸水想定区域モデル',
  rfld: 'ため池浸水想定区域モデル',
  lsld: '土砂災害警戒区域モデル',
  urf: '都市計画決定情報モデル',
  dem: '地形モデル',
  brid: '橋梁モデル',
  tun: 'トンネルモデル',
  cons: 'その他の構造物モデル',
  frn: '都市設備モデル',
  unf: '地下埋設物モデル',
  ubld: '地下街モデル',
  veg: '植生モデル',
  wtr: '水部モデル',
  area: '区域モデル',
  gen: '汎用都市オブジェクトモデル',
};

/** Codes of the known feature types in catalogue order. */
export const FEATURE_TYPES: readonly string[] = Object.keys(NAMES);

/** What the code of a feature type looks like, also of one that is not known: a part of regular expressions. */
export const TYPE_CODE = '[a-z][a-z0-9]*';

const IS_TYPE_CODE = new RegExp(`^${TYPE_CODE}$`);

/** True for what can be the code of a feature type. */
export function isTypeCode(text: string): boolean {
  return IS_TYPE_CODE.test(text);
}

const ORDER = new Map(FEATURE_TYPES.map((code, index) => [code, index]));

/** Flood-like types, whose files and datasets are divided by river, lake or scenario. */
const DISASTER_TYPES: ReadonlySet<string> = new Set(['fld', 'tnm', 'htd', 'ifld', 'rfld']);

/** Types of surfaces on the map, which are coloured by their attributes and have no photographs. */
const AREAL_TYPES: ReadonlySet<string> = new Set(['wwy', 'luse', 'lsld', 'urf', 'dem', 'wtr', 'area']);

/** Japanese name of a type; an unknown code stands for itself. */
export function typeName(code: string): string {
  return Object.hasOwn(NAMES, code) ? NAMES[code]! : code;
}

/** True for a code of the product specification. */
export function isListedType(code: string): boolean {
  return ORDER.has(code);
}

/** Place of a type in the catalogue's order, from 0; unknown codes come after all others. */
export function typeOrder(code: string): number {
  return ORDER.get(code) ?? ORDER.size;
}

/** For sorting codes: catalogue order, unknown codes last and among themselves by code. */
export function compareTypes(a: string, b: string): number {
  return typeOrder(a) - typeOrder(b) || (a < b ? -1 : a > b ? 1 : 0);
}

/** True for fld, tnm, htd, ifld and rfld. */
export function isDisasterType(code: string): boolean {
  return DISASTER_TYPES.has(code);
}

/** True for types whose 3D Tiles are textured unless their package's name says `_no_texture`; unknown types are. */
export function isTexturedType(code: string): boolean {
  return !DISASTER_TYPES.has(code) && !AREAL_TYPES.has(code);
}
