import type { Bounds } from '@citymodel/geo';

/**
 * Whether shapes with integer coordinates overlap, slowly and exactly: the oracle of `voxel-intersection.ts`, by
 * another algorithm and in rational arithmetic. The overlap of two polygons falls into triangles whose corners are
 * corners of the two or crossings of their edges; so it is not empty exactly when one of these points, or the middle of
 * two or three of them, is in both.
 */

/** x/w, y/w with w > 0. */
type Point = [x: bigint, y: bigint, w: bigint];
type Ring = ReadonlyArray<readonly [number, number]>;

const point = ([x, y]: readonly [number, number]): Point => [BigInt(x), BigInt(y), 1n];

export function slowlyMeetsBox(
  rings: readonly Ring[],
  areal: boolean,
  box: Bounds,
  edges: 'cell' | 'closed',
): boolean {
  const [west, south, east, north] = [box.west, box.south, box.east, box.north].map(BigInt) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  const corners: Ring = [
    [box.west, box.south],
    [box.east, box.south],
    [box.east, box.north],
    [box.west, box.north],
  ];
  const inBox = ([x, y, w]: Point) =>
    edges === 'cell'
      ? x >= west * w && x < east * w && y > south * w && y <= north * w
      : x >= west * w && x <= east * w && y >= south * w && y <= north * w;
  const inShape = (p: Point) => (areal ? inArea(p, rings) : onLines(p, rings, false));
  const inClosedBox = ([x, y, w]: Point) =>
    x >= west * w && x <= east * w && y >= south * w && y <= north * w;
  const candidates = crossings([...segments(rings, areal), ...segments([corners], true)]).filter(
    (p) => inClosedBox(p) && inShape(p),
  );
  return middles(candidates).some((p) => inBox(p) && inShape(p));
}

export function slowlyMeetsPolygon(rings: readonly Ring[], areal: boolean, search: readonly Ring[]): boolean {
  return crossings([...segments(rings, areal), ...segments(search, true)]).some(
    (p) => inArea(p, search) && (areal ? inArea(p, rings) : onLines(p, rings, false)),
  );
}

function segments(rings: readonly Ring[], closed: boolean): Array<[Point, Point]> {
  return rings.flatMap((ring) =>
    ring.flatMap((from, i): Array<[Point, Point]> => {
      const to = ring[i + 1] ?? (closed ? ring[0] : undefined);
      return to === undefined ? [] : [[point(from), point(to)]];
    }),
  );
}

/** End points and crossings of all segments. */
function crossings(all: Array<[Point, Point]>): Point[] {
  const found = new Map<string, Point>();
  const keep = (p: Point) => {
    const divisor = gcd(gcd(abs(p[0]), abs(p[1])), p[2]);
    const reduced: Point = [p[0] / divisor, p[1] / divisor, p[2] / divisor];
    found.set(reduced.join(), reduced);
  };
  for (const [i, [a, b]] of all.entries()) {
    keep(a);
    keep(b);
    for (const [c, d] of all.slice(i + 1)) {
      const down = (b[0] - a[0]) * (d[1] - c[1]) - (b[1] - a[1]) * (d[0] - c[0]);
      if (down === 0n) continue;
      const t = (c[0] - a[0]) * (d[1] - c[1]) - (c[1] - a[1]) * (d[0] - c[0]);
      const u = (c[0] - a[0]) * (b[1] - a[1]) - (c[1] - a[1]) * (b[0] - a[0]);
      const sign = down < 0n ? -1n : 1n;
      if (t * sign < 0n || t * sign > abs(down) || u * sign < 0n || u * sign > abs(down)) continue;
      keep([(a[0] * down + t * (b[0] - a[0])) * sign, (a[1] * down + t * (b[1] - a[1])) * sign, abs(down)]);
    }
  }
  return [...found.values()];
}

function middles(points: Point[]): Point[] {
  const all = [...points];
  const sum = (...list: Point[]): Point => {
    const w = list.reduce((product, p) => product * p[2], 1n);
    return [
      list.reduce((total, p) => total + p[0] * (w / p[2]), 0n),
      list.reduce((total, p) => total + p[1] * (w / p[2]), 0n),
      w * BigInt(list.length),
    ];
  };
  for (let i = 0; i < points.length; i++) {
    for (let j = i + 1; j < points.length; j++) {
      all.push(sum(points[i]!, points[j]!));
      for (let k = j + 1; k < points.length; k++) all.push(sum(points[i]!, points[j]!, points[k]!));
    }
  }
  return all;
}

/** Even-odd over all rings: how often their edges cross the axis to the east of the point; edges are inside. */
function inArea(p: Point, rings: readonly Ring[]): boolean {
  if (onLines(p, rings, true)) return true;
  let turns = 0n;
  for (const ring of rings) {
    for (const [i, from] of ring.entries()) {
      const [ax, ay] = relative(point(from), p);
      const [bx, by] = relative(point(ring[(i + 1) % ring.length]!), p);
      const cross = ax * by - ay * bx;
      if (ay <= 0n && by > 0n && cross > 0n) turns++;
      if (ay > 0n && by <= 0n && cross < 0n) turns++;
    }
  }
  return turns % 2n === 1n;
}

function onLines(p: Point, rings: readonly Ring[], closed: boolean): boolean {
  return segments(rings, closed).some(([from, to]) => {
    const [ax, ay] = relative(from, p);
    const [bx, by] = relative(to, p);
    return ax * by === ay * bx && ax * bx <= 0n && ay * by <= 0n;
  });
}

/** The corner as seen from the point, times the point's denominator. */
function relative(corner: Point, [x, y, w]: Point): [bigint, bigint] {
  return [corner[0] * w - x, corner[1] * w - y];
}

const abs = (value: bigint): bigint => (value < 0n ? -value : value);

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? a : gcd(b, a % b);
}
