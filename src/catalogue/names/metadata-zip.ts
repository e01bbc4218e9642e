/** A package's code lists, metadata, schemas or specification as a zip of their own, laid out from the archive. */
import type { Slices } from '../../base/turns.ts';
import type { MetadataDirectory } from '../../store/rows.ts';
import type { MemberIndex } from '../../zip/index/member-index.ts';
import type { Member } from '../../zip/member.ts';
import { type PlannedMember, planZipInSlices, type ZipLayout } from '../../zip/write/zip-layout.ts';

/** Lays out the zip of a directory, in slices; members keep it in their names. Null when the package does not have it. */
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
