import type { PackagePicture, PackageRow } from './rows.ts';

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

/** What keys of tables of features begin with. */
export const TABLE_PREFIX = 'tables/';

/**
 * Key of the table of a feature type. A program beside this one may read a bucket: the type and the package stand in
 * its name. `id`: of the work that makes it.
 */
export function tableKey(id: string, type: string, { name }: Pick<PackageRow, 'name'>): string {
  const plain = name.replace(/[^\w.-]/g, '_').slice(0, 120);
  return `${TABLE_PREFIX}${type.replace(/\W/g, '_')}/${plain}/${id}.parquet`;
}

/** What keys of pictures of packages begin with. */
export const PICTURE_PREFIX = 'pictures/';

/** Key of a picture. `id`: of the work that draws it. */
export function pictureKey(
  id: string,
  { theme, size, mimeType }: Pick<PackagePicture, 'theme' | 'size' | 'mimeType'>,
): string {
  return `${PICTURE_PREFIX}${id}-${theme}-${size}.${mimeType.slice('image/'.length)}`;
}

/** Keys of all objects of a package. */
export function objectKeysOf({
  archiveKey,
  indexKey,
  tables = [],
  pictures,
}: Pick<PackageRow, 'archiveKey' | 'indexKey' | 'tables' | 'pictures'>): string[] {
  // Generated catalogues have packages without bytes.
  return [archiveKey, indexKey, ...[...tables, ...(pictures?.images ?? [])].map(({ key }) => key)].filter(
    (key) => key !== '',
  );
}
