import { basename } from 'node:path';
import { openFileSource, readMember, readZipDirectory, type ZipEntry, ZipRefused } from '@citymodel/zip';
import { readAhead } from './read-ahead.ts';
import { PackageRefused, type Upload, type UploadMember } from './upload.ts';

/** Largest member, uncompressed, and how far it may inflate: real GML inflates 4 to 30 times. */
const MAX_MEMBER_BYTES = 256 * 2 ** 30;
const MAX_RATIO = 500;

/** Opens a zip as an upload. Throws PackageRefused when it cannot be trusted as a whole. */
export async function openZipUpload(path: string): Promise<Upload> {
  const source = await openFileSource(path);
  try {
    const directory = await readZipDirectory(source);
    const members = readAhead(source);
    return {
      location: path,
      name: basename(path).replace(/\.zip$/i, ''),
      issues: directory.issues,
      names: directory.names,
      uploadBytes: source.size,
      *members() {
        for (const entry of directory.entries()) if (!entry.isDirectory) yield entry;
      },
      member: (i) => directory.entry(i),
      raw: (member) => member as ZipEntry,
      read: (member, options) =>
        readMember(members, member as UploadMember & ZipEntry, {
          maxSize: MAX_MEMBER_BYTES,
          maxRatio: MAX_RATIO,
          ...options,
        }),
      release: () => directory.release(),
      [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
    };
  } catch (error) {
    await source[Symbol.asyncDispose]();
    if (error instanceof ZipRefused)
      throw new PackageRefused(error.code, `${path}: ${error.reason}`, { cause: error });
    throw error;
  }
}
