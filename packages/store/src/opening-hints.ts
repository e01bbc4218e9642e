/** How much of a package's objects opening asks for at once, where each further request is a round trip. */
import type { OpenHint } from './object-store.ts';
import type { PackageRow } from './rows.ts';

/** What tells how much will be read first; without it guesses are made. */
export type HintedPackage = Partial<
  Pick<PackageRow, 'kind' | 'memberCount' | 'files' | 'features' | 'archiveSize' | 'metadataZips'>
>;

/** What the table of an index takes for a member, with a path of some 60 bytes. */
const MEMBER_BYTES = 150;
/**
 * The table of an index of a package that nothing is known of, and the longest that is asked for before its length is
 * known.
 */
const TABLE = { unknown: 64 * 1024, most: 2 * 2 ** 20 };
/** What stands before the table: sums of pages, four bytes for each 8 KiB of the index. */
const SUMS_SHARE = 1 / 2_048;
/** What stands before those: four bytes for each 32 KiB of the archive. No answer about features needs them. */
const ARCHIVE_SUMS = { share: 1 / 8_192, most: 16 * 1024 };
/** What a feature has in an index, of that at its end with its share of a block table, and this share alone. */
const FEATURE_BYTES = { whole: 230, end: 26, blocks: 0.3 };
/** Headers, root tag, elements and dependencies of a GML file, and for what is guessed too low. */
const HEAD_BYTES = 10 * 1024;
/** A longer index is not read as a whole for one id, and of longer ends only so much before the block table. */
const MAX_LOOKUP = 64 * 1024;
const LARGE_LOOKUP = 16 * 1024;
/** Code lists, which the archive begins with: a guess, and the most that is asked for before they are. */
const LISTS = { unknown: 64 * 1024, most: 160 * 1024 };

/**
 * What to read of archive and index when they are opened: code lists at the start of an archive of CityGML, and the
 * table at the end of the index. What finds a feature by its id lies before it in a package of one GML file, and comes
 * along.
 */
export function openingHints(pkg: HintedPackage): { archive: OpenHint; index: OpenHint } {
  const { kind, memberCount, files = 0, features = 0, archiveSize = 0, metadataZips } = pkg;
  const lists = metadataZips?.find(({ directory }) => directory === 'codelists')?.size;
  const isGml = kind === 'citygml';
  const first = metadataZips === undefined ? LISTS.unknown : Math.min(LISTS.most, lists ?? 1);
  const table = memberCount === undefined ? TABLE.unknown : memberCount * MEMBER_BYTES;
  const lookup = isGml && files === 1 ? lookupBytes(features) : 0;
  const ofArchive = archiveSize * ARCHIVE_SUMS.share;
  const passesArchive = lookup > 0 || !isGml || ofArchive <= ARCHIVE_SUMS.most;
  const sums = features * FEATURE_BYTES.whole * SUMS_SHARE + (passesArchive ? ofArchive : 0);
  const last = table + sums + HEAD_BYTES + lookup;
  return {
    archive: isGml ? { first } : {},
    index: { last: Math.min(TABLE.most, Math.ceil(last)) },
  };
}

/** What finds a feature by its id in the index of a file of so many features. */
function lookupBytes(features: number): number {
  if (features * FEATURE_BYTES.whole <= MAX_LOOKUP) return features * FEATURE_BYTES.whole;
  if (features * FEATURE_BYTES.end <= MAX_LOOKUP) return features * FEATURE_BYTES.end;
  return LARGE_LOOKUP + features * FEATURE_BYTES.blocks;
}
