/**
 * Attributes of features as columns, and back. What has one value, or a list of plain values, is a column. An object
 * that stands alone gives a column for each of its attributes. Lists of several objects, generic attributes and what
 * differs from feature to feature are JSON. Columns are known when all features have been seen, and the attributes can
 * be made of them again, value for value.
 */

export type ColumnKind = 'string' | 'number' | 'boolean' | 'strings' | 'numbers' | 'json';

/** Keys from the outermost on; in a list of its own, one that holds an array of one object. */
export type ColumnPath = ReadonlyArray<string | readonly [string]>;

export interface AttributeColumn {
  /** Keys joined with full stops; with underscores where another column has the name. */
  readonly name: string;
  readonly path: ColumnPath;
  readonly kind: ColumnKind;
  /**
   * Of JSON: names of the values in it, keys joined with full stops from below the column on; null for more than are
   * listed. Conditions need them.
   */
  readonly names?: readonly string[] | null;
}

/** A value that no column can hold, with the keys that lead to it: null, an empty list or an empty object. */
export type Remainder = readonly [path: ColumnPath, value: unknown];

type Attributes = Readonly<Record<string, unknown>>;

/** Columns of one table; what is below the last ones is JSON, and keys of features beyond it stand in the remainder. */
const MAX_COLUMNS = 1_500;
/** Levels of objects whose attributes are columns. */
const MAX_LEVELS = 5;
/** Names that a JSON column lists. */
const MAX_NAMES = 300;
const GENERIC = 'gen:genericAttribute';

const STRING = 1;
const NUMBER = 2;
const BOOLEAN = 4;
const STRINGS = 8;
const NUMBERS = 16;
const OBJECT = 32;
const ONE_OBJECT = 64;
const OTHER = 128;

const KINDS: ReadonlyMap<number, ColumnKind> = new Map([
  [STRING, 'string'],
  [NUMBER, 'number'],
  [BOOLEAN, 'boolean'],
  [STRINGS, 'strings'],
  [NUMBERS, 'numbers'],
]);

interface Node {
  /** What its values are. */
  forms: number;
  children: Map<string, Node>;
  names: Set<string> | null;
  /** Number of its column, once columns are known; -1 for a node whose children have them. */
  column: number;
}

/** Sees the attributes of all features, then takes them apart. */
export class AttributeColumns {
  readonly #root: Node = newNode();
  #nodes = 0;
  #columns: AttributeColumn[] | null = null;

  /** Notes what the attributes of a feature have. */
  see(attributes: Attributes): void {
    this.#seeObject(this.#root, attributes, 0);
  }

  /** The columns in the order in which they were seen, without the names that are `taken`. No feature is seen later. */
  columns(taken: Iterable<string>): readonly AttributeColumn[] {
    if (this.#columns !== null) return this.#columns;
    const names = new Set(taken);
    const columns: AttributeColumn[] = [];
    const add = (node: Node, path: ColumnPath): void => {
      const isSplit = node.forms === OBJECT || node.forms === ONE_OBJECT;
      if (isSplit) {
        const last = path.at(-1) as string;
        const above = node.forms === ONE_OBJECT ? [...path.slice(0, -1), [last] as const] : path;
        for (const [key, child] of node.children) add(child, [...above, key]);
        return;
      }
      const kind = KINDS.get(node.forms) ?? 'json';
      let name = path.flat().join('.');
      while (names.has(name)) name += '_';
      names.add(name);
      node.column = columns.length;
      columns.push({ name, path, kind, ...(kind === 'json' ? { names: namesOf(node) } : {}) });
    };
    for (const [key, child] of this.#root.children) if (child.forms !== 0) add(child, [key]);
    this.#columns = columns;
    return columns;
  }

  /** Hands on the values of a feature that was seen, by the numbers of their columns; gives what has none. */
  split(attributes: Attributes, put: (column: number, value: unknown) => void): Remainder[] {
    const rest: Remainder[] = [];
    splitObject(this.#root, attributes, [], put, rest);
    return rest;
  }

  #seeObject(node: Node, object: Attributes, level: number): void {
    for (const [key, value] of Object.entries(object)) {
      if (isEmpty(value)) continue;
      let child = node.children.get(key);
      if (child === undefined) {
        if (this.#nodes === MAX_COLUMNS) {
          // Of the outermost level it goes to the remainder.
          if (node !== this.#root) {
            node.forms |= OTHER;
            noteNames(node, '', { [key]: value });
          }
          continue;
        }
        child = newNode();
        node.children.set(key, child);
        this.#nodes++;
      }
      this.#seeValue(child, key, value, level);
    }
  }

  #seeValue(node: Node, key: string, value: unknown, level: number): void {
    const form = key === GENERIC ? OTHER : formOf(value);
    node.forms |= form;
    const object = form === OBJECT ? value : form === ONE_OBJECT ? (value as [unknown])[0] : null;
    if (object !== null && level + 1 < MAX_LEVELS) {
      this.#seeObject(node, object as Attributes, level + 1);
    } else if (typeof value === 'object') {
      if (object !== null) node.forms |= OTHER;
      if (node.forms !== STRINGS && node.forms !== NUMBERS) noteNames(node, key, value);
    }
  }
}

/** The attributes that the values of columns and a remainder are of. */
export function joinAttributes(
  columns: readonly AttributeColumn[],
  valueAt: (column: number) => unknown,
  rest: readonly Remainder[] = [],
): Record<string, unknown> {
  const attributes: Record<string, unknown> = {};
  for (const [number, { path }] of columns.entries()) {
    const value = valueAt(number);
    if (value !== null && value !== undefined) place(attributes, path, value);
  }
  for (const [path, value] of rest) place(attributes, path, value);
  return attributes;
}

function place(attributes: Record<string, unknown>, path: ColumnPath, value: unknown): void {
  let at = attributes;
  for (const step of path.slice(0, -1)) {
    if (typeof step === 'string') {
      if (!Object.hasOwn(at, step)) define(at, step, {});
      at = at[step] as Record<string, unknown>;
    } else {
      if (!Object.hasOwn(at, step[0])) define(at, step[0], [{}]);
      at = (at[step[0]] as [Record<string, unknown>])[0];
    }
  }
  define(at, path.at(-1) as string, value);
}

/** A name such as `__proto__` is a name too. */
function define(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}

function newNode(): Node {
  return { forms: 0, children: new Map(), names: new Set(), column: -1 };
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value !== 'object') return false;
  if (!Array.isArray(value)) return Object.keys(value).length === 0;
  const [only] = value;
  return value.length === 0 || (value.length === 1 && isPlainObject(only) && Object.keys(only).length === 0);
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function formOf(value: unknown): number {
  if (typeof value === 'string') return STRING;
  if (typeof value === 'number') return NUMBER;
  if (typeof value === 'boolean') return BOOLEAN;
  if (!Array.isArray(value)) return OBJECT;
  if (value.length === 1 && isPlainObject(value[0])) return ONE_OBJECT;
  if (value.every((item) => typeof item === 'string')) return STRINGS;
  return value.every((item) => typeof item === 'number') ? NUMBERS : OTHER;
}

function splitObject(
  node: Node,
  object: Attributes,
  above: ColumnPath,
  put: (column: number, value: unknown) => void,
  rest: Remainder[],
): void {
  for (const [key, value] of Object.entries(object)) {
    const child = node.children.get(key);
    if (isEmpty(value) || child === undefined) {
      if (value !== undefined) rest.push([[...above, key], value]);
    } else if (child.column >= 0) {
      put(child.column, value);
    } else if (child.forms === OBJECT) {
      splitObject(child, value as Attributes, [...above, key], put, rest);
    } else {
      splitObject(child, (value as [Attributes])[0], [...above, [key]], put, rest);
    }
  }
}

function addName(node: Node, name: string): void {
  if (node.names === null) return;
  node.names.add(name);
  if (node.names.size > MAX_NAMES) node.names = null;
}

/** Names of the values in a list or object, as conditions on attributes have them. */
function noteNames(node: Node, key: string, value: unknown): void {
  for (const name of valueNames(value, key === GENERIC)) {
    if (node.names === null) return;
    addName(node, name);
  }
}

function* valueNames(value: unknown, isGeneric: boolean): Generator<string, void, void> {
  for (const item of Array.isArray(value) ? value : [value]) {
    if (!isPlainObject(item)) continue;
    if (isGeneric) {
      const { name, value: inner, code } = item as { name: string; value: unknown; code?: string };
      if (code !== undefined) yield `${name}_code`;
      if (!Array.isArray(inner)) yield String(name);
      else for (const below of valueNames(inner, true)) yield `${name}.${below}`;
      continue;
    }
    for (const [key, inner] of Object.entries(item)) {
      let isNested = false;
      for (const below of valueNames(inner, key === GENERIC)) {
        isNested = true;
        yield `${key}.${below}`;
      }
      if (!isNested) yield key;
    }
  }
}

/** Names of the values below a node that became JSON, those of its children among them. */
function namesOf(node: Node): string[] | null {
  const names = new Set<string>();
  const add = (one: Node, before: string): boolean => {
    if (one.names === null) return false;
    for (const name of one.names) names.add(before + name);
    for (const [key, child] of one.children) {
      if ((child.forms & ~(OBJECT | ONE_OBJECT)) !== 0) names.add(before + key);
      if (names.size > MAX_NAMES || !add(child, `${before}${key}.`)) return false;
    }
    return names.size <= MAX_NAMES;
  };
  return add(node, '') ? [...names] : null;
}
