/** What is in the middle of a picture: where most is built within what the picture has room for. */
import type { Vec3 } from '@citymodel/geo';
import type { Surface } from './surfaces.ts';

/** Cells along a side of the map that is looked at. */
const CELLS = 96;
/** What is flat, such as a road, counts as if it were so high, metres. */
const FLAT = 3;
/** A house ten times as high counts six times as much. */
const TALL = 0.8;
/** Vertices that are looked at for heights. */
const SOME = 50_000;
/** A picture is no closer than this, metres, unless all that there is is smaller. */
const NARROWEST = 200;
/** A smaller model is shown as a whole, and of a larger one no more than this, metres. */
const WHOLE = 160;
/** What lies towards the camera looks larger, and is not to fall out of the picture. */
const ROOM = 1.4;
const WIDEST = 420;
/** With so much of what a wider picture shows, the closer one is better. */
const MOST = 0.6;

/** Cells along a side of the map in which things are told apart. */
const THING_CELLS = 32;
/** Things smaller than this part of what is shown are specks. */
const SPECK = 0.16;
/** So many times the largest of them is shown then, and at least so many metres. */
const SHOWN = 5;
const NEAREST = 2;
/** A picture is no closer than this, metres, unless less is to be shown. */
const CLOSEST = 12;

interface Spot {
  /** Metres east and north. */
  x: number;
  y: number;
  /** Metres around that are to be seen. */
  room: number;
}

export interface Aim {
  target: Vec3;
  /** Of what is to be seen, metres. */
  radius: number;
}

/**
 * @param reach metres from the middle that are looked at
 * @param radius of what there is room for, metres
 * @param widest of what is shown at most, metres: lamps and signs of a whole city are specks
 */
export function aimAt(surfaces: readonly Surface[], reach: number, radius: number, widest = WIDEST): Aim {
  if (radius <= Math.min(WHOLE, widest)) return wholeOf(surfaces);
  const cells = builtIn(surfaces, reach);
  let room = Math.min(radius, widest);
  let best = mostBuilt(cells, reach, room, [0, 0], 2 * radius);
  // A village in a wide country fills the picture.
  while (room > NARROWEST) {
    const closer = mostBuilt(cells, reach, room * 0.6, [best.x, best.y], room);
    if (closer.sum < MOST * best.sum) break;
    room *= 0.6;
    best = closer;
  }
  const all = { x: best.x, y: best.y, room };
  const some = nearSpecks(surfaces, all);
  const [aim, nearer] = [all, some].map((spot) => aimWithin(surfaces, spot)) as [Aim, Aim];
  // Things close together are seen from near by already.
  return nearer.radius < aim.radius ? nearer : aim;
}

/** At what is there around a spot. */
function aimWithin(surfaces: readonly Surface[], { x, y, room }: Spot): Aim {
  const [heights, aways] = [[], []] as [number[], number[]];
  const count = surfaces.reduce((sum, { positions }) => sum + positions.length / 3, 0);
  const step = 3 * Math.max(1, Math.floor(count / SOME));
  for (const { positions } of surfaces) {
    for (let i = 0; i + 2 < positions.length; i += step) {
      const away = Math.hypot(positions[i]! - x, positions[i + 1]! - y);
      if (away > room) continue;
      aways.push(away);
      heights.push(positions[i + 2]!);
    }
  }
  if (heights.length === 0) return { target: [x, y, 0], radius: room };
  const at = (values: number[], part: number) => values[Math.floor(part * (values.length - 1))]!;
  heights.sort((a, b) => a - b);
  aways.sort((a, b) => a - b);
  const low = at(heights, 0.05);
  const high = at(heights, 0.98) - low;
  const target: Vec3 = [x, y, low + Math.min(high * 0.35, room * 0.25)];
  return { target, radius: Math.max(Math.min(CLOSEST, room), Math.min(room, at(aways, 0.94)), high * 0.7) };
}

/** All of a small model, or some of it where all would be specks. */
function wholeOf(surfaces: readonly Surface[]): Aim {
  const least = [Infinity, Infinity, Infinity];
  const most = [-Infinity, -Infinity, -Infinity];
  for (const { positions } of surfaces) {
    for (let i = 0; i < positions.length; i++) {
      least[i % 3] = Math.min(least[i % 3]!, positions[i]!);
      most[i % 3] = Math.max(most[i % 3]!, positions[i]!);
    }
  }
  const [x, y, z] = [0, 1, 2].map((k) => (least[k]! + most[k]!) / 2) as Vec3;
  const [wide, deep, high] = [0, 1, 2].map((k) => (most[k]! - least[k]!) / 2) as Vec3;
  const all = { x, y, room: Math.hypot(wide, deep) };
  const some = nearSpecks(surfaces, all);
  if (some.room < all.room) return aimWithin(surfaces, some);
  return { target: [x, y, z], radius: Math.max(3, ROOM * Math.hypot(wide, deep), high * 2.3) };
}

/** Where the most is, from near by, if things lie so far apart that all of them would be specks. */
function nearSpecks(surfaces: readonly Surface[], spot: Spot): Spot {
  const { x, y, room } = spot;
  const size = largestThing(surfaces, spot);
  const near = Math.max(NEAREST, SHOWN * size);
  if (size >= SPECK * room || near >= room) return spot;
  const best = mostBuilt(builtIn(surfaces, room, [x, y]), room, near, [0, 0], room);
  return { x: x + best.x, y: y + best.y, room: near };
}

/** Metres of the longest side of the largest thing around a spot: what triangles or neighbouring cells join is one. */
function largestThing(surfaces: readonly Surface[], { x, y, room }: Spot): number {
  const cells = THING_CELLS ** 2;
  const leader = Int32Array.from({ length: cells }, (_, i) => i);
  const boxes = Array.from({ length: cells }, () => [
    Infinity,
    Infinity,
    Infinity,
    -Infinity,
    -Infinity,
    -Infinity,
  ]);
  const leaderOf = (cell: number) => {
    let at = cell;
    while (leader[at] !== at) at = leader[at] = leader[leader[at]!]!;
    return at;
  };
  const scale = THING_CELLS / (2 * room);
  for (const { positions, indices } of surfaces) {
    const cellOf = (vertex: number) => {
      const column = Math.floor((positions[3 * vertex]! - x + room) * scale);
      const row = Math.floor((positions[3 * vertex + 1]! - y + room) * scale);
      const isWithin = column >= 0 && row >= 0 && column < THING_CELLS && row < THING_CELLS;
      return isWithin ? row * THING_CELLS + column : null;
    };
    for (let vertex = 0; vertex < positions.length / 3; vertex++) {
      const cell = cellOf(vertex);
      if (cell === null) continue;
      for (let k = 0; k < 3; k++) {
        const value = positions[3 * vertex + k]!;
        boxes[cell]![k] = Math.min(boxes[cell]![k]!, value);
        boxes[cell]![3 + k] = Math.max(boxes[cell]![3 + k]!, value);
      }
    }
    for (let i = 0; i + 2 < indices.length; i += 3) {
      const [a, b, c] = [0, 1, 2].map((k) => cellOf(indices[i + k]!));
      // What reaches out of the square is large enough to be seen.
      if (a == null || b == null || c == null) {
        if (a != null || b != null || c != null) return room;
        continue;
      }
      leader[leaderOf(b)] = leaderOf(a);
      leader[leaderOf(c)] = leaderOf(a);
    }
  }
  const isBuilt = (cell: number) => boxes[cell]![0]! < Infinity;
  for (let cell = 0; cell < cells; cell++) {
    const isLast = cell % THING_CELLS === THING_CELLS - 1;
    const next = [isLast ? cell : cell + 1, cell + THING_CELLS];
    for (const other of next) {
      if (other < cells && isBuilt(cell) && isBuilt(other)) leader[leaderOf(other)] = leaderOf(cell);
    }
  }
  for (let cell = 0; cell < cells; cell++) {
    const [own, whole] = [boxes[cell]!, boxes[leaderOf(cell)]!];
    for (let k = 0; k < 3; k++) {
      whole[k] = Math.min(whole[k]!, own[k]!);
      whole[3 + k] = Math.max(whole[3 + k]!, own[3 + k]!);
    }
  }
  // A cell without anything has a box that is infinitely smaller than none.
  return boxes.reduce((most, box) => Math.max(most, ...[0, 1, 2].map((k) => box[3 + k]! - box[k]!)), 0);
}

/**
 * What is built in the cells of a square, by its corners: many small houses count more than one large hall.
 *
 * @param middle of the square, metres
 */
function builtIn(
  surfaces: readonly Surface[],
  reach: number,
  middle: readonly [number, number] = [0, 0],
): Float64Array {
  const lowest = new Float64Array(CELLS * CELLS).fill(Infinity);
  // On a slope what is high is no tower: heights are those above the cell's own ground.
  eachVertex(surfaces, reach, middle, (cell, z) => {
    lowest[cell] = Math.min(lowest[cell]!, z);
  });
  const cells = new Float64Array(CELLS * CELLS);
  eachVertex(surfaces, reach, middle, (cell, z) => {
    cells[cell]! += (FLAT + z - lowest[cell]!) ** TALL;
  });
  return cells;
}

function eachVertex(
  surfaces: readonly Surface[],
  reach: number,
  [x, y]: readonly [number, number],
  use: (cell: number, z: number) => void,
): void {
  const scale = CELLS / (2 * reach);
  for (const { positions } of surfaces) {
    for (let i = 0; i + 2 < positions.length; i += 3) {
      const column = Math.floor((positions[i]! - x + reach) * scale);
      const row = Math.floor((positions[i + 1]! - y + reach) * scale);
      if (column < 0 || row < 0 || column >= CELLS || row >= CELLS) continue;
      use(row * CELLS + column, positions[i + 2]!);
    }
  }
}

/** The place around which the most is built, metres east and north, and how much that is. */
function mostBuilt(
  cells: Float64Array,
  reach: number,
  radius: number,
  [x, y]: readonly [number, number],
  away: number,
) {
  const metres = (2 * reach) / CELLS;
  const place = (cell: number) => (cell + 0.5) * metres - reach;
  const weights = weightsWithin(radius / metres);
  const built = rowsOf(cells);
  let best = { x, y, sum: 0 };
  for (let row = 0; row < CELLS; row++) {
    for (let column = 0; column < CELLS; column++) {
      if (Math.hypot(place(column) - x, place(row) - y) > away) continue;
      const sum = around(built, column, row, weights);
      if (sum > best.sum) best = { x: place(column), y: place(row), sum };
    }
  }
  return best;
}

interface Row {
  row: number;
  /** Where something is built, and how much. */
  columns: Int32Array;
  sums: Float64Array;
}

/** Rows in which something is built. */
function rowsOf(cells: Float64Array): Row[] {
  return Array.from({ length: CELLS }, (_, row) => {
    const all = cells.subarray(row * CELLS, (row + 1) * CELLS);
    const columns = Int32Array.from(all.keys()).filter((column) => all[column]! > 0);
    return { row, columns, sums: Float64Array.from(columns, (column) => all[column]!) };
  }).filter(({ columns }) => columns.length > 0);
}

/**
 * How much counts of what is so many rows and columns away: much less the farther it is. Of things that lie far apart
 * one is in the middle then, and not the empty place between them.
 */
function weightsWithin(reach: number): Float64Array[] {
  const rows = Math.min(CELLS, Math.ceil(reach));
  return Array.from({ length: rows }, (_, down) =>
    Float64Array.from({ length: CELLS }, (_, across) => {
      const near = Math.max(0, 1 - Math.hypot(across, down) / reach);
      return near * near;
    }),
  );
}

/** What is built around a cell. */
function around(
  built: readonly Row[],
  column: number,
  row: number,
  weights: readonly Float64Array[],
): number {
  let sum = 0;
  for (const { row: other, columns, sums } of built) {
    const line = weights[Math.abs(other - row)];
    if (line === undefined) continue;
    for (let i = 0; i < columns.length; i++) sum += line[Math.abs(columns[i]! - column)]! * sums[i]!;
  }
  return sum;
}
