/** Copies of objects that are compared with what they were made from. */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type ObjectHandle, ObjectMissing, type ObjectStore } from '../object-store.ts';
import { BackupDamaged, type FileFacts } from './backup-format.ts';

/** Bytes are not those that were expected. */
export class OtherBytes extends Error {
  readonly sha256: string;

  constructor(key: string, sha256: string, expected: string) {
    super(`${key} has the SHA-256 ${sha256}, expected is ${expected}`);
    this.name = 'OtherBytes';
    this.sha256 = sha256;
  }
}

/** An object by store and key. */
export interface Place {
  store: ObjectStore;
  key: string;
}

/** Size and SHA-256 (lower-case hex) of an object, by reading all of it. Throws ObjectMissing, StoreUnavailable. */
export async function factsOf({ store, key }: Place): Promise<FileFacts> {
  await using handle = await store.open(key);
  const hash = createHash('sha256');
  for await (const chunk of hashed(handle, hash)) void chunk;
  return { size: handle.size, sha256: hash.digest('hex') };
}

/**
 * Copies an object whose SHA-256 is known and reads the copy back. Throws OtherBytes when the object has another one,
 * or its copy has; no copy is left then. Throws ObjectMissing, StoreUnavailable.
 */
export async function copyChecked(from: Place, to: Place, sha256: string): Promise<number> {
  await using source = await from.store.open(from.key);
  const read = createHash('sha256');
  await to.store.put(to.key, hashed(source, read));
  const digest = read.digest('hex');
  const copy = await factsOf(to);
  const wrong =
    digest !== sha256 ? [from.key, digest] : copy.sha256 !== sha256 ? [to.key, copy.sha256] : null;
  if (wrong === null) return source.size;
  await to.store.delete(to.key);
  throw new OtherBytes(wrong[0]!, wrong[1]!, sha256);
}

/** Stores a local file, which stays, and reads the object back. Throws OtherBytes, StoreUnavailable. */
export async function putFile(path: string, to: Place): Promise<FileFacts> {
  const hash = createHash('sha256');
  await to.store.put(to.key, hashedChunks(createReadStream(path, { highWaterMark: 2 ** 20 }), hash));
  const sha256 = hash.digest('hex');
  const facts = await factsOf(to);
  if (facts.sha256 !== sha256) throw new OtherBytes(to.key, facts.sha256, sha256);
  return facts;
}

/** Copies an object into a new local file. Throws BackupDamaged when it is not what it should be. */
export async function fetchFile({ store, key }: Place, path: string, facts: FileFacts): Promise<void> {
  const hash = createHash('sha256');
  try {
    await using handle = await store.open(key);
    await pipeline(hashed(handle, hash), createWriteStream(path, { flags: 'wx' }));
  } catch (error) {
    if (error instanceof ObjectMissing) throw new BackupDamaged(`${key} is missing`);
    throw error;
  }
  if (hash.digest('hex') !== facts.sha256) throw new BackupDamaged(`${key} is not what was written`);
}

async function* hashed(handle: ObjectHandle, hash: Hash): AsyncGenerator<Uint8Array> {
  if (handle.size > 0) yield* hashedChunks(handle.stream(0, handle.size), hash);
}

async function* hashedChunks(chunks: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}
