import type { MemberIndex, MemberIndexBuilder, RangedSource, SectionName } from '@citymodel/zip';

/**
 * Adds all members of an index, with their sections as they are, in the order in which the members lie in the archive.
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
    await builder.add(member, sections);
    onMember(member.path, member.size);
  }
}
