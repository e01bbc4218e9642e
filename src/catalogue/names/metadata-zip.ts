/** A package's code lists, metadata, schemas or specification as a zip of their own, laid out from the archive. */
import type { MetadataDirectory } from '../../store/rows.ts';
import type { MemberIndex } from '../../zip/index/member-index.ts';
import type { Member } from '../../zip/member.ts';
import { planZip, type ZipLayout } from '../../zip/write/zip-layout.ts';

/** Lays out the zip of a directory; members keep it in their names. Null when the package does not have it. */
export function planMetadataZip(index: MemberIndex, directory: MetadataDirectory): ZipLayout<null> | null {
  const members = [...index.members(`${directory}/`)];
  if (members.length === 0) return null;
  return planZip(members.map((member: Member) => ({ ...member, name: member.path, source: null })));
}
