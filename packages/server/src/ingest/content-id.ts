/** The id of a package, derived from what it contains. */
import { createHash, hash } from 'node:crypto';
import type { Member } from '@citymodel/zip';
import type { Upload } from './upload.ts';

/**
 * UUID-shaped id of a package's content: name, and path, size and SHA-256 of every member in order of path. How the
 * upload was compressed and dated does not matter, so that the same package has the same URLs on every server.
 */
export function contentId(name: string, members: Iterable<Pick<Member, 'path' | 'size' | 'sha256'>>): string {
  const content = createHash('sha256').update(`${name}\n`);
  for (const member of members) {
    content.update(`${member.path}\0${member.size}\0`).update(member.sha256);
  }
  const hex = content.digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}

/** `59984b81-8516-…` as the two first segments of an asset path: `59/984b81-8516-…`. */
export function assetPathOf(id: string): string {
  return `${id.slice(0, 2)}/${id.slice(2)}`;
}

/**
 * What an upload lists in one number (64 hex digits): the sum modulo 2^256 of the SHA-256 of name, size and CRC-32 of
 * each member. Two uploads with the same digest are the same package, in whatever order they list it; it is known
 * before a byte of content is read, and nothing is kept for it, however many members there are. Null when the upload
 * does not tell CRCs.
 */
export function uploadDigest(
  members: Iterable<{ name: string; size: number; crc32: number | null }>,
): string | null {
  let sum = 0n;
  for (const { name, size, crc32 } of members) {
    if (crc32 === null) return null;
    sum += BigInt(`0x${hash('sha256', `${name}\0${size}\0${crc32}`)}`);
  }
  return BigInt.asUintN(256, sum).toString(16).padStart(64, '0');
}

/** `uploadDigest` of what an upload lists: paths below the root of the package, others with `../` before them. */
export function listedDigest(upload: Upload, root: string): string | null {
  return uploadDigest(listed(upload, root));
}

function* listed(upload: Upload, root: string) {
  for (const { name, size, crc32 } of upload.members()) {
    yield { name: name.startsWith(root) ? name.slice(root.length) : `../${name}`, size, crc32 };
  }
}
