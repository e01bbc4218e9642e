import { crc32 } from 'node:zlib';
import type { RangedSource } from '../source.ts';
import { asBuffer, readU64 } from '../zip-format.ts';
import { HEADER_BYTES, SECTIONS_CRC_AT } from './member-index-format.ts';

/**
 * Reads what opening an index does not: its sections. Returns what is wrong as a full sentence, or null. The index must
 * be one that MemberIndex.open accepts.
 */
export async function verifyMemberIndex(source: RangedSource): Promise<string | null> {
  const header = asBuffer(await source.read(0, HEADER_BYTES));
  let crc = 0;
  const tableOffset = readU64(header, 16);
  if (tableOffset > HEADER_BYTES) {
    for await (const chunk of source.stream(HEADER_BYTES, tableOffset - HEADER_BYTES))
      crc = crc32(chunk, crc);
  }
  return crc === header.readUInt32LE(SECTIONS_CRC_AT)
    ? null
    : 'Its sections are damaged: their CRC-32 differs.';
}
