/** Words of CQL2 Text (OGC 21-065r2, annex B): one pass, each character is looked at once. */
import { quoted } from '@citymodel/base';

/** Longest filter, characters. */
const MAX_FILTER = 10_000;

export type Token =
  | { readonly kind: 'word'; readonly text: string }
  /** A name in double quotes, which is no word of the language. */
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'sign'; readonly text: string };

const BLANK = /\s/u;
const NAME_START = /[\p{L}_:]/u;
const NAME_PART = /[\p{L}\p{M}\p{N}_:.]/u;
const DIGIT = /[0-9]/;
const SIGNS = ['<=', '>=', '<>', '<', '>', '=', '(', ')', ',', '-', '+'];

/** Throws a RangeError for what no filter has. */
export function tokensOf(text: string): Token[] {
  if (text.length > MAX_FILTER)
    throw new RangeError(`filter has ${text.length} characters; at most ${MAX_FILTER} are accepted.`);
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at)!);
    if (BLANK.test(character)) {
      at += character.length;
    } else if (character === "'" || character === '"') {
      const { value, end } = quotedText(text, at);
      tokens.push({ kind: character === "'" ? 'text' : 'name', text: value });
      at = end;
    } else if (DIGIT.test(character) || (character === '.' && DIGIT.test(text[at + 1] ?? ''))) {
      const end = endOfNumber(text, at);
      tokens.push({ kind: 'number', value: Number(text.slice(at, end)) });
      at = end;
    } else if (NAME_START.test(character)) {
      const from = at;
      while (at < text.length) {
        const part = String.fromCodePoint(text.codePointAt(at)!);
        if (!NAME_PART.test(part)) break;
        at += part.length;
      }
      tokens.push({ kind: 'word', text: text.slice(from, at) });
    } else {
      const sign = SIGNS.find((one) => text.startsWith(one, at));
      if (sign === undefined)
        throw new RangeError(`filter has ${quoted(character)} where it has no meaning.`);
      tokens.push({ kind: 'sign', text: sign });
      at += sign.length;
    }
  }
  return tokens;
}

/** A text in quotes of one kind; a quote in it is written twice, or behind a backslash where it is single. */
function quotedText(text: string, start: number): { value: string; end: number } {
  const quote = text[start]!;
  let value = '';
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at]!;
    const next = text[at + 1];
    if (character === '\\' && quote === "'" && next === "'") {
      value += next;
      at++;
    } else if (character !== quote) value += character;
    else if (next === quote) {
      value += quote;
      at++;
    } else return { value, end: at + 1 };
  }
  throw new RangeError('filter has a text that does not end; expected a quote.');
}

function endOfNumber(text: string, start: number): number {
  let at = start;
  const digits = () => {
    while (DIGIT.test(text[at] ?? '')) at++;
  };
  digits();
  if (text[at] === '.') {
    at++;
    digits();
  }
  if (
    /[eE]/.test(text[at] ?? '') &&
    /[0-9]/.test(text[at + (/[+-]/.test(text[at + 1] ?? '') ? 2 : 1)] ?? '')
  ) {
    at += 2;
    digits();
  }
  return at;
}
