/** Words of the page of two editions, which the first view does not need. */
import { filled } from '../core/filled.ts';
import type { Language } from '../core/state.ts';

const en = {
  type: 'Type',
  from: 'From',
  to: 'To',
  new: 'new',
  gone: 'gone',
  higher: 'higher',
  lower: 'lower',
  changed: 'otherwise changed',
  unchanged: 'unchanged',
  legend: 'What has become of features',
  comparing: 'The editions are being compared. This takes a moment.',
  same: 'Nothing differs.',
  list: 'Features',
  more: 'And {count} more, in the CSV',
  cut: 'The map draws the first {count} differences; CSV and GeoJSON have all.',
  metres: '{from} m → {to} m',
  height: '{height} m',
  attributes: 'Attributes: {names}',
  geometry: 'Shape',
  nothing: 'No two editions of a municipality are chosen.',
  swipe: 'Swipe between both years',
  swipeHandle: 'Border between both years',
  request: 'Request',
};

export type Word = keyof typeof en;

const ja: Record<Word, string> = {
  type: '種類',
  from: '前の年度',
  to: '後の年度',
  new: '新設',
  gone: '消失',
  higher: '高くなった',
  lower: '低くなった',
  changed: 'その他の変更',
  unchanged: '変更なし',
  legend: '地物の変化',
  comparing: '二つの年度を比較しています。しばらくお待ちください。',
  same: '違いはありません。',
  list: '地物',
  more: 'ほか{count}件（CSVにあります）',
  cut: '地図には最初の{count}件だけを表示します。CSVとGeoJSONにはすべてあります。',
  metres: '{from} m → {to} m',
  height: '{height} m',
  attributes: '属性: {names}',
  geometry: '形状',
  nothing: '市区町村の二つの年度が選ばれていません。',
  swipe: '二つの年度をスライドで比べる',
  swipeHandle: '二つの年度の境界',
  request: 'リクエスト',
};

const WORDS = { en, ja };

/** Words of a language; `{name}` is replaced by a value. */
export function wordIn(language: Language): (word: Word, values?: Record<string, string>) => string {
  return (word, values = {}) => filled(WORDS[language][word], values);
}
