import {
  ARCHIVE_PAGE_BYTES,
  type ByteRange,
  MemberDamaged,
  type PageSumsOf,
  type RangedSource,
} from '@citymodel/zip';
import { LRUCache } from 'lru-cache';

/** Sums that are read at once: those of 256 MiB of an archive. */
const AT_ONCE = 8192;
/** Sums of all archives that are kept, bytes. */
const MAX_BYTES = 16 * 2 ** 20;

/** Where the sums of an archive lie. */
interface SumsPlace {
  /** The index object, whose bytes are compared. */
  source: RangedSource;
  /** Of all sums, in it. */
  range: ByteRange;
}

/** CRC-32 of pages of archives, read out of their indexes piece by piece and kept for all who read the archives. */
export class ArchiveSums {
  readonly #pieces = new LRUCache<string, Uint32Array, SumsPlace & { piece: number }>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ byteLength }) => Math.max(1, byteLength),
    // A caller who waits for sums gets them, also when the cache has no place for them any more.
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context: { source, range, piece } }) => {
      const from = 4 * AT_ONCE * piece;
      const bytes = await source.read(range.offset + from, Math.min(4 * AT_ONCE, range.length - from));
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      return Uint32Array.from({ length: bytes.length / 4 }, (_, i) => view.getUint32(4 * i, true));
    },
  });

  /** The sums of an archive of so many bytes. `key` tells the archive and its index from all others. */
  of(key: string, place: SumsPlace, archive: { name: string; size: number }): PageSumsOf {
    const { name, size } = archive;
    const wanted = 4 * Math.ceil(size / ARCHIVE_PAGE_BYTES);
    const pieceOf = (piece: number) =>
      this.#pieces.forceFetch(`${key}\n${piece}`, { context: { ...place, piece } });
    return {
      name,
      pageBytes: ARCHIVE_PAGE_BYTES,
      load: async (first, past) => {
        if (place.range.length !== wanted) {
          const found = `Its index has ${place.range.length} bytes of sums; an archive of ${size} bytes has ${wanted}.`;
          throw new MemberDamaged('HEADERS_DISAGREE', name, found);
        }
        const from = Math.floor(first / AT_ONCE);
        const to = Math.floor((past - 1) / AT_ONCE);
        const pieces = await Promise.all(Array.from({ length: to - from + 1 }, (_, i) => pieceOf(from + i)));
        return (page) => pieces[Math.floor(page / AT_ONCE) - from]![page % AT_ONCE]!;
      },
    };
  }
}
