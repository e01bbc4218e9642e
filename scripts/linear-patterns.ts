/** A cheap check that spares most regular expressions the thorough one. */

/** Ways to match from one place that are taken as constant: ranges of all quantifiers, multiplied. */
const MAX_WAYS = 10_000;

const ESCAPE = /\\(?:[pP]\{[^{}]*\}|u\{[^{}]*\}|.)/gsu;
const CLASS = /\[[^\]]*\]/g;
const QUANTIFIER = /[*+]|\{(\d+)(,)?(\d*)\}|\?/g;

/**
 * True for a pattern that needs linear time whatever the text: nothing that is repeated holds a repetition, and there
 * is no repetition without an end, or a single one in a pattern that matches at the start of the text only. Of many
 * patterns that are linear it does not know so.
 */
export function isPlainlyLinear({ source, flags }: { source: string; flags: string }): boolean {
  // Back references, sets, and letters before braces, which mean other things without the flag `u`, are left to the
  // other check.
  if (flags.includes('v') || /\\[1-9k]/.test(source)) return false;
  if (!flags.includes('u') && /\\[pPu]\{/.test(source)) return false;
  const bare = source
    .replace(ESCAPE, 'a')
    .replace(CLASS, 'a')
    .replace(/\(\?(?::|<\w+>)/g, '(')
    .replace(/([*+?}])\?/g, '$1');
  if (/\(\?/.test(bare)) return false;
  const isAnchored = bare.startsWith('^') && !flags.includes('m') && !bare.includes('|');
  let endless = 0;
  let ways = 1;
  for (const match of bare.matchAll(QUANTIFIER)) {
    const [text, least, comma, most] = match;
    const isOfGroup = bare[match.index - 1] === ')';
    if (text === '?') {
      ways *= 2;
      continue;
    }
    if (isOfGroup) return false;
    if (text === '*' || text === '+' || (comma !== undefined && most === '')) endless++;
    else if (comma !== undefined) ways *= Number(most) - Number(least) + 1;
  }
  return ways <= MAX_WAYS && (endless === 0 || (endless === 1 && isAnchored));
}
