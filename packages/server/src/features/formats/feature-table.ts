/**
 * The features of an answer whose columns must be known before its first byte. They are kept until the last one has
 * been read (`record-spool.ts`).
 */
import { ServiceError } from '../../base/errors.ts';
import type { Cell } from './flatten-attributes.ts';
import { RecordSpool, type SpoolSpace } from './record-spool.ts';

/** What SQLite, and so GeoPackage, takes (https://www.sqlite.org/limits.html), less the columns that a program adds. */
const MAX_COLUMNS = 1_900;

export interface Column {
  readonly name: string;
  /** What all values of the column have in common. */
  type: 'number' | 'boolean' | 'string';
}

/** A feature without the columns that it has no value in. */
export interface TableRow<G> {
  /** Numbers of columns. */
  columns: number[];
  /** Their values. */
  cells: Array<Exclude<Cell, null>>;
  /** In the form in which the format writes it. */
  geometry: G;
}

/** Where the features of tables wait. */
export interface TableRoom {
  /** Bytes of memory that one table may take before the disk is used. */
  memoryBytes: number;
  space: SpoolSpace;
}

export class FeatureTable<G> {
  readonly columns: Column[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #rows: RecordSpool<TableRow<G>>;

  constructor({ memoryBytes, space }: TableRoom) {
    this.#rows = new RecordSpool(memoryBytes, space);
  }

  /** Features that are kept. */
  get size(): number {
    return this.#rows.size;
  }

  /** A feature as `keep` takes it. Throws a ServiceError 413 `request too large` for too many columns. */
  row(cells: ReadonlyMap<string, Cell>, geometry: G): TableRow<G> {
    const row: TableRow<G> = { columns: [], cells: [], geometry };
    for (const [name, cell] of cells) {
      if (cell === null) continue;
      row.columns.push(this.#column(name, cell));
      row.cells.push(cell);
    }
    return row;
  }

  /** Throws as `RecordSpool.add`. */
  keep(rows: readonly TableRow<G>[]): Promise<void> {
    return this.#rows.add(rows);
  }

  /** The features in their order, some at a time. */
  rows(): AsyncGenerator<readonly TableRow<G>[], void, void> {
    return this.#rows.records();
  }

  /** Gives back what the table takes. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#rows.close();
  }

  #column(name: string, cell: Exclude<Cell, null>): number {
    const type = typeof cell as 'number' | 'boolean' | 'string';
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.columns.length;
      if (number === MAX_COLUMNS) {
        throw new ServiceError(413, 'request too large', {
          reason:
            `The features have more than ${MAX_COLUMNS} columns, which is the most that is accepted. Ask for ` +
            `fewer types, or give fields.`,
        });
      }
      this.#numbers.set(name, number);
      this.columns.push({ name, type });
    } else if (this.columns[number]!.type !== type) {
      this.columns[number]!.type = 'string';
    }
    return number;
  }
}
