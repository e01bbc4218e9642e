/** The id of a package, derived from what it contains. */
import { createHash } from 'node:crypto';
import type { Member } from '../zip/member.ts';

/**
 * UUID-shaped id of a package's content: name, and path, size and SHA-256 of every member in order of path. How the
 * upload was compressed and dated does not matter, so that the same package has the same URLs on every server.
 */
export function contentId(name: string, members: Iterable<Pick<Member, 'path' | 'size' | 'sha256'>>): string {
  const hash = createHash('sha256').update(`${name}\n`);
  for (const member of members) {
    hash.update(`${member.path}\0${member.size}\0`).update(member.sha256);
  }
  const hex = hash.digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}

/** `59984b81-8516-…` as the two first segments of an asset path: `59/984b81-8516-…`. */
export function assetPathOf(id: string): string {
  return `${id.slice(0, 2)}/${id.slice(2)}`;
}

/**
 * SHA-256 (lower-case hex) over name, size and CRC-32 of what an upload lists. Two uploads with the same digest are
 * the same package; it is known before a byte of content is read. Null when the upload does not tell CRCs.
 */
export function uploadDigest(
  members: Iterable<{ name: string; size: number; crc32: number | null }>,
): string | null {
  const lines: string[] = [];
  for (const { name, size, crc32 } of members) {
    if (crc32 === null) return null;
    lines.push(`${name}\0${size}\0${crc32}\n`);
  }
  const hash = createHash('sha256');
  for (const line of lines.sort()) hash.update(line);
  return hash.digest('hex');
}
