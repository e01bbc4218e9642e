/** Members other than GML on their way into the archive: their stored bytes are kept, and verified on the way. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32 as crc32Of, createDeflateRaw } from 'node:zlib';
import { isGzip, unwrapGzip } from './unwrap-gzip.ts';
import type { Upload, UploadMember } from './upload.ts';

/** A member as an archive keeps it. */
export interface CompressedMember {
  method: 0 | 8;
  crc32: number;
  size: number;
  compressedSize: number;
  /** SHA-256 of the uncompressed bytes. */
  sha256: Uint8Array;
  /** The stored bytes. */
  chunks: Uint8Array[];
}

export interface PlainPassOptions {
  /** Deflate level for members that the upload does not have compressed. */
  level: number;
  /** Takes the stored bytes, in order. */
  onBytes: (chunk: Uint8Array) => Promise<void> | void;
  /** Told about uncompressed bytes, for progress. */
  onText: (bytes: number) => void;
}

/** What is compressed in itself and stored as it is when it comes from a directory. */
const COMPRESSED = /\.(jpe?g|png|webp|ktx2|zip|gz|pdf|xlsx|docx|7z|mp4)$/i;

/** Passes a member of any size on, without its GML being looked at. Throws MemberDamaged. */
export async function passPlain(
  upload: Upload,
  member: UploadMember,
  options: PlainPassOptions,
): Promise<Omit<CompressedMember, 'chunks'>> {
  const passed = new PassedText(options.onText);
  let compressedSize = 0;
  const take = (chunk: Uint8Array) => {
    compressedSize += chunk.length;
    return options.onBytes(chunk);
  };
  const raw = upload.raw(member);
  let method: 0 | 8;
  if (raw !== null) {
    method = raw.method;
    for await (const chunk of upload.read(member, { onRaw: take, lent: true })) passed.add(chunk);
  } else if (COMPRESSED.test(member.name)) {
    method = 0;
    for await (const chunk of upload.read(member)) {
      passed.add(chunk);
      await take(chunk);
    }
  } else {
    method = 8;
    const text = noting(upload.read(member), passed);
    const deflate = Readable.from(text, { objectMode: false }).compose(
      createDeflateRaw({ level: options.level }),
    ) as unknown as AsyncIterable<Uint8Array>;
    for await (const chunk of deflate) await take(chunk);
  }
  return { method, ...passed.totals(), compressedSize };
}

/** What is reckoned of the uncompressed bytes while they pass. */
class PassedText {
  readonly #hash = createHash('sha256');
  readonly #onText: (bytes: number) => void;
  #crc32 = 0;
  #size = 0;

  constructor(onText: (bytes: number) => void) {
    this.#onText = onText;
  }

  add(chunk: Uint8Array): void {
    this.#hash.update(chunk);
    this.#crc32 = crc32Of(chunk, this.#crc32);
    this.#size += chunk.length;
    this.#onText(chunk.length);
  }

  totals(): { crc32: number; size: number; sha256: Uint8Array } {
    return { crc32: this.#crc32, size: this.#size, sha256: this.#hash.digest() };
  }
}

/**
 * Not a closure of `passPlain`: V8 gives each closure of a generator a map of its own in the old generation. That held
 * everything about a member until the next full collection.
 */
async function* noting(
  chunks: AsyncIterable<Uint8Array>,
  passed: PassedText,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of chunks) {
    passed.add(chunk);
    yield chunk;
  }
}

/**
 * Prepares a small member in memory. With `unwrapGzip` a member that is itself a gzip file is kept as what is inside
 * it: vector tiles are often stored so, and are then served like any other member. Throws MemberDamaged.
 */
export async function compressMember(
  upload: Upload,
  member: UploadMember,
  options: Omit<PlainPassOptions, 'onBytes'> & { unwrapGzip: boolean },
): Promise<CompressedMember> {
  if (options.unwrapGzip) {
    const unwrapped = await unwrapMember(upload, member);
    if (unwrapped !== null) {
      options.onText(member.size);
      return unwrapped;
    }
  }
  const chunks: Uint8Array[] = [];
  const totals = await passPlain(upload, member, {
    ...options,
    onBytes: (chunk) => {
      chunks.push(chunk);
    },
  });
  return { ...totals, chunks };
}

const TILE_LIMIT = 256 << 20;

async function unwrapMember(upload: Upload, member: UploadMember): Promise<CompressedMember | null> {
  const parts: Uint8Array[] = [];
  for await (const chunk of upload.read(member)) {
    if (parts.length === 0 && !isGzip(chunk)) return null;
    parts.push(chunk);
  }
  const unwrapped = unwrapGzip(Buffer.concat(parts), TILE_LIMIT);
  if (unwrapped === null) return null;
  return {
    method: 8,
    crc32: unwrapped.crc32,
    size: unwrapped.bytes.length,
    compressedSize: unwrapped.deflate.length,
    sha256: createHash('sha256').update(unwrapped.bytes).digest(),
    chunks: [unwrapped.deflate],
  };
}
