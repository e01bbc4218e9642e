/**
 * The form of the island before anything stands on it: its coast, its river and its heights. It is drawn on a plan of
 * its own, in metres: x across the river, y along it, the main bridge at the origin.
 */
import { MESH_HEIGHT, type Point2 } from '../place.ts';

/** A point of the plan: metres across the river (east is positive) and along it (upstream is positive). */
export type PlanPoint = readonly [x: number, y: number];

/** The main bridge: four third meshes of the second mesh 382965 meet here, metres from the sample's origin. */
const BRIDGE: Point2 = [0, MESH_HEIGHT * 10];
/** How far the plan is turned against north, radians counter-clockwise. */
export const TURN = 0.14;
const [COS, SIN] = [Math.cos(TURN), Math.sin(TURN)];
/** The coast is drawn around this point. */
const MIDDLE: PlanPoint = [0, 130];
/** Half of the river's width within the town, metres. */
export const RIVER_HALF = 16;
/** Where the river rises, in the wood above the town. */
export const SOURCE: PlanPoint = [0, 700];
/** The built-up part of the plan reaches so far to either side, and from south to north. */
export const TOWN = { half: 664, south: -480, north: 480 } as const;

/** Metres east and north of the sample's origin. The river winds, and all streets beside it wind along. */
export function at([x, y]: PlanPoint): Point2 {
  const across = x + 55 * Math.sin(y / 270);
  return [BRIDGE[0] + across * COS - y * SIN, BRIDGE[1] + across * SIN + y * COS];
}

/** A point of the coast in a direction of the plan (radians); with `part` below 1, so far on the way to it. */
export function coast(angle: number, part = 1): PlanPoint {
  const bays =
    1 + 0.03 * Math.sin(3 * angle + 1) + 0.022 * Math.sin(5 * angle + 2.2) + 0.01 * Math.sin(13 * angle);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const radius = bays / Math.cbrt((Math.abs(cos) / 970) ** 3 + (Math.abs(sin) / 910) ** 3);
  return [MIDDLE[0] + radius * part * cos, MIDDLE[1] + radius * part * sin];
}

/** Direction in which the coast has a coordinate of the plan, by halving: `between` must hold it once. */
export function coastWhere(axis: 0 | 1, value: number, between: readonly [number, number], part = 1): number {
  let [low, high] = between;
  const rises = coast(high, part)[axis] > coast(low, part)[axis];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (coast(middle, part)[axis] < value === rises) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** How far inland a point is: 1 at the middle of the island, 0 at the coast, less in the sea. */
export function inland([x, y]: PlanPoint): number {
  const [dx, dy] = [x - MIDDLE[0], y - MIDDLE[1]];
  const [cx, cy] = coast(Math.atan2(dy, dx));
  return 1 - Math.hypot(dx, dy) / Math.hypot(cx - MIDDLE[0], cy - MIDDLE[1]);
}

/** Half of the river's width at a place along it, metres. */
export function riverHalf(y: number): number {
  return y <= TOWN.north ? RIVER_HALF : (RIVER_HALF * (SOURCE[1] - y)) / (SOURCE[1] - TOWN.north);
}

/** Middle, height and width of hills, metres. */
const HILLS = [
  [-400, 760, 78, 140],
  [330, 770, 104, 150],
  [-900, 330, 40, 110],
  [850, 420, 52, 120],
] as const;

/** Altitude of the ground, metres: flat in the town, which rises gently to the wooded hills in the north. */
export function altitude(point: PlanPoint): number {
  const [x, y] = point;
  let height = 3.2 + 6 * smooth((y + 480) / 1000);
  for (const [hx, hy, top, wide] of HILLS) {
    height += top * Math.exp(-((x - hx) ** 2 + (y - hy) ** 2) / (2 * wide * wide));
  }
  return 0.2 + (height - 0.2) * smooth(inland(point) / 0.1);
}

function smooth(part: number): number {
  const t = Math.min(1, Math.max(0, part));
  return t * t * (3 - 2 * t);
}

/** Steps along borders that wind with the river, metres: neighbours have the same corners, so that none gape. */
const STEP = 10;

/** Straight lines of the plan between points, as they lie on the ground; the last point is left out. */
export function line(...points: readonly PlanPoint[]): Point2[] {
  const result: Point2[] = [];
  for (let i = 0; i + 1 < points.length; i++) {
    const [[x0, y0], [x1, y1]] = [points[i]!, points[i + 1]!];
    // Lines across the river stay straight.
    const steps = Math.max(1, Math.ceil(Math.abs(y1 - y0) / STEP));
    for (let k = 0; k < steps; k++)
      result.push(at([x0 + ((x1 - x0) * k) / steps, y0 + ((y1 - y0) * k) / steps]));
  }
  return result;
}

/** A rectangle of the plan as a ring on the ground, counter-clockwise. */
export function plot(west: number, south: number, east: number, north: number): Point2[] {
  return line([west, south], [east, south], [east, north], [west, north], [west, south]);
}

/** The coast between two directions, the last point left out. */
export function shore(from: number, to: number, part = 1): Point2[] {
  const steps = Math.max(1, Math.ceil(Math.abs(to - from) / 0.025));
  return Array.from({ length: steps }, (_, i) => at(coast(from + ((to - from) * i) / steps, part)));
}

/** Rounded to millimetres. */
export const mm = (metres: number): number => Math.round(metres * 1000) / 1000;
