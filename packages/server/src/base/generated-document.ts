/** Generated JSON documents, ready to be sent: their bytes, the same as gzip, and their entity tags. */
import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createGunzip, createGzip, type Gzip, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';

const gzipAsync = promisify(gzip);

/** Of catalogue rows level 1 leaves a quarter more bytes, level 9 a twentieth less. */
const GZIP_LEVEL = 6;
/** Of a plain text that is left, rather more than less. */
const GZIP_PART = 0.25;

/** A JSON document that is ready to be sent. */
export interface ReadyDocument {
  /** Weak entity tag of the content (RFC 9110, section 8.8.3). */
  readonly etag: string;
  /** Bytes of the plain text, UTF-8. */
  readonly size: number;
  /** Bytes that the document keeps, about. */
  readonly memory: number;
  /** The plain text, or a stream of it where it is not kept as one. */
  plain(): Buffer | Readable;
  /** The text as gzip, made off the main thread when first asked for and kept. */
  gzip(): Promise<Buffer>;
  /**
   * Of a document that is kept neither as text nor as gzip: gzip that is made while one caller reads it. Null when so
   * many callers read such streams that one more has to take the plain text.
   */
  packing?(): Readable | null;
}

/** A document kept as it is. */
export class GeneratedDocument implements ReadyDocument {
  /** JSON, UTF-8. */
  readonly body: Buffer;
  #etag: string | null = null;
  #gzip: Promise<Buffer> | null = null;

  constructor(body: Buffer) {
    this.body = inOwnMemory(body);
  }

  get etag(): string {
    this.#etag ??= weakEtag(hash('sha256', this.body, 'base64url'));
    return this.#etag;
  }

  get size(): number {
    return this.body.length;
  }

  get memory(): number {
    // A plain document is mostly sent compressed, and keeps that too.
    return Math.ceil(this.size * (1 + GZIP_PART));
  }

  plain(): Buffer {
    return this.body;
  }

  gzip(): Promise<Buffer> {
    this.#gzip ??= gzipAsync(this.body, { level: GZIP_LEVEL })
      .then(inOwnMemory)
      .catch((error: unknown) => {
        this.#gzip = null;
        throw error;
      });
    return this.#gzip;
  }

  static ofJson(value: unknown): GeneratedDocument {
    return new GeneratedDocument(Buffer.from(JSON.stringify(value)));
  }
}

/**
 * The bytes without the memory around them. Node.js cuts short buffers out of larger pieces of memory, and zlib
 * gives the beginning of 16 KiB; what is kept would keep these.
 */
function inOwnMemory(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength <= 2 * bytes.length) return bytes;
  return Buffer.from(new Uint8Array(bytes).buffer);
}

/** Weak entity tag from a digest in a URL-safe alphabet, cut to 128 bits and more. */
export function weakEtag(digest: string): string {
  return `W/"${digest.slice(0, 24)}"`;
}

/** Bytes of a piece that is compressed or sent. */
const PIECE = 256 * 1024;

/** A long document out of short pieces that others keep. It is never in memory as a whole. */
export class JoinedDocument implements ReadyDocument {
  readonly size: number;
  readonly etag: string;
  readonly #pieces: Iterable<Uint8Array>;
  #gzip: Promise<Buffer> | null = null;

  /** `pieces` can be read again and again, and have `size` bytes together. */
  constructor(pieces: Iterable<Uint8Array>, size: number, etag: string) {
    this.#pieces = pieces;
    this.size = size;
    this.etag = etag;
  }

  get memory(): number {
    return Math.ceil(this.size * GZIP_PART);
  }

  plain(): Buffer | Readable {
    // A stream costs a short document many times what its bytes do.
    if (this.size <= PIECE) return Buffer.concat([...this.#pieces], this.size);
    return Readable.from(
      gathered(this.#pieces, () => Buffer.allocUnsafe(PIECE)),
      { objectMode: false },
    );
  }

  gzip(): Promise<Buffer> {
    this.#gzip ??= this.#packed().catch((error: unknown) => {
      this.#gzip = null;
      throw error;
    });
    return this.#gzip;
  }

  async #packed(): Promise<Buffer> {
    const packer = createGzip({ level: GZIP_LEVEL });
    const packed = buffer(packer);
    await write(this.#pieces, packer, PIECE);
    packer.end();
    return packed;
  }
}

/** Bytes of a piece that waits for one caller. */
const PASSED_PIECE = 64 * 1024;
/** Streams of gzip of documents that pass: each takes half a megabyte, however slowly it is read. */
const MAX_PACKING = 16;
let packing = 0;

/**
 * A long document that is put together for each caller alone, out of pieces that others keep, as fast as the caller
 * reads it. Nothing of it stays.
 */
export class PassingDocument implements ReadyDocument {
  readonly size: number;
  readonly etag: string;
  /** Bytes that the choice of pieces keeps. */
  readonly memory: number;
  readonly #pieces: Iterable<Uint8Array>;

  /** `pieces` can be read again and again, and have `size` bytes together. */
  constructor(
    pieces: Iterable<Uint8Array>,
    { size, etag, memory }: { size: number; etag: string; memory: number },
  ) {
    this.#pieces = pieces;
    this.size = size;
    this.etag = etag;
    this.memory = memory;
  }

  plain(): Readable {
    const parts = gathered(this.#pieces, () => Buffer.allocUnsafe(PASSED_PIECE));
    return Readable.from(parts, { objectMode: false, highWaterMark: PASSED_PIECE });
  }

  packing(): Readable | null {
    if (packing >= MAX_PACKING) return null;
    packing++;
    const packer = createGzip({ level: 1, chunkSize: PASSED_PIECE });
    packer.once('close', () => packing--);
    // What fails here has ended the stream: the caller went away, and the rest is not compressed.
    write(this.#pieces, packer, PASSED_PIECE).then(
      () => packer.end(),
      () => packer.destroy(),
    );
    return packer;
  }

  gzip(): Promise<Buffer> {
    return buffer(this.plain().pipe(createGzip({ level: 1 })));
  }
}

/** Writes pieces as larger ones, each in the same memory once the one before is taken. Rejects as the stream does. */
async function write(pieces: Iterable<Uint8Array>, packer: Gzip, pieceBytes: number): Promise<void> {
  const room = Buffer.allocUnsafe(pieceBytes);
  for (const part of gathered(pieces, () => room)) {
    await new Promise<void>((resolve, reject) =>
      packer.write(part, (error) => (error ? reject(error) : resolve())),
    );
  }
}

/** Pieces joined to larger ones, each in the memory that `room` gives. */
function* gathered(pieces: Iterable<Uint8Array>, room: () => Buffer): Generator<Buffer> {
  let part = room();
  let filled = 0;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      if (filled === part.length) {
        yield part;
        part = room();
        filled = 0;
      }
      const taken = piece.subarray(at, at + part.length - filled);
      part.set(taken, filled);
      filled += taken.length;
      at += taken.length;
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
}

/** A long document that is kept compressed only. */
export class CompressedDocument implements ReadyDocument {
  readonly size: number;
  readonly etag: string;
  readonly #gzip: Buffer;

  constructor(gzip: Buffer, size: number, etag: string) {
    this.#gzip = gzip;
    this.size = size;
    this.etag = etag;
  }

  get memory(): number {
    return this.#gzip.length;
  }

  plain(): Readable {
    return Readable.from([this.#gzip]).pipe(createGunzip());
  }

  async gzip(): Promise<Buffer> {
    return this.#gzip;
  }
}

/** What one entry of a cache takes beside its key and its bytes, about. */
const ENTRY_BYTES = 500;
/** Entries of a cache of documents. */
const MAX_ENTRIES = 10_000;

/** Documents by key; those used longest ago are forgotten when all together take more than a number of bytes. */
export class DocumentCache {
  readonly #limit: number;
  /** Null before the first document: room for so many is hundreds of KB, and few snapshots are asked for any. */
  #documents: LRUCache<string, ReadyDocument> | null = null;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The document of that key, made when it is not there. */
  get(key: string, make: () => ReadyDocument): ReadyDocument {
    return this.find(key) ?? this.keep(key, make());
  }

  /** The document of that key if it is there. */
  find(key: string): ReadyDocument | undefined {
    return this.#documents?.get(key);
  }

  /** Keeps a document under a key; one larger than the whole cache is not kept. */
  keep(key: string, document: ReadyDocument): ReadyDocument {
    this.#documents ??= new LRUCache<string, ReadyDocument>({
      max: MAX_ENTRIES,
      maxSize: this.#limit,
      sizeCalculation: (document, key) => document.memory + 2 * key.length + ENTRY_BYTES,
    });
    this.#documents.set(key, document);
    return document;
  }

  /** Bytes of all documents with their keys, about. */
  get bytes(): number {
    return this.#documents?.calculatedSize ?? 0;
  }
}
