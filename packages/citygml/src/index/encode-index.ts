/** How a feature index is laid out (see feature-index-format.ts), also out of one of the first version. */
import { checkIndex } from './feature-index.ts';
import {
  Entry,
  Hashed,
  HEADER_SIZE,
  headerOf,
  MAGIC,
  SECTION_ORDER,
  SECTIONS,
  type Section,
  VERSION,
} from './feature-index-format.ts';

/** What the header says beside the places of sections. */
export interface IndexCounts {
  features: number;
  withoutId: number;
  duplicates: number;
  /** West, south, east, north of what the R-tree spans. */
  bounds: readonly [number, number, number, number];
}

/** An index of these sections. Throws a RangeError when it would be larger than 4 GiB. */
export function encodeIndex(
  { features, withoutId, duplicates, bounds }: IndexCounts,
  sections: Readonly<Record<Section, Uint8Array>>,
): Buffer {
  const offsets = {} as Record<Section, number>;
  let header = 0;
  for (const name of SECTION_ORDER) {
    offsets[name] = header;
    header = Math.ceil((header + sections[name].length) / 8) * 8;
  }
  const size = header + HEADER_SIZE;
  if (size > 0xffffffff) throw new RangeError(`a feature index of ${size} bytes is larger than 4 GiB`);
  const bytes = Buffer.alloc(size);
  bytes.writeUInt32LE(MAGIC, header);
  bytes.writeUInt16LE(VERSION, header + 4);
  bytes.writeUInt32LE(features, header + 8);
  bytes.writeUInt32LE(withoutId, header + 12);
  bytes.writeUInt32LE(duplicates, header + 16);
  for (const [k, value] of bounds.entries()) bytes.writeDoubleLE(value, header + 24 + k * 8);
  for (const [i, name] of SECTIONS.entries()) {
    bytes.writeUInt32LE(offsets[name], header + 56 + i * 8);
    bytes.writeUInt32LE(sections[name].length, header + 60 + i * 8);
    bytes.set(sections[name], offsets[name]);
  }
  return bytes;
}

/** Writes what `hashes` has of a gml:id at number `k`; the place comes from section `entries`. */
export function writeHashed(
  hashes: Buffer,
  k: number,
  { hash, feature }: { hash: number; feature: number },
  entries: Buffer,
): void {
  const at = k * Hashed.size;
  const start = entries.readDoubleLE(feature * Entry.size + Entry.start);
  hashes.writeUInt32LE(hash, at + Hashed.hash);
  hashes.writeUInt32LE(feature, at + Hashed.feature);
  hashes.writeUIntLE(start, at + Hashed.start, 6);
  hashes.writeUIntLE(entries.readDoubleLE(feature * Entry.size + Entry.end) - start, at + Hashed.length, 6);
}

/**
 * The same index in the newest form; one that has it is given back as it is. Throws a RangeError for bytes that are no
 * whole index.
 */
export function upgradedIndex(index: Uint8Array): Uint8Array {
  const bytes = Buffer.from(index.buffer, index.byteOffset, index.length);
  const { sections, tree, hashedSize, ...counts } = headerOf(bytes);
  if (hashedSize === Hashed.size) return index;
  const contents = {} as Record<Section, Buffer>;
  for (const name of SECTIONS) {
    const { offset, length } = sections[name];
    contents[name] = bytes.subarray(offset, offset + length);
  }
  const old = contents.hashes;
  const hashes = Buffer.alloc((old.length / hashedSize) * Hashed.size);
  for (let k = 0; k * hashedSize < old.length; k++) {
    const feature = old.readUInt32LE(k * hashedSize + Hashed.feature);
    checkIndex(feature, counts.features);
    writeHashed(hashes, k, { hash: old.readUInt32LE(k * hashedSize), feature }, contents.entries);
  }
  const bounds = [tree.west, tree.south, tree.east, tree.north] as const;
  return encodeIndex({ ...counts, bounds }, { ...contents, hashes });
}
