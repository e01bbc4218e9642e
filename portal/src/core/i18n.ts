/** Words and numbers in the language of the page. */
import type { DatasetRow } from './catalogue.ts';
import { prefectureName } from './prefectures.ts';
import type { Language } from './state.ts';
import { ATTRIBUTE_NAMES, en, ja, type Key, TYPE_NAMES } from './strings.ts';
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
  /** A fiscal year. */
  year(value: number | string): string;
  /** Name of a municipality or ward in the language of the page, where its readings are known. */
  areaOf(code: string, name: string): string;
  /** Title of a dataset. */
  datasetName(
    row: Pick<DatasetRow, 'id' | 'name' | 'type' | 'type_en' | 'city' | 'city_code' | 'ward' | 'ward_code'>,
  ): string;
  /** River, zone or other part of a dataset; '' where it is the whole of its type. */
  datasetPart(row: Pick<DatasetRow, 'id' | 'name' | 'type'>): string;
  /** Name of the prefecture of an area's code. */
  prefecture(code: string): string;
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
  const compact = new Intl.NumberFormat(locale, {
    notation: 'compact',
    compactDisplay: 'long',
    maximumSignificantDigits: 3,
  });
  // Made when it is needed: few views tell a time, and a click on the language waits for all of this.
  let times: Intl.DateTimeFormat | undefined;
  const areaOf = (code: string, name: string) => areaName({ name, romaji: knownRomaji(code) }, language);
  return {
    language,
    t: (key) => table[key],
    type: (code) => TYPE_NAMES[code]?.[language] ?? code,
    attribute: (key) => ATTRIBUTE_NAMES[key]?.[language] ?? null,
    fill: (key, values) => table[key].replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole),
    number: (value) => numbers.format(value),
    short: (value) => compact.format(value),
    year: (value) => (language === 'ja' ? `${value}年度` : String(value)),
    prefecture: (code) => prefectureName(code, language),
    areaOf,
    datasetName(row) {
      if (language === 'ja') return row.name;
      const place = row.ward_code ? areaOf(row.ward_code, row.ward ?? '') : areaOf(row.city_code, row.city);
      const type = TYPE_NAMES[row.type_en]?.en ?? row.type_en;
      return [type, partInEnglish(row), `(${place})`].filter((part) => part !== '').join(' ');
    },
    datasetPart: language === 'ja' ? partOf : partInEnglish,
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

/** The same in Latin letters: a river by its name in the id, a zone by the words of its element. */
function partInEnglish(row: Pick<DatasetRow, 'id' | 'name' | 'type'>): string {
  const words = row.id.split(/[_-]/);
  const admin = words.findIndex((word) => word === 'natl' || word === 'pref');
  const scale = words.findIndex((word, i) => i > admin + 1 && (word === 'l1' || word === 'l2'));
  if (admin > 0 && scale > 0) {
    const name = words
      .slice(admin + 1, scale)
      .map(capital)
      .join('-');
    return `${name}, ${words[scale] === 'l1' ? 'planned scale' : 'largest assumed'}`;
  }
  const part = partOf(row);
  return /^[A-Za-z]+$/.test(part) ? capital(part.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()) : part;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** River, zone or other part of a dataset, which stands in its name between the type and the place. */
function partOf({ name, type }: Pick<DatasetRow, 'name' | 'type'>): string {
  return (name.startsWith(type) ? name.slice(type.length) : name).replace(/（[^（）]*）$/, '').trim();
}
