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
  readonly #columns = new Map<string, TableColumn>();

  constructor(type: string) {
    this.type = type;
  }

  /** Adds a feature; returns its row. */
  add(columns: readonly Column[]): number {
    const row = this.count++;
    for (const { name, type, value } of columns) {
      let column = this.#columns.get(name);
      if (column === undefined) {
        column = { name, type, values: [] };
        this.#columns.set(name, column);
      }
      column.type = wider(column.type, type);
      column.values[row] = value;
    }
    return row;
  }

  /** Columns in the order in which features have them. */
  finish(): FeatureTable {
    const columns = [...this.#columns.values()].map((column) => ({
      ...column,
      values: Array.from({ length: this.count }, (_, row) => asType(column.values[row], column.type)),
    }));
    return { type: this.type, count: this.count, columns };
  }
}

/** Features of one file may hold texts where others have numbers. */
function wider(a: ColumnType, b: ColumnType): ColumnType {
  if (a === b) return a;
  return a === 'STRING' || b === 'STRING' ? 'STRING' : 'FLOAT64';
}

function asType(value: string | number | undefined, type: ColumnType): string | number | undefined {
  return type === 'STRING' && typeof value === 'number' ? String(value) : value;
}
