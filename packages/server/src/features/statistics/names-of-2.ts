/**
 * Columns of tables of CityGML 3.0 whose attributes are asked for under the names of 2.0 (`attributes=v2`). What an
 * attribute is called there depends on its feature (`version2Names`), so columns are chosen by the end of a name, and
 * rows say the rest.
 */
import { nameIn2, version2Names } from '@citymodel/citygml';
import { type AttributeColumn, joinAttributes } from '../tables/attribute-columns.ts';

/** Attributes that version 2.0 has under another name, or an object of an extension. */
const RENAMED = /^con:|^ur[a-z]:[A-Z]/;
/** What attributes of 3.0 become beside themselves. */
const BECOMES: ReadonlyArray<readonly [head: string, name: RegExp]> = [
  ['con:height', /measuredHeight(?:_uom)?$/],
  ['con:dateOfConstruction', /yearOfConstruction$/],
  ['con:dateOfDemolition', /yearOfDemolition$/],
];
/** Types of features of which names are listed. */
const MAX_TYPES = 20;

/** True for a table with attributes that 2.0 has under other names. */
export function hasNamesOf3(columns: readonly AttributeColumn[]): boolean {
  return columns.some((column) => RENAMED.test(headOf(column)));
}

/** Whether a column may have values under a name of 2.0 that is not its own. */
export function mayHaveIn2(column: AttributeColumn, name: string): boolean {
  const head = headOf(column);
  if (!RENAMED.test(head)) return false;
  if (BECOMES.some(([from, to]) => from === head && to.test(name))) return true;
  const last = lastOf(name);
  if (column.kind !== 'json') return lastOf(nameIn2(lastOf(column.path.flat().join('.')))) === last;
  return column.names == null || column.names.some((below) => nameIn2(lastOf(below)) === last);
}

/** Names of 2.0 that features of these types have of the columns, each with its keys joined by full stops. */
export function namesIn2(columns: readonly AttributeColumn[], types: Iterable<string>): Set<string> {
  const found = new Set<string>();
  for (const type of [...types].slice(0, MAX_TYPES)) {
    // A row that has everything. Dates have years, and heights are numbers.
    const all = joinAttributes(columns, (n) => exampleOf(columns[n]!));
    for (const name of pathsIn(version2Names({ ...all, _type: type }), '')) found.add(name);
  }
  return found;
}

/** The same for columns as wholes: of one that holds JSON the name of that. */
export function columnNamesIn2(columns: readonly AttributeColumn[], types: Iterable<string>): Set<string> {
  return namesIn2(
    columns.map((column) => ({ ...column, names: [] })),
    types,
  );
}

function exampleOf({ kind, names }: AttributeColumn): unknown {
  if (kind === 'number') return 0;
  if (kind === 'numbers') return [0];
  if (kind === 'boolean') return false;
  if (kind === 'strings') return ['2000-01-01'];
  if (kind === 'string') return '2000-01-01';
  const object: Record<string, unknown> = {};
  for (const name of names ?? []) {
    let at = object;
    const keys = name.split('.');
    for (const key of keys.slice(0, -1)) {
      const inner = at[key];
      at = at[key] = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {};
    }
    at[keys.at(-1)!] ??= 0;
  }
  return [object];
}

function* pathsIn(object: object, before: string): Generator<string, void, void> {
  for (const [key, value] of Object.entries(object)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (typeof item === 'object' && item !== null && Object.keys(item).length > 0)
        yield* pathsIn(item, `${before}${key}.`);
      else yield before + key;
    }
  }
}

function headOf({ path }: AttributeColumn): string {
  return [path[0] ?? ''].flat()[0] ?? '';
}

function lastOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
