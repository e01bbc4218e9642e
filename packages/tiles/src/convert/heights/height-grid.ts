/**
 * Heights of a geoid above the ellipsoid on a regular grid of any step, and the height at a place between its nodes.
 */

/**
 * Which heights of Japan a geoid belongs to; one of another country belongs to `jgd2011`, since it needs no revision.
 */
export type GeoidDatum = 'jgd2011' | 'jgd2024';

/** Nodes row by row from north to south, in each row from west to east. */
export interface HeightGrid {
  /** What its heights are called: `GSIGEO2011`, or the name of its file. */
  readonly name: string;
  /**
   * Elevations that it brings to the ellipsoid: of Japan before the revision of heights or after it. Absent: before.
   */
  readonly datum?: GeoidDatum;
  readonly columns: number;
  readonly rows: number;
  /** Longitude of the first node of a row and latitude of the first row, degrees. */
  readonly west: number;
  readonly north: number;
  /** Degrees between neighbours, positive. */
  readonly stepEast: number;
  readonly stepSouth: number;
  /** Metres; NaN where unknown. Workers share one copy. */
  readonly metres: Float32Array<SharedArrayBuffer>;
}

/** Nodes that a grid may have: 64 MB. GSIGEO2011 has 2.2 million. */
export const MAX_NODES = 16_000_000;
/** How far the nearest node with a height may be, degrees: the sea around islands has none. */
const MAX_REACH = 0.25;
/** Coordinates that lie this far beyond the edge, in steps, by rounding only. */
const EDGE = 1e-9;

/** An empty grid. Throws a RangeError when it would be too large or its numbers are none of a grid. */
export function emptyGrid(facts: Omit<HeightGrid, 'metres'>): HeightGrid {
  const { columns, rows, west, north, stepEast, stepSouth } = facts;
  const whole = Number.isInteger(columns) && Number.isInteger(rows) && columns >= 2 && rows >= 2;
  if (!whole || columns * rows > MAX_NODES) {
    throw new RangeError(
      `A grid has 2 × 2 to ${MAX_NODES} nodes; ${facts.name} says ${columns} columns and ${rows} rows.`,
    );
  }
  if (!(stepEast > 0 && stepSouth > 0 && Number.isFinite(west) && Number.isFinite(north))) {
    throw new RangeError(
      `${facts.name} says no grid of longitudes and latitudes: from ${west}, ${north} by ${stepEast}, ${stepSouth} ` +
        `degrees.`,
    );
  }
  const buffer = new SharedArrayBuffer(columns * rows * Float32Array.BYTES_PER_ELEMENT);
  return { ...facts, metres: new Float32Array(buffer).fill(Number.NaN) };
}

/**
 * Height of the geoid above the ellipsoid in metres, bilinear between the four nodes around the place. Where one of
 * them is unknown, the height of the nearest known node within a quarter of a degree; null without one, and outside of
 * the grid. Degrees.
 */
export function heightAt(grid: HeightGrid, lng: number, lat: number): number | null {
  const x = clamped((lng - grid.west) / grid.stepEast, grid.columns - 1);
  const y = clamped((grid.north - lat) / grid.stepSouth, grid.rows - 1);
  if (Number.isNaN(x) || Number.isNaN(y)) return null;
  const column = Math.min(Math.floor(x), grid.columns - 2);
  const row = Math.min(Math.floor(y), grid.rows - 2);
  const [east, south] = [x - column, y - row];
  const first = row * grid.columns + column;
  const { metres } = grid;
  const height =
    weighed(metres[first]!, (1 - east) * (1 - south)) +
    weighed(metres[first + 1]!, east * (1 - south)) +
    weighed(metres[first + grid.columns]!, (1 - east) * south) +
    weighed(metres[first + grid.columns + 1]!, east * south);
  return Number.isNaN(height) ? nearest(grid, x, y) : height;
}

/** A node without weight does not count, though its height be unknown. */
function weighed(height: number, weight: number): number {
  return weight === 0 ? 0 : height * weight;
}

/** A coordinate in steps from the first node; NaN when it lies outside of 0 to `last`. */
function clamped(value: number, last: number): number {
  if (value >= 0 && value <= last) return value;
  if (value > -EDGE && value < 0) return 0;
  return value > last && value < last + EDGE ? last : Number.NaN;
}

/** The known node that is nearest, of equally near ones the northern, then the western one. */
function nearest(grid: HeightGrid, x: number, y: number): number | null {
  const reachX = Math.ceil(MAX_REACH / grid.stepEast);
  const reachY = Math.ceil(MAX_REACH / grid.stepSouth);
  let best: number | null = null;
  let least = Infinity;
  const lastRow = Math.min(grid.rows - 1, Math.ceil(y) + reachY);
  const lastColumn = Math.min(grid.columns - 1, Math.ceil(x) + reachX);
  for (let row = Math.max(0, Math.floor(y) - reachY); row <= lastRow; row++) {
    for (let column = Math.max(0, Math.floor(x) - reachX); column <= lastColumn; column++) {
      const height = grid.metres[row * grid.columns + column]!;
      if (Number.isNaN(height)) continue;
      const distance = ((column - x) * grid.stepEast) ** 2 + ((row - y) * grid.stepSouth) ** 2;
      if (distance < least) [best, least] = [height, distance];
    }
  }
  return least <= MAX_REACH ** 2 ? best : null;
}
