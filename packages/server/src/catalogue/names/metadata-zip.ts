/** A package's code lists, metadata, schemas or specification as a zip of their own, laid out from the archive. */
import type { Slices } from '@citymodel/base';
import type { MetadataDirectory } from '@citymodel/store';
import {
  type Member,
  type MemberIndex,
  type PlannedMember,
  planZipInSlices,
  type ZipLayout,
} from '@citymodel/zip';

/**
 * Lays out the zip of a directory, in slices; members keep it in their names. Null when the package does not have it.
 */
export async function planMetadataZip(
  index: MemberIndex,
  directory: MetadataDirectory,
  slices: Slices,
): Promise<ZipLayout<null> | null> {
  const layout = await planZipInSlices(planned(index.members(`${directory}/`)), slices);
  return layout.count === 0 ? null : layout;
}

function* planned(members: Iterable<Member>): Generator<PlannedMember<null>> {
  for (const member of members) yield { ...member, name: member.path, source: null };
}
