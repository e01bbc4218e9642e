/** Parts of a shape inside of a tile, rounded to whole units, and as the commands of MVT 2.1. */

/** Units along a tile's side (MVT 2.1, section 4.1), and beyond its edge on every side. */
export const EXTENT = 4096;
export const BUFFER = 64;

/** Types of geometry in tiles (MVT 2.1, section 4.3.4). */
export const POINT = 1;
export const LINE = 2;
export const POLYGON = 3;

/** Coordinates `[x, y, …]`; rings are open, x to the east and y to the south. */
export type Path = number[];
/** Rings of one polygon, the outside first; or one line; or one point. */
export type Part = Path[];

/** The geometry of a feature in one tile. */
export interface TileCommands {
  /** Commands and parameters, each a variable-length integer (MVT 2.1, section 4.3). */
  commands: Uint8Array;
  /** Area or length in units: which features a crowded tile keeps. */
  weight: number;
  /** True when it is the whole tile with its buffer: no edge of the feature is in it. */
  isCover: boolean;
}

/** Area of an open ring; positive when it runs clockwise as seen on the map, where y points down. */
export function areaOf(ring: readonly number[]): number {
  let sum = 0;
  const [x0, y0] = [ring[0]!, ring[1]!];
  for (let i = 2; i + 3 < ring.length; i += 2) {
    sum += (ring[i]! - x0) * (ring[i + 3]! - y0) - (ring[i + 2]! - x0) * (ring[i + 1]! - y0);
  }
  return sum / 2;
}

export function lengthOf(line: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i + 3 < line.length; i += 2) {
    sum += Math.hypot(line[i + 2]! - line[i]!, line[i + 3]! - line[i + 1]!);
  }
  return sum;
}

const MOVE_TO = 1;
const LINE_TO = 2;
const CLOSE_PATH = 7;

/** Parts in whole units from a tile's corner; null when nothing is left after rounding. */
export function encode(
  parts: readonly Part[],
  type: typeof POINT | typeof LINE | typeof POLYGON,
  left: number,
  top: number,
): TileCommands | null {
  const commands = new Commands();
  let weight = 0;
  if (type === POINT) {
    const points = parts.flatMap(([point]) => [Math.round(point![0]! - left), Math.round(point![1]! - top)]);
    if (points.length > 0) commands.points(points);
    return commands.isEmpty
      ? null
      : { commands: commands.bytes(), weight: points.length / 2, isCover: false };
  }
  for (const part of parts) {
    for (const [i, path] of part.entries()) {
      const whole = rounded(path, left, top, type === POLYGON);
      if (type === LINE) {
        if (whole.length < 4) continue;
        commands.path(whole, false);
        weight += lengthOf(whole);
        continue;
      }
      const area = whole.length < 6 ? 0 : areaOf(whole);
      if (area === 0) {
        // Holes of an outside that vanishes vanish with it.
        if (i === 0) break;
        continue;
      }
      // The outside runs clockwise on the map, holes run the other way (section 4.3.4.4).
      commands.path(area > 0 === (i === 0) ? whole : reversed(whole), true);
      if (i === 0) weight += Math.abs(area);
    }
  }
  if (commands.isEmpty) return null;
  return { commands: commands.bytes(), weight, isCover: type === POLYGON && isCover(parts, weight) };
}

/**
 * Clipping leaves a square of four corners where a polygon covers a tile; a hole that a tile lies in would be a second
 * ring.
 */
function isCover(parts: readonly Part[], area: number): boolean {
  return parts.length === 1 && parts[0]!.length === 1 && area === (EXTENT + 2 * BUFFER) ** 2;
}

/** Without points that fall together, and of rings without those that lie on the way back along themselves. */
function rounded(path: Path, left: number, top: number, isRing: boolean): Path {
  const result: Path = [];
  let lastX = Number.NaN;
  let lastY = Number.NaN;
  for (let i = 0; i < path.length; i += 2) {
    const x = Math.round(path[i]! - left);
    const y = Math.round(path[i + 1]! - top);
    if (x === lastX && y === lastY) continue;
    result.push(x, y);
    lastX = x;
    lastY = y;
  }
  while (isRing && result.length > 2 && result[0] === result.at(-2) && result[1] === result.at(-1)) {
    result.length -= 2;
  }
  return result;
}

function reversed(path: Path): Path {
  const result: Path = [];
  for (let i = path.length - 2; i >= 0; i -= 2) result.push(path[i]!, path[i + 1]!);
  return result;
}

/** Bytes of an integer of 32 bits. */
const LONGEST = 5;
/** Where commands are written; those of one geometry at a time. */
let room = new Uint8Array(1 << 14);

class Commands {
  #length = 0;
  #x = 0;
  #y = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** All points of a feature belong to one command (section 4.3.4.2). */
  points(points: Path): void {
    this.#integer(MOVE_TO | ((points.length / 2) << 3));
    for (let i = 0; i < points.length; i += 2) this.#step(points[i]!, points[i + 1]!);
  }

  path(path: Path, close: boolean): void {
    this.#integer(MOVE_TO | (1 << 3));
    this.#step(path[0]!, path[1]!);
    if (path.length > 2) {
      this.#integer(LINE_TO | ((path.length / 2 - 1) << 3));
      for (let i = 2; i < path.length; i += 2) this.#step(path[i]!, path[i + 1]!);
    }
    if (close) this.#integer(CLOSE_PATH | (1 << 3));
  }

  bytes(): Uint8Array {
    return room.slice(0, this.#length);
  }

  #step(x: number, y: number): void {
    this.#zigzag(x - this.#x);
    this.#zigzag(y - this.#y);
    [this.#x, this.#y] = [x, y];
  }

  #zigzag(value: number): void {
    this.#integer((value << 1) ^ (value >> 31));
  }

  #integer(value: number): void {
    if (this.#length + LONGEST > room.length) {
      const larger = new Uint8Array(2 * room.length);
      larger.set(room);
      room = larger;
    }
    let left = value >>> 0;
    for (; left >= 0x80; left >>>= 7) room[this.#length++] = (left & 0x7f) | 0x80;
    room[this.#length++] = left;
  }
}
