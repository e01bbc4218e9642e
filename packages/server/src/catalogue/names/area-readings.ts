import { readFileSync } from 'node:fs';
import { AREAS, area, isSpecialWard, prefectureOf, SPECIAL_WARDS_CODE } from './areas.ts';
import { foldRomaji, kanaOf, type Reading, romajiOf } from './romaji.ts';

/*
 * How areas are read: kana and Latin letters of every prefecture, municipality and ward. NOTICE names the sources of
 * the table; `scripts/make-area-readings.ts` makes it.
 */

export interface AreaReadings {
  /** Hiragana, with what says the kind: おおさかし. */
  kana: string;
  /** Latin letters, with what says the kind: osaka-shi; of 13100 as packages have it, tokyo23-ku. */
  romaji: string;
}

const readings = new Map<string, Reading>();
for (const line of readFileSync(new URL('./data/area-readings.tsv', import.meta.url), 'utf8').split('\n')) {
  if (line === '' || line.startsWith('#')) continue;
  const [code, reading] = line.split('\t') as [string, string];
  readings.set(code, reading);
}

/** The readings of an area, by code; null for one that the table lacks. */
export function readingsOf(code: string): AreaReadings | null {
  const found = readings.get(code);
  if (found === undefined) return null;
  const romaji = code === SPECIAL_WARDS_CODE ? 'tokyo23-ku' : romajiOf(found);
  return { kana: kanaOf(found), romaji };
}

/** Hiragana, katakana and Latin letters of an area and those around it, for search by parts of words. */
export function readingWords(code: string): string {
  const words: string[] = [];
  for (
    let at = area(code) ?? prefectureOf(code);
    at !== undefined;
    at = at.parent === null ? undefined : area(at.parent)
  ) {
    const found = readingsOf(at.code);
    if (found !== null) words.push(found.kana, found.romaji);
  }
  return words.join(' ');
}

/**
 * The areas that a whole text in kana or Latin letters may mean (おおさか, osaka-shi, Kita-ku Osaka, kanagawaken
 * kawasakishi). The kind at its end and the larger areas before it may be missing. Empty for any other text, and where
 * nothing is read so.
 */
export function areasRead(text: string): string[] {
  const plain = text.normalize('NFKC').trim();
  if (/^[\p{Script=Latin}\d\s,.'’・-]+$/u.test(plain) && /\p{Script=Latin}/u.test(plain)) {
    // English names the smallest area first.
    const parts = plain.split(/,/).map((part) => part.trim());
    const found = byReading().get(foldRomaji(parts.join(' ')));
    return found ?? byReading().get(foldRomaji(parts.reverse().join(' '))) ?? [];
  }
  if (!/^[\p{Script=Hiragana}\p{Script=Katakana}ー・\s]+$/u.test(plain)) return [];
  return byReading().get(foldKana(plain)) ?? [];
}

/** Kana as hiragana, without blanks. */
export function foldKana(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\s・]+/g, '')
    .replace(/[\u30a1-\u30f6]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) - 0x60));
}

let index: Map<string, string[]> | null = null;

function byReading(): Map<string, string[]> {
  if (index !== null) return index;
  index = new Map();
  for (const { code } of AREAS.values()) {
    for (const key of new Set(keysOf(code))) index.set(key, [...(index.get(key) ?? []), code]);
  }
  return index;
}

/** Every way to write an area as a whole, the areas around it before it or not. */
function keysOf(code: string): string[] {
  const own = namesOf(code);
  const around: string[][] = [[]];
  const outer = area(code)!.parent;
  if (outer !== null) {
    around.push(...namesOf(outer).map((name) => [name]));
    const pref = area(outer)!.parent;
    if (pref !== null) {
      for (const city of namesOf(outer)) for (const name of namesOf(pref)) around.push([name, city]);
    }
    if (isSpecialWard(code)) around.push(...namesOf(SPECIAL_WARDS_CODE).map((name) => [name]));
  }
  return around.flatMap((names) => own.map((name) => [...names, name].join('')));
}

/** An area alone in kana and Latin letters, with and without its kind; a ward always with it. */
function namesOf(code: string): string[] {
  const found = readings.get(code);
  if (found === undefined) return [];
  const { kana, romaji } = readingsOf(code)!;
  const names = [kana, foldRomaji(romaji)];
  if (code === SPECIAL_WARDS_CODE) return [...names, 'tokyo23ku', 'tokyo23wards', '23wards'];
  const at = found.indexOf('-');
  if (at > 0) names.push(kanaOf(found.slice(0, at)), foldRomaji(romaji.slice(0, romaji.lastIndexOf('-'))));
  // What English says in place of the kind.
  const stem = romaji.replace(/-[a-z]+$/, '');
  const kind = { shi: 'city', ku: 'ward', cho: 'town', machi: 'town', mura: 'village', son: 'village' }[
    romaji.slice(stem.length + 1)
  ];
  return [...names, foldRomaji(stem + (kind ?? 'prefecture'))];
}
