import { backgroundSlices } from '../base/turns.ts';
import { planMetadataZip } from '../catalogue/names/metadata-zip.ts';
import type { MetadataDirectory, PackageRow } from '../store/rows.ts';
import type { MemberIndex } from '../zip/index/member-index.ts';

const DIRECTORIES: readonly MetadataDirectory[] = ['codelists', 'metadata', 'schemas', 'specification'];

/** The metadata zips that a package offers, with their sizes in bytes. */
export async function metadataZips(index: MemberIndex): Promise<PackageRow['metadataZips']> {
  const zips: PackageRow['metadataZips'] = [];
  for (const directory of DIRECTORIES) {
    const layout = await planMetadataZip(index, directory, backgroundSlices());
    if (layout !== null) zips.push({ directory, size: layout.size });
  }
  return zips;
}
