/** Members in memory, one at a time, to a zip file. */
import type { FileHandle } from 'node:fs/promises';
import { open, rename, rm } from 'node:fs/promises';
import { crc32, deflateRawSync } from 'node:zlib';
import { ArchiveWriter } from '../zip/write/archive-writer.ts';

export interface ZipFileMember {
  path: string;
  bytes: Uint8Array;
}

/** Every member's time: the same members give the same zip. */
const MODIFIED = Date.UTC(2025, 2, 21);
/** Compressed already. */
const STORED = /\.jpg$/;

/**
 * Writes the members below `root` ('' or a directory with `/` at its end). The file appears under its name when it
 * is complete; one that was there before is replaced. Returns its size in bytes.
 */
export async function writeZipFile(
  path: string,
  root: string,
  members: Iterable<ZipFileMember>,
): Promise<number> {
  const partial = `${path}.part`;
  const file = await open(partial, 'w');
  try {
    const writer = new ArchiveWriter(fileSink(file));
    for (const member of members) {
      const stored = STORED.test(member.path);
      const data = stored ? member.bytes : deflateRawSync(member.bytes);
      const totals = { crc32: crc32(member.bytes), size: member.bytes.length, compressedSize: data.length };
      await writer.copy(root + member.path, { method: stored ? 0 : 8, modified: MODIFIED, ...totals }, [
        data,
      ]);
    }
    const { size } = await writer.finish();
    await file.close();
    await rename(partial, path);
    return size;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(partial, { force: true });
    throw error;
  }
}

function fileSink(file: FileHandle) {
  let end = 0;
  const write = async (bytes: Uint8Array, at: number) => {
    for (let done = 0; done < bytes.length; ) {
      done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
    }
  };
  return {
    async write(bytes: Uint8Array) {
      await write(bytes, end);
      end += bytes.length;
    },
    patch: (offset: number, bytes: Uint8Array) => write(bytes, offset),
    async rewind(offset: number) {
      await file.truncate(offset);
      end = offset;
    },
  };
}
