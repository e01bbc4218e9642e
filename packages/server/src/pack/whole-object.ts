/** Objects that a pack takes whole: tables of features, as files that are stored without compression. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Archives, PackSource } from '@citymodel/store';
import { ARCHIVE_PAGE_BYTES, MemberDamaged, PageSumsWriter, type RangedSource } from '@citymodel/zip';
import { KnownPages } from './known-pages.ts';

/** What a plan needs of an object. */
export interface WholeObject {
  /** Bytes. */
  size: number;
  crc32: number;
  /** Null where the object was only measured. */
  pages: KnownPages | null;
}

export interface WholeObjectOptions {
  archives: Pick<Archives, 'openObject'>;
  signal?: AbortSignal;
  /** Only the size is wanted, and nothing is read. */
  measures?: boolean;
}

/**
 * The one object of a source without an index, which is read once. Throws MemberDamaged when it came damaged twice,
 * what opening and reading throw, and the signal's reason.
 */
export async function wholeObject(
  { archiveKey, archiveSha256: sha256, files }: PackSource,
  { archives, signal, measures = false }: WholeObjectOptions,
): Promise<WholeObject> {
  await using handle = await archives.openObject(archiveKey);
  const { size } = handle;
  if (measures) return { size, crc32: 0, pages: null };
  return { size, ...(await expectedFacts(handle, { name: files[0]!, sha256, signal })) };
}

type Facts = Pick<WholeObject, 'crc32' | 'pages'>;

interface Expected {
  name: string;
  /** Lower-case hex. */
  sha256: string;
  signal: AbortSignal | undefined;
}

async function expectedFacts(object: RangedSource, expected: Expected): Promise<Facts> {
  const facts = await factsOf(object, expected);
  if (facts !== null) return facts;
  await object.damaged?.(0, object.size);
  const again = await factsOf(object, expected);
  if (again !== null) return again;
  throw new MemberDamaged(
    'CRC_MISMATCH',
    expected.name,
    'Its SHA-256 is not the one that the catalogue has.',
  );
}

/** Null when the bytes have another SHA-256. */
async function factsOf(object: RangedSource, { sha256, signal }: Expected): Promise<Facts | null> {
  const hash = createHash('sha256');
  const sums = new PageSumsWriter(ARCHIVE_PAGE_BYTES);
  let crc = 0;
  for await (const chunk of object.stream(0, object.size, { lent: true })) {
    signal?.throwIfAborted();
    hash.update(chunk);
    sums.push(chunk);
    crc = crc32(chunk, crc);
  }
  if (hash.digest('hex') !== sha256) return null;
  return { crc32: crc, pages: KnownPages.all(ARCHIVE_PAGE_BYTES, sums.finish()) };
}
