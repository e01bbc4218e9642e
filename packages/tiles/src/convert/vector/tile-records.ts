/**
 * What features are in tiles, as records that are sorted on disk: the tiles of a whole package need not fit in memory,
 * and are written one after the other in the order of PMTiles.
 *
 * A file of records, little-endian, sorted by tile and, in a tile, by the order in which they were added:
 *
 * | bytes | what |
 * |---|---|
 * | 8 | tile id of PMTiles 3 (section 4.1.3), a double |
 * | 4 | bytes that follow of this record |
 * | 8 | id of the feature, 53 bits in a double |
 * | 4 | weight, a float: area or length in units of the tile |
 * | 1 | type of geometry |
 * | 1, n | bytes of the layer's name, and the name in UTF-8 |
 * | 4, n | bytes of the properties, and the properties: a JSON array of names and values in turn |
 * | rest | commands of the geometry |
 */
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

export interface TileRecord {
  /** `zxyToTileId`. */
  tile: number;
  id: number;
  weight: number;
  type: number;
  layer: string;
  /** JSON array `[name, value, name, value, …]` in UTF-8. */
  properties: Uint8Array;
  commands: Uint8Array;
}

/** Records in memory before they go to a file, bytes. */
const RUN_BYTES = 16 << 20;
/** What a record takes in memory beside its bytes. */
const OVERHEAD = 120;
/** Files that are merged at once. */
const FAN_IN = 32;
const READ_BYTES = 128 << 10;
/** A record is never larger: properties are bounded by the size of a feature's text. */
const MAX_RECORD = 64 << 20;
const HEAD = 12;

interface Held {
  tile: number;
  bytes: Buffer;
}

/** Collects records in any order; `finish` leaves them sorted in one file. */
export class RecordSorter {
  readonly #scratch: string;
  readonly #name: string;
  #held: Held[] = [];
  #bytes = 0;
  #runs: string[] = [];

  /** `name`: a file name that no other sorter uses in the directory. */
  constructor(scratch: string, name: string) {
    this.#scratch = scratch;
    this.#name = name;
  }

  async add(record: TileRecord): Promise<void> {
    const bytes = encodeRecord(record);
    this.#held.push({ tile: record.tile, bytes });
    this.#bytes += bytes.length + OVERHEAD;
    if (this.#bytes > RUN_BYTES) await this.#spill();
  }

  /** Writes all records to `path`, sorted. */
  async finish(path: string): Promise<void> {
    await this.#spill();
    if (this.#runs.length === 1) {
      await rename(this.#runs[0]!, path);
      return;
    }
    await mergeRecords(this.#runs, path, this.#scratch);
    await Promise.all(this.#runs.map((run) => rm(run, { force: true })));
  }

  async #spill(): Promise<void> {
    if (this.#held.length === 0) return;
    // The sort is stable: records of one tile stay in their order.
    this.#held.sort((a, b) => a.tile - b.tile);
    const path = join(this.#scratch, `${this.#name}.${this.#runs.length}.run`);
    const file = await open(path, 'w');
    try {
      await writeAll(
        file,
        this.#held.map(({ bytes }) => bytes),
      );
    } finally {
      await file.close();
    }
    this.#runs.push(path);
    this.#held = [];
    this.#bytes = 0;
  }
}

/** All of the bytes: a disk that gets full takes some of them first. */
async function writeAll(file: FileHandle, pieces: readonly Buffer[]): Promise<void> {
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  const { bytesWritten } = await file.writev(pieces);
  if (bytesWritten < bytes) await file.writeFile(Buffer.concat(pieces).subarray(bytesWritten));
}

/** Merges sorted files into one; records of one tile follow each other in the order of the files. */
async function mergeRecords(files: readonly string[], path: string, scratch: string): Promise<void> {
  const temporary = join(scratch, `${path.replaceAll(/[^\w.-]/g, '_').slice(-80)}.merging`);
  const out = await open(temporary, 'w');
  try {
    for await (const records of readRecords(files, scratch)) {
      await writeAll(
        out,
        records.map(({ encoded }) => encoded),
      );
    }
  } finally {
    await out.close();
  }
  await rename(temporary, path);
}

/** A record as it lies in a file; `encoded` is only valid until the next records are asked for. */
interface ReadRecord {
  tile: number;
  encoded: Buffer;
}

/**
 * The records of sorted files in the order of tiles, those of a tile in the order of the files; some at once, never
 * none.
 */
export async function* readRecords(
  files: readonly string[],
  scratch: string,
): AsyncGenerator<ReadRecord[], void, void> {
  let sources = files;
  const merged: string[] = [];
  try {
    for (let level = 0; sources.length > FAN_IN; level++) {
      const next: string[] = [];
      for (let i = 0; i < sources.length; i += FAN_IN) {
        const path = join(scratch, `level-${level}-${i}.run`);
        merged.push(path);
        await mergeRecords(sources.slice(i, i + FAN_IN), path, scratch);
        next.push(path);
      }
      sources = next;
    }
    yield* mergeFew(sources);
  } finally {
    await Promise.all(merged.map((path) => rm(path, { force: true })));
  }
}

async function* mergeFew(files: readonly string[]): AsyncGenerator<ReadRecord[], void, void> {
  const readers: RecordReader[] = [];
  try {
    for (const file of files) {
      const reader = new RecordReader(await open(file, 'r'));
      readers.push(reader);
      await reader.advance();
    }
    let records: ReadRecord[] = [];
    for (;;) {
      let first: RecordReader | null = null;
      for (const reader of readers) {
        if (reader.tile !== null && (first === null || reader.tile < first.tile!)) first = reader;
      }
      if (first === null) return;
      records.push({ tile: first.tile!, encoded: first.record });
      if (first.step()) continue;
      // Reading overwrites what has been collected.
      yield records;
      records = [];
      await first.advance();
    }
  } finally {
    await Promise.all(readers.map((reader) => reader.close()));
  }
}

/** Reads one file of records. */
class RecordReader {
  readonly #file: FileHandle;
  #buffer = Buffer.alloc(READ_BYTES);
  #start = 0;
  #end = 0;
  #next = 0;
  /** Tile of the present record; null behind the last. */
  tile: number | null = null;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** The present record, which stays valid until the next step. */
  get record(): Buffer {
    return this.#buffer.subarray(this.#start, this.#next);
  }

  /** Goes to the next record; false when it has to be read first. */
  step(): boolean {
    this.#start = this.#next;
    const left = this.#end - this.#start;
    if (left < HEAD) return false;
    const length = HEAD + this.#buffer.readUInt32LE(this.#start + 8);
    if (left < length) return false;
    this.#next = this.#start + length;
    this.tile = this.#buffer.readDoubleLE(this.#start);
    return true;
  }

  /** Reads more and goes to the record behind `#start`. */
  async advance(): Promise<void> {
    for (;;) {
      this.#buffer.copyWithin(0, this.#start, this.#end);
      this.#end -= this.#start;
      this.#start = this.#next = 0;
      if (this.#end === this.#buffer.length) this.#grow();
      const room = this.#buffer.length - this.#end;
      const { bytesRead } = await this.#file.read(this.#buffer, this.#end, room);
      this.#end += bytesRead;
      if (this.step()) return;
      if (bytesRead > 0) continue;
      if (this.#end > this.#start) throw new Error('A file of tile records ends within a record.');
      this.tile = null;
      return;
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  #grow(): void {
    if (this.#buffer.length >= MAX_RECORD)
      throw new Error('A file of tile records holds a record that is too large.');
    const larger = Buffer.alloc(this.#buffer.length * 2);
    this.#buffer.copy(larger, 0, 0, this.#end);
    this.#buffer = larger;
  }
}

function encodeRecord({ tile, id, weight, type, layer, properties, commands }: TileRecord): Buffer {
  const name = Buffer.from(layer, 'utf8');
  const length = 8 + 4 + 1 + 1 + name.length + 4 + properties.length + commands.length;
  const bytes = Buffer.allocUnsafe(HEAD + length);
  bytes.writeDoubleLE(tile, 0);
  bytes.writeUInt32LE(length, 8);
  bytes.writeDoubleLE(id, 12);
  bytes.writeFloatLE(weight, 20);
  bytes[24] = type;
  bytes[25] = name.length;
  bytes.set(name, 26);
  const at = 26 + name.length;
  bytes.writeUInt32LE(properties.length, at);
  bytes.set(properties, at + 4);
  bytes.set(commands, at + 4 + properties.length);
  return bytes;
}

/** The record that the bytes of `readRecords` hold; shares their memory. */
export function decodeRecord(bytes: Buffer): TileRecord {
  const at = 26 + bytes[25]!;
  const properties = at + 4 + bytes.readUInt32LE(at);
  return {
    tile: bytes.readDoubleLE(0),
    id: bytes.readDoubleLE(12),
    weight: bytes.readFloatLE(20),
    type: bytes[24]!,
    layer: bytes.toString('utf8', 26, at),
    properties: bytes.subarray(at + 4, properties),
    commands: bytes.subarray(properties),
  };
}
