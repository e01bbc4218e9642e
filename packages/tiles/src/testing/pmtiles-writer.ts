import { gzipSync } from 'node:zlib';
import { zxyToTileId } from 'pmtiles';

export interface PmtilesOptions {
  metadata?: Record<string, unknown>;
  /** `[west, south, east, north]`, degrees. */
  bounds?: [number, number, number, number];
  /** Packs the tiles (directories and metadata always are). Default true. */
  gzip?: boolean;
  /** PMTiles 3, section 3.3: 1 is MVT, 2 is PNG. */
  tileType?: number;
  /** Tiles per leaf directory; without it everything is in the root. */
  leafSize?: number;
}

interface Row {
  id: number;
  run: number;
  length: number;
  offset: number;
}

/**
 * Writes a small PMTiles 3 archive in memory: tiles in the order of their ids, equal neighbours as one run,
 * equal tiles stored once.
 */
export function writePmtiles(
  tiles: Array<{ z: number; x: number; y: number; bytes: Uint8Array }>,
  options: PmtilesOptions = {},
): Uint8Array {
  const sorted = tiles.map((tile) => ({ ...tile, id: zxyToTileId(tile.z, tile.x, tile.y) }));
  sorted.sort((a, b) => a.id - b.id);
  const data: Buffer[] = [];
  const stored = new Map<string, { offset: number; length: number }>();
  const rows: Row[] = [];
  let size = 0;
  for (const tile of sorted) {
    const key = Buffer.from(tile.bytes).toString('latin1');
    let place = stored.get(key);
    if (place === undefined) {
      const bytes = options.gzip === false ? Buffer.from(tile.bytes) : gzipSync(tile.bytes);
      place = { offset: size, length: bytes.length };
      stored.set(key, place);
      data.push(bytes);
      size += bytes.length;
    }
    const last = rows.at(-1);
    if (last !== undefined && last.id + last.run === tile.id && last.offset === place.offset) last.run++;
    else rows.push({ id: tile.id, run: 1, ...place });
  }

  const leaves: Buffer[] = [];
  let root = rows;
  if (options.leafSize !== undefined) {
    root = [];
    let offset = 0;
    for (let i = 0; i < rows.length; i += options.leafSize) {
      const leaf = directory(rows.slice(i, i + options.leafSize));
      root.push({ id: rows[i]!.id, run: 0, length: leaf.length, offset });
      offset += leaf.length;
      leaves.push(leaf);
    }
  }
  const rootDirectory = directory(root);
  const metadata = gzipSync(JSON.stringify(options.metadata ?? {}));
  const leafDirectories = Buffer.concat(leaves);
  const zooms = tiles.map((tile) => tile.z);
  const [west, south, east, north] = options.bounds ?? [-180, -85, 180, 85];

  const header = Buffer.alloc(127);
  header.write('PMTiles', 'latin1');
  header.writeUInt8(3, 7);
  let at = 127;
  for (const [field, length] of [
    [8, rootDirectory.length],
    [24, metadata.length],
    [40, leafDirectories.length],
    [56, size],
  ] as const) {
    header.writeBigUInt64LE(BigInt(at), field);
    header.writeBigUInt64LE(BigInt(length), field + 8);
    at += length;
  }
  header.writeBigUInt64LE(BigInt(tiles.length), 72);
  header.writeBigUInt64LE(BigInt(rows.length), 80);
  header.writeBigUInt64LE(BigInt(data.length), 88);
  header.writeUInt8(1, 96);
  header.writeUInt8(2, 97);
  header.writeUInt8(options.gzip === false ? 1 : 2, 98);
  header.writeUInt8(options.tileType ?? 1, 99);
  header.writeUInt8(Math.min(...zooms), 100);
  header.writeUInt8(Math.max(...zooms), 101);
  const degrees = [west, south, east, north].map((v) => Math.round(v * 1e7));
  degrees.forEach((v, i) => {
    header.writeInt32LE(v, 102 + 4 * i);
  });
  header.writeUInt8(Math.min(...zooms), 118);
  header.writeInt32LE(Math.round(((west + east) / 2) * 1e7), 119);
  header.writeInt32LE(Math.round(((south + north) / 2) * 1e7), 123);
  return new Uint8Array(Buffer.concat([header, rootDirectory, metadata, leafDirectories, ...data]));
}

/** A directory (PMTiles 3, section 4.2): counts, then columns of varints, offset 0 for "right after the one before". */
function directory(rows: Row[]): Buffer {
  const out: number[] = [];
  const put = (value: number) => {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) out.push((rest % 0x80) | 0x80);
    out.push(rest);
  };
  put(rows.length);
  rows.forEach((row, i) => {
    put(row.id - (rows[i - 1]?.id ?? 0));
  });
  for (const row of rows) put(row.run);
  for (const row of rows) put(row.length);
  rows.forEach((row, i) => {
    const before = rows[i - 1];
    put(before !== undefined && row.offset === before.offset + before.length ? 0 : row.offset + 1);
  });
  return gzipSync(Uint8Array.from(out));
}
