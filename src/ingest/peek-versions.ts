import { isGmlPath, parseGmlName } from '../catalogue/names/gml-name.ts';
import { canonicalPrefix } from '../citygml/xml/namespaces.ts';
import { MemberDamaged } from '../zip/member-damaged.ts';
import type { Upload, UploadMember } from './upload.ts';

/** Namespaces are declared at the root element, which begins within the first bytes. */
const HEAD_BYTES = 16 << 10;
const DECLARATION = /\sxmlns(?::[^\s=:]{1,100})?\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)')/g;

/**
 * Versions of i-UR that the GML files of an upload declare, without reading them to the end: the heads of one file of
 * each feature type, since files of one type come out of one program.
 */
export async function peekIurVersions(upload: Upload, root: string): Promise<string[]> {
  const firsts = new Map<string, UploadMember>();
  for (const member of upload.members()) {
    if (!member.name.startsWith(root)) continue;
    const path = member.name.slice(root.length);
    if (!isGmlPath(path)) continue;
    const { type } = parseGmlName(path);
    if (!firsts.has(type)) firsts.set(type, member);
  }
  const versions = new Set<string>();
  for (const member of firsts.values()) {
    for (const [, double, single] of (await headOf(upload, member)).matchAll(DECLARATION)) {
      const canonical = canonicalPrefix(double ?? single ?? '');
      if (canonical?.prefix.startsWith('ur') && canonical.version !== null) versions.add(canonical.version);
    }
  }
  return [...versions].sort();
}

/** The first text of a member; '' when it cannot be read. */
async function headOf(upload: Upload, member: UploadMember): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of upload.read(member)) {
      chunks.push(chunk.subarray(0, HEAD_BYTES - size));
      size += chunk.length;
      if (size >= HEAD_BYTES) break;
    }
  } catch (error) {
    if (!(error instanceof MemberDamaged)) throw error;
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
