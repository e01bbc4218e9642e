/**
 * The features of an answer whose columns must be known before its first byte. They are kept as short texts until the
 * last one has been read (`record-spool.ts`).
 */
import type { Geometry } from 'geojson';
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

export interface Row {
  /** By column; null where the feature has no value. */
  cells: Cell[];
  geometry: Geometry | null;
}

/** A row without the columns that it has no value in. */
export interface SparseRow {
  /** Numbers of columns, ascending. */
  columns: number[];
  /** Their values. */
  cells: Array<Exclude<Cell, null>>;
  geometry: Geometry | null;
}

/** Where the features of tables wait. */
export interface TableRoom {
  /** Bytes of memory that one table may take before the disk is used. */
  memoryBytes: number;
  space: SpoolSpace;
}

export class FeatureTable {
  readonly columns: Column[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #records: RecordSpool;

  constructor({ memoryBytes, space }: TableRoom) {
    this.#records = new RecordSpool(memoryBytes, space);
  }

  /** Features that are kept. */
  get size(): number {
    return this.#records.size;
  }

  /** A feature as the text that `keep` takes. Throws a ServiceError 413 `request too large` for too many columns. */
  record(cells: ReadonlyMap<string, Cell>, geometry: Geometry | null): string {
    const record: unknown[] = [geometry];
    for (const [name, cell] of cells) {
      if (cell !== null) record.push(this.#column(name, cell), cell);
    }
    return JSON.stringify(record);
  }

  /** Throws as `RecordSpool.add`. */
  keep(records: readonly string[]): Promise<void> {
    return this.#records.add(records);
  }

  /** The features in their order, some at a time. */
  async *rows(): AsyncGenerator<Iterable<Row>, void, void> {
    for await (const records of this.#records.records()) yield this.#rowsOf(records);
  }

  /** As `rows`. */
  async *sparseRows(): AsyncGenerator<Iterable<SparseRow>, void, void> {
    for await (const records of this.#records.records()) yield sparseRowsOf(records);
  }

  /** Gives back what the table takes. */
  close(): Promise<void> {
    return this.#records.close();
  }

  *#rowsOf(records: readonly string[]): Generator<Row> {
    for (const text of records) {
      const record = JSON.parse(text) as [Geometry | null, ...unknown[]];
      const cells = new Array<Cell>(this.columns.length).fill(null);
      for (let i = 1; i < record.length; i += 2) cells[record[i] as number] = record[i + 1] as Cell;
      yield { cells, geometry: record[0] };
    }
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

function* sparseRowsOf(records: readonly string[]): Generator<SparseRow> {
  for (const text of records) {
    const [geometry, ...pairs] = JSON.parse(text) as [Geometry | null, ...unknown[]];
    const values: Array<[number, Exclude<Cell, null>]> = [];
    for (let i = 0; i < pairs.length; i += 2) {
      values.push([pairs[i] as number, pairs[i + 1] as Exclude<Cell, null>]);
    }
    values.sort(([a], [b]) => a - b);
    yield { columns: values.map(([column]) => column), cells: values.map(([, cell]) => cell), geometry };
  }
}
