/** Words and numbers in the language of the page. */
import type { Language } from './state.ts';
import { ATTRIBUTE_NAMES, en, ja, type Key, TYPE_NAMES } from './strings.ts';

export type { Key } from './strings.ts';

export interface Words {
  language: Language;
  t(key: Key): string;
  /** Name of a feature type, by its code. */
  type(code: string): string;
  /** Name of an attribute, when it has one besides its element's. */
  attribute(key: string): string | null;
  number(value: number): string;
  bytes(value: number): string;
  /** Day and minute of a time that `Date` reads. */
  time(value: string | number): string;
}

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
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 2, useGrouping: true });
  const short = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 });
  const times = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  return {
    language,
    t: (key) => table[key],
    type: (code) => TYPE_NAMES[code]?.[language] ?? code,
    attribute: (key) => ATTRIBUTE_NAMES[key]?.[language] ?? null,
    number: (value) => numbers.format(value),
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
    time: (value) => times.format(new Date(value)),
  };
}
