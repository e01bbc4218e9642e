/** Words of the doors of the front page. */
import { filled } from '../core/filled.ts';
import type { Language } from '../core/state.ts';
import type { Question } from './doors.ts';

const en = {
  doors: 'Questions that the data answers',
  city: '{city} in 3D',
  cityText: 'Walk through it, ask buildings for their height and hazards',
  water: 'How deep would the water be?',
  waterText: '{city}, floods in 3D',
  wood: 'Wooden houses before 1981',
  woodText: '{city}: filter, count, download',
  woodCount: '{city}: {count} to filter and download',
  years: 'What changed between two years?',
  yearsText: '{city}, {from} and {to}',
  others: ' · {others} more',
  everything: 'Everything on a map',
  everythingText: 'By place, detail and year',
  live: '{city}, live',
  toMap: 'Show the map',
};

export type DoorWord = keyof typeof en;

const ja: Record<DoorWord, string> = {
  doors: 'データで答えられる問い',
  city: '{city}を|3Dで見る',
  cityText: '街を歩き、建物の高さや災害リスクを調べる',
  water: '水は|どこまで|来る？',
  waterText: '{city}の浸水想定を3Dで',
  wood: '1981年より前の|木造住宅',
  woodText: '{city}：絞り込み・集計・ダウンロード',
  woodCount: '{city}：{count}棟を絞り込んでダウンロード',
  years: '2つの年度で|何が|変わった？',
  yearsText: '{city}、{from}年度と{to}年度',
  others: '・ほか{others}都市',
  everything: 'すべてを|地図で',
  everythingText: '場所・詳細度・年度別に',
  live: '{city}（3D表示）',
  toMap: '地図を表示',
};

export function doorWord(
  language: Language,
  word: DoorWord,
  values: Readonly<Record<string, string>> = {},
): string {
  return filled((language === 'ja' ? ja : en)[word], values);
}

/** The phrases of a title, between which a line may break: browsers break Japanese within words. */
export function doorTitle(
  language: Language,
  word: Question | 'everything',
  values: Readonly<Record<string, string>> = {},
): string[] {
  const text = language === 'ja' ? ja[word] : en[word];
  return text.split('|').map((phrase) => filled(phrase, values));
}

/** The word below the title of a door. */
export function textOf(question: Question, isCounted: boolean): DoorWord {
  return question === 'wood' && isCounted ? 'woodCount' : `${question}Text`;
}
