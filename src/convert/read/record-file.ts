/** Features of one GML file on the disk, because those of a large file do not fit into memory. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Body } from './bodies.ts';
import { packBody, unpackBody } from './pack-body.ts';
import { type FeatureHead, HeadPacker } from './pack-head.ts';

/** Bytes that are written together. */
const WRITE_BYTES = 4 << 20;
/** Levels of detail 0 to 4. */
const LODS = 5;

export class RecordFile implements Disposable {
  /** Features in it. */
  count = 0;
  readonly #file: number;
  readonly #pending = Buffer.alloc(WRITE_BYTES);
  #pendingBytes = 0;
  readonly #heads = new HeadPacker();
  readonly #laterHeads = new Map<number, FeatureHead>();
  #written = 0;
  /** For each feature where its head and each of its bodies begin, and where the last ends; equal where there is none. */
  #offsets = new Float64Array((LODS + 2) * 256);

  /** `directory` exists; the file in it stays until the directory is removed. */
  constructor(directory: string) {
    this.#file = openSync(join(directory, 'records'), 'w+');
  }

  /** Adds a feature; `bodies` by level of detail. Returns its number. */
  append(head: FeatureHead, bodies: ReadonlyArray<Body | null>): number {
    const at = this.count * (LODS + 2);
    if (at + LODS + 2 > this.#offsets.length) {
      const larger = new Float64Array(2 * this.#offsets.length);
      larger.set(this.#offsets);
      this.#offsets = larger;
    }
    this.#offsets[at] = this.#written + this.#pendingBytes;
    this.#write(this.#heads.pack(head));
    for (let lod = 0; lod < LODS; lod++) {
      this.#offsets[at + 1 + lod] = this.#written + this.#pendingBytes;
      const body = bodies[lod] ?? null;
      if (body !== null) this.#write(packBody(body));
    }
    this.#offsets[at + 1 + LODS] = this.#written + this.#pendingBytes;
    return this.count++;
  }

  /** Gives a feature another head than it was added with. */
  setHead(record: number, head: FeatureHead): void {
    this.#laterHeads.set(record, head);
  }

  head(record: number): FeatureHead {
    const later = this.#laterHeads.get(record);
    if (later !== undefined) return later;
    return this.#heads.unpack(this.#read(record, 0));
  }

  /** The shape of a feature at a level of detail, which it must have. */
  body(record: number, lod: number): Body {
    return unpackBody(this.#read(record, 1 + lod));
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #write(bytes: Buffer): void {
    if (this.#pendingBytes + bytes.length > WRITE_BYTES) this.#flush();
    if (bytes.length > WRITE_BYTES) {
      this.#writeNow(bytes);
      return;
    }
    this.#pending.set(bytes, this.#pendingBytes);
    this.#pendingBytes += bytes.length;
  }

  #flush(): void {
    this.#writeNow(this.#pending.subarray(0, this.#pendingBytes));
    this.#pendingBytes = 0;
  }

  /** All of the bytes: a disk that gets full takes some of them first. */
  #writeNow(bytes: Buffer): void {
    for (let done = 0; done < bytes.length; ) {
      const taken = writeSync(this.#file, bytes, done, bytes.length - done, this.#written);
      done += taken;
      this.#written += taken;
    }
  }

  #read(record: number, part: number): Buffer {
    if (this.#pendingBytes > 0) this.#flush();
    const at = record * (LODS + 2) + part;
    const [start, end] = [this.#offsets[at]!, this.#offsets[at + 1]!];
    // Not of the pool: bodies are arrays over these bytes, which begin at a multiple of 8.
    const bytes = Buffer.allocUnsafeSlow(end - start);
    let read = 0;
    while (read < bytes.length) {
      const got = readSync(this.#file, bytes, read, bytes.length - read, start + read);
      if (got === 0) throw new Error(`Record ${record} ends at byte ${start + read}; ${end} was expected.`);
      read += got;
    }
    return bytes;
  }
}
