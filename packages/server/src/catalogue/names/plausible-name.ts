/** Signs that names of municipalities are written with: kanji, kana, and what stands for repetition. */
const NAME = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々〆ヶヵ]{2,20}$/u;
const SUFFIX = /[市区町村]$/;

/**
 * True for what can be the name of a municipality or ward as a package's code list gives it, without larger areas
 * before it. `known` is the built-in table's name of the same code, or null for a code that the table lacks: a
 * municipality may have had another name when the data was made (篠山市, now 丹波篠山市), but it shares more with the present
 * one than its suffix. What is no municipality in the table (帰属未定地, 境界未確定地) need not have a suffix either.
 */
export function isPlausibleAreaName(name: string, known: string | null): boolean {
  if (name === known) return true;
  const isMunicipality = known === null || SUFFIX.test(known);
  if (!NAME.test(name) || (isMunicipality && !SUFFIX.test(name))) return false;
  if (known === null) return true;
  const stem = new Set(known.replace(SUFFIX, ''));
  return [...name.replace(SUFFIX, '')].some((sign) => stem.has(sign));
}
