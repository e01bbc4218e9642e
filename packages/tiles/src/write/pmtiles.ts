/** A PMTiles archive (version 3): tiles in the order of their ids, gzipped, with directories that fit their place. */
import { gzipSync } from 'node:zlib';
import type { Bounds } from '@citymodel/geo';
import type { VectorMetadata } from './vector-tiles.ts';

const HEADER_BYTES = 127;
/** Entries of a directory: the root must lie in the first 16 KiB of the file (section 2), a leaf may be larger. */
const DIRECTORY_ENTRIES = 2048;
const GZIP = 2;
const MVT = 1;

/** A place in the data, or in the leaf directories when `run` is 0. Offsets from where tiles begin, bytes. */
export interface PmtilesEntry {
  id: number;
  run: number;
  offset: number;
  length: number;
}

/**
 * All that stands before the tiles of an archive: entries by id, each tile gzipped, one after the other without gaps.
 * Its metadata holds `vector_layers` as an object, not as text.
 */
export function pmtilesHead(
  entries: readonly PmtilesEntry[],
  metadata: VectorMetadata,
  bounds: Bounds,
): Uint8Array {
  const leaves: Uint8Array[] = [];
  let root: readonly PmtilesEntry[] = entries;
  // Leaves grow with the archive, so that the root stays as small as it must be.
  const inLeaf = Math.max(DIRECTORY_ENTRIES, Math.ceil(entries.length / DIRECTORY_ENTRIES));
  if (entries.length > DIRECTORY_ENTRIES) {
    const pointers: PmtilesEntry[] = [];
    let leafOffset = 0;
    for (let i = 0; i < entries.length; i += inLeaf) {
      const leaf = directory(entries.slice(i, i + inLeaf));
      pointers.push({ id: entries[i]!.id, run: 0, offset: leafOffset, length: leaf.length });
      leafOffset += leaf.length;
      leaves.push(leaf);
    }
    root = pointers;
  }
  const { json, ...plain } = metadata;
  const sections = [
    directory(root),
    gzipSync(JSON.stringify({ ...plain, ...JSON.parse(json) })),
    Buffer.concat(leaves),
  ];
  const last = entries.at(-1);
  const lengths = [
    ...sections.map(({ length }) => length),
    last === undefined ? 0 : last.offset + last.length,
  ];

  const header = Buffer.alloc(HEADER_BYTES);
  header.write('PMTiles', 'latin1');
  header[7] = 3;
  let at = HEADER_BYTES;
  for (const [i, length] of lengths.entries()) {
    header.writeBigUInt64LE(BigInt(at), 8 + i * 16);
    header.writeBigUInt64LE(BigInt(length), 16 + i * 16);
    at += length;
  }
  // Tiles addressed, entries, contents: all the same without runs.
  for (const field of [72, 80, 88]) header.writeBigUInt64LE(BigInt(entries.length), field);
  const { minzoom, maxzoom } = metadata;
  header.set([1, GZIP, GZIP, MVT, minzoom, maxzoom], 96);
  const { west, south, east, north } = bounds;
  const degrees = (value: number, field: number) => header.writeInt32LE(Math.round(value * 1e7), field);
  for (const [i, value] of [west, south, east, north].entries()) degrees(value, 102 + i * 4);
  header[118] = maxzoom;
  degrees((west + east) / 2, 119);
  degrees((south + north) / 2, 123);
  return Buffer.concat([header, ...sections]);
}

/** Section 4: columns of variable-length integers, ids as differences, 0 for an offset that follows on. */
function directory(entries: readonly PmtilesEntry[]): Uint8Array {
  const bytes: number[] = [];
  const add = (value: number) => {
    let left = value;
    for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80);
    bytes.push(left);
  };
  add(entries.length);
  for (const [i, { id }] of entries.entries()) add(id - (i === 0 ? 0 : entries[i - 1]!.id));
  for (const { run } of entries) add(run);
  for (const { length } of entries) add(length);
  for (const [i, { offset }] of entries.entries()) {
    const before = entries[i - 1];
    add(before !== undefined && before.offset + before.length === offset ? 0 : offset + 1);
  }
  return gzipSync(Uint8Array.from(bytes));
}
