import { planMetadataZip } from '../catalogue/names/metadata-zip.ts';
import type { MetadataDirectory, PackageRow } from '../store/rows.ts';
import type { MemberIndex } from '../zip/index/member-index.ts';

const DIRECTORIES: readonly MetadataDirectory[] = ['codelists', 'metadata', 'schemas', 'specification'];

/** The metadata zips that a package offers, with their sizes in bytes. */
export function metadataZips(index: MemberIndex): PackageRow['metadataZips'] {
  const zips: PackageRow['metadataZips'] = [];
  for (const directory of DIRECTORIES) {
    const layout = planMetadataZip(index, directory);
    if (layout !== null) zips.push({ directory, size: layout.size });
  }
  return zips;
}
