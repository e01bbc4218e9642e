import { crc32 } from 'node:zlib';
import type { RangedSource } from '../source.ts';
import { IndexDamaged } from './index-damaged.ts';
import { readHeader } from './index-facts.ts';
import { HEADER_BYTES } from './member-index-format.ts';

/**
 * Reads what opening an index does not: its header, where it has a footer, and its sections. Returns what is wrong as a
 * full sentence, or null. The index must be one that MemberIndex.open accepts. Throws what the source throws.
 */
export async function verifyMemberIndex(source: RangedSource): Promise<string | null> {
  let crc = 0;
  try {
    const { tableOffset, tableBytes, tableCrc, sectionsCrc } = await readHeader(source);
    if (tableOffset > HEADER_BYTES) {
      for await (const chunk of source.stream(HEADER_BYTES, tableOffset - HEADER_BYTES))
        crc = crc32(chunk, crc);
    }
    if (crc !== sectionsCrc) return 'Its sections are damaged: their CRC-32 differs.';
    if (crc32(await source.read(tableOffset, tableBytes)) === tableCrc) return null;
  } catch (error) {
    if (!(error instanceof IndexDamaged)) throw error;
  }
  return 'Its header is damaged.';
}
