/** Features of one GML file on the disk, because those of a large file do not fit into memory. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Body } from './bodies.ts';
import { packBody, unpackBody } from './pack-body.ts';
import { type FeatureHead, HeadPacker } from './pack-head.ts';

/** Bytes that are written together. */
const WRITE_BYTES = 512 << 10;
/** Levels of detail 0 to 4. */
const LODS = 5;

export class RecordFile implements Disposable {
  /** Features in it. */
  count = 0;
  readonly #file: number;
  readonly #pending = Buffer.allocUnsafeSlow(WRITE_BYTES);
  #pendingBytes = 0;
  readonly #heads = new HeadPacker();
  /** Where a head is read; it begins at a multiple of 8. */
  #headRoom = Buffer.allocUnsafeSlow(16 << 10);
  readonly #laterHeads = new Map<number, FeatureHead>();
  #written = 0;
  /**
   * For each feature where its head and each of its bodies begin, and where the last ends; equal where there is none.
   */
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
    if (later !== undefined) return { ...later, columns: [...later.columns] };
    const size = this.#sizeOf(record, 0);
    if (this.#headRoom.length < size) this.#headRoom = Buffer.allocUnsafeSlow(2 * size);
    return this.#heads.unpack(this.#read(record, 0, this.#headRoom.subarray(0, size)));
  }

  /** The shape of a feature at a level of detail, which it must have. */
  body(record: number, lod: number): Body {
    // Not of the pool: a body is arrays over these bytes, which begin at a multiple of 8.
    const bytes = Buffer.allocUnsafeSlow(this.#sizeOf(record, 1 + lod));
    return unpackBody(this.#read(record, 1 + lod, bytes));
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

  #sizeOf(record: number, part: number): number {
    const at = record * (LODS + 2) + part;
    return this.#offsets[at + 1]! - this.#offsets[at]!;
  }

  /** Fills `bytes`, which have the size of the part. */
  #read(record: number, part: number, bytes: Buffer): Buffer {
    if (this.#pendingBytes > 0) this.#flush();
    const start = this.#offsets[record * (LODS + 2) + part]!;
    let read = 0;
    while (read < bytes.length) {
      const got = readSync(this.#file, bytes, read, bytes.length - read, start + read);
      if (got === 0)
        throw new Error(
          `Record ${record} ends at byte ${start + read}; ${start + bytes.length} was expected.`,
        );
      read += got;
    }
    return bytes;
  }
}
