import { ServiceError } from '../base/errors.ts';
import { PromiseLru } from '../base/lru.ts';
import { FeatureIndex } from '../citygml/index/feature-index.ts';
import { FeatureIndexFile } from '../citygml/index/feature-index-file.ts';
import type { Archives } from '../store/archives.ts';
import type { PackageRow } from '../store/rows.ts';
import type { Member } from '../zip/member.ts';
import type { RangedSource } from '../zip/source.ts';
import { GmlIndex } from './gml-index.ts';

/** An index up to this size is read at once, as FeatureIndexFile does. */
const SMALL_BYTES = 256 * 1024;
/** Large indexes whose beginnings are kept, 16 KB each. */
const MAX_BEGUN = 500;
/** Indexes in memory, whatever their size. */
const MAX_WHOLE = 20_000;

/**
 * The feature indexes of all archives, those used last in memory:
 *
 *   unknown ──first use──▶ read by ranges ──second use, or listing──▶ in memory ──(evicted)──▶ unknown
 *      └───────────────small, or listing──────────────────────────────▲
 *
 * So that one id in a file that nobody asks for again costs some ten kilobytes, and in a file that is asked for often
 * nothing but the feature's own block.
 */
export class GmlIndexes {
  readonly #archives: Archives;
  readonly #maxBytes: number;
  readonly #begun: PromiseLru<GmlIndex>;
  readonly #whole: PromiseLru<{ index: GmlIndex; bytes: number }>;

  /** `maxBytes`: of indexes in memory; one that takes more than half of it is always read by ranges. */
  constructor(archives: Archives, maxBytes: number) {
    this.#archives = archives;
    this.#maxBytes = maxBytes;
    this.#begun = new PromiseLru({ max: maxBytes === 0 ? 0 : MAX_BEGUN });
    this.#whole = new PromiseLru({ max: MAX_WHOLE, maxWeight: maxBytes, weigh: ({ bytes }) => bytes });
  }

  /**
   * The index of a GML member of a package; null when it has none. `many`: most of it will be read. Throws ServiceError
   * 503 for an index of another version, which `reindex` replaces.
   */
  async open(row: PackageRow, member: Member, many: boolean): Promise<GmlIndex | null> {
    const range = member.sections.features;
    if (range === undefined) return null;
    const key = `${row.indexKey}\n${member.path}`;
    const source = new IndexSource(this.#archives, row);
    try {
      const fits = range.length <= this.#maxBytes / 2;
      const wanted = many || range.length <= SMALL_BYTES || this.#whole.has(key) || this.#begun.has(key);
      if (fits && wanted) {
        const { index } = await this.#whole.get(key, async () => {
          this.#begun.drop((other) => other === key);
          const whole = FeatureIndex.open(await source.read(range.offset, range.length));
          return { index: new GmlIndex(whole, whole), bytes: range.length };
        });
        return index;
      }
      return await this.#begun.get(
        key,
        async () => new GmlIndex(await FeatureIndexFile.open(source, range), null),
      );
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new ServiceError(503, 'unavailable', {
        reason: `The index of ${member.path} cannot be read by this version; the operator can run \`citymodel reindex\`.`,
        retryAfter: 60,
        cause: error,
      });
    }
  }
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

  async *stream(offset: number, length: number): AsyncGenerator<Uint8Array> {
    await using archive = await this.#archives.open(this.#row);
    yield* archive.indexSource.stream(offset, length);
  }
}
