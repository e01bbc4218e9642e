import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { RangedSource } from '@citymodel/zip';
import {
  Compression,
  type Entry,
  type Header,
  PMTiles,
  ResolvedValueCache,
  TileType,
  tileIdToZxy,
} from 'pmtiles';
import { JsonTooLarge, parseBoundedJson } from './bounded-json.ts';
import { isObject } from './read-json.ts';

/** Why a PMTiles file is refused: it is broken, or holds something other than vector tiles. */
export class PmtilesRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PmtilesRefused';
  }
}

/** The file is one, but would unpack to more than any honest one. */
export class PmtilesOverBudget extends PmtilesRefused {
  constructor(message: string) {
    super(message);
    this.name = 'PmtilesOverBudget';
  }
}

export interface PmtilesTile {
  z: number;
  x: number;
  y: number;
  bytes: Uint8Array;
  /** How the bytes are packed; brotli and zstd, which no member can carry, are unpacked already. */
  compression: 'none' | 'gzip';
}

/** A PMTiles archive of vector tiles that is open for reading. */
export interface PmtilesArchive {
  minzoom: number;
  maxzoom: number;
  /** Number of tiles as the header says, 0 when it does not; not to be relied on. */
  declaredTiles: number;
  /**
   * The archive's metadata with what its header says, in TileJSON's terms: what `inspectMvt` reads as metadata.json.
   */
  metadata: Record<string, unknown>;
  /** All tiles in the order of the archive (along the Hilbert curve, zoom by zoom), each once, one in memory. */
  tiles(): AsyncIterable<PmtilesTile>;
}

/** Directories nest no deeper (PMTiles 3, section 4: a root and leaves; readers allow some more). */
const MAX_DEPTH = 4;
/**
 * Bytes of all directories together, unpacked, and their entries: a million tiles take some 10 MB and as many entries.
 */
const DIRECTORY_LIMIT = 64 * 1024 * 1024;
const ENTRY_LIMIT = 1_100_000;
/** Tiles that the archive addresses, one that stands for a run of equal ones counted as often as it stands. */
const ADDRESSED_LIMIT = 1_000_000;
/** Bytes of the metadata, unpacked. */
const METADATA_LIMIT = 8 * 1024 * 1024;
/** Bytes of a tile. */
const TILE_LIMIT = 64 * 1024 * 1024;

/**
 * Opens a PMTiles archive, version 3. Throws PmtilesRefused, with the reason in a sentence, when the bytes are none
 * or the tiles are not MVT; so does iterating when a directory or tile lies outside the file.
 */
export async function openPmtiles(source: RangedSource): Promise<PmtilesArchive> {
  const reader = {
    getKey: () => 'archive',
    getBytes: async (offset: number, length: number) => {
      // The library asks for the first 16 KiB even of a smaller file.
      const bytes = await readRange(source, offset, offset === 0 ? Math.min(length, source.size) : length);
      return { data: toArrayBuffer(bytes) };
    },
  };
  let directoryBytes = 0;
  const unpackDirectory = async (packed: ArrayBuffer, compression: Compression): Promise<ArrayBuffer> => {
    const bytes = unpackEntries(packed, compression);
    directoryBytes += bytes.byteLength;
    if (directoryBytes > DIRECTORY_LIMIT) {
      throw new PmtilesOverBudget(`The directories of the archive have more than ${DIRECTORY_LIMIT} bytes.`);
    }
    return bytes;
  };
  const cache = new ResolvedValueCache(MAX_DEPTH + 2, true, unpackDirectory);
  const header = await refuseOnError('The file is no PMTiles archive of version 3', async () => {
    if (source.size < 127) throw new Error(`it has ${source.size} bytes, the header alone has 127`);
    return new PMTiles(reader, cache, unpackDirectory).getHeader();
  });
  if (header.specVersion !== 3) {
    throw new PmtilesRefused(`The archive has version ${header.specVersion} of PMTiles; 3 was expected.`);
  }
  if (header.tileType !== TileType.Mvt) {
    const kind = TileType[header.tileType] ?? `number ${header.tileType}`;
    throw new PmtilesRefused(`The tiles of the archive are of type ${kind}; Mvt was expected.`);
  }
  if (header.numAddressedTiles > ADDRESSED_LIMIT) throw tooManyTiles(header.numAddressedTiles);
  const metadata = await refuseOnError('The metadata of the archive cannot be read', () =>
    readMetadata(source, header),
  );
  const directory = (offset: number, length: number) =>
    refuseOnError('A directory of the archive cannot be read', () => {
      if (length > DIRECTORY_LIMIT) throw new Error(`it would have ${length} bytes`);
      return cache.getDirectory(reader, offset, length, header);
    });
  return {
    minzoom: header.minZoom,
    maxzoom: header.maxZoom,
    declaredTiles: header.numAddressedTiles,
    metadata,
    tiles: () => iterate(source, header, directory),
  };
}

type ReadDirectory = (offset: number, length: number) => Promise<Entry[]>;

async function* iterate(
  source: RangedSource,
  header: Header,
  directory: ReadDirectory,
): AsyncGenerator<PmtilesTile> {
  let lastId = -1;
  let addressed = 0;
  // 0 stands for an unknown number (PMTiles 3, section 3.2).
  const declared = header.numAddressedTiles || ADDRESSED_LIMIT;
  for await (const entry of leaves(
    directory,
    header,
    header.rootDirectoryOffset,
    header.rootDirectoryLength,
    { depth: 1, entries: 0 },
  )) {
    if (entry.tileId <= lastId) {
      throw new PmtilesRefused(
        `Tile ${entry.tileId} of the archive comes after tile ${lastId}; tiles must ascend.`,
      );
    }
    lastId = entry.tileId + entry.runLength - 1;
    addressed += entry.runLength;
    if (addressed > ADDRESSED_LIMIT) throw tooManyTiles(addressed);
    if (addressed > declared) {
      throw new PmtilesRefused(
        `The archive addresses ${addressed} tiles or more; its header says ${declared}.`,
      );
    }
    const packed = await refuseOnError(`Tile ${entry.tileId} of the archive cannot be read`, () => {
      if (entry.length > TILE_LIMIT) throw new Error(`it would have ${entry.length} bytes`);
      return readRange(source, header.tileDataOffset + entry.offset, entry.length);
    });
    const tile = await refuseOnError(`Tile ${entry.tileId} of the archive cannot be unpacked`, () =>
      unpackTile(packed, header),
    );
    for (let id = entry.tileId; id <= lastId; id++) {
      const [z, x, y] = await refuseOnError('A tile has no place', () => tileIdToZxy(id));
      if (z > header.maxZoom || z < header.minZoom) {
        throw new PmtilesRefused(
          `Tile ${id} of the archive is at zoom ${z}; its header says ${header.minZoom} to ${header.maxZoom}.`,
        );
      }
      yield { z, x, y, ...tile };
    }
  }
}

/** Entries of tiles, in order, of a directory and the leaf directories below it. */
async function* leaves(
  directory: ReadDirectory,
  header: Header,
  offset: number,
  length: number,
  seen: { depth: number; entries: number },
): AsyncGenerator<Entry> {
  if (seen.depth > MAX_DEPTH)
    throw new PmtilesRefused(`The directories of the archive nest deeper than ${MAX_DEPTH}.`);
  for (const entry of await directory(offset, length)) {
    if (++seen.entries > ENTRY_LIMIT) {
      throw new PmtilesOverBudget(`The directories of the archive have more than ${ENTRY_LIMIT} entries.`);
    }
    if (entry.runLength > 0) {
      yield entry;
      continue;
    }
    seen.depth++;
    yield* leaves(directory, header, header.leafDirectoryOffset + entry.offset, entry.length, seen);
    seen.depth--;
  }
}

function tooManyTiles(count: number): PmtilesOverBudget {
  return new PmtilesOverBudget(
    `The archive addresses ${count} tiles or more; at most ${ADDRESSED_LIMIT} are read of one file.`,
  );
}

async function readMetadata(source: RangedSource, header: Header): Promise<Record<string, unknown>> {
  const length = header.jsonMetadataLength;
  if (length > METADATA_LIMIT)
    throw new PmtilesOverBudget(
      `The metadata would have ${length} bytes; at most ${METADATA_LIMIT} are read.`,
    );
  const packed = await readRange(source, header.jsonMetadataOffset, length);
  const json =
    length === 0 ? {} : parseBoundedJson(unpack(packed, header.internalCompression, METADATA_LIMIT));
  return {
    ...(isObject(json) ? json : {}),
    minzoom: header.minZoom,
    maxzoom: header.maxZoom,
    bounds: [header.minLon, header.minLat, header.maxLon, header.maxLat],
    center: [header.centerLon, header.centerLat, header.centerZoom],
  };
}

function unpackTile(packed: Uint8Array, header: Header): Pick<PmtilesTile, 'bytes' | 'compression'> {
  if (header.tileCompression === Compression.Gzip) return { bytes: packed, compression: 'gzip' };
  return { bytes: unpack(packed, header.tileCompression, TILE_LIMIT), compression: 'none' };
}

/**
 * Unpacks a directory for the library, which trusts the number of entries that it begins with: each takes four
 * bytes at least, so that a number beyond that is a lie that would fill the memory.
 */
function unpackEntries(packed: ArrayBuffer, compression: Compression): ArrayBuffer {
  const bytes = unpack(new Uint8Array(packed), compression, DIRECTORY_LIMIT);
  let count = 0;
  let at = 0;
  do count += (bytes[at]! & 0x7f) * 2 ** (7 * at);
  while (bytes[at++]! >= 0x80 && at < 8);
  if (!(count * 4 <= bytes.length - at)) {
    throw new Error(`a directory of ${bytes.length} bytes cannot have ${count} entries`);
  }
  return toArrayBuffer(bytes);
}

function unpack(bytes: Uint8Array, compression: Compression, maxOutputLength: number): Uint8Array {
  switch (compression) {
    case Compression.None:
    case Compression.Unknown:
      return bytes;
    case Compression.Gzip:
      return gunzipSync(bytes, { maxOutputLength });
    case Compression.Brotli:
      return brotliDecompressSync(bytes, { maxOutputLength });
    case Compression.Zstd:
      return zstdDecompressSync(bytes, { maxOutputLength });
    default:
      throw new Error(`compression ${compression} is not one of PMTiles 3`);
  }
}

async function readRange(source: RangedSource, offset: number, length: number): Promise<Uint8Array> {
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset + length > source.size) {
    throw new RangeError(`bytes ${offset}+${length} lie outside the file's ${source.size}`);
  }
  return length === 0 ? new Uint8Array() : source.read(offset, length);
}

async function refuseOnError<T>(action: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PmtilesRefused) throw error;
    if (error instanceof JsonTooLarge || (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new PmtilesOverBudget(`${action} within its limits (${(error as Error).message}).`);
    }
    throw new PmtilesRefused(`${action} (${(error as Error).message}).`, { cause: error });
  }
}

function toArrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}
