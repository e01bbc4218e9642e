/**
 * Colours of features by one of their properties: numbers in seven classes of equal count, everything else by its
 * most frequent values. Independent of what draws.
 */

/** What a feature says of itself, by name. */
export type Properties = Record<string, unknown>;

/** Named colourings, for which a property is looked for; any other text is the name of a property. */
export const NAMED = { height: 'height', use: 'use', lod: 'lod' } as const;

export interface LegendEntry {
  label: string;
  colour: string;
}

export interface Scale {
  /** CSS colour of a value. */
  colourOf(value: unknown): string;
  legend: LegendEntry[];
}

/** From low to high; viridis-like, readable without colour vision and on both grounds. */
const RAMP = ['#40557f', '#3d7590', '#3f9590', '#5fb382', '#9bcb6d', '#d5da63', '#f5e58a'];
/** Kinds, unlike each other in lightness too. */
const KINDS = ['#2c7891', '#d98e32', '#7d9f49', '#a85a7c', '#6b74b5', '#c9b35a', '#4fa79a', '#b5644a'];
const OTHER = '#9aa5aa';
const MISSING = '#d5dbdd';

/** Numbers that stand for "unknown" in city models. */
const UNKNOWN = new Set([-9999, 9999]);

/**
 * The properties that a colouring means, among those that features have: several names where converters spell one
 * property differently (`bldg:usage`, `bldg_usage`), none when nothing fits.
 */
export function propertiesFor(colouring: string, names: Iterable<string>): string[] {
  const all = [...names];
  const patterns = Object.hasOwn(PATTERNS, colouring) ? PATTERNS[colouring as keyof typeof NAMED] : null;
  if (patterns === null) return all.filter((name) => spelling(name) === spelling(colouring));
  for (const pattern of patterns) {
    const found = all.filter((name) => pattern.test(name));
    if (found.length > 0) return all.filter((name) => spelling(name) === spelling(found[0]!));
  }
  return [];
}

const PATTERNS: Record<keyof typeof NAMED, RegExp[]> = {
  height: [/measuredHeight$/, /(^|[:_])height$/i, /高さ/, /^_zmax$/],
  use: [/[:_]usage$/i, /^usage$/i, /用途/, /[:_]function$/, /[:_]class$/, /[:_]rank$/],
  lod: [/^_?lod$/i, /(^|[:_])lod$/i],
};

/** A property's name without what identifiers of some formats may not hold. */
export function spelling(name: string): string {
  return name.replace(/[^\p{L}\p{N}]+/gu, '_').toLowerCase();
}

/** Numeric value of a property, null for what is no number or stands for "unknown". */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && !UNKNOWN.has(number) ? number : null;
}

/** Whether there is a value, and one that does not stand for "unknown". */
function isKnown(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '' && !UNKNOWN.has(Number(value));
}

/** A property's name for a menu: without the object that it was flattened from. */
export function shortName(name: string): string {
  const colon = name.lastIndexOf(':');
  const at = name.lastIndexOf('_', colon);
  return at > 0 ? name.slice(at + 1) : name;
}

/** Makes the scale for the values that there are. */
export function scaleFor(values: readonly unknown[], words: { other: string; missing: string }): Scale {
  const known = values.filter(isKnown);
  const numbers = known.map(numberOf).filter((value) => value !== null);
  const distinct = new Set(numbers);
  return known.length > 0 && numbers.length === known.length && distinct.size > KINDS.length
    ? numericScale(numbers, words)
    : kindScale(known, words);
}

function numericScale(numbers: number[], words: { missing: string }): Scale {
  const sorted = [...numbers].sort((a, b) => a - b);
  const bounds: number[] = [];
  for (let i = 1; i < RAMP.length; i++) {
    const bound = tidy(sorted[Math.floor((i * sorted.length) / RAMP.length)]!);
    if (bound > (bounds.at(-1) ?? sorted[0]!)) bounds.push(bound);
  }
  const step = (RAMP.length - 1) / Math.max(1, bounds.length);
  const colours = [0, ...bounds].map((_, i) => RAMP[Math.round(i * step)]!);
  const legend = colours.map((colour, i) => ({
    colour,
    label:
      i === 0
        ? `< ${bounds[0] ?? sorted.at(-1)}`
        : i === bounds.length
          ? `≥ ${bounds[i - 1]}`
          : `${bounds[i - 1]} – ${bounds[i]}`,
  }));
  return {
    legend: [...legend, { label: words.missing, colour: MISSING }],
    colourOf(value) {
      const number = numberOf(value);
      if (number === null) return MISSING;
      return colours[bounds.filter((bound) => number >= bound).length]!;
    },
  };
}

/** Two significant digits. */
function tidy(value: number): number {
  return Number(value.toPrecision(2));
}

function kindScale(values: readonly unknown[], words: { other: string; missing: string }): Scale {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
  // By name where counts are equal, so that colours do not depend on the order in which tiles arrive.
  const byCount = [...counts].sort(
    (a, b) => b[1] - a[1] || a[0].localeCompare(b[0], 'en', { numeric: true }),
  );
  const colours = new Map(byCount.slice(0, KINDS.length).map(([value], i) => [value, KINDS[i]!]));
  const legend = [...colours].map(([label, colour]) => ({ label, colour }));
  if (byCount.length > KINDS.length) legend.push({ label: words.other, colour: OTHER });
  legend.push({ label: words.missing, colour: MISSING });
  return {
    legend,
    colourOf: (value) => (isKnown(value) ? (colours.get(String(value)) ?? OTHER) : MISSING),
  };
}
