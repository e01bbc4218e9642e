/**
 * Conditions on attributes, the parameter `where` of operations 12 and 13. All of them must be met, and each by one
 * value at least of those that a feature has under the name.
 *
 *     uro:buildingStructureType=木造・土蔵造|鉄骨造;bldg:yearOfConstruction<1981
 */

import { quoted, readDecimal } from '@citymodel/base';
import { ServiceError } from '../base/errors.ts';

/** Conditions in one request. */
const MAX_CONDITIONS = 10;
/** Values that one condition may name. */
const MAX_VALUES = 50;
/** Characters of the whole parameter. */
const MAX_LENGTH = 2_000;

const OPERATORS = ['<=', '>=', '<', '>', '='] as const;
type Operator = (typeof OPERATORS)[number];

/** What stands for "unknown" in city models, as a number or as a year; it is neither more nor less than anything. */
export const UNKNOWN: ReadonlySet<unknown> = new Set([-9999, 9999, '-9999', '9999', '0001']);

interface Condition {
  /** A key, or keys joined with full stops from any level on: `uro:a.uro:b`, `uro:b`. */
  name: string;
  operator: Operator;
  /** Of `=` any may be met; '' means that the feature has no value. The others have one number. */
  values: readonly string[];
  /** What was found of values: most of them come again, in millions of features. */
  known: Map<unknown, boolean>;
}

/** Values of a condition whose result is kept, and characters of the longest: others seldom come again. */
const MAX_KNOWN = 10_000;
const MAX_KNOWN_LENGTH = 200;

/** Tells which features are wanted. */
export class AttributeFilter {
  readonly #conditions: readonly Condition[];

  /**
   * Throws ServiceError 400 `invalid parameter` for what is no list of conditions, or for a longer one than is
   * accepted.
   */
  constructor(text: string) {
    if (text.length > MAX_LENGTH) {
      throw invalid(`where has ${text.length} characters; at most ${MAX_LENGTH} are accepted.`);
    }
    const parts = text
      .split(';')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    if (parts.length > MAX_CONDITIONS) {
      throw invalid(`where has ${parts.length} conditions; at most ${MAX_CONDITIONS} are accepted.`);
    }
    this.#conditions = parts.map(parseCondition);
  }

  /** The names that conditions are about, each once. */
  get names(): string[] {
    return [...new Set(this.#conditions.map(({ name }) => name))];
  }

  /** True when the attributes, as operation 11 answers them, meet every condition. */
  accepts(attributes: Readonly<Record<string, unknown>>): boolean {
    return this.acceptsValues((name) => valuesNamed(attributes, name));
  }

  /** The same of a feature that has these values under a name. */
  acceptsValues(valuesOf: (name: string) => Iterable<string | number | boolean>): boolean {
    for (const condition of this.#conditions) if (!isMet(condition, valuesOf(condition.name))) return false;
    return true;
  }

  /** True when values under a name meet every condition that is about it. */
  acceptsNamed(name: string, values: ReadonlyArray<string | number | boolean>): boolean {
    for (const condition of this.#conditions) {
      if (condition.name === name && !isMet(condition, values)) return false;
    }
    return true;
  }
}

function parseCondition(text: string): Condition {
  const at = text.search(/[<>=]/);
  const operator = OPERATORS.find((sign) => text.startsWith(sign, at));
  if (at <= 0 || operator === undefined) {
    throw invalid(
      `where has ${quoted(text)}; expected a name, one of ${OPERATORS.join(' ')}, and a value, such as ` +
        `bldg:measuredHeight>=31.`,
    );
  }
  const name = text.slice(0, at).trim();
  const value = text.slice(at + operator.length).trim();
  if (operator !== '=') {
    if (readDecimal(value) === null) {
      throw invalid(
        `where compares ${quoted(name)} with ${quoted(value)}; ${operator} needs a decimal number.`,
      );
    }
    return { name, operator, values: [value], known: new Map() };
  }
  const values = value.split('|').map((part) => part.trim());
  if (values.length > MAX_VALUES) {
    throw invalid(
      `where names ${values.length} values of ${quoted(name)}; at most ${MAX_VALUES} are accepted.`,
    );
  }
  return { name, operator, values, known: new Map() };
}

function isMet(condition: Condition, found: Iterable<string | number | boolean>): boolean {
  const { operator, values, known } = condition;
  let hasValue = false;
  for (const value of found) {
    hasValue = true;
    let met = known.get(value);
    if (met === undefined) {
      met = isMetBy(condition, value);
      const isShort = typeof value !== 'string' || value.length <= MAX_KNOWN_LENGTH;
      if (isShort && known.size < MAX_KNOWN) known.set(value, met);
    }
    if (met) return true;
  }
  return !hasValue && operator === '=' && values.includes('');
}

function isMetBy({ operator, values }: Condition, value: string | number | boolean): boolean {
  return operator === '='
    ? values.some((wanted) => isSame(value, wanted))
    : compares(value, operator, Number(values[0]));
}

/** True for the same text, or the same number. */
export function isSame(found: unknown, wanted: string): boolean {
  if (String(found) === wanted) return true;
  return typeof found === 'number' && readDecimal(wanted) === found;
}

/** True when a value is a number that is more or less than the bound, as the operator says. */
export function compares(found: unknown, operator: Operator, bound: number): boolean {
  if (UNKNOWN.has(found)) return false;
  const number = readDecimal(String(found));
  if (number === null) return false;
  if (operator === '<') return number < bound;
  if (operator === '<=') return number <= bound;
  return operator === '>' ? number > bound : number >= bound;
}

/** Every value of a feature under a name: a key, or keys joined with full stops from any level on. */
export function* valuesNamed(
  attributes: Readonly<Record<string, unknown>>,
  name: string,
): Generator<string | number | boolean, void, void> {
  for (const { path, value } of valuesUnder(attributes, '')) {
    if (path === name || path.endsWith(`.${name}`)) yield value;
  }
}

interface Found {
  /** Keys from the outermost on, joined with full stops. */
  path: string;
  value: string | number | boolean;
}

/**
 * Every single value of a feature. A generic attribute goes by `gen:genericAttribute.` and its own name, its code with
 * `_code` behind it.
 */
function* valuesUnder(object: object, before: string): Generator<Found, void, void> {
  for (const [key, value] of Object.entries(object)) {
    const path = before + key;
    for (const item of Array.isArray(value) ? value : [value]) {
      if (key === 'gen:genericAttribute') yield* genericValues(item, `${path}.`);
      else if (typeof item === 'object' && item !== null) yield* valuesUnder(item, `${path}.`);
      else if (item !== undefined && item !== null) yield { path, value: item };
    }
  }
}

function* genericValues(
  { name, value, code }: { name: string; value: unknown; code?: string },
  before: string,
): Generator<Found, void, void> {
  const path = before + name;
  if (!Array.isArray(value)) yield { path, value: value as Found['value'] };
  else for (const item of value) yield* genericValues(item, `${path}.`);
  if (code !== undefined) yield { path: `${path}_code`, value: code };
}

function invalid(reason: string): ServiceError {
  return new ServiceError(400, 'invalid parameter', { reason });
}
