/** Records of features on the disk while two editions are matched: a city of a million buildings does not fit in memory. */
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import type { FeatureRecord } from './feature-record.ts';

/** Bytes that are written together. */
const WRITTEN_AT_ONCE = 1 << 20;

/** A file of one thread that nobody else reads. */
export class RecordSpill implements Disposable {
  readonly #path: string;
  readonly #file: number;
  readonly #pending: Buffer[] = [];
  #pendingBytes = 0;
  #written = 0;
  /** Where each record begins, and where the last one ends. */
  readonly #offsets: number[] = [0];

  /** Makes the file; what is there already is overwritten. */
  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, 'w+');
  }

  /** Throws what the file system throws: a full disk. */
  add(record: FeatureRecord): void {
    const bytes = Buffer.from(JSON.stringify(record));
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#offsets.push(this.#offsets.at(-1)! + bytes.length);
    if (this.#pendingBytes >= WRITTEN_AT_ONCE) this.#flush();
  }

  /** The record that was added as number `i`, from 0. */
  read(i: number): FeatureRecord {
    this.#flush();
    const [from, to] = [this.#offsets[i]!, this.#offsets[i + 1]!];
    const bytes = Buffer.allocUnsafe(to - from);
    for (let at = 0; at < bytes.length; ) {
      const read = readSync(this.#file, bytes, at, bytes.length - at, from + at);
      if (read === 0) throw new Error(`${this.#path} ended too soon.`);
      at += read;
    }
    return JSON.parse(bytes.toString('utf8')) as FeatureRecord;
  }

  #flush(): void {
    for (const bytes of this.#pending) {
      for (let at = 0; at < bytes.length; ) {
        at += writeSync(this.#file, bytes, at, bytes.length - at, this.#written + at);
      }
      this.#written += bytes.length;
    }
    this.#pending.length = 0;
    this.#pendingBytes = 0;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }
}
