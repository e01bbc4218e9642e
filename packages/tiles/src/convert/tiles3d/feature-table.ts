/** Rows of features as columns: what a tile knows about what it shows. */
import type { Column, ColumnType } from '../read/column.ts';

/** One column; values by row, undefined where a row has none. */
export interface TableColumn {
  /** Published name. */
  name: string;
  type: ColumnType;
  values: Array<string | number | undefined>;
}

/** Features of one type. */
export interface FeatureTable {
  /** Qualified name of the type: `bldg:Building`. */
  type: string;
  count: number;
  columns: TableColumn[];
}

export class FeatureTableBuilder {
  readonly type: string;
  count = 0;
  readonly #columns: TableColumn[] = [];
  /** Places in the list. */
  readonly #places = new Map<string, number>();

  constructor(type: string) {
    this.type = type;
  }

  /** Adds a feature; returns its row. */
  add(columns: readonly Column[]): number {
    const row = this.count++;
    let next = 0;
    for (const { name, type, value } of columns) {
      // Features of a type have their columns in one order, but for some that are missing.
      const place = this.#columns[next]?.name === name ? next : this.#placeOf(name, type);
      next = place + 1;
      const column = this.#columns[place]!;
      if (column.type !== type) column.type = wider(column.type, type);
      column.values[row] = value;
    }
    return row;
  }

  /** Gives a row another value. */
  set(row: number, name: string, type: ColumnType, value: string | number): void {
    this.#columns[this.#placeOf(name, type)]!.values[row] = value;
  }

  /** Columns in the order in which features have them. */
  finish(): FeatureTable {
    for (const { type, values } of this.#columns) {
      for (let row = 0; row < this.count; row++) {
        const value = values[row];
        // Rows without a value get an undefined one.
        values[row] = type === 'STRING' && typeof value === 'number' ? String(value) : value;
      }
    }
    return { type: this.type, count: this.count, columns: this.#columns };
  }

  #placeOf(name: string, type: ColumnType): number {
    let place = this.#places.get(name);
    if (place === undefined) {
      place = this.#columns.push({ name, type, values: [] }) - 1;
      this.#places.set(name, place);
    }
    return place;
  }
}

/** Features of one file may hold texts where others have numbers. */
function wider(a: ColumnType, b: ColumnType): ColumnType {
  if (a === b) return a;
  return a === 'STRING' || b === 'STRING' ? 'STRING' : 'FLOAT64';
}
