import { crc32 } from 'node:zlib';
import { FeatureIndex, FeatureIndexFile, XmlMemory } from '@citymodel/citygml';
import type { Archives, PackageRow } from '@citymodel/store';
import {
  type BlockChecks,
  type ByteRange,
  type Member,
  MemberDamaged,
  type RangedSource,
  readTwice,
} from '@citymodel/zip';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../base/errors.ts';
import { GmlIndex } from './gml-index.ts';

/** An index up to this size is read at once. */
const SMALL_BYTES = 256 * 1024;
/** Of a store that is far away: up to this size, bytes, the whole takes no longer than parts of it. */
const SMALL_FAR_BYTES = 64 * 1024;
/** Answers about few ids out of parts of an index that is far away, before the whole is read. */
const FAR_USES = 8;
/** Share of the memory for indexes that is for the beginnings of those that are read by ranges. */
const BEGUN_SHARE = 1 / 8;

/** Where an index lies. */
interface Place {
  source: IndexSource;
  member: Member;
  range: ByteRange;
  /** The only id that is looked for. */
  id?: string | undefined;
}

/**
 * The feature indexes of all archives, those used last in memory:
 *
 *   unknown ──first use──▶ read by ranges ──second use, or listing──▶ in memory ──(evicted)──▶ unknown
 *      └───────────────small, or listing──────────────────────────────▲
 *
 * One id in a file that is not requested again costs some ten kilobytes. In a file that is requested often it costs the
 * feature's own block alone. Of a store that is far away, ranges serve the first few answers about few ids; anything
 * else reads the whole, because ranges one after the other take longer.
 */
export class GmlIndexes {
  readonly #archives: Archives;
  readonly #memory = new XmlMemory();
  /** An index that takes more is read by ranges, however often it is used. */
  readonly #maxWhole: number;
  /** Null where nothing is kept. */
  readonly #begun: LRUCache<string, GmlIndex, Place> | null;
  /** Answers that each of these was begun for, where it is far away. */
  readonly #uses = new WeakMap<GmlIndex, number>();
  readonly #whole: LRUCache<string, GmlIndex, Place> | null;

  /**
   * `maxBytes`: of indexes in memory; 0 keeps nothing. One that takes more than half of it is always read by ranges.
   */
  constructor(archives: Archives, maxBytes: number) {
    this.#archives = archives;
    this.#maxWhole = maxBytes / 2;
    const cache = (maxSize: number, open: (place: Place) => Promise<GmlIndex>) =>
      maxSize < 1
        ? null
        : new LRUCache<string, GmlIndex, Place>({
            maxSize: Math.floor(maxSize),
            sizeCalculation: ({ bytes }) => bytes,
            fetchMethod: (_key, _stale, { context }) => open(context),
            // One that does not fit any more is still answered.
            ignoreFetchAbort: true,
          });
    this.#begun = cache(maxBytes * BEGUN_SHARE, (place) => openRanges(place, this.#memory));
    this.#whole = cache(maxBytes, (place) => openWhole(place, this.#memory));
  }

  /**
   * The index of a GML member of a package; null when it has none. `many`: most of it will be read; `few`: a few ids
   * will be looked up and nothing else; `id`: the only one of these. Throws ServiceError 503 for an index of another
   * version, which `reindex` replaces.
   */
  async open(
    row: PackageRow,
    member: Member,
    many: boolean,
    few = false,
    id?: string,
  ): Promise<GmlIndex | null> {
    const range = member.sections.features;
    if (range === undefined) return null;
    const key = `${row.indexKey}\n${member.path}`;
    const place = { source: new IndexSource(this.#archives, row), member, range, id };
    try {
      if (this.#begun === null || this.#whole === null) return await openRanges(place, this.#memory);
      const fits = range.length <= this.#maxWhole;
      const isFar = this.#archives.readCost === 'remote';
      if (isFar && few && range.length > SMALL_FAR_BYTES && !this.#whole.has(key)) {
        const begun = await this.#begun.forceFetch(key, { context: place });
        const uses = (this.#uses.get(begun) ?? 0) + 1;
        this.#uses.set(begun, uses);
        if ((begun.findsQuickly && uses <= FAR_USES) || !fits) return begun;
      }
      // Ranges are read one after the other; far away, each of them takes longer than the whole at once.
      const readsWhole =
        many || isFar || range.length <= SMALL_BYTES || this.#whole.has(key) || this.#begun.has(key);
      if (!fits || !readsWhole) return await this.#begun.forceFetch(key, { context: place });
      this.#begun.delete(key);
      return await this.#whole.forceFetch(key, { context: place });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw unreadable(member, error);
    }
  }

  /**
   * Hashes of the gml:ids of a GML member, ascending; null when it has no index. Nothing of it is kept: who asks wants
   * those of many files. Throws like `open`.
   */
  async idHashes(row: PackageRow, member: Member): Promise<Uint32Array | null> {
    const range = member.sections.features;
    if (range === undefined) return null;
    try {
      const file = await FeatureIndexFile.open(new IndexSource(this.#archives, row), range);
      return await file.idHashes();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw unreadable(member, error);
    }
  }
}

function unreadable({ path }: Member, cause: RangeError): ServiceError {
  return new ServiceError(503, 'unavailable', {
    reason: `The index of ${path} cannot be read by this version; the operator can run \`citymodel reindex\`.`,
    retryAfter: 60,
    cause,
  });
}

async function openRanges({ source, range, id }: Place, memory: XmlMemory): Promise<GmlIndex> {
  const wanted = id === undefined ? undefined : { id, featureBytes: await source.featureBytes() };
  const file = await FeatureIndexFile.open(source, range, wanted);
  return new GmlIndex(file, file.keptBytes, memory);
}

/** The whole index, compared with its CRC-32 where the package has that; read once more when it is damaged. */
async function openWhole({ source, member, range }: Place, memory: XmlMemory): Promise<GmlIndex> {
  const expected = source.checksOf(member);
  // The reader of the index is told.
  expected.catch(() => {});
  return readTwice(source, range.offset, range.length, async (bytes) => {
    const crc = (await expected)?.features;
    if (crc !== undefined && crc !== crc32(bytes)) {
      throw new MemberDamaged(
        'CRC_MISMATCH',
        member.path,
        'The CRC-32 of its feature index is not what the index says.',
      );
    }
    return new GmlIndex(FeatureIndex.open(bytes), range.length, memory);
  });
}

/** The index object of a package, opened for each read: what is kept in memory must not keep files open. */
class IndexSource implements RangedSource {
  readonly size = Number.MAX_SAFE_INTEGER;
  readonly #archives: Archives;
  readonly #row: PackageRow;

  constructor(archives: Archives, row: PackageRow) {
    this.#archives = archives;
    this.#row = row;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    await using archive = await this.#archives.open(this.#row);
    return await archive.indexSource.read(offset, length);
  }

  /** What a feature takes in the index of the package, bytes; undefined where that is not known. */
  async featureBytes(): Promise<number | undefined> {
    await using archive = await this.#archives.open(this.#row);
    const { sectionsEnd } = archive.index;
    return sectionsEnd !== null && this.#row.features > 0 ? sectionsEnd / this.#row.features : undefined;
  }

  /** The checks of a member; they are read with the block table, which one who reads features needs in any case. */
  async checksOf(member: Member): Promise<BlockChecks | null> {
    await using archive = await this.#archives.open(this.#row);
    return (await archive.blocks(member))?.checks ?? null;
  }

  async damaged(offset: number, length: number): Promise<void> {
    await using archive = await this.#archives.open(this.#row);
    await archive.indexSource.damaged?.(offset, length);
  }

  async *stream(offset: number, length: number): AsyncGenerator<Uint8Array> {
    await using archive = await this.#archives.open(this.#row);
    yield* archive.indexSource.stream(offset, length);
  }
}
