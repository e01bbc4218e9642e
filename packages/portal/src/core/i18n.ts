/** Words and numbers in the language of the page. */
import { factsOfType } from '@citymodel/base';
import { filled } from './filled.ts';
import { prefectureName } from './prefectures.ts';
import type { Language } from './state.ts';
import { ATTRIBUTE_NAMES, en, ja, type Key } from './strings.ts';
import { areaName, knownRomaji } from './summary.ts';

export type { Key } from './strings.ts';

export interface Words {
  language: Language;
  t(key: Key): string;
  /** The words of a key with `{name}` replaced by values. */
  fill(key: Key, values: Record<string, string>): string;
  /** Name of a feature type, by its code. */
  type(code: string): string;
  /** Name of an attribute, when it has one besides its element's. */
  attribute(key: string): string | null;
  number(value: number): string;
  /** A large number in words: 54.9 million, 5491万. */
  short(value: number): string;
  /** So many feature types. */
  types(count: number): string;
  /** A fiscal year. */
  year(value: number | string): string;
  /** Name of a municipality or ward in the language of the page, where its readings are known. */
  areaOf(code: string, name: string): string;
  /** Name of the prefecture of an area's code. */
  prefecture(code: string): string;
  bytes(value: number): string;
  /** Day and minute of a time that `Date` reads. */
  time(value: string | number): string;
}

// Both languages write digits, points and commas alike, so a click on the other one makes no formats.
const numbers = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 2, useGrouping: true });
const short = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 3 });

/** Weights of the page's text. */
const WEIGHTS = [400, 600];
const LETTERS_AT_ONCE = 40;

const wordsByLanguage = new Map<Language, Words>();

/** The words of a language. */
export function wordsOf(language: Language): Words {
  let words = wordsByLanguage.get(language);
  if (words === undefined) {
    words = makeWords(language);
    wordsByLanguage.set(language, words);
  }
  return words;
}

/**
 * Makes the words of the language that the page is not in, and the format that takes longest: a click on it finds them
 * made.
 */
export function prepareOther(language: Language): void {
  wordsOf(language === 'ja' ? 'en' : 'ja').short(1_000_000);
  if (language === 'en') findLetters([...new Set(Object.values(ja).join(''))]);
}

/**
 * Has the browser look for the letters in its fonts, some in each idle moment: the first text in Japanese waits for
 * that else.
 */
function findLetters(letters: readonly string[]): void {
  const canvas = document.createElement('canvas').getContext('2d');
  if (canvas === null) return;
  const { fontFamily } = getComputedStyle(document.body);
  for (const weight of WEIGHTS) {
    canvas.font = `${weight} 16px ${fontFamily}`;
    canvas.measureText(letters.slice(0, LETTERS_AT_ONCE).join(''));
  }
  const rest = letters.slice(LETTERS_AT_ONCE);
  if (rest.length > 0) requestIdleCallback(() => findLetters(rest));
}

/** The language that the browser prefers among ours. */
export function preferredLanguage(): Language {
  for (const tag of navigator.languages) {
    if (tag.startsWith('ja')) return 'ja';
    if (tag.startsWith('en')) return 'en';
  }
  return 'en';
}

function makeWords(language: Language): Words {
  const table = language === 'ja' ? ja : en;
  const locale = language === 'ja' ? 'ja-JP' : 'en-GB';
  const compact = new Intl.NumberFormat(locale, {
    notation: 'compact',
    compactDisplay: 'long',
    maximumSignificantDigits: 3,
  });
  // Made when it is needed: few views tell a time, and a click on the language waits for all of this.
  let times: Intl.DateTimeFormat | undefined;
  return {
    language,
    t: (key) => table[key],
    type: (code) => factsOfType(code)?.label[language] ?? code,
    attribute: (key) => ATTRIBUTE_NAMES[key]?.[language] ?? null,
    fill: (key, values) => filled(table[key], values),
    number: (value) => numbers.format(value),
    short: (value) => compact.format(value),
    types: (count) =>
      language === 'ja' ? `${count}${ja.typesUnit}` : `${count} ${count === 1 ? en.typeUnit : en.typesUnit}`,
    year: (value) => (language === 'ja' ? `${value}年度` : String(value)),
    prefecture: (code) => prefectureName(code, language),
    areaOf: (code, name) => areaName({ name, romaji: knownRomaji(code) }, language),
    bytes(value) {
      const units = ['B', 'kB', 'MB', 'GB', 'TB'];
      let at = 0;
      let scaled = value;
      while (scaled >= 999.5 && at < units.length - 1) {
        scaled /= 1000;
        at++;
      }
      return `${short.format(scaled)} ${units[at]}`;
    },
    time(value) {
      times ??= new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
      return times.format(new Date(value));
    },
  };
}
