/**
 * A geoid grid in few bytes, little-endian:
 *
 * | bytes | what |
 * |---|---|
 * | 4 | `CMGD` |
 * | 2 | version, 2 |
 * | 2, 2 | columns, rows |
 * | 2, 2 | nodes in a degree of longitude, of latitude |
 * | 8, 8 | west, north: doubles, degrees |
 * | 4, 4, 4 | lengths of the three parts that follow, each deflated without a header |
 *
 * Parts: where heights are known, row by row, as alternating numbers of unknown and known nodes (16 bits each, every
 * row ends complete); then, for each known node, what its height differs from the prediction `left + above - above
 * left`, in a form where small differences of either sign are small numbers (zigzag): all low bytes, and all high
 * bytes.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** What stands in a node that has no height. */
export const NO_HEIGHT = 0xffff;

/** Nodes row by row from north to south, in each row from west to east. */
export interface GeoidGrid {
  /** Nodes in a row, and rows. */
  readonly columns: number;
  readonly rows: number;
  /** Longitude of the first node of a row, latitude of the first row, degrees. */
  readonly west: number;
  readonly north: number;
  /** Nodes in a degree of longitude, and of latitude. */
  readonly perDegreeEast: number;
  readonly perDegreeSouth: number;
  /** Geoid heights in millimetres; `NO_HEIGHT` where unknown. */
  readonly millimetres: Uint16Array;
}

const MAGIC = 'CMGD';
const VERSION = 2;
const HEADER = 42;
/**
 * What is expected where no neighbour is known: the middle, so that every height differs from it by a number that fits.
 */
const MIDDLE = 0x8000;

/** Throws an Error that says what was found and what was expected when the bytes are no such grid. */
export function decodeGeoid(bytes: Buffer): GeoidGrid {
  const magic = bytes.toString('latin1', 0, 4);
  if (magic !== MAGIC)
    throw new Error(`A geoid grid begins with ${MAGIC}, not with ${JSON.stringify(magic)}.`);
  const version = bytes.readUInt16LE(4);
  if (version !== VERSION)
    throw new Error(`The geoid grid has version ${version}; version ${VERSION} is known.`);
  const [columns, rows] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8)];
  const parts: Buffer[] = [];
  let at = HEADER;
  for (const field of [30, 34, 38]) {
    const length = bytes.readUInt32LE(field);
    parts.push(inflateRawSync(bytes.subarray(at, at + length)));
    at += length;
  }
  const [runs, low, high] = parts as [Buffer, Buffer, Buffer];
  const millimetres = new Uint16Array(columns * rows).fill(NO_HEIGHT);
  let next = 0;
  let run = 0;
  for (let row = 0; row < rows; row++) {
    for (let column = 0, isKnown = false; column < columns; isKnown = !isKnown) {
      const end = column + runs.readUInt16LE(run);
      run += 2;
      if (isKnown) {
        for (let node = row * columns + column; node < row * columns + end; node++) {
          const zigzag = low[next]! | (high[next]! << 8);
          next++;
          millimetres[node] = predict(millimetres, columns, node) + ((zigzag >>> 1) ^ -(zigzag & 1));
        }
      }
      column = end;
    }
  }
  return {
    columns,
    rows,
    perDegreeEast: bytes.readUInt16LE(10),
    perDegreeSouth: bytes.readUInt16LE(12),
    west: bytes.readDoubleLE(14),
    north: bytes.readDoubleLE(22),
    millimetres,
  };
}

/**
 * The bytes from which `decodeGeoid` makes the same grid. Throws a RangeError when neighbours differ by more than 32 m.
 */
export function encodeGeoid(grid: GeoidGrid): Buffer {
  const { columns, rows, millimetres } = grid;
  const runs: number[] = [];
  const differences: number[] = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0, isKnown = false; column < columns; isKnown = !isKnown) {
      const start = column;
      for (; column < columns; column++) {
        const node = row * columns + column;
        if ((millimetres[node] !== NO_HEIGHT) !== isKnown) break;
        if (isKnown) differences.push(millimetres[node]! - predict(millimetres, columns, node));
      }
      runs.push(column - start);
    }
  }
  const zigzag = Uint16Array.from(differences, (difference) => {
    const value = (difference << 1) ^ (difference >> 31);
    if (value > 0xffff) throw new RangeError(`A height differs by ${difference} mm from its prediction.`);
    return value;
  });
  const parts = [
    Buffer.from(Uint16Array.from(runs).buffer),
    Buffer.from(zigzag.map((value) => value & 0xff)),
    Buffer.from(zigzag.map((value) => value >> 8)),
  ].map((part) => deflateRawSync(part, { level: 9 }));
  const header = Buffer.alloc(HEADER);
  header.write(MAGIC, 'latin1');
  header.writeUInt16LE(VERSION, 4);
  header.writeUInt16LE(columns, 6);
  header.writeUInt16LE(rows, 8);
  header.writeUInt16LE(grid.perDegreeEast, 10);
  header.writeUInt16LE(grid.perDegreeSouth, 12);
  header.writeDoubleLE(grid.west, 14);
  header.writeDoubleLE(grid.north, 22);
  parts.forEach((part, index) => {
    header.writeUInt32LE(part.length, 30 + 4 * index);
  });
  return Buffer.concat([header, ...parts]);
}

/** The height that the nodes before a node let expect, millimetres. */
function predict(millimetres: Uint16Array, columns: number, node: number): number {
  const left = node % columns === 0 ? NO_HEIGHT : millimetres[node - 1]!;
  const above = node < columns ? NO_HEIGHT : millimetres[node - columns]!;
  if (left === NO_HEIGHT) return above === NO_HEIGHT ? MIDDLE : above;
  if (above === NO_HEIGHT) return left;
  const corner = millimetres[node - columns - 1]!;
  return corner === NO_HEIGHT ? left : left + above - corner;
}
