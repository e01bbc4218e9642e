/**
 * Files of a part as the zip of a package will have them: deflated. So all threads deflate, where else the one would
 * that joins the parts, and parts take a quarter of the disk.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';

/** What is known of the content of a file that is deflated. */
export interface PackedFile {
  name: string;
  /** Bytes. */
  size: number;
  crc32: number;
}

const deflate = promisify(deflateRaw);

/** Writes the file of this content. */
export async function writePacked(directory: string, name: string, bytes: Uint8Array): Promise<PackedFile> {
  writeFileSync(join(directory, name), await deflate(bytes));
  return { name, size: bytes.length, crc32: crc32(bytes) };
}
