import type { BlockTable } from './block-table.ts';
import { inflateWhole } from './inflate.ts';
import type { Member } from './member.ts';
import type { RangedSource } from './source.ts';

/**
 * The text of block `i` of a seekable member, by one read of exactly the block's data. `pooled`: inflated on a thread
 * of the pool, side by side with others; else on the calling thread, which is sooner for one block alone. Throws
 * MemberDamaged when the data is not what the table says.
 */
export async function blockText(
  archive: RangedSource,
  member: Pick<Member, 'path' | 'offset'>,
  blocks: BlockTable,
  i: number,
  pooled: boolean,
): Promise<Uint8Array> {
  const start = blocks.dataOffset(i);
  const data = await archive.read(member.offset + start, blocks.dataOffset(i + 1) - start);
  const size = blocks.textOffset(i + 1) - blocks.textOffset(i);
  const promised = { name: member.path, compressedSize: data.length, size, crc32: 0 };
  return inflateWhole(data, promised, { ended: i === blocks.count - 1, pooled });
}
