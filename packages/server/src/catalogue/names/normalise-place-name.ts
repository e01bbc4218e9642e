/*
 * Spellings of Japanese place names, brought to one form so that names can be compared as strings.
 */

const DIGITS = '〇一二三四五六七八九';

/**
 * One spelling for all ways to write a name: width (NFKC) and letter case, blanks, hiragana as katakana,
 * ヶ・ケ・が between ideographs, numerals before 丁目, 条, 番町 and 番地, dashes between digits, and without the
 * 大字 and 字 of addresses.
 *
 * @example normalizePlaceName('霞が関　一丁目') // '霞ケ関1丁目'
 */
export function normalizePlaceName(text: string): string {
  return (
    dropSections(text.normalize('NFKC').toLowerCase().replace(/\s+/g, ''))
      // What stood on both sides of a section may be one letter now.
      .normalize('NFKC')
      .replace(/[\u3041-\u3096]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) + 0x60))
      .replace(/(?<=[\p{Script=Han}々])[ヶケガヵ](?=\p{Script=Han})/gu, 'ケ')
      .replace(/[〇一二三四五六七八九十百]{1,9}(?=丁目|条|番町|番地)/g, (numeral) =>
        String(readNumeral(numeral)),
      )
      .replace(/(?<=\d)[‐‑‒–—―−ー](?=\d)/g, '-')
  );
}

/** Removes 大字 and the 字 after it (but not that of 文字), and a 字 directly after a municipality. */
function dropSections(text: string): string {
  const at = text.indexOf('大字');
  const head = (at < 0 ? text : text.slice(0, at)).replace(/(?<=[市区町村])字/g, '');
  return at < 0
    ? head
    : head +
        text
          .slice(at)
          .replace(/大字/g, '')
          .replace(/(?<!文)字/g, '');
}

/** Value of a numeral below a thousand, with 十 and 百 or as a row of digits. */
function readNumeral(numeral: string): number {
  if (!/[十百]/.test(numeral)) return Number([...numeral].map((digit) => DIGITS.indexOf(digit)).join(''));
  let value = 0;
  let pending = 0;
  for (const sign of numeral) {
    if (sign === '十' || sign === '百') {
      value += (pending || 1) * (sign === '十' ? 10 : 100);
      pending = 0;
    } else {
      pending = DIGITS.indexOf(sign);
    }
  }
  return value + pending;
}
