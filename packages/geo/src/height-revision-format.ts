/**
 * A grid of corrections of heights in few bytes, little-endian:
 *
 * | bytes | what |
 * |---|---|
 * | 4 | `CMHR` |
 * | 2 | version, 1 |
 * | 2, 2 | nodes in a degree of latitude, of longitude |
 * | 4 | runs |
 * | 4, 4 | lengths of the two parts that follow, each deflated without a header |
 *
 * Parts: for each run its row, its first column and its number of nodes (32 bits each); then, for all nodes in the
 * order of runs, what their corrections differ from the prediction `left + below - below left`, zigzag: all low bytes,
 * all middle bytes, all high bytes.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Nodes that lie side by side in a row, from west to east. */
export interface RevisionRun {
  /** Latitude of the row is `row / perDegreeNorth` degrees. */
  row: number;
  /** Longitude of the first node is `column / perDegreeEast` degrees. */
  column: number;
  /** Corrections in units of 0.00001 m. */
  values: Int32Array;
}

/** Runs from south to north, in a row from west to east. */
export interface RevisionGrid {
  readonly perDegreeNorth: number;
  readonly perDegreeEast: number;
  readonly runs: readonly RevisionRun[];
  /** Index of the first run of each row, from the row of the first run on; one more at the end. */
  readonly rows: Int32Array;
}

const MAGIC = 'CMHR';
const VERSION = 1;
const HEADER = 22;
/** Planes of bytes. */
const PLANES = 3;

/** A grid of runs, which are sorted by row and column. Throws a RangeError where they are not, or meet. */
export function revisionGrid(facts: Omit<RevisionGrid, 'rows'>): RevisionGrid {
  const { runs } = facts;
  const first = runs[0]?.row ?? 0;
  const rows = new Int32Array((runs.at(-1)?.row ?? first - 1) - first + 2);
  for (const [i, { row, column }] of runs.entries()) {
    const before = runs[i - 1];
    const isAfter =
      before === undefined ||
      row > before.row ||
      (row === before.row && column > before.column + before.values.length);
    if (!isAfter)
      throw new RangeError(`The run at row ${row}, column ${column} is not after the one before.`);
    rows[row - first + 1]!++;
  }
  for (let row = 1; row < rows.length; row++) rows[row]! += rows[row - 1]!;
  return { ...facts, rows };
}

/** The correction of a node in units of 0.00001 m; null for one that the grid does not have. */
export function nodeOf({ runs, rows }: RevisionGrid, row: number, column: number): number | null {
  const at = row - (runs[0]?.row ?? 0);
  if (!(at >= 0 && at < rows.length - 1)) return null;
  for (let run = rows[at]!; run < rows[at + 1]!; run++) {
    const value = runs[run]!.values[column - runs[run]!.column];
    if (value !== undefined) return value;
  }
  return null;
}

/** Throws an Error that says what was found and what was expected when the bytes are no such grid. */
export function decodeRevision(bytes: Buffer): RevisionGrid {
  const magic = bytes.toString('latin1', 0, 4);
  if (magic !== MAGIC)
    throw new Error(`A grid of corrections begins with ${MAGIC}, not with ${JSON.stringify(magic)}.`);
  const version = bytes.readUInt16LE(4);
  if (version !== VERSION)
    throw new Error(`The grid of corrections has version ${version}; version ${VERSION} is known.`);
  const count = bytes.readUInt32LE(10);
  const end = HEADER + bytes.readUInt32LE(14);
  const places = inflateRawSync(bytes.subarray(HEADER, end));
  const planes = inflateRawSync(bytes.subarray(end, end + bytes.readUInt32LE(18)));
  const runs: RevisionRun[] = Array.from({ length: count }, (_, run) => ({
    row: places.readInt32LE(run * 12),
    column: places.readInt32LE(run * 12 + 4),
    values: new Int32Array(places.readInt32LE(run * 12 + 8)),
  }));
  const grid = revisionGrid({
    perDegreeNorth: bytes.readUInt16LE(6),
    perDegreeEast: bytes.readUInt16LE(8),
    runs,
  });
  const nodes = planes.length / PLANES;
  let next = 0;
  forEachNode(grid, (values, k, expected) => {
    const zigzag = planes[next]! | (planes[nodes + next]! << 8) | (planes[2 * nodes + next]! << 16);
    next++;
    values[k] = expected + ((zigzag >>> 1) ^ -(zigzag & 1));
  });
  return grid;
}

/** The bytes from which `decodeRevision` makes the same grid. Throws a RangeError for corrections of 80 m and more. */
export function encodeRevision(grid: RevisionGrid): Buffer {
  const { runs } = grid;
  const nodes = runs.reduce((sum, { values }) => sum + values.length, 0);
  const planes = Buffer.alloc(nodes * PLANES);
  let next = 0;
  forEachNode(grid, (values, k, expected) => {
    const difference = values[k]! - expected;
    const zigzag = (difference << 1) ^ (difference >> 31);
    if (zigzag < 0 || zigzag > 0xffffff) {
      throw new RangeError(`A correction differs by ${difference} from its prediction.`);
    }
    planes[next] = zigzag & 0xff;
    planes[nodes + next] = (zigzag >> 8) & 0xff;
    planes[2 * nodes + next] = zigzag >> 16;
    next++;
  });
  const places = Buffer.alloc(runs.length * 12);
  for (const [run, { row, column, values }] of runs.entries()) {
    places.writeInt32LE(row, run * 12);
    places.writeInt32LE(column, run * 12 + 4);
    places.writeInt32LE(values.length, run * 12 + 8);
  }
  const parts = [places, planes].map((part) => deflateRawSync(part, { level: 9 }));
  const header = Buffer.alloc(HEADER);
  header.write(MAGIC, 'latin1');
  header.writeUInt16LE(VERSION, 4);
  header.writeUInt16LE(grid.perDegreeNorth, 6);
  header.writeUInt16LE(grid.perDegreeEast, 8);
  header.writeUInt32LE(runs.length, 10);
  header.writeUInt32LE(parts[0]!.length, 14);
  header.writeUInt32LE(parts[1]!.length, 18);
  return Buffer.concat([header, ...parts]);
}

/** Goes over all nodes in the order of runs; `expected` is what the nodes before let expect. */
function forEachNode(
  grid: RevisionGrid,
  visit: (values: Int32Array, k: number, expected: number) => void,
): void {
  for (const { row, column, values } of grid.runs) {
    for (let k = 0; k < values.length; k++) {
      const left = k === 0 ? null : values[k - 1]!;
      const below = nodeOf(grid, row - 1, column + k);
      const corner = left === null || below === null ? null : nodeOf(grid, row - 1, column + k - 1);
      visit(values, k, corner === null ? (left ?? below ?? 0) : left! + below! - corner);
    }
  }
}
