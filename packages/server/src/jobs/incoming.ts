/**
 * Uploads in the object store, where every worker reaches them: `incoming/jobs/{UUID}`, one object each. What people
 * put beside them below `incoming/` is theirs, and stays.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ObjectStore } from '@citymodel/store';

/** What keys of uploads begin with. */
export const INCOMING = 'incoming/jobs/';
/** Longest name of an upload, bytes; file systems allow 255 with the directory's own. */
const MAX_NAME_BYTES = 200;

/** A key for an upload that nobody has used. */
export function incomingKey(): string {
  return `${INCOMING}${randomUUID()}`;
}

/**
 * The name of a file from a caller as the name of one local file: without directories, control characters and what some
 * file systems refuse, and not too long. Never empty.
 */
export function safeFileName(name: string): string {
  const last = basename(name.replaceAll('\\', '/'));
  const plain = withoutOuterDots(last.normalize('NFC').replace(/[\p{Cc}\p{Cf}\p{Cs}<>:"|?*]/gu, '_'));
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(plain)?.[0] ?? '';
  let stem = plain.slice(0, plain.length - extension.length);
  while (Buffer.byteLength(stem) > MAX_NAME_BYTES - extension.length) stem = [...stem].slice(0, -1).join('');
  return stem + extension === '' ? 'upload' : stem + extension;
}

/** The text without dots and white space at both ends. */
function withoutOuterDots(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && /[.\s]/.test(text[from]!)) from++;
  while (to > from && /[.\s]/.test(text[to - 1]!)) to--;
  return text.slice(from, to);
}

/** What an upload was when it was put into the store; what is not known is left out. */
export interface UploadFacts {
  /** Bytes. */
  size?: number | undefined;
  /** Lower-case hex. */
  sha256?: string | undefined;
}

/** Puts a local file into the store as an upload, and gives what it is. */
export async function putIncoming(
  objects: ObjectStore,
  key: string,
  path: string,
): Promise<Required<UploadFacts>> {
  const passed = new PassedBytes();
  await objects.put(key, passed.noting(createReadStream(path)));
  return passed.facts();
}

/** What a local file is, as an upload. */
export async function factsOfFile(path: string): Promise<Required<UploadFacts>> {
  const passed = new PassedBytes();
  for await (const _ of passed.noting(createReadStream(path)));
  return passed.facts();
}

/** The object store gave other bytes than were put there: it, or something before it, has a fault. */
export class UploadDiffers extends Error {
  constructor(name: string, found: string) {
    super(`The object store did not give the upload ${name} as it was put there: ${found}.`);
    this.name = 'UploadDiffers';
  }
}

class PassedBytes {
  readonly #hash = createHash('sha256');
  #size = 0;

  async *noting(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#hash.update(chunk);
      this.#size += chunk.length;
      yield chunk;
    }
  }

  facts(): Required<UploadFacts> {
    return { size: this.#size, sha256: this.#hash.digest('hex') };
  }
}

/** An upload that comes damaged is read so often. */
const READINGS = 3;

/**
 * Writes the object into a local file of the given name in an existing directory, and gives its path. What comes
 * damaged is dropped from caches and read again. Throws ObjectMissing, and UploadDiffers when it is not what it was,
 * however often it is read.
 */
export async function fetchIncoming(
  objects: ObjectStore,
  { object: key, size, sha256 }: { object: string } & UploadFacts,
  to: { directory: string; name: string },
  signal: AbortSignal,
  onBytes: (done: number, total: number) => void,
): Promise<string> {
  const path = join(to.directory, safeFileName(to.name));
  await using handle = await objects.open(key);
  if (size !== undefined && handle.size !== size) {
    throw new UploadDiffers(to.name, `it has ${handle.size} bytes, and had ${size}`);
  }
  for (let reading = 1; ; reading++) {
    const passed = new PassedBytes();
    async function* counted() {
      let done = 0;
      for await (const chunk of passed.noting(handle.stream(0, handle.size))) {
        done += chunk.length;
        onBytes(done, handle.size);
        yield chunk;
      }
    }
    await pipeline(Readable.from(counted(), { objectMode: false }), createWriteStream(path), { signal });
    const got = passed.facts();
    if (sha256 === undefined || got.sha256 === sha256) return path;
    // A short object may have been kept as it came.
    await handle.damaged?.(0, handle.size);
    if (reading === READINGS) {
      throw new UploadDiffers(to.name, `its SHA-256 is ${got.sha256}, and was ${sha256}`);
    }
  }
}
