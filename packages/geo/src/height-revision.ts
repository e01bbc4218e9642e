/**
 * The revision of heights of April 2025: H(JGD2024) = H(JGD2011) + dH (Geospatial Information Authority of Japan,
 * PatchJGD(H), `hyokorevBM_jgd2024_h.par`, Ver. 1.0.0). `data/jgd2024-minus-jgd2011.revision` holds dH;
 * `scripts/make-height-revision.ts` makes it, NOTICE names its source.
 */
import { readFileSync } from 'node:fs';
import { decodeRevision, nodeOf, type RevisionGrid } from './height-revision-format.ts';

/** What the correction is called in answers, tilesets and reports. */
export const REVISION_NAME = 'hyokorevBM_jgd2024_h 1.0.0';

/** Rounding of places, in steps between nodes. */
const EDGE = 1e-9;
/** Units of a metre. */
const UNITS = 100_000;

/**
 * The 22 secondary meshes where the authority reads another grid (`hyokorevTR_jgd2024_h.par`). There this one differs
 * by up to some centimetres, or has no value.
 */
const OTHER_GRID: ReadonlySet<number> = new Set([
  473113, 473121, 473122, 473123, 473131, 473132, 473133, 473141, 473142, 473143, 473151, 473152, 473153,
  473161, 473162, 473163, 473173, 543664, 543665, 543674, 543675, 553605,
]);

let shipped: RevisionGrid | undefined;

/** The grid that comes with the program: 3 MB in memory, read when it is first asked for. */
export function readRevision(): RevisionGrid {
  shipped ??= decodeRevision(readFileSync(new URL('data/jgd2024-minus-jgd2011.revision', import.meta.url)));
  return shipped;
}

/**
 * dH in metres, bilinear between the four nodes around the place; null where a node that counts has no value. `lng` and
 * `lat` in degrees.
 */
export function revisionAt(grid: RevisionGrid, lng: number, lat: number): number | null {
  const x = snapped(lng * grid.perDegreeEast);
  const y = snapped(lat * grid.perDegreeNorth);
  const [column, row] = [Math.floor(x), Math.floor(y)];
  const [east, north] = [x - column, y - row];
  let sum = 0;
  for (const [dx, dy, weight] of [
    [0, 0, (1 - east) * (1 - north)],
    [1, 0, east * (1 - north)],
    [0, 1, (1 - east) * north],
    [1, 1, east * north],
  ] as const) {
    if (weight === 0) continue;
    const value = nodeOf(grid, row + dy, column + dx);
    if (value === null) return null;
    sum += value * weight;
  }
  return sum / UNITS;
}

/** True where the authority reads another grid than this one. Degrees. */
export function isOtherGrid(lng: number, lat: number): boolean {
  const [south, west] = [Math.floor(lat * 1.5), Math.floor(lng) - 100];
  const second = Math.floor((lat * 1.5 - south) * 8) * 10 + Math.floor((lng - Math.floor(lng)) * 8);
  return OTHER_GRID.has(south * 10_000 + west * 100 + second);
}

/** A place on a node by all but rounding lies on it: the neighbours then have no weight. */
function snapped(steps: number): number {
  const whole = Math.round(steps);
  return Math.abs(steps - whole) < EDGE ? whole : steps;
}
