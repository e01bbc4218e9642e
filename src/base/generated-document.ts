/** A generated JSON document, ready to be sent: its bytes, the same as gzip, and its entity tag. */
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const gzipAsync = promisify(gzip);

/** Of 19.4 MB of catalogue rows level 1 leaves 1.66 MB, level 6 1.32 and level 9 1.26; all take 0.1 to 0.3 s. */
const GZIP_LEVEL = 6;

export class GeneratedDocument {
  /** JSON, UTF-8. */
  readonly body: Buffer;
  #etag: string | null;
  #gzip: Promise<Buffer> | null = null;

  /** `etag` is given where the caller has hashed the body already. */
  constructor(body: Buffer, etag: string | null = null) {
    this.body = body;
    this.#etag = etag;
  }

  /** Weak entity tag of the content (RFC 9110, section 8.8.3). */
  get etag(): string {
    this.#etag ??= weakEtag(hash('sha256', this.body, 'base64url'));
    return this.#etag;
  }

  /** The body as gzip, made off the main thread when first asked for and kept. */
  gzip(): Promise<Buffer> {
    this.#gzip ??= gzipAsync(this.body, { level: GZIP_LEVEL }).catch((error: unknown) => {
      this.#gzip = null;
      throw error;
    });
    return this.#gzip;
  }

  static ofJson(value: unknown): GeneratedDocument {
    return new GeneratedDocument(Buffer.from(JSON.stringify(value)));
  }
}

/** Weak entity tag from a digest in a URL-safe alphabet, cut to 128 bits and more. */
export function weakEtag(digest: string): string {
  return `W/"${digest.slice(0, 24)}"`;
}

/** Documents by key, the least recently used ones forgotten when their bodies exceed a number of bytes together. */
export class DocumentCache {
  readonly #limit: number;
  readonly #documents = new Map<string, GeneratedDocument>();
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The document of that key, made when it is not there. */
  get(key: string, make: () => GeneratedDocument): GeneratedDocument {
    return this.find(key) ?? this.keep(key, make());
  }

  /** The document of that key if it is there. */
  find(key: string): GeneratedDocument | undefined {
    const found = this.#documents.get(key);
    if (found) {
      this.#documents.delete(key);
      this.#documents.set(key, found);
    }
    return found;
  }

  /** Keeps a document under a key that has none; one larger than the whole cache is not kept. */
  keep(key: string, made: GeneratedDocument): GeneratedDocument {
    const size = made.body.length + key.length;
    if (size > this.#limit) return made;
    this.#documents.set(key, made);
    this.#bytes += size;
    for (const [oldest, document] of this.#documents) {
      if (this.#bytes <= this.#limit) break;
      this.#documents.delete(oldest);
      this.#bytes -= document.body.length + oldest.length;
    }
    return made;
  }

  /** Bytes of all bodies and keys. */
  get bytes(): number {
    return this.#bytes;
  }
}
