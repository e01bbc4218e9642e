import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finish } from '@citymodel/base';
import fc from 'fast-check';
import type { Position } from 'geojson';
import { dissolve as dissolveInSteps, isSimple } from './dissolve.ts';
import type { Rings } from './split-rings.ts';

const dissolve = (polygons: readonly Rings[]) => finish(dissolveInSteps(polygons));

const box = (west: number, south: number, size: number): Rings => [
  [
    [west, south],
    [west + size, south],
    [west + size, south + size],
    [west, south + size],
    [west, south],
  ],
];

function areaOf(polygons: readonly Rings[]): number {
  let area = 0;
  for (const ring of polygons.flat()) {
    for (let i = 1; i < ring.length; i++) {
      area += (ring[i - 1]![0]! * ring[i]![1]! - ring[i]![0]! * ring[i - 1]![1]!) / 2;
    }
  }
  return area;
}

test('polygons that overlap or touch are one, and each place counts once', () => {
  assert.equal(dissolve([])!.length, 0);
  assert.deepEqual(dissolve([box(1, 1, 2)]), [box(1, 1, 2)]);
  const union = dissolve([box(0, 0, 2), box(1, 0, 2), box(1, 0, 2), box(5, 5, 1)])!;
  assert.equal(union.length, 2);
  assert.ok(Math.abs(areaOf(union) - 7) < 1e-9);
  assert.equal(dissolve([box(0, 0, 1), box(1, 0, 1)])!.length, 1);
});

test('holes stay, also where another polygon covers part of one', () => {
  const ring: Rings = [...box(0, 0, 10), ...box(2, 2, 4)];
  assert.ok(Math.abs(areaOf(dissolve([ring, box(2, 2, 2)])!) - 88) < 1e-9);
});

test('a ring that crosses itself becomes rings that do not', () => {
  const bowtie: Rings = [
    [
      [0, 0],
      [2, 2],
      [2, 0],
      [0, 2],
      [0, 0],
    ],
  ];
  assert.ok(!isSimple(bowtie[0]!));
  const union = dissolve(bowtie.length === 1 ? [bowtie] : [])!;
  assert.equal(union.length, 2);
  for (const polygon of union) assert.ok(polygon.every(isSimple));
});

test('a ring that touches itself in a vertex is split there', () => {
  // Four boxes around a free place in the middle; the corners of the place touch nothing but each other.
  const around = dissolve([box(0, 0, 2), box(2, 2, 2), box(0, 4, 2), box(-2, 2, 2)])!;
  assert.ok(Math.abs(areaOf(around) - 16) < 1e-9);
  for (const ring of around.flat()) {
    const vertices = ring.slice(1).map(String);
    assert.equal(new Set(vertices).size, vertices.length);
  }
});

test('what would take too long is refused', () => {
  const ring = Array.from({ length: 401 }, (_, i): [number, number] => [
    139 + Math.cos(i * 2.399) * 1e-4,
    35 + Math.sin(i * 2.399) * 1e-4,
  ]);
  assert.equal(dissolve([[[...ring, ring[0]!]]]), null);
  assert.equal(dissolve(Array.from({ length: 4_000 }, (_, i) => box(i * 1e-8, 0, 1))), null);
});

test('crossings of edges are counted from whichever side they come', () => {
  /** Slivers that rise and slivers that fall: both long edges of one cross both of each other one. */
  const woven = (rising: number, falling: number): Rings[] => {
    const sliver = (i: number, slope: number): Rings => {
      const start = [0, i * 1e-6 - slope];
      return [[start, [1e-3, i * 1e-6 + slope], [1e-3, i * 1e-6 + slope + 4e-7], start]];
    };
    return [
      ...Array.from({ length: rising }, (_, i) => sliver(i, 5e-4)),
      ...Array.from({ length: falling }, (_, i) => sliver(i, -5e-4)),
    ];
  };
  /** What is not refused has steps: its edges are looked at for longer, or the union follows. */
  const isRefused = (polygons: Rings[]) => dissolveInSteps(polygons).next().done;
  // 44,944 crossings, and 45,368.
  assert.equal(isRefused(woven(106, 106)), false);
  assert.equal(isRefused(woven(106, 107)), true);
});

test('polygons that lie beside each other in thousands are looked at in steps', () => {
  const slivers = Array.from({ length: 2_000 }, (_, i): Rings => {
    const south = i * 1e-6;
    return [
      [
        [0, south],
        [1e-3, south],
        [1e-3, south + 5e-7],
        [0, south],
      ],
    ];
  });
  let pauses = 0;
  const steps = dissolveInSteps(slivers);
  while (!steps.next().done) pauses++;
  assert.ok(pauses >= 10, `${pauses} pauses`);
});

test('a large union is made of parts, and they join where they meet', () => {
  // Five positions each: as many as may be, and one box more.
  const row = Array.from({ length: 3_201 }, (_, i) => box(i * 1e-5, 0, 1.5e-5));
  assert.equal(dissolve(row), null);
  const steps = dissolveInSteps(row.slice(1));
  let pauses = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) pauses++;
  // One before the four parts, and one after each.
  assert.ok(pauses >= 5, `${pauses} pauses`);
  const union = step.value!;
  assert.equal(union.length, 1);
  assert.ok(Math.abs(areaOf(union) - (3_200 * 1e-5 + 0.5e-5) * 1.5e-5) < 1e-12);
});

test('a step of a large union has 4,000 vertices at most, or one polygon', () => {
  /** A disc of so many vertices, beside the others. */
  const disc = (count: number, i: number): Rings => {
    const at = (k: number) => {
      const angle = (2 * Math.PI * (k % count)) / count;
      return [i * 3 + Math.cos(angle), Math.sin(angle)];
    };
    return [Array.from({ length: count + 1 }, (_, k) => at(k))];
  };
  const pauses = (...counts: number[]) => {
    const steps = dissolveInSteps(counts.map(disc));
    let found = 0;
    while (!steps.next().done) found++;
    return found;
  };
  // One pause before the union, one after each part of several, and one or two around the last look at a large one.
  assert.equal(pauses(1_999, 1_999), 1);
  assert.equal(pauses(1_999, 2_000), 4);
  assert.equal(pauses(3_000, 3_000, 3_000), 6);
  assert.equal(pauses(5_000, 3_000), 5);
  assert.equal(pauses(3_000, 500, 400, 3_000), 5);
});

test('edges that do not cross are no crossings, though the line of one divides the other', () => {
  const triangle = (...corners: [Position, Position, Position]): Rings => [[...corners, corners[0]]];
  const count = 200;
  // Level slivers, and in the gaps between them small triangles whose edges are steep.
  const level = Array.from({ length: count }, (_, i) => {
    const y = i * 1e-5;
    return triangle([0, y], [1e-3, y], [1e-3, y + 2e-6]);
  });
  const steep = Array.from({ length: count }, (_, i) => {
    const y = i * 1e-5 + 5e-6;
    return triangle([5e-4, y], [5e-4 + 1e-7, y], [5e-4 + 5e-8, y + 2e-6]);
  });
  // Leaning slivers, and to the west of them small level triangles, whose lines lead through.
  const leaning = Array.from({ length: count }, (_, i) => {
    const y = i * 1e-6;
    return triangle([5e-6, y - 1e-3], [1e-3, y + 1e-3], [1e-3, y + 1e-3 + 5e-7]);
  });
  const west = Array.from({ length: count }, (_, i) => {
    const y = i * 1e-6;
    return triangle([0, y], [1e-5, y], [5e-6, y + 1e-8]);
  });
  for (const polygons of [
    [...level, ...steep],
    [...leaning, ...west],
  ]) {
    assert.equal(dissolve(polygons)?.length, 2 * count);
  }
});

test('a comb is simple from whichever side it is looked at', () => {
  const comb: Position[] = [
    [0, 0],
    [3, 0],
    [3, 1],
    [1, 1],
    [1, 2],
    [3, 2],
    [3, 3],
    [0, 3],
  ];
  for (const [east, north] of [
    [1, 1],
    [1, -1],
    [-1, 1],
    [-1, -1],
  ] as const) {
    for (const isTurned of [false, true]) {
      const seen = comb.map(([x, y]) => (isTurned ? [y! * east, x! * north] : [x! * east, y! * north]));
      for (let first = 0; first < comb.length; first++) {
        const ring = [...seen.slice(first), ...seen.slice(0, first)];
        assert.ok(isSimple([...ring, ring[0]!]), JSON.stringify(ring));
        assert.ok(isSimple([...ring, ring[0]!].toReversed()), JSON.stringify(ring));
      }
    }
  }
});

type Point = readonly [x: number, y: number];

/**
 * Points of a segment at which another may meet it: its ends, and where the lines cross, exact in whole numbers over
 * `w`.
 */
function share([a, b]: readonly [Point, Point], [c, d]: readonly [Point, Point]): boolean {
  const [ux, uy, vx, vy] = [b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]];
  const lies = (p: Point, [from, to]: readonly [Point, Point]) =>
    (to[0] - from[0]) * (p[1] - from[1]) === (to[1] - from[1]) * (p[0] - from[0]) &&
    (p[0] - from[0]) * (p[0] - to[0]) <= 0 &&
    (p[1] - from[1]) * (p[1] - to[1]) <= 0;
  if (lies(a, [c, d]) || lies(b, [c, d]) || lies(c, [a, b]) || lies(d, [a, b])) return true;
  const w = ux * vy - uy * vx;
  if (w === 0) return false;
  const [s, t] = [(c[0] - a[0]) * vy - (c[1] - a[1]) * vx, (c[0] - a[0]) * uy - (c[1] - a[1]) * ux];
  return s * w >= 0 && s * w <= w * w && t * w >= 0 && t * w <= w * w;
}

test('a ring is simple when edges meet in the vertices between them alone', () => {
  const point = fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 5 }));
  let simple = 0;
  fc.assert(
    fc.property(fc.uniqueArray(point, { minLength: 3, maxLength: 6, selector: String }), (vertices) => {
      const edges = vertices.map((from, i) => [from, vertices[(i + 1) % vertices.length]!] as const);
      const isFine = edges.every((edge, i) =>
        edges.every((other, k) => {
          if (k <= i) return true;
          const isNext = k === i + 1;
          if (!isNext && !(i === 0 && k === edges.length - 1)) return !share(edge, other);
          // Neighbours: the free end of neither lies on the other.
          const [free, end] = isNext ? [edge[0], other[1]] : [edge[1], other[0]];
          return !share([free, free], other) && !share([end, end], edge);
        }),
      );
      simple += isFine ? 1 : 0;
      assert.equal(isSimple([...vertices, vertices[0]!].map(([x, y]) => [x, y])), isFine);
    }),
    { numRuns: 3_000 },
  );
  assert.ok(simple > 300, `${simple}`);
});

/**
 * What is wrong with polygons on the grid (OGC 06-103r4, section 6.1.11): every pair of edges is looked at, in whole
 * numbers. Equal vertices are one object.
 */
function faultOf(polygons: readonly Rings[]): string | null {
  const known = new Map<string, Point>();
  const vertexAt = (vertex: Point): Point => {
    const key = String(vertex);
    if (!known.has(key)) known.set(key, vertex);
    return known.get(key)!;
  };
  const rings = polygons.flat().map((ring) => ring.map(([x, y]) => vertexAt([units(x!), units(y!)])));
  for (const ring of rings) {
    if (ring.length < 4 || ring[0] !== ring.at(-1)) return 'a ring is not closed';
    if (new Set(ring).size !== ring.length - 1) return 'a ring runs through a vertex twice';
  }
  const edges = rings.flatMap((ring) => ring.slice(1).map((to, i) => [ring[i]!, to] as const));
  for (const [i, edge] of edges.entries()) {
    for (const other of edges.slice(i + 1)) {
      const free = edge.filter((end) => !other.includes(end));
      if (free.length === 0) return 'an edge is there twice';
      if (free.length === 2 ? share(edge, other) : share([free[0]!, free[0]!], other)) return 'edges meet';
    }
  }
  let first = 0;
  for (const polygon of polygons) {
    // Rings and the vertices in which they meet must not make a circle: the inside would be in two pieces.
    type Part = Point | readonly Point[];
    const parents = new Map<Part, Part>();
    const rootOf = (part: Part): Part => (parents.has(part) ? rootOf(parents.get(part)!) : part);
    const own = rings.slice(first, first + polygon.length);
    first += polygon.length;
    for (const ring of own) {
      for (const vertex of ring.slice(1)) {
        if (own.filter((one) => one.includes(vertex)).length < 2) continue;
        const [a, b] = [rootOf(ring), rootOf(vertex)];
        if (a === b) return 'the inside is not connected';
        parents.set(a, b);
      }
    }
    const [outer, ...holes] = own.map((ring) => areaOf([[ring.map(([x, y]) => [x, y])]]));
    if (outer === 0 || holes.some((area) => area * outer! >= 0)) return 'a hole runs like its polygon';
  }
  return null;
}

const units = (degrees: number) => Math.round((degrees % 1) * 1e9);

/** Rings of so many vertices within so many units. */
const tangles = fc
  .record({ size: fc.integer({ min: 4, max: 3_000 }), rings: fc.integer({ min: 1, max: 5 }) })
  .chain(({ size, rings }) => {
    const unit = fc.integer({ min: 0, max: size }).map((value) => value / UNITS);
    const position = fc.tuple(unit, unit).map(([x, y]): Position => [139 + x, 35 + y]);
    const ring = fc.uniqueArray(position, { minLength: 3, maxLength: 8, selector: String });
    return fc.array(ring, { minLength: rings, maxLength: rings });
  });
const UNITS = 1e9;

test('a union is valid on the grid on which it is written', () => {
  let several = 0;
  fc.assert(
    fc.property(tangles, (rings) => {
      const union = dissolve(rings.map((ring) => [[...ring, ring[0]!]]))!;
      assert.equal(faultOf(union), null);
      if (union.length > 1 || union.some((polygon) => polygon.length > 1)) several++;
    }),
    { numRuns: 3_000 },
  );
  assert.ok(several > 500, `${several}`);
});

test('a hole that touches its polygon in three vertices divides it', () => {
  const grid = (x: number, y: number): Position => [139 + x / UNITS, 35 + y / UNITS];
  const square = [grid(0, 0), grid(900, 0), grid(900, 900), grid(0, 900), grid(0, 0)];
  const hole = [grid(300, 0), grid(0, 450), grid(600, 900), grid(300, 0)];
  const union = dissolve([[square, hole]])!;
  assert.equal(union.length, 3);
  assert.equal(faultOf(union), null);
  const whole = union.map((polygon) => polygon.map((ring) => ring.map(([x, y]) => [units(x!), units(y!)])));
  assert.equal(areaOf(whole), 900 * 900 - 202_500);
});
