/**
 * Colours of features by one of their properties, the same whatever happens to be loaded: heights and years in fixed
 * classes, other numbers in round ones, everything else by its most frequent values. Independent of what draws.
 */

/** What a feature says of itself, by name. */
export type Properties = Record<string, unknown>;

/** What gives a property by its name: a feature of a tile. */
export interface PropertySource {
  getProperty(name: string): unknown;
}

/** Named colourings, for which a property is looked for; any other text is the name of a property. */
export const NAMED = {
  height: 'height',
  use: 'use',
  year: 'year',
  structure: 'structure',
  lod: 'lod',
} as const;
export type Named = keyof typeof NAMED;

export interface LegendEntry {
  /** What people read, with a unit; '' where `kind` says it. */
  label: string;
  kind: 'class' | 'other' | 'missing';
  colour: string;
  /**
   * The condition that features of this class meet, in the grammar of the interface's `where`; null where none can say
   * it.
   */
  condition: string | null;
}

export interface Scale {
  /** Number of the class of a value in the legend. */
  classOf(value: unknown): number;
  legend: LegendEntry[];
}

/**
 * Metres: sheds, one storey, houses, three storeys, five, where stricter rules begin (31), high-rises (60), 100 and
 * 200.
 */
export const HEIGHT_BOUNDS = [3, 6, 10, 15, 31, 60, 100, 200];
/** Years: decades, of which 1981 brought the building code for earthquakes that still counts. */
export const YEAR_BOUNDS = [1951, 1961, 1971, 1981, 1991, 2001, 2011, 2021];

/** From low to high; viridis-like, readable without colour vision and on both grounds. */
export const RAMP = [
  '#3b4a78',
  '#3f5f8a',
  '#3d7590',
  '#3a8b91',
  '#459f8c',
  '#66b57f',
  '#97c96e',
  '#cbd964',
  '#f5e58a',
];
/** Kinds, unlike each other in lightness too. */
export const KINDS = ['#2c7891', '#d98e32', '#7d9f49', '#a85a7c', '#6b74b5', '#c9b35a', '#4fa79a', '#b5644a'];
export const OTHER = '#9aa5aa';
export const MISSING = '#d5dbdd';
/** The outline of what is selected: no palette comes near it. */
export const SELECTED = '#ff1fb4';

/** Numbers that stand for "unknown" in city models. */
const UNKNOWN = new Set([-9999, 9999]);

/**
 * The properties that a colouring means, among those that features have: several names where converters spell one
 * property differently (`bldg:usage`, `bldg_usage`), none when nothing fits.
 */
export function propertiesFor(colouring: string, names: Iterable<string>): string[] {
  const all = [...names];
  const patterns = Object.hasOwn(PATTERNS, colouring) ? PATTERNS[colouring as Named] : null;
  if (patterns === null) {
    const wanted = spelling(colouring);
    const exact = all.filter((name) => spelling(name) === wanted);
    // Of an attribute of an object, with the object's name before it
    return exact.length > 0 ? exact : all.filter((name) => spelling(name).endsWith(`_${wanted}`));
  }
  for (const pattern of patterns) {
    const found = all.filter((name) => pattern.test(name));
    if (found.length > 0) return all.filter((name) => spelling(name) === spelling(found[0]!));
  }
  return [];
}

const PATTERNS: Record<Named, RegExp[]> = {
  height: [/measuredHeight$/, /(^|[:_])height$/i, /高さ/, /^_zmax$/],
  use: [/[:_]usage$/i, /^usage$/i, /用途/, /[:_]function$/, /[:_]class$/, /[:_]rank$/],
  year: [/yearOfConstruction$/, /建築年/],
  structure: [/[:_]buildingStructureType$/, /構造種別/],
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

/** A property's name as the interface has it: without the object that it was flattened from. */
export function shortName(name: string): string {
  const colon = name.lastIndexOf(':');
  const at = name.lastIndexOf('_', colon);
  return at > 0 ? name.slice(at + 1) : name;
}

/**
 * The scale for a colouring.
 *
 * @param name property that conditions are about, '' when there is none that the interface knows
 * @param values those that are loaded; only kinds and round classes depend on them
 */
export function scaleFor(colouring: string, name: string, values: readonly unknown[]): Scale {
  if (colouring === NAMED.height || /measuredHeight$/.test(colouring)) {
    return numericScale(name, HEIGHT_BOUNDS, ' m');
  }
  if (colouring === NAMED.year || /yearOfConstruction$/.test(colouring)) {
    return numericScale(name, YEAR_BOUNDS, '');
  }
  const known = values.filter(isKnown);
  const numbers = known.map(numberOf).filter((value) => value !== null);
  const isNumeric = numbers.length === known.length;
  const bounds = roundBounds(numbers);
  return isNumeric && bounds.length > 0 && new Set(numbers).size > KINDS.length
    ? numericScale(name, bounds, '')
    : kindScale(name, known);
}

/** Bounds out of the series 1, 2, 5 below the highest number, eight at most; none where no number is above 0. */
export function roundBounds(numbers: readonly number[]): number[] {
  const highest = numbers.reduce((a, b) => Math.max(a, b), 0);
  if (highest <= 0) return [];
  const top = Math.ceil(Math.log10(highest));
  const series = [top - 3, top - 2, top - 1, top].flatMap((power) =>
    [1, 2, 5].map((digit) => Number(`${digit}e${power}`)),
  );
  return series.filter((bound) => bound < highest).slice(1 - RAMP.length);
}

function numericScale(name: string, bounds: readonly number[], unit: string): Scale {
  const step = (RAMP.length - 1) / bounds.length;
  const legend = Array.from({ length: bounds.length + 1 }, (_, i): LegendEntry => {
    const [low, high] = [bounds[i - 1], bounds[i]];
    const label =
      low === undefined
        ? `< ${high}${unit}`
        : high === undefined
          ? `≥ ${low}${unit}`
          : `${low} – ${high}${unit}`;
    const conditions = [
      ...(low === undefined ? [] : [`${name}>=${low}`]),
      ...(high === undefined ? [] : [`${name}<${high}`]),
    ];
    return {
      kind: 'class',
      label,
      colour: RAMP[Math.round(i * step)]!,
      condition: name === '' ? null : conditions.join(';'),
    };
  });
  return {
    legend: [...legend, missingEntry(name)],
    classOf(value) {
      const number = numberOf(value);
      return number === null ? legend.length : bounds.filter((bound) => number >= bound).length;
    },
  };
}

function kindScale(name: string, values: readonly unknown[]): Scale {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
  // By name where counts are equal, so that colours do not depend on the order in which tiles arrive.
  const byCount = [...counts].sort(
    (a, b) => b[1] - a[1] || a[0].localeCompare(b[0], 'en', { numeric: true }),
  );
  const classes = new Map(byCount.slice(0, KINDS.length).map(([value], i) => [value, i]));
  const legend = [...classes].map(
    ([label, i]): LegendEntry => ({
      kind: 'class',
      label,
      colour: KINDS[i]!,
      condition: name === '' || /[;|]/.test(label) ? null : `${name}=${label}`,
    }),
  );
  const other = legend.length;
  if (byCount.length > KINDS.length) {
    legend.push({ kind: 'other', label: '', colour: OTHER, condition: null });
  }
  const missing = legend.length;
  legend.push(missingEntry(name));
  return {
    legend,
    classOf: (value) => (isKnown(value) ? (classes.get(String(value)) ?? other) : missing),
  };
}

function missingEntry(name: string): LegendEntry {
  return { kind: 'missing', label: '', colour: MISSING, condition: name === '' ? null : `${name}=` };
}

/** How many values fall into each class of a scale. */
export function countClasses(scale: Scale, values: readonly unknown[]): number[] {
  const counts = new Array<number>(scale.legend.length).fill(0);
  for (const value of values) counts[scale.classOf(value)]!++;
  return counts;
}
