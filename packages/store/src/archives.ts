import { crc32 } from 'node:zlib';
import {
  BlockTable,
  type ByteRange,
  CheckedPages,
  decodeBlockChecks,
  decodePieces,
  IndexDamaged,
  type KnownData,
  type Member,
  MemberDamaged,
  MemberIndex,
  PAGE_BYTES,
  type PageSumsOf,
  type RangedSource,
  readTwice,
  type SectionName,
} from '@citymodel/zip';
import { LRUCache } from 'lru-cache';
import { ArchiveSums } from './archive-sums.ts';
import { type Lease, LeaseCache } from './lease-cache.ts';
import { type ObjectHandle, ObjectMissing, type ObjectStore, type StoreTraits } from './object-store.ts';
import { type HintedPackage, openingHints } from './opening-hints.ts';
import type { PackageRow } from './rows.ts';
import { type TellDamage, WatchedHandle } from './watched-objects.ts';

/** Members in all indexes kept in memory, at about 140 bytes each. */
const MAX_MEMBERS = 1_000_000;
/** Blocks in all decoded block tables kept in memory, at 16 bytes each. */
const MAX_BLOCKS = 1_000_000;
/** Decoded block tables kept in memory. */
const MAX_BLOCK_TABLES = 10_000;
/** Pieces of blocks kept in memory, bytes of the index: about a thousandth of their text. */
const MAX_PIECES_BYTES = 32 * 1024 * 1024;

/** Members whose data is known by its CRC-32, at about 150 bytes each. */
const MAX_KNOWN = 50_000;

/** What opening needs of a package; with the rest of its row, what is read first comes along. */
export type OpenedPackage = Pick<PackageRow, 'id' | 'archiveKey' | 'indexKey'> & HintedPackage;

export interface ArchivesOptions {
  /** Archives kept open when nobody reads them. */
  maxOpen: number;
  /** Called when bytes of an object were not what its index says; they are read once more then. */
  onDamage?: TellDamage;
}

/** An archive with its index, until it is disposed of. */
export interface OpenArchive extends AsyncDisposable {
  readonly index: MemberIndex;
  /** The zip: the bytes of members lie here, for those who compare them themselves. */
  readonly archive: RangedSource;
  /** CRC-32 of each page of the zip; null for an index of before there were any. */
  readonly archiveSums: PageSumsOf | null;
  /**
   * The zip for those who pass its bytes on as they are: no page ends before it was compared. Of an index without sums,
   * the zip as it comes. For one use: it keeps buffers.
   */
  checkedArchive(): RangedSource;
  /** The index object, where sections lie. Bytes are compared with the sums of its pages before they are given. */
  readonly indexSource: RangedSource;
  /** Whether reads cost a round trip over a network. */
  readonly readCost: StoreTraits['readCost'];
  readonly knownData: KnownData;
  /** A section of a member (which must be of `index`), or null when it has none. */
  section(member: Member, name: SectionName): Promise<Uint8Array | null>;
  /** The decoded block table of a seekable member, or null for other members. Cached. */
  blocks(member: Member): Promise<BlockTable | null>;
  /** The pieces of these blocks, or null where they have none. Cached. */
  pieces(member: Member): Promise<BlockTable | null>;
}

interface Opened {
  index: MemberIndex;
  archive: ObjectHandle;
  /** The index object as it is read: what has sums is compared. */
  sections: RangedSource;
  indexHandle: ObjectHandle;
}

/** Decoded block tables, by archive and member; made of a range of the index object. */
type BlockTables = LRUCache<
  string,
  BlockTable,
  { source: RangedSource; member: Member; range: ByteRange; checks: ByteRange | undefined }
>;

/** Decoded pieces, by archive and member, with their bytes in the index. */
type PieceTables = LRUCache<
  string,
  { pieces: BlockTable; bytes: number },
  { source: RangedSource; member: Member; range: ByteRange; blocks: BlockTable }
>;

/**
 * The archives of packages, opened once and shared. A package that is deleted or replaced stays readable for those
 * who have it open.
 */
export class Archives {
  /** Whether reads cost a round trip over a network. */
  readonly readCost: StoreTraits['readCost'];
  readonly #opened: LeaseCache<Opened>;
  readonly #blocks: BlockTables = new LRUCache({
    max: MAX_BLOCK_TABLES,
    maxSize: MAX_BLOCKS,
    sizeCalculation: ({ count }) => Math.max(1, count),
    // A caller who waits for a table gets it, also when the cache has no place for it any more.
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context: { source, member, range, checks } }) => {
      if (checks === undefined) return BlockTable.decode(await source.read(range.offset, range.length));
      // One lies behind the other.
      const length = checks.offset + checks.length - range.offset;
      return readTwice(source, range.offset, length, (bytes) => {
        const table = bytes.subarray(0, range.length);
        const known = decodeBlockChecks(bytes.subarray(checks.offset - range.offset), member.path);
        if (known.table !== crc32(table)) {
          throw new MemberDamaged('CRC_MISMATCH', member.path, 'Its block table is damaged.');
        }
        return BlockTable.decode(table).withChecks(known);
      });
    },
  });

  readonly #pieces: PieceTables = new LRUCache({
    maxSize: MAX_PIECES_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context: { source, member, range, blocks } }) =>
      readTwice(source, range.offset, range.length, (bytes) => ({
        pieces: decodePieces(bytes, blocks, member.path),
        bytes: range.length,
      })),
  });

  readonly #objects: ObjectStore;
  readonly #onDamage: ArchivesOptions['onDamage'];
  readonly #sums = new ArchiveSums();
  readonly #keys = new WeakMap<OpenedPackage, string>();
  /** By archive and offset. With `max` the library would take the memory of all at once. */
  readonly #known = new LRUCache<string, number>({ maxSize: MAX_KNOWN, sizeCalculation: () => 1 });

  constructor(objects: ObjectStore, options: ArchivesOptions) {
    const { onDamage } = options;
    this.#objects = objects;
    this.#onDamage = onDamage;
    this.readCost = objects.traits.readCost;
    this.#opened = new LeaseCache<Opened>({
      max: options.maxOpen,
      maxWeight: MAX_MEMBERS,
      weigh: ({ index }) => index.count,
      open: async (cacheKey) => {
        try {
          return await openArchive(objects, cacheKey, onDamage);
        } catch (error) {
          if (!isOutOfFiles(error)) throw error;
          // The archives kept for later take the files that this one needs.
          await this.#opened.closeIdle();
          return openArchive(objects, cacheKey, onDamage);
        }
      },
      close: closeArchive,
    });
  }

  /**
   * Opens a package's archive. Throws ObjectMissing when it has no objects (any more), and StoreUnavailable when the
   * store cannot answer. Throws IndexDamaged for an index whose bytes came damaged twice, and an Error for one of
   * another version.
   */
  async open(pkg: OpenedPackage): Promise<OpenArchive> {
    if (pkg.archiveKey === '') throw new ObjectMissing(`with the archive of package ${pkg.id}`);
    const cacheKey = this.#keyOf(pkg);
    const lease = await this.#opened.lease(cacheKey);
    const tables = { blocks: this.#blocks, pieces: this.#pieces };
    return new LeasedArchive(cacheKey, lease, tables, this.#sums, this.#known, this.readCost);
  }

  /** Rows of packages are the same from request to request. */
  #keyOf(pkg: OpenedPackage): string {
    let key = this.#keys.get(pkg);
    if (key === undefined) {
      const { archive, index } = openingHints(pkg);
      const hints = [archive.first ?? 0, index.last ?? 0];
      key = [pkg.id, pkg.archiveKey, pkg.indexKey, ...hints].join(SEPARATOR);
      this.#keys.set(pkg, key);
    }
    return key;
  }

  /** Opens another object, such as the layout of a pack, so that damage of it is told. Throws what the store throws. */
  async openObject(key: string): Promise<ObjectHandle> {
    return new WatchedHandle(key, await this.#objects.open(key), this.#onDamage);
  }

  /** Closes all archives that nobody reads. */
  close(): Promise<void> {
    return this.#opened.close();
  }
}

/** Between the parts of a cache key; neither ids nor keys of objects have it. */
const SEPARATOR = '\n';

class LeasedArchive implements OpenArchive {
  readonly index: MemberIndex;
  readonly archive: RangedSource;
  readonly indexSource: RangedSource;
  readonly readCost: StoreTraits['readCost'];
  readonly #cacheKey: string;
  readonly #lease: Lease<Opened>;
  readonly #tables: { blocks: BlockTables; pieces: PieceTables };
  readonly #sums: ArchiveSums;
  readonly #known: LRUCache<string, number>;
  #archiveSums: PageSumsOf | null | undefined;

  constructor(
    cacheKey: string,
    lease: Lease<Opened>,
    tables: { blocks: BlockTables; pieces: PieceTables },
    sums: ArchiveSums,
    known: LRUCache<string, number>,
    readCost: StoreTraits['readCost'],
  ) {
    this.#cacheKey = cacheKey;
    this.#lease = lease;
    this.#tables = tables;
    this.index = lease.value.index;
    this.archive = lease.value.archive;
    this.indexSource = lease.value.sections;
    this.#sums = sums;
    this.#known = known;
    this.readCost = readCost;
  }

  /** For those who pass bytes on; who reads features has no use for it. */
  get archiveSums(): PageSumsOf | null {
    if (this.#archiveSums !== undefined) return this.#archiveSums;
    const { archiveSums: range } = this.index;
    const name = `the archive of package ${this.#cacheKey.split(SEPARATOR, 1)[0]}`;
    const place = range === null ? null : { source: this.indexSource, range };
    this.#archiveSums =
      place === null ? null : this.#sums.of(this.#cacheKey, place, { name, size: this.archive.size });
    return this.#archiveSums;
  }

  get knownData(): KnownData {
    const keyOf = (member: Member) => this.#cacheKey + SEPARATOR + member.offset;
    return {
      get: (member) => this.#known.get(keyOf(member)),
      set: (member, crc) => this.#known.set(keyOf(member), crc),
    };
  }

  checkedArchive(): RangedSource {
    return this.archiveSums === null ? this.archive : new CheckedPages(this.archive, this.archiveSums);
  }

  async section(member: Member, name: SectionName): Promise<Uint8Array | null> {
    const range = member.sections[name];
    return range === undefined ? null : this.indexSource.read(range.offset, range.length);
  }

  async blocks(member: Member): Promise<BlockTable | null> {
    const range = member.sections.blocks;
    if (range === undefined) return null;
    const key = this.#cacheKey + SEPARATOR + member.path;
    const { checks } = member.sections;
    return this.#tables.blocks.forceFetch(key, {
      context: { source: this.indexSource, member, range, checks },
    });
  }

  async pieces(member: Member): Promise<BlockTable | null> {
    const range = member.sections.pieces;
    const blocks = range === undefined ? null : await this.blocks(member);
    if (range === undefined || blocks === null) return null;
    const key = this.#cacheKey + SEPARATOR + member.path;
    const context = { source: this.indexSource, member, range, blocks };
    return (await this.#tables.pieces.forceFetch(key, { context })).pieces;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lease[Symbol.asyncDispose]();
  }
}

async function openArchive(
  objects: ObjectStore,
  cacheKey: string,
  onDamage: ArchivesOptions['onDamage'],
): Promise<Opened> {
  const [, archiveKey, indexKey, first, last] = cacheKey.split(SEPARATOR) as [
    string,
    string,
    string,
    string,
    string,
  ];
  // Where the store is remote both are opened at once, and what is read of the index comes along: each is a round trip.
  const isRemote = objects.traits.readCost === 'remote';
  const opening = isRemote ? objects.open(archiveKey, { first: Number(first) }) : null;
  opening?.catch(() => {});
  let indexSource: ObjectHandle | null = null;
  try {
    indexSource = await objects.open(indexKey, { last: Number(last), block: PAGE_BYTES });
    const watched = new WatchedHandle(indexKey, indexSource, onDamage);
    const index = await openIndex(watched);
    const archive = await (opening ?? objects.open(archiveKey));
    return {
      index,
      sections: index.checked(watched),
      indexHandle: watched,
      archive: new WatchedHandle(archiveKey, archive, onDamage),
    };
  } catch (error) {
    await indexSource?.[Symbol.asyncDispose]();
    const archive = await opening?.catch(() => null);
    await archive?.[Symbol.asyncDispose]();
    throw error;
  }
}

/** Opens an index; one that is damaged is read once more. Nothing of what is damaged stays. */
async function openIndex(source: ObjectHandle): Promise<MemberIndex> {
  for (let isLast = false; ; isLast = true) {
    try {
      return await MemberIndex.open(source);
    } catch (error) {
      if (!(error instanceof IndexDamaged)) throw error;
      await source.damaged?.(0, source.size);
      if (isLast) throw error;
    }
  }
}

async function closeArchive({ archive, indexHandle }: Opened): Promise<void> {
  await archive[Symbol.asyncDispose]();
  await indexHandle[Symbol.asyncDispose]();
}

/** True when the process, or the system, has no file descriptor left. */
function isOutOfFiles(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && (cause.code === 'EMFILE' || cause.code === 'ENFILE')) return true;
  }
  return false;
}
