/** Members in memory, one at a time, to a zip file. */
import { createZip } from '@citymodel/tiles';

export interface ZipFileMember {
  path: string;
  bytes: Uint8Array;
}

/** Every member's time: the same members give the same zip. */
const MODIFIED = Date.UTC(2025, 2, 21);
/** Compressed already. */
const STORED = /\.(?:jpg|png)$/;

/**
 * Writes the members below `root` ('' or a directory with `/` at its end). The file appears under its name when it
 * is complete; one that was there before is replaced. Returns its size in bytes.
 */
export async function writeZipFile(
  path: string,
  root: string,
  members: Iterable<ZipFileMember>,
): Promise<number> {
  const zip = await createZip(path, MODIFIED);
  try {
    for (const { path, bytes } of members) await zip.add(root + path, bytes, { stored: STORED.test(path) });
    return (await zip.finish()).bytes;
  } catch (error) {
    await zip.abandon();
    throw error;
  }
}
