import { upgradedIndex } from '@citymodel/citygml';
import {
  decodeBlockChecks,
  encodeBlockChecks,
  type MemberIndex,
  type MemberIndexBuilder,
  type RangedSource,
  type SectionName,
} from '@citymodel/zip';

/**
 * Adds all members of an index in the order in which they lie in the archive, with their sections. Feature indexes get
 * their newest form.
 * `source` is the index object. Throws what reading and adding throw.
 */
export async function copyIndex(
  index: MemberIndex,
  source: RangedSource,
  builder: MemberIndexBuilder,
  onMember: (path: string, bytes: number) => void = () => {},
): Promise<void> {
  const offsets = Float64Array.from({ length: index.count }, (_, i) => index.at(i).offset);
  const order = Uint32Array.from({ length: index.count }, (_, i) => i);
  order.sort((a, b) => offsets[a]! - offsets[b]!);
  for (const i of order) {
    const { sections: places, ...member } = index.at(i);
    const sections: Partial<Record<SectionName, Uint8Array>> = {};
    await Promise.all(
      Object.entries(places).map(async ([name, { offset, length }]) => {
        sections[name as SectionName] = await source.read(offset, length);
      }),
    );
    upgrade(member.path, sections);
    await builder.add(member, sections);
    onMember(member.path, member.size);
  }
}

/** Gives the feature index its newest form, and the checks its CRC-32. */
function upgrade(path: string, sections: Partial<Record<SectionName, Uint8Array>>): void {
  const { blocks: table, features: old, checks } = sections;
  if (old === undefined) return;
  const features = upgradedIndex(old);
  sections.features = features;
  if (features === old || table === undefined || checks === undefined) return;
  sections.checks = encodeBlockChecks({ table, features }, decodeBlockChecks(checks, path).blocks);
}
