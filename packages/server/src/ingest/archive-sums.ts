import { createHash } from 'node:crypto';
import { ARCHIVE_PAGE_BYTES, PageSumsWriter, type RangedSource } from '@citymodel/zip';

/** What is known of all bytes of an archive. */
export interface ArchiveFacts {
  /** Lower-case hex. */
  sha256: string;
  /** CRC-32 of each page, as an index has them. */
  pageSums: Buffer;
}

/**
 * Reads an archive, and once more when its SHA-256 is not the expected one: it may have come damaged. `onBytes`
 * receives how many bytes came. Throws what reading throws.
 */
export async function expectedFacts(
  archive: RangedSource,
  sha256: string,
  onBytes: (bytes: number) => void = () => {},
): Promise<ArchiveFacts> {
  const facts = await archiveFacts(archive, onBytes);
  if (facts.sha256 === sha256) return facts;
  await archive.damaged?.(0, archive.size);
  return archiveFacts(archive, onBytes);
}

/** Reads an archive once. `onBytes` receives how many bytes came. Throws what reading throws. */
export async function archiveFacts(
  archive: RangedSource,
  onBytes: (bytes: number) => void = () => {},
): Promise<ArchiveFacts> {
  const hash = createHash('sha256');
  const sums = new PageSumsWriter(ARCHIVE_PAGE_BYTES);
  if (archive.size > 0) {
    for await (const chunk of archive.stream(0, archive.size, { lent: true })) {
      hash.update(chunk);
      sums.push(chunk);
      onBytes(chunk.length);
    }
  }
  return { sha256: hash.digest('hex'), pageSums: sums.finish() };
}
