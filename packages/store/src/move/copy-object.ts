import { createHash, type Hash } from 'node:crypto';
import type { ObjectHandle, ObjectStore } from '../object-store.ts';

/** The copy of an object is not the object. */
export class CopyDiffers extends Error {
  constructor(key: string, why: string) {
    super(`the object ${key} cannot be moved: ${why}`);
    this.name = 'CopyDiffers';
  }
}

/**
 * Copies an object and reads the copy back. `sha256`: lower-case hex of what it should be, where that is known. Gives
 * its size and digest. Throws ObjectMissing, and CopyDiffers when the object is not what it should be, or its copy is
 * not the object.
 */
export async function copyObject(
  key: string,
  from: ObjectStore,
  to: ObjectStore,
  { sha256 }: { sha256?: string | undefined } = {},
): Promise<{ size: number; sha256: string }> {
  await using source = await from.open(key);
  const read = createHash('sha256');
  await to.put(key, hashing(source, read));
  const digest = read.digest('hex');
  await using copy = await to.open(key);
  const written = createHash('sha256');
  for await (const chunk of hashing(copy, written)) void chunk;
  if (written.digest('hex') !== digest) throw new CopyDiffers(key, 'its copy reads otherwise');
  if (sha256 !== undefined && sha256 !== digest) {
    await to.delete(key);
    throw new CopyDiffers(key, `it has the SHA-256 ${digest}, but was published with ${sha256}`);
  }
  return { size: source.size, sha256: digest };
}

async function* hashing(handle: ObjectHandle, hash: Hash): AsyncGenerator<Uint8Array> {
  if (handle.size === 0) return;
  for await (const chunk of handle.stream(0, handle.size)) {
    hash.update(chunk);
    yield chunk;
  }
}
