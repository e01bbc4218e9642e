import { type FileHandle, open } from 'node:fs/promises';
import type { ArchiveSink } from './archive-writer.ts';

/** A local file that an archive is written to. */
export interface ArchiveFile extends ArchiveSink, AsyncDisposable {
  /** Makes what was written durable. */
  sync(): Promise<void>;
}

/** Creates the file, which must not exist yet. */
export async function createArchiveFile(path: string): Promise<ArchiveFile> {
  const handle = await open(path, 'wx');
  let end = 0;
  return {
    async write(bytes) {
      await writeFully(handle, bytes, end);
      end += bytes.length;
    },
    patch: (offset, bytes) => writeFully(handle, bytes, offset),
    async rewind(offset) {
      await handle.truncate(offset);
      end = offset;
    },
    sync: () => handle.sync(),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function writeFully(handle: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, offset + done);
    done += bytesWritten;
  }
}
