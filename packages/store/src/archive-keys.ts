import type { PackageRow } from './rows.ts';

/**
 * What ends the key of an index that has sums of all its pages and of those of the archive; indexes of before end in
 * `.index` alone.
 */
const SUMMED_INDEX = '.sums.index';

/** Keys of the objects of an archive. */
export function archiveKeys(id: string): { archive: string; index: string } {
  return { archive: `archives/${id}.zip`, index: `archives/${id}${SUMMED_INDEX}` };
}

/** Whether all bytes of a package can be compared when they are read; `reindex` makes it so. */
export function hasSums({ indexKey }: Pick<PackageRow, 'indexKey'>): boolean {
  // Generated catalogues have packages without bytes.
  return indexKey === '' || indexKey.endsWith(SUMMED_INDEX);
}
