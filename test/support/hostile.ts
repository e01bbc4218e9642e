/** Parts of packages that no honest program writes. */
import { gzipSync } from 'node:zlib';

/** A closed ring in the mesh of the test packages, `lat lng alt`. */
export const SQUARE = '26.1 127.7 5 26.1 127.7001 5 26.1001 127.7001 5 26.1001 127.7 5 26.1 127.7 5';

interface Entry {
  id: number;
  run: number;
  length: number;
  offset: number;
}

interface RawPmtiles {
  entries: Entry[];
  metadata?: Buffer;
  minzoom?: number;
  maxzoom?: number;
  /** What the header says of the number of addressed tiles; 0 is unknown. */
  addressed?: number;
}

/** A PMTiles file whose directory says whatever it is told to; its one tile is an empty layer. */
export function rawPmtiles(options: RawPmtiles): Uint8Array {
  const { entries, metadata = Buffer.from('{}'), minzoom = 0, maxzoom = 20, addressed = 0 } = options;
  const root = directory(entries);
  const json = gzipSync(metadata);
  const tile = Buffer.from([0x1a, 0x02, 0x0a, 0x00]);
  const header = Buffer.alloc(127);
  header.write('PMTiles', 'latin1');
  header[7] = 3;
  let at = 127;
  for (const [field, { length }] of [
    [8, root],
    [24, json],
    [40, Buffer.alloc(0)],
    [56, tile],
  ] as const) {
    header.writeBigUInt64LE(BigInt(at), field);
    header.writeBigUInt64LE(BigInt(length), field + 8);
    at += length;
  }
  header.writeBigUInt64LE(BigInt(addressed), 72);
  header.set([1, 2, 1, 1, minzoom, maxzoom], 96);
  [127e7, 26e7, 128e7, 27e7].forEach((degrees, i) => {
    header.writeInt32LE(degrees, 102 + 4 * i);
  });
  return new Uint8Array(Buffer.concat([header, root, json, tile]));
}

/** A directory (PMTiles 3, section 4.2), gzipped. */
function directory(entries: Entry[]): Buffer {
  return gzipSync(
    Buffer.concat([
      varint(entries.length),
      ...entries.map(({ id }, i) => varint(id - (entries[i - 1]?.id ?? 0))),
      ...entries.map(({ run }) => varint(run)),
      ...entries.map(({ length }) => varint(length)),
      ...entries.map(({ offset }) => varint(offset + 1)),
    ]),
  );
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}
