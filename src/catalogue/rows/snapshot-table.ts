/**
 * The rows of one array of the catalogue, serialised once: their bytes one after the other with commas
 * between, where each starts, and the few columns that filters look at, each value as a number that stands
 * for it. A filtered answer is then a scan over small integers and a copy of byte ranges.
 */
import { createHash } from 'node:crypto';
import { weakEtag } from '../../base/generated-document.ts';
import type { Slices } from '../../base/turns.ts';
import type { Bounds } from '../../geo/bounds.ts';

export const COLUMNS = ['pref', 'city', 'ward', 'types', 'format', 'lod', 'year'] as const;
export type ColumnName = (typeof COLUMNS)[number];

/** What filters see of a row. A key that is missing in every row of a table is a column that it does not carry. */
export type RowKeys = { [K in ColumnName]?: string } & { bounds: Bounds | null };

export interface Column {
  /** The distinct values; '' stands for a row without one. Several types are joined with `,`. */
  values: string[];
  /** For each row, the place of its value in `values`. */
  codes: Uint32Array;
}

export interface RowTable {
  count: number;
  /** The rows with commas between. */
  bytes: Buffer;
  /** Row i is `bytes[starts[i], starts[i + 1] - 1)`. */
  starts: Uint32Array;
  columns: Partial<Record<ColumnName, Column>>;
  /** West, south, east, north of each row; NaN where unknown. */
  bounds: Float64Array;
}

/** Collects the columns and offsets of a table whose rows a DocumentWriter takes. */
export class TableWriter {
  readonly #starts: number[] = [];
  readonly #bounds: number[] = [];
  readonly #codes = new Map<ColumnName, number[]>();
  readonly #places = new Map<ColumnName, Map<string, number>>();
  readonly #document: DocumentWriter;
  readonly #origin: number;

  constructor(document: DocumentWriter) {
    this.#document = document;
    this.#origin = document.length;
  }

  add(row: object, keys: RowKeys): void {
    const no = this.#starts.length;
    if (no > 0) this.#document.write(',');
    this.#starts.push(this.#document.length - this.#origin);
    this.#document.write(JSON.stringify(row));
    const { bounds } = keys;
    if (bounds === null) this.#bounds.push(Number.NaN, Number.NaN, Number.NaN, Number.NaN);
    else this.#bounds.push(bounds.west, bounds.south, bounds.east, bounds.north);
    for (const name of COLUMNS) {
      const value = keys[name];
      if (value === undefined) continue;
      let codes = this.#codes.get(name);
      let places = this.#places.get(name);
      if (codes === undefined || places === undefined) {
        codes = [];
        places = new Map([['', 0]]);
        this.#codes.set(name, codes);
        this.#places.set(name, places);
      }
      const place = places.get(value) ?? places.size;
      if (place === places.size) places.set(value, place);
      codes[no] = place;
    }
  }

  /** Call after the last row; the bytes are there when the document is finished. */
  end(): (document: Buffer) => RowTable {
    const count = this.#starts.length;
    const end = this.#document.length;
    const starts = new Uint32Array([...this.#starts, end - this.#origin + 1]);
    const columns: Partial<Record<ColumnName, Column>> = {};
    for (const [name, given] of this.#codes) {
      const codes = new Uint32Array(count);
      for (let i = 0; i < count; i++) codes[i] = given[i] ?? 0;
      columns[name] = { values: [...this.#places.get(name)!.keys()], codes };
    }
    const bounds = new Float64Array(this.#bounds);
    return (document) => ({ count, bytes: document.subarray(this.#origin, end), starts, columns, bounds });
  }
}

/** Room that a document begins with at least, bytes; memory that is never written to is never taken. */
const FIRST_ROOM = 1 << 20;

/** Text that grows to tens of megabytes. */
export class DocumentWriter {
  #bytes: Buffer;
  /** Bytes written. */
  length = 0;

  /** `expected`: bytes for which room is made at once; a longer text is copied as it grows. */
  constructor(expected = 0) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(expected, FIRST_ROOM));
  }

  write(text: string): void {
    const most = this.length + text.length * 3;
    if (most > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(most, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.length);
      this.#bytes = larger;
    }
    this.length += this.#bytes.write(text, this.length);
  }

  /** All that was written, in one buffer, with its weak entity tag. */
  async finish(slices: Slices): Promise<{ body: Buffer; etag: string }> {
    const body = this.#bytes.subarray(0, this.length);
    const digest = createHash('sha256');
    for (let at = 0; at < body.length; at += HASHED_AT_ONCE) {
      digest.update(body.subarray(at, at + HASHED_AT_ONCE));
      if (slices.due()) await slices.pause();
    }
    return { body, etag: weakEtag(digest.digest('base64url')) };
  }
}

/** Bytes that are hashed before other work may have its turn. */
const HASHED_AT_ONCE = 1 << 20;
