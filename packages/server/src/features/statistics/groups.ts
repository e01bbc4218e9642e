/** Groups of features with their counts and sums, which can be added up. */
import { compareTexts, readDecimal } from '@citymodel/base';
import { ServiceError } from '../../base/errors.ts';
import { UNKNOWN } from '../attribute-filter.ts';
import type { Value } from './named-values.ts';

/** Groups of one answer, and characters of what they are called. */
export const MAX_GROUPS = 2_000;
const MAX_CHARACTERS = 1 << 20;
/** What a group takes in memory beside its name, and each of its sums, bytes. */
const GROUP_BYTES = 300;
const SUM_BYTES = 120;
/** Digits of the edge of a class, and how near below an edge a number counts as on it, in steps. */
const DIGITS = 12;
const EDGE = 1e-9;

/** Null where a feature has no value, a list where it has several: each once, in order. */
export type GroupValue = Value | readonly Value[] | null;

/** What numbers under one name add up to. */
export interface Sums {
  values: number;
  sum: number;
  /** Null without a number. */
  min: number | null;
  max: number | null;
  /** Values that stand for what is not known, such as -9999. They are in no sum. */
  unknown: number;
  /** Values that are no numbers. */
  other: number;
}

export interface Group {
  readonly by: readonly GroupValue[];
  count: number;
  readonly of: readonly Sums[];
}

/** Groups by the values of their names, one after the other. */
type Branch = Map<GroupValue, Branch | Group>;

export class Groups {
  readonly #groups = new Map<string, Group>();
  /** Those without a list of values, which most features are in: no key has to be written for each. */
  readonly #plain: Branch = new Map();
  #characters = 0;

  /** Counts a feature. Throws ServiceError 413 for more groups than are answered. */
  add(by: readonly GroupValue[], of: ReadonlyArray<readonly Value[]>): void {
    const group = this.group(by, of.length);
    group.count++;
    for (const [n, values] of of.entries()) for (const value of values) addValue(group.of[n]!, value);
  }

  /** Adds what another one has, in the groups that `named` makes of its own. Throws like `add`. */
  addAll(other: Groups, named: (by: readonly GroupValue[]) => readonly GroupValue[] = (by) => by): void {
    for (const { by, count, of } of other.#groups.values()) {
      const group = this.group(named(by), of.length);
      group.count += count;
      for (const [n, sums] of of.entries()) addSums(group.of[n]!, sums);
    }
  }

  /** Features of all groups. */
  get features(): number {
    let all = 0;
    for (const { count } of this.#groups.values()) all += count;
    return all;
  }

  /** What all of them take in memory, about. */
  get bytes(): number {
    const sums = this.#groups.values().next().value?.of.length ?? 0;
    return this.#groups.size * (GROUP_BYTES + sums * SUM_BYTES) + 4 * this.#characters;
  }

  /** The largest first, equal ones in the order of their names. */
  list(): Group[] {
    return [...this.#groups]
      .sort(([a, one], [b, two]) => two.count - one.count || compareTexts(a, b))
      .map(([, group]) => group);
  }

  /** The group of these values, with so many sums. Throws like `add`. */
  group(by: readonly GroupValue[], sums: number): Group {
    if (by.length === 0 || by.some(isList)) return this.#written(by, sums);
    let branch = this.#plain;
    for (let n = 0; n + 1 < by.length; n++) {
      const next = (branch.get(by[n]!) as Branch | undefined) ?? new Map();
      if (next.size === 0) branch.set(by[n]!, next);
      branch = next;
    }
    const last = by.at(-1)!;
    const known = branch.get(last) as Group | undefined;
    if (known !== undefined) return known;
    const group = this.#written(by, sums);
    branch.set(last, group);
    return group;
  }

  #written(by: readonly GroupValue[], sums: number): Group {
    const key = JSON.stringify(by);
    let group = this.#groups.get(key);
    if (group !== undefined) return group;
    this.#characters += key.length;
    if (this.#groups.size >= MAX_GROUPS || this.#characters > MAX_CHARACTERS) {
      throw new ServiceError(413, 'request too large', {
        reason:
          `There are more than ${MAX_GROUPS} groups, or their names have more than ${MAX_CHARACTERS} characters. ` +
          'Group by an attribute that has fewer values, or narrow the features with where.',
      });
    }
    group = { by, count: 0, of: Array.from({ length: sums }, noSums) };
    this.#groups.set(key, group);
    return group;
  }
}

function isList(value: GroupValue): boolean {
  return typeof value === 'object' && value !== null;
}

/** What a feature with these values is grouped by: by the classes of its numbers where these have a width. */
export function groupValue(all: readonly Value[], step: number): GroupValue {
  if (all.length === 0) return null;
  if (all.length === 1) return step === 0 ? all[0]! : classOf(all[0]!, step);
  const values = step === 0 ? all : all.flatMap((value) => classOf(value, step) ?? []);
  if (values.length < 2) return values[0] ?? null;
  const distinct = [...new Set(values)];
  if (distinct.length === 1) return distinct[0]!;
  return distinct.sort((a, b) => compareTexts(String(a), String(b)) || compareTexts(typeof a, typeof b));
}

/** The least number of the class; null for what means "unknown", and texts as they are. */
function classOf(value: Value, step: number): Value | null {
  if (UNKNOWN.has(value)) return null;
  const number = typeof value === 'number' ? value : readDecimal(String(value));
  if (number === null || !Number.isFinite(number)) return value;
  // Of steps such as 0.1 the last digits are noise.
  return Number((Math.floor(number / step + EDGE) * step).toPrecision(DIGITS));
}

function noSums(): Sums {
  return { values: 0, sum: 0, min: null, max: null, unknown: 0, other: 0 };
}

/** A number counts as conditions compare it: also as a text, and not where it means "unknown". */
export function addValue(sums: Sums, value: Value): void {
  const number = countedNumber(value);
  if (number !== null) addNumber(sums, number);
  else if (UNKNOWN.has(value)) sums.unknown++;
  else sums.other++;
}

/** The number that a value adds; null where it adds none. */
export function countedNumber(value: Value): number | null {
  if (UNKNOWN.has(value)) return null;
  const number = typeof value === 'number' ? value : readDecimal(String(value));
  return number === null || !Number.isFinite(number) ? null : number;
}

export function addNumber(sums: Sums, number: number): void {
  sums.values++;
  sums.sum += number;
  if (sums.min === null || number < sums.min) sums.min = number;
  if (sums.max === null || number > sums.max) sums.max = number;
}

function addSums(sums: Sums, { values, sum, min, max, unknown, other }: Sums): void {
  sums.values += values;
  sums.sum += sum;
  sums.unknown += unknown;
  sums.other += other;
  if (min !== null) sums.min = sums.min === null ? min : Math.min(sums.min, min);
  if (max !== null) sums.max = sums.max === null ? max : Math.max(sums.max, max);
}
