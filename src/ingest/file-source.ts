import { type FileHandle, open } from 'node:fs/promises';
import type { RangedSource } from '../zip/source.ts';

const CHUNK = 1 << 20;

/** A local file as a ranged source; closed by disposing of it. */
export interface FileSource extends RangedSource, AsyncDisposable {
  readInto(target: Uint8Array, offset: number): Promise<void>;
}

/** Opens a local file for ranged reads. Throws what opening throws. */
export async function openFileSource(path: string): Promise<FileSource> {
  const handle = await open(path, 'r');
  const { size } = await handle.stat();
  return {
    size,
    read: (offset, length) => readExactly(handle, offset, length, path),
    readInto: (target, offset) => fill(handle, target, offset, path),
    async *stream(offset, length) {
      let at = offset;
      const end = offset + length;
      let next = at < end ? readExactly(handle, at, Math.min(CHUNK, end - at), path) : null;
      while (next !== null) {
        const chunk = await next;
        at += chunk.length;
        next = at < end ? readExactly(handle, at, Math.min(CHUNK, end - at), path) : null;
        next?.catch(() => {});
        yield chunk;
      }
    },
    async [Symbol.asyncDispose]() {
      await handle.close();
    },
  };
}

async function readExactly(
  handle: FileHandle,
  offset: number,
  length: number,
  path: string,
): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(length);
  await fill(handle, buffer, offset, path);
  return buffer;
}

async function fill(handle: FileHandle, target: Uint8Array, offset: number, path: string): Promise<void> {
  let got = 0;
  while (got < target.length) {
    const { bytesRead } = await handle.read(target, got, target.length - got, offset + got);
    if (bytesRead === 0) throw new RangeError(`${path} ends before byte ${offset + target.length}`);
    got += bytesRead;
  }
}
