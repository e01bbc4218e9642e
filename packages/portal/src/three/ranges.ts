/** Choices of classes as conditions: ranges of numbers, several kinds at once. The grammar is that of `where`. */
import type { LegendEntry } from './colouring.ts';

/** From the lower bound of one class to the upper one of another; the classes may come in any order. */
export function rangeOf(a: LegendEntry, b: LegendEntry): string {
  if (a.kind === 'missing' || b.kind === 'missing') return b.condition ?? '';
  const [first, last] = lowOf(a.condition!) <= lowOf(b.condition!) ? [a, b] : [b, a];
  return [
    ...first.condition!.split(';').filter((part) => part.includes('>')),
    ...last.condition!.split(';').filter((part) => part.includes('<')),
  ].join(';');
}

/** True for a class that a condition on its property lets through as a whole. */
export function isChosen(entry: LegendEntry, condition: string): boolean {
  if (entry.condition === null) return false;
  if (!/[<>]/.test(condition)) {
    const value = entry.condition.slice(entry.condition.indexOf('=') + 1);
    return valuesOf(condition).includes(value);
  }
  const isWithin = lowOf(entry.condition) >= lowOf(condition) && highOf(entry.condition) <= highOf(condition);
  return /[<>]/.test(entry.condition) && isWithin;
}

/** The condition on kinds with one more or one less; '' when none is left. */
export function toggledKind(condition: string, entry: LegendEntry): string {
  const at = entry.condition!.indexOf('=');
  const name = entry.condition!.slice(0, at);
  const value = entry.condition!.slice(at + 1);
  const values = /[<>]/.test(condition) ? [] : valuesOf(condition);
  const next = values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
  return next.length === 0 ? '' : `${name}=${next.join('|')}`;
}

/** The values that a condition names; none of '', one that is '' of `name=`. */
export function valuesOf(condition: string): string[] {
  return condition === '' ? [] : condition.slice(condition.indexOf('=') + 1).split('|');
}

/** What a condition is, for people: `1961 – 1981`, `≥ 31`, or the values; `missing` for no value. */
export function rangeText(condition: string): string | null {
  if (!/[<>]/.test(condition)) return null;
  const [low, high] = [lowOf(condition), highOf(condition)];
  if (low === Number.NEGATIVE_INFINITY) return `< ${high}`;
  if (high === Number.POSITIVE_INFINITY) return `${condition.includes('>=') ? '≥' : '>'} ${low}`;
  return `${low} – ${high}`;
}

function lowOf(condition: string): number {
  return Number(/>=?\s*([\d.+-]+)/.exec(condition)?.[1] ?? Number.NEGATIVE_INFINITY);
}

function highOf(condition: string): number {
  return Number(/<=?\s*([\d.+-]+)/.exec(condition)?.[1] ?? Number.POSITIVE_INFINITY);
}
