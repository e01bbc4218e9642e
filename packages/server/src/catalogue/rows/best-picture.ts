/** Which package's pictures stand for a city. */
import type { PackageRow } from '@citymodel/store';

type Drawn = Pick<PackageRow, 'dataset' | 'year' | 'archiveSize' | 'pictures'>;

/**
 * The package whose pictures show most of a city: buildings before all else and bare ground after it, then the highest
 * LOD, textures, the newest year, the most bytes. Null where none was drawn.
 */
export function bestPicture<T extends Drawn>(packages: Iterable<T>): T | null {
  let best: T | null = null;
  let rank: number[] = [];
  for (const row of packages) {
    if (row.dataset === null || (row.pictures?.images.length ?? 0) === 0) continue;
    const own = rankOf(row, row.dataset);
    if (best === null || isHigher(own, rank)) [best, rank] = [row, own];
  }
  return best;
}

function rankOf(
  { year, archiveSize }: Drawn,
  { type, lod, texture }: NonNullable<Drawn['dataset']>,
): number[] {
  const worth = type === 'bldg' ? 1 : type === 'dem' ? -1 : 0;
  return [worth, lod ?? 1, texture ? 1 : 0, year, archiveSize];
}

function isHigher(own: readonly number[], other: readonly number[]): boolean {
  const i = own.findIndex((value, at) => value !== other[at]);
  return i !== -1 && own[i]! > other[i]!;
}
