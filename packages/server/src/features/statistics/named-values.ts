/**
 * Values of features under names, as conditions mean them (`attribute-filter.ts`), out of those columns of a table that
 * can have them.
 */
import { boundingBox, version2Names } from '@citymodel/citygml';
import { valuesNamed } from '../attribute-filter.ts';
import { type AttributeColumn, joinAttributes, type Remainder } from '../tables/attribute-columns.ts';
import { EXTENT_COLUMNS, extentOf } from '../tables/short-extent.ts';
import type { ColumnGroup } from '../tables/table-reader.ts';
import { hasNamesOf3, mayHaveIn2 } from './names-of-2.ts';

export type Value = string | number | boolean;

/** Values of `_bbox`, which tables have as an extent. */
const BOX_PATHS = ['min', 'max', 'center'].flatMap((corner) =>
  ['lng', 'lat', 'alt'].map((axis) => `_bbox.${corner}.${axis}`),
);

/** Whether a value that has this path goes by the name: the path, or its end behind a full stop. */
function isNamed(path: string, name: string): boolean {
  return path === name || path.endsWith(`.${name}`);
}

/** Whether a value at any of these paths goes by the name. */
export function isAnyNamed(paths: Iterable<string>, name: string): boolean {
  for (const path of paths) if (isNamed(path, name)) return true;
  return false;
}

/** Whether a column may have values under a name. */
function mayHaveHere({ path, kind, names }: AttributeColumn, name: string): boolean {
  const own = path.flat().join('.');
  if (isNamed(own, name)) return true;
  if (kind !== 'json') return false;
  return names === null || names === undefined || names.some((below) => isNamed(`${own}.${below}`, name));
}

export class NamedValues {
  /** Columns that have to be read. */
  readonly columns: readonly string[];
  /** For each name, whether the table may have values under it. */
  readonly known: readonly boolean[];
  /** For each name, the columns that have all its values, but for those in the remainder; null where others do. */
  readonly coded: ReadonlyArray<readonly string[]> | null;
  /** True where names of CityGML 2.0 are asked for, and the table has others. */
  readonly isIn2: boolean;
  readonly #names: readonly string[];
  readonly #needed: readonly AttributeColumn[];
  /** For each name, the numbers of its columns; null where values stand within JSON or in the extent. */
  readonly #plain: ReadonlyArray<readonly number[] | null>;
  readonly #hasExtent: boolean;

  /** `hasVersion2Names`: names are those of CityGML 2.0. */
  constructor(columns: readonly AttributeColumn[], names: readonly string[], hasVersion2Names = false) {
    this.#names = names;
    this.isIn2 = hasVersion2Names && hasNamesOf3(columns);
    const mayHave = this.isIn2
      ? (column: AttributeColumn, name: string) => mayHaveHere(column, name) || mayHaveIn2(column, name)
      : mayHaveHere;
    this.#needed = columns.filter(
      (column) => (this.isIn2 && column.name === '_type') || names.some((name) => mayHave(column, name)),
    );
    const isOfBox = names.map((name) => BOX_PATHS.some((path) => isNamed(path, name)));
    this.#hasExtent = isOfBox.includes(true);
    const own = names.map((name) =>
      [...this.#needed.keys()].filter((number) => mayHave(this.#needed[number]!, name)),
    );
    this.known = own.map((numbers, n) => numbers.length > 0 || isOfBox[n]!);
    this.#plain = own.map((numbers, n) =>
      this.isIn2 || isOfBox[n] || numbers.some((number) => this.#needed[number]!.kind === 'json')
        ? null
        : numbers,
    );
    const isPlain = (numbers: readonly number[] | null): numbers is readonly number[] => numbers !== null;
    // Of names of 2.0 rows say which there are.
    this.coded =
      !this.isIn2 && this.#plain.every(isPlain)
        ? this.#plain.map((numbers) => numbers.map((number) => this.#needed[number]!.name))
        : null;
    this.columns = [
      ...this.#needed.map(({ name }) => name),
      'remainder',
      ...(this.#hasExtent ? EXTENT_COLUMNS : []),
    ];
  }

  /** The rows of a group. */
  of(group: ColumnGroup): RowValues {
    const columns = this.#needed.map(({ name }) => group.columns.get(name));
    const remainder = group.columns.get('remainder');
    const attributes = (row: number): Record<string, unknown> => {
      const rest = (remainder?.[row] ?? []) as readonly Remainder[];
      const written = joinAttributes(this.#needed, (column) => columns[column]?.[row], rest);
      const own = this.isIn2 ? version2Names(written) : written;
      const extent = this.#hasExtent ? extentOf((name) => group.columns.get(name)?.[row] ?? null) : null;
      return extent === null ? own : { _bbox: boundingBox(extent), ...own };
    };
    const values = (row: number, name: number): readonly Value[] => {
      const plain = this.#plain[name]!;
      if (plain === null || (remainder?.[row] ?? null) !== null) {
        return [...valuesNamed(attributes(row), this.#names[name]!)];
      }
      const found: Value[] = [];
      for (const column of plain) {
        const value = columns[column]?.[row] as Value | readonly Value[] | null | undefined;
        if (Array.isArray(value)) found.push(...(value as Value[]));
        else if (value !== null && value !== undefined) found.push(value as Value);
      }
      return found;
    };
    return { attributes, values };
  }
}

export interface RowValues {
  /** Of a row, the attributes that conditions are about. */
  attributes(row: number): Record<string, unknown>;
  /** Of a row, the values under the name of this number. */
  values(row: number, name: number): readonly Value[];
}
