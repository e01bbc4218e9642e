/**
 * The rows of one array of the catalogue, serialised once: their bytes one after the other with commas
 * between, where each starts, and the few columns that filters look at, each value as a number that stands
 * for it. A filtered answer is then a scan over small integers and a copy of byte ranges.
 */
import { createHash } from 'node:crypto';
import type { Bounds } from '../geo/bounds.ts';
import { weakEtag } from './catalogue-document.ts';
import type { Slices } from './snapshot-slices.ts';

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

const CHUNK = 1 << 18;

/** Text that grows to tens of megabytes without ever being copied at one go. */
export class DocumentWriter {
  readonly #full: Buffer[] = [];
  #chunk = Buffer.allocUnsafeSlow(CHUNK);
  #used = 0;
  /** Bytes written. */
  length = 0;

  write(text: string): void {
    const most = text.length * 3;
    if (this.#used + most > this.#chunk.length) {
      this.#full.push(this.#chunk.subarray(0, this.#used));
      this.#chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK, most));
      this.#used = 0;
    }
    const written = this.#chunk.write(text, this.#used);
    this.#used += written;
    this.length += written;
  }

  /** All that was written, in one buffer, with its weak entity tag. */
  async finish(slices: Slices): Promise<{ body: Buffer; etag: string }> {
    this.#full.push(this.#chunk.subarray(0, this.#used));
    const body = Buffer.allocUnsafeSlow(this.length);
    const digest = createHash('sha256');
    let at = 0;
    for (const chunk of this.#full.splice(0)) {
      chunk.copy(body, at);
      digest.update(chunk);
      at += chunk.length;
      if (slices.due()) await slices.pause();
    }
    return { body, etag: weakEtag(digest.digest('base64url')) };
  }
}
