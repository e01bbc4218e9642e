/** Words of the page of figures, which the first view does not need. */
import { filled } from '../core/filled.ts';
import type { Language } from '../core/state.ts';

const en = {
  country: 'The whole country',
  area: 'Area',
  type: 'Type',
  year: 'Year',
  newest: 'The newest of each',
  features: 'Features',
  packages: 'Packages',
  mean: 'Mean height',
  highest: 'Highest',
  byPrefecture: 'By prefecture',
  byMunicipality: 'By municipality',
  byWard: 'By ward',
  byKind: 'By kind',
  'bldg:usage': 'Use',
  'bldg:measuredHeight': 'Height',
  'bldg:yearOfConstruction': 'Year built',
  'bldg:storeysAboveGround': 'Storeys',
  'uro:buildingStructureType': 'Structure',
  class: 'Class',
  function: 'Function',
  usage: 'Use',
  unknown: 'not known',
  others: 'others',
  count: 'Number',
  share: 'Share',
  from: 'from',
  numbers: 'As a table',
  metres: 'm',
  several: ', ',
  withoutTable:
    'Not counted yet, because their tables are being made: packages {packages}, features {features}.',
  leftOut: 'Features that cannot be read: {features}.',
  table: 'All features (GeoParquet)',
  request: 'Request',
  none: 'Nothing has been counted here yet.',
};

export type Word = keyof typeof en;

const ja: Record<Word, string> = {
  country: '全国',
  area: '範囲',
  type: '種類',
  year: '年度',
  newest: 'それぞれ最新',
  features: '地物数',
  packages: 'パッケージ数',
  mean: '高さの平均',
  highest: '最も高いもの',
  byPrefecture: '都道府県別',
  byMunicipality: '市区町村別',
  byWard: '区別',
  byKind: '区分別',
  'bldg:usage': '用途',
  'bldg:measuredHeight': '高さ',
  'bldg:yearOfConstruction': '建築年',
  'bldg:storeysAboveGround': '階数（地上）',
  'uro:buildingStructureType': '構造種別',
  class: '分類',
  function: '機能',
  usage: '用途',
  unknown: '不明',
  others: 'その他',
  count: '件数',
  share: '割合',
  from: '以上',
  numbers: '表で見る',
  metres: 'm',
  several: '・',
  withoutTable: '表を作成中のため、まだ数えていません：パッケージ {packages}、地物 {features}。',
  leftOut: '読み取れない地物：{features}。',
  table: 'すべての地物（GeoParquet）',
  request: 'リクエスト',
  none: 'ここではまだ何も数えられていません。',
};

/** A word, with `{name}` replaced by values. */
export function wordIn(language: Language): (word: Word, values?: Record<string, string>) => string {
  const table = language === 'ja' ? ja : en;
  return (word, values = {}) => filled(table[word], values);
}
