/**
 * The parameters of the portal's address, one row each: what a link holds, what a frame's address holds, and what the
 * page around a frame may set by a message. Nothing reads or writes a parameter but by its row.
 */
import {
  COLOURINGS,
  FILTER_KEYS,
  type Filters,
  MOST_AREAS,
  MOST_MODELS_BESIDE,
  SHOWN,
  SORTS,
  type State,
} from './state.ts';

/** Which message of the page around a frame sets a parameter; docs/embedding.md has the same column. */
export type FrameMessage = 'show' | 'fly' | 'pick';

export type Kind = 'text' | 'number' | 'list' | 'flag';

export interface Parameter {
  /** Name in the address. */
  readonly name: string;
  /** The part of the state that it stands for. */
  readonly key: keyof State;
  /** What its value is in a message; a flag says all by being there, as `embed` does. */
  readonly kind: Kind;
  /** What sets it in a frame besides its address; undefined: nothing does. */
  readonly message: FrameMessage | undefined;
  /** The part of the state that a text stands for; null for a text that cannot be understood. */
  read(text: string): Partial<State> | null;
  /** What `read` passes over in a text with more than a link may hold. */
  rest(text: string): string[];
  /** The text for a state, '' for a flag that is set; null where the state is as at the beginning. */
  write(state: State): string | null;
}

/** How a value is read from a text and written; `read` gives undefined for what cannot be understood. */
interface Codec<T> {
  kind: Kind;
  rest?: (text: string) => string[];
  read(text: string): T | undefined;
  write(value: T): string | null;
}

function row<K extends keyof State>(
  name: string,
  key: K,
  codec: Codec<State[K]>,
  message?: FrameMessage,
): Parameter {
  return {
    name,
    key,
    kind: codec.kind,
    message,
    read(text) {
      const value = codec.read(text);
      return value === undefined ? null : ({ [key]: value } as unknown as Partial<State>);
    },
    rest: codec.rest ?? (() => []),
    write: (state) => codec.write(state[key]),
  };
}

const text: Codec<string> = { kind: 'text', read: (value) => value, write: (value) => value || null };
const anyText: Codec<string | null> = text as Codec<string | null>;
const flag: Codec<boolean> = { kind: 'flag', read: () => true, write: (value) => (value ? '' : null) };

/** One of some words; `initial` is not written. */
function oneOf<T extends string, D>(among: readonly T[], initial: D): Codec<T | D> {
  return {
    kind: 'text',
    read: (value) => among.find((word) => word === value),
    write: (value) => (value === initial ? null : (value as T)),
  };
}

function list(separator: string, most = Number.POSITIVE_INFINITY): Codec<string[]> {
  return {
    kind: 'list',
    rest: (value) => value.split(separator).filter(Boolean).slice(most),
    read: (value) => value.split(separator).filter(Boolean).slice(0, most),
    // Null stands for no list at all.
    write: (values) => values?.join(separator) || null,
  };
}

/** Entries of a pattern; what does not fit it is left out. Nothing of a text where none fits. */
function listOf(pattern: RegExp, most: number): Codec<string[]> {
  const all = list(',');
  const fitting = (value: string) => all.read(value)!.filter((entry) => pattern.test(entry));
  return {
    ...all,
    rest: (value) => {
      const kept = fitting(value).slice(0, most);
      return all.read(value)!.filter((entry) => !kept.includes(entry));
    },
    read: (value) => {
      const kept = fitting(value);
      return kept.length === 0 ? undefined : kept.slice(0, most);
    },
  };
}

function matching(pattern: RegExp): Codec<string | null> {
  return {
    kind: 'text',
    read: (value) => (pattern.test(value) ? value : undefined),
    write: (value) => value,
  };
}

/** A number in a range. */
function within(low: number, high: number, digits: number): Codec<number | null> {
  return {
    kind: 'number',
    read(value) {
      const number = value.trim() === '' ? Number.NaN : Number(value);
      return number >= low && number <= high ? number : undefined;
    },
    write: (value) => (value === null ? null : trim(value, digits)),
  };
}

/** Numbers of which the first two are longitude and latitude, with the digits that each is written with. */
function place<T extends number[]>(digits: readonly number[]): Codec<T | null> {
  return {
    kind: 'list',
    read(value) {
      const numbers = value.split(',').map(Number);
      const isPlace =
        numbers.length === digits.length &&
        numbers.every(Number.isFinite) &&
        Math.abs(numbers[0]!) <= 180 &&
        Math.abs(numbers[1]!) <= 90;
      return isPlace ? (numbers as T) : undefined;
    },
    write: (values) => values?.map((number, i) => trim(number, digits[i]!)).join(',') ?? null,
  };
}

function trim(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}

/** A layer of the 3D view with its percent. */
const OPACITY = /^[^:\s]{1,200}:(?:\d|[1-9]\d)$/;

/** In the order in which an address has them. `view` is not here: path and page belong to it. */
export const PARAMETERS: readonly Parameter[] = [
  row('lang', 'lang', oneOf(['ja', 'en'] as const, null), 'show'),
  row('theme', 'theme', oneOf(['light', 'dark'] as const, null), 'show'),
  row('at', 'at', place<[number, number, number]>([5, 5, 2])),
  row('by', 'by', oneOf(COLOURINGS, 'lod') as Codec<State['by']>),
  row('shown', 'shown', oneOf(SHOWN, null)),
  row('pref', 'pref', matching(/^\d\d$/)),
  row('inspected', 'inspected', matching(/^\d{5}-(?:\d{4}|latest)$/)),
  row('check', 'check', anyText),
  row('figures', 'figures', matching(/^(?:\d{5}|\d{2}|all)(?:,[a-z][a-z0-9]*(?:,\d{4})?)?$/)),
  row('compared', 'compared', matching(/^\d{5}(?:,[a-z][a-z0-9]*(?:,\d{4},\d{4})?)?$/)),
  row('pick', 'pick', anyText),
  row('layers', 'layers', list(',')),
  row('hit', 'hit', place<[number, number]>([6, 6])),
  ...FILTER_KEYS.map(
    (key): Parameter => ({
      name: key,
      key: 'filters',
      kind: 'text',
      message: undefined,
      rest: () => [],
      read: (value) => ({ filters: { [key]: value } as Filters }),
      write: ({ filters }) => filters[key] ?? null,
    }),
  ),
  row('row', 'row', anyText),
  row('sort', 'sort', oneOf(SORTS, 'place') as Codec<State['sort']>),
  row('model', 'model', anyText, 'show'),
  row('camera', 'camera', place<number[]>([6, 6, 1, 1, 1]), 'fly'),
  row('colour', 'colour', text, 'show'),
  row('feature', 'feature', anyText, 'pick'),
  row('also', 'also', list(',', MOST_MODELS_BESIDE), 'show'),
  row('opacity', 'opacity', listOf(OPACITY, MOST_MODELS_BESIDE + 2), 'show'),
  row('where', 'where', text, 'show'),
  row('sun', 'sun', within(0, 24, 2), 'show'),
  row('cut', 'cut', within(0, 1_000, 1), 'show'),
  row('older', 'older', within(1900, 2999, 0), 'show'),
  row('border', 'border', within(0, 100, 1), 'show'),
  row('embed', 'embed', flag),
  row('area', 'areas', list('~', MOST_AREAS)),
  row('types', 'types', list(',') as Codec<string[] | null>),
  row('all_years', 'allYears', flag),
  row('papers', 'papers', flag),
  row('pack', 'pack', matching(/^[0-9a-f]{64}$/)),
];
