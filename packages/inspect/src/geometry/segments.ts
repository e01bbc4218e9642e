/** Segments on a plane that meet. Points are x and y by turns. */
import { orient2d } from 'robust-predicates';

/** A ring or a line, two numbers a point. */
export type Line2 = Float64Array;

/** Distance between two points of two lines. */
export function distance(a: Line2, i: number, b: Line2, j: number): number {
  return Math.hypot(a[2 * i]! - b[2 * j]!, a[2 * i + 1]! - b[2 * j + 1]!);
}

/**
 * How two segments meet: in a point that is inside of both, in one that is an end of either, along a piece, or not at
 * all.
 */
export type Meeting = { kind: 'proper' | 'touch'; x: number; y: number } | { kind: 'along' } | null;

/**
 * The segment from point `i` of `a` to the next, and that from point `j` of `b`. Decisions are exact, the place is
 * rounded.
 */
export function meeting(a: Line2, i: number, b: Line2, j: number): Meeting {
  const [ax, ay, bx, by] = [a[2 * i]!, a[2 * i + 1]!, a[2 * i + 2]!, a[2 * i + 3]!];
  const [cx, cy, dx, dy] = [b[2 * j]!, b[2 * j + 1]!, b[2 * j + 2]!, b[2 * j + 3]!];
  if (Math.max(ax, bx) < Math.min(cx, dx) || Math.max(cx, dx) < Math.min(ax, bx)) return null;
  if (Math.max(ay, by) < Math.min(cy, dy) || Math.max(cy, dy) < Math.min(ay, by)) return null;
  const ofC = Math.sign(orient2d(ax, ay, bx, by, cx, cy));
  const ofD = Math.sign(orient2d(ax, ay, bx, by, dx, dy));
  const ofA = Math.sign(orient2d(cx, cy, dx, dy, ax, ay));
  const ofB = Math.sign(orient2d(cx, cy, dx, dy, bx, by));
  if (ofC === 0 && ofD === 0) return along(ax, ay, bx, by, cx, cy, dx, dy);
  if (ofC * ofD > 0 || ofA * ofB > 0) return null;
  if (ofC === 0) return { kind: 'touch', x: cx, y: cy };
  if (ofD === 0) return { kind: 'touch', x: dx, y: dy };
  if (ofA === 0) return { kind: 'touch', x: ax, y: ay };
  if (ofB === 0) return { kind: 'touch', x: bx, y: by };
  const [ux, uy, vx, vy] = [bx - ax, by - ay, dx - cx, dy - cy];
  const share = ((cx - ax) * vy - (cy - ay) * vx) / (ux * vy - uy * vx);
  return { kind: 'proper', x: ax + share * ux, y: ay + share * uy };
}

/** Of two segments on one line. */
function along(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  cx: number,
  cy: number,
  dx: number,
  dy: number,
): Meeting {
  const byX = Math.abs(bx - ax) + Math.abs(dx - cx) >= Math.abs(by - ay) + Math.abs(dy - cy);
  const [a, b, c, d] = byX ? [ax, bx, cx, dx] : [ay, by, cy, dy];
  const from = Math.max(Math.min(a, b), Math.min(c, d));
  const to = Math.min(Math.max(a, b), Math.max(c, d));
  if (from > to) return null;
  if (from < to) return { kind: 'along' };
  const isFirst = from === a;
  return { kind: 'touch', x: isFirst ? ax : bx, y: isFirst ? ay : by };
}

/** Distance of a point from a segment. */
export function distanceToSegment(line: Line2, i: number, x: number, y: number): number {
  const [ax, ay] = [line[2 * i]!, line[2 * i + 1]!];
  const [ux, uy] = [line[2 * i + 2]! - ax, line[2 * i + 3]! - ay];
  const length = ux * ux + uy * uy;
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * ux + (y - ay) * uy) / length));
  return Math.hypot(ax + share * ux - x, ay + share * uy - y);
}

/**
 * Pairs of segments of one or two lines whose boxes, widened by `margin`, meet: first segments ascending for each
 * second. The sweep runs along x, so that rings of thousands of points do not compare each with each.
 */
export function* nearPairs(a: Line2, b: Line2, margin = 0): Generator<[i: number, j: number], void, void> {
  const isSame = a === b;
  const [boxesA, boxesB] = [sortedBoxes(a), isSame ? null : sortedBoxes(b)];
  const others = boxesB ?? boxesA;
  let first = 0;
  const widest = others.reduce((most, box) => Math.max(most, box.toX - box.fromX), 0);
  for (const box of boxesA) {
    while (first < others.length && others[first]!.fromX < box.fromX - widest - margin) first++;
    for (let at = first; at < others.length && others[at]!.fromX <= box.toX + margin; at++) {
      const near = others[at]!;
      if (near.toX + margin < box.fromX || near.fromY > box.toY + margin || near.toY + margin < box.fromY)
        continue;
      if (!isSame) yield [box.segment, near.segment];
      else if (box.segment < near.segment) yield [box.segment, near.segment];
    }
  }
}

interface Box {
  segment: number;
  fromX: number;
  toX: number;
  fromY: number;
  toY: number;
}

function sortedBoxes(line: Line2): Box[] {
  const boxes: Box[] = [];
  for (let segment = 0; segment < line.length / 2 - 1; segment++) {
    const [ax, ay, bx, by] = line.subarray(2 * segment, 2 * segment + 4) as unknown as number[];
    boxes.push({
      segment,
      fromX: Math.min(ax!, bx!),
      toX: Math.max(ax!, bx!),
      fromY: Math.min(ay!, by!),
      toY: Math.max(ay!, by!),
    });
  }
  return boxes.sort((one, other) => one.fromX - other.fromX);
}

/** True for a point inside of a closed ring (even-odd); on its border either. */
export function contains(ring: Line2, x: number, y: number): boolean {
  let isInside = false;
  for (let i = 0; i < ring.length / 2 - 1; i++) {
    const [ax, ay, bx, by] = [ring[2 * i]!, ring[2 * i + 1]!, ring[2 * i + 2]!, ring[2 * i + 3]!];
    if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) isInside = !isInside;
  }
  return isInside;
}
