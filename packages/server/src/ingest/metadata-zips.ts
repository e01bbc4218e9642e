import { backgroundSlices } from '@citymodel/base';
import type { MetadataDirectory, PackageRow } from '@citymodel/store';
import type { MemberIndex } from '@citymodel/zip';
import { planMetadataZip } from '../catalogue/names/metadata-zip.ts';

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
