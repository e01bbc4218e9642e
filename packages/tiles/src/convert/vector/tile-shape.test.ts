import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evenly } from '@citymodel/base/testing';
import { classifyRings, VectorTile, VectorTileFeature } from '@mapbox/vector-tile';
import fc from 'fast-check';
import { PbfReader } from 'pbf';
import { encodeTile } from './encode-tile.ts';
import { BUFFER, EXTENT, LINE, POINT, POLYGON } from './tile-commands.ts';
import { type MercatorShape, mercatorShapes, tilesOf } from './tile-shape.ts';

type Point = [x: number, y: number];

/** What a tile shows of a shape, by way of its bytes. */
function shown(shape: MercatorShape, zoom: number, exact = true) {
  return tilesOf(shape, zoom, exact, Infinity)!.map(({ x, y, commands, weight }) => {
    const record = {
      tile: 0,
      id: 7,
      weight,
      type: shape.type,
      layer: 'a',
      properties: Buffer.from('[]'),
      commands,
    };
    const feature = new VectorTile(new PbfReader(encodeTile([record]).bytes)).layers.a!.feature(0);
    assert.equal(feature.type, shape.type);
    return {
      x,
      y,
      paths: feature.loadGeometry().map((path) => path.map((point): Point => [point.x, point.y])),
    };
  });
}

/** Simple Features by their numbers in tiles, as the standard has them: not by the names of the code. */
test('types of geometry have the numbers of the standard (MVT 2.1, section 4.3.4)', () => {
  assert.deepEqual([POINT, LINE, POLYGON], [1, 2, 3]);
  const shapes = mercatorShapes({
    polygons: [[Float64Array.of(139, 35, 140, 35, 140, 36)]],
    lines: [Float64Array.of(139, 35, 140, 36)],
    points: [Float64Array.of(139, 35)],
  });
  const types = shapes.map((shape) => {
    const [{ commands, weight } = assert.fail('no tile')] = tilesOf(shape, 0, true, Infinity)!;
    const record = { tile: 0, id: 1, weight, layer: 'a', properties: Buffer.from('[]'), commands };
    const { bytes } = encodeTile([{ ...record, type: shape.type }]);
    const feature = new VectorTile(new PbfReader(bytes)).layers.a!.feature(0);
    return [VectorTileFeature.types[feature.type], feature.toGeoJSON(0, 0, 0).geometry.type];
  });
  assert.deepEqual(types, [
    ['Polygon', 'Polygon'],
    ['LineString', 'LineString'],
    ['Point', 'Point'],
  ]);
});

test('every point of a tile is where it was, to half a unit', () => {
  const places = evenly(0, 0.999_999);
  fc.assert(
    fc.property(fc.array(fc.tuple(places, places), { minLength: 1, maxLength: 9 }), (points) => {
      const shape: MercatorShape = { type: POINT, parts: points.map((point) => [[...point]]) };
      const [tile, ...others] = shown(shape, 0);
      assert.equal(others.length, 0);
      assert.deepEqual(
        tile!.paths.map((path) => path[0]),
        points.map(([x, y]) => [Math.round(x * EXTENT), Math.round(y * EXTENT)]),
      );
      assert.equal(tilesOf(shape, 0, true, Infinity)![0]!.weight, points.length);
    }),
  );
});

test('a simplified line lies within a unit of every vertex that it lost, and keeps no vertex in vain', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -3, max: 3 })), {
    minLength: 2,
    maxLength: 40,
  });
  fc.assert(
    fc.property(steps, (moves) => {
      let [x, y] = [2_000, 2_000];
      const line = moves.map(([dx, dy]): Point => {
        x += dx;
        y += dy;
        return [x, y];
      });
      const shape: MercatorShape = { type: LINE, parts: [[line.flat().map((value) => value / EXTENT)]] };
      const [tile] = shown(shape, 0, false);
      if (tile === undefined) return;
      const kept = tile.paths[0]!;
      for (const point of line) {
        assert.ok(distanceToLine(kept, point) <= 1 + 1e-6, `${point} is far from ${kept.join(' ')}`);
      }
      assert.deepEqual(kept.at(-1), line.at(-1));
    }),
  );
  // The farthest vertex divides, so that a corner stays a corner.
  const [corner] = shown(
    { type: LINE, parts: [[[0, 0, 100, 3, 200, 40, 300, 3, 400, 0].map((value) => value / EXTENT)]] },
    0,
    false,
  );
  assert.deepEqual(corner!.paths[0], [
    [0, 0],
    [100, 3],
    [200, 40],
    [300, 3],
    [400, 0],
  ]);
  const [flat] = shown(
    { type: LINE, parts: [[[0, 0, 100, 0.5, 200, 40, 300, 20.5, 400, 0].map((value) => value / EXTENT)]] },
    0,
    false,
  );
  assert.deepEqual(flat!.paths[0], [
    [0, 0],
    [100, 1],
    [200, 40],
    [400, 0],
  ]);
});

function distanceToLine(line: readonly Point[], point: Point): number {
  // A ring that runs there and back.
  return distanceTo([...line, ...line.toReversed()], point);
}

test('a simplified ring keeps its corners and nothing between them, and a triangle stays one', () => {
  const ringOf = (...ring: Point[]) => {
    const parts = [[ring.flat().map((value) => value / EXTENT)]];
    return shown({ type: POLYGON, parts }, 0, false).map(({ paths }) =>
      paths.map((path) => path.slice(0, -1)),
    );
  };
  const corners: Point[] = [
    [500, 100],
    [900, 100],
    [900, 160],
    [500, 160],
  ];
  const between = (from: Point, to: Point) =>
    [0, 1, 2, 3].map(
      (i): Point => [from[0] + (i / 4) * (to[0] - from[0]), from[1] + (i / 4) * (to[1] - from[1])],
    );
  for (let first = 0; first < 4; first++) {
    const turned = [...corners.slice(first), ...corners.slice(0, first)];
    const dense = turned.flatMap((corner, i) => between(corner, turned[(i + 1) % 4]!));
    assert.deepEqual(ringOf(...dense), [[turned]]);
  }
  // Less than a unit high, but of some area: without a corner it would vanish.
  const low: Point[] = [
    [100, 100],
    [500, 100],
    [300, 100.9],
  ];
  assert.deepEqual(ringOf(...low), [[low.map(([x, y]): Point => [x, Math.round(y)])]]);
});

/** A star-shaped ring around a middle: it never crosses itself. */
const stars = fc
  .tuple(
    fc.double({ min: 0.3, max: 0.7, noNaN: true }),
    fc.double({ min: 0.3, max: 0.7, noNaN: true }),
    fc.array(fc.double({ min: 0.01, max: 0.25, noNaN: true }), { minLength: 3, maxLength: 24 }),
  )
  .map(([x, y, radii]) =>
    radii.flatMap((radius, i) => {
      const angle = (2 * Math.PI * i) / radii.length;
      return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
    }),
  );

function isInside(ring: readonly Point[], [x, y]: Point): boolean {
  let inside = false;
  for (const [i, [qx, qy]] of ring.entries()) {
    const [px, py] = ring.at(i - 1)!;
    if (py > y !== qy > y && x < px + ((y - py) / (qy - py)) * (qx - px)) inside = !inside;
  }
  return inside;
}

function distanceTo(ring: readonly Point[], [x, y]: Point): number {
  let least = Infinity;
  for (const [i, [bx, by]] of ring.entries()) {
    const [ax, ay] = ring.at(i - 1)!;
    const [dx, dy] = [bx - ax, by - ay];
    const t = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
    least = Math.min(least, Math.hypot(x - ax - t * dx, y - ay - t * dy));
  }
  return least;
}

test('a polygon covers the same points in the tiles as before', () => {
  const zooms = fc.integer({ min: 0, max: 4 });
  const places = fc.array(fc.tuple(evenly(0, 1), evenly(0, 1)), {
    minLength: 20,
    maxLength: 20,
  });
  fc.assert(
    fc.property(stars, zooms, places, fc.boolean(), (star, zoom, points, exact) => {
      const side = EXTENT * 2 ** zoom;
      const ring = Array.from(
        { length: star.length / 2 },
        (_, i): Point => [star[2 * i]! * side, star[2 * i + 1]! * side],
      );
      const tiles = shown({ type: POLYGON, parts: [[star]] }, zoom, exact);
      for (const [px, py] of points) {
        const point: Point = [px * side, py * side];
        // Rounding and simplification may move an edge by a unit or two.
        if (distanceTo(ring, point) < 3) continue;
        const tile = tiles.find(
          ({ x, y }) => x === Math.floor(point[0] / EXTENT) && y === Math.floor(point[1] / EXTENT),
        );
        const local: Point = [point[0] % EXTENT, point[1] % EXTENT];
        const covered = tile?.paths.some((path) => isInside(path.slice(0, -1), local)) ?? false;
        assert.equal(covered, isInside(ring, point));
      }
    }),
  );
});

test('nothing lies beyond the buffer, and holes stay holes', () => {
  const outside = [0.1, 0.1, 0.9, 0.1, 0.9, 0.9, 0.1, 0.9];
  const hole = [0.4, 0.4, 0.6, 0.4, 0.6, 0.6, 0.4, 0.6];
  for (const rings of [
    [outside, hole],
    [outside.toReversed().flatMap((_, i, all) => (i % 2 === 0 ? [all[i + 1]!, all[i]!] : [])), hole],
  ]) {
    for (const { paths } of shown({ type: POLYGON, parts: [rings] }, 2)) {
      for (const [x, y] of paths.flat())
        assert.ok(x >= -64 && x <= EXTENT + 64 && y >= -64 && y <= EXTENT + 64);
    }
    const [whole] = shown({ type: POLYGON, parts: [rings] }, 0);
    const polygons = classifyRings(whole!.paths.map((path) => path.map(([x, y]) => ({ x, y }) as never)));
    assert.deepEqual(
      polygons.map((polygon) => polygon.length),
      [2],
    );
  }
});

test('lines are cut at tiles, and points stay in theirs', () => {
  const line = shown({ type: LINE, parts: [[[0.1, 0.3, 0.9, 0.3]]] }, 2);
  assert.deepEqual(
    line.map(({ x, y }) => [x, y]),
    [0, 1, 2, 3].map((x) => [x, 1]),
  );
  assert.deepEqual(line[1]!.paths, [
    [
      [-64, 819],
      [EXTENT + 64, 819],
    ],
  ]);
  // Out of the tile and back into it: two pieces.
  const [bent] = shown({ type: LINE, parts: [[[0.1, 0.1, 0.9, 0.15, 0.1, 0.2]]] }, 1).filter(
    ({ x }) => x === 0,
  );
  assert.equal(bent!.paths.length, 2);
  const points = shown({ type: POINT, parts: [[[0.2, 0.2]], [[0.21, 0.2]], [[0.7, 0.7]]] }, 1);
  assert.deepEqual(
    points.map(({ x, y, paths }) => [x, y, paths.length]),
    [
      [0, 0, 2],
      [1, 1, 1],
    ],
  );
});

/** The part of a segment within the square of a tile and its buffer, by Liang and Barsky; null for none. */
function withinTile([px, py]: Point, [qx, qy]: Point): [Point, Point] | null {
  let [from, to] = [0, 1];
  for (const [start, step] of [
    [px, qx - px],
    [py, qy - py],
  ] as const) {
    if (step === 0) {
      if (start < -BUFFER || start > EXTENT + BUFFER) return null;
      continue;
    }
    const ends = [-BUFFER, EXTENT + BUFFER].map((edge) => (edge - start) / step).sort((a, b) => a - b);
    [from, to] = [Math.max(from, ends[0]!), Math.min(to, ends[1]!)];
  }
  const at = (share: number): Point => [px + share * (qx - px), py + share * (qy - py)];
  return from < to ? [at(from), at(to)] : null;
}

test('lines have in each tile the pieces that lie in it and its buffer, from wherever they come', () => {
  const ZOOM = 2;
  const SIDE = EXTENT * 2 ** ZOOM;
  const place = fc.tuple(fc.integer({ min: 0, max: 4 * SIDE }), fc.integer({ min: 0, max: 4 * SIDE }));
  const length = (path: readonly Point[]) =>
    path.slice(1).reduce((sum, [x, y], i) => sum + Math.hypot(x - path[i]![0], y - path[i]![1]), 0);
  fc.assert(
    fc.property(fc.array(place, { minLength: 2, maxLength: 6 }), (places) => {
      const line = places.map(([x, y]): Point => [x / 4, y / 4]);
      const tiles = shown({ type: LINE, parts: [[line.flatMap(([x, y]) => [x / SIDE, y / SIDE])]] }, ZOOM);
      for (let x = 0; x < 2 ** ZOOM; x++) {
        for (let y = 0; y < 2 ** ZOOM; y++) {
          const local = line.map(([px, py]): Point => [px - x * EXTENT, py - y * EXTENT]);
          const pieces = local.slice(1).flatMap((to, i) => {
            const piece = withinTile(local[i]!, to);
            return piece === null ? [] : [piece];
          });
          const wanted = pieces.reduce((sum, piece) => sum + length(piece), 0);
          const paths = tiles.find((tile) => tile.x === x && tile.y === y)?.paths ?? [];
          for (const point of paths.flat()) {
            for (const value of point) assert.ok(value >= -BUFFER && value <= EXTENT + BUFFER, `${point}`);
          }
          const found = paths.reduce((sum, path) => sum + length(path), 0);
          // Rounding moves each end by less than a unit; what is shorter than a few vanishes.
          assert.ok(
            Math.abs(found - wanted) <= 4 * (pieces.length + 1),
            `${found} of ${wanted} in ${x}/${y}`,
          );
        }
      }
    }),
  );
});

test('what is too small vanishes below the top zoom, and what has no extent everywhere', () => {
  const dot = { type: POLYGON, parts: [[[0.5, 0.5, 0.5 + 1e-9, 0.5, 0.5, 0.5 + 1e-9]]] } as const;
  assert.deepEqual(tilesOf(dot as unknown as MercatorShape, 16, true, Infinity), []);
  const speck = 0.5 / EXTENT;
  const small = [0.5, 0.5, 0.5 + speck, 0.5, 0.5 + speck, 0.5 + speck, 0.5, 0.5 + speck];
  assert.equal(tilesOf({ type: POLYGON, parts: [[small]] }, 0, false, Infinity)!.length, 0);
  assert.equal(tilesOf({ type: POLYGON, parts: [[small]] }, 2, false, Infinity)!.length, 4);
});

test('a feature around the Earth is not cut into all of its tiles', () => {
  const earth: MercatorShape = { type: POLYGON, parts: [[[0, 0, 1, 0, 1, 1, 0, 1]]] };
  assert.equal(tilesOf(earth, 16, true, Infinity), null);
  assert.equal(tilesOf(earth, 3, true, 64)!.length, 64);
  assert.equal(tilesOf(earth, 3, true, 63), null);
});

test('a ring that runs around many times is simplified in time that grows with its length', () => {
  const once = Array.from({ length: 40 }, (_, i) => [
    0.5 + 1e-4 * Math.cos((2 * Math.PI * i) / 40),
    0.5 + 1e-4 * Math.sin((2 * Math.PI * i) / 40),
  ]).flat();
  const ring = Array.from({ length: 5_000 }, () => once).flat();
  const began = process.cpuUsage();
  assert.ok(tilesOf({ type: POLYGON, parts: [[ring]] }, 14, false, Infinity)!.length > 0);
  const { user } = process.cpuUsage(began);
  assert.ok(user < 3e6, `${user / 1e6} s`);
});

test('degrees lead to the square of Web Mercator', () => {
  const [shape] = mercatorShapes({
    polygons: [],
    lines: [],
    points: [Float64Array.of(0, 0), Float64Array.of(180, 85.0511287798)],
  });
  const [[origin], [corner]] = shape!.parts as [[number[]], [number[]]];
  assert.deepEqual(origin, [0.5, 0.5]);
  assert.ok(Math.abs(corner[0]! - 1) < 1e-9 && Math.abs(corner[1]!) < 1e-9);
});

test('a coverage of polygons that are too small for a zoom keeps its area, near where they lie', () => {
  const sides = fc.double({ min: 0.05, max: 0.99, noNaN: true });
  fc.assert(
    fc.property(sides, fc.integer({ min: 1, max: 30 }), (side, count) => {
      const zoom = 8;
      const unit = 1 / (EXTENT * 2 ** zoom);
      // In the middle of a tile, so that no square lies in two.
      const corner = (100 * EXTENT + 2_000) * unit;
      const dust = { area: 0 };
      const squares: Point[] = [];
      for (let i = 0; i < count * count; i++) {
        const [x, y] = [corner + (i % count) * side * unit, corner + Math.floor(i / count) * side * unit];
        const end = side * unit;
        const ring = [x, y, x + end, y, x + end, y + end, x, y + end];
        for (const tile of tilesOf({ type: POLYGON, parts: [[ring]] }, zoom, false, Infinity, dust)!) {
          assert.deepEqual([tile.x, tile.y, tile.weight], [100, 100, 1]);
          squares.push([x / unit, y / unit]);
        }
      }
      const area = count * count * side * side;
      assert.ok(
        squares.length <= area + 1e-6 && squares.length > area - 1 - 1e-6,
        `${squares.length} of ${area}`,
      );
    }),
  );
  // At the top zoom nothing is gathered.
  const tiny = { type: POLYGON, parts: [[[0.5, 0.5, 0.5 + 1e-9, 0.5, 0.5, 0.5 + 1e-9]]] } as MercatorShape;
  const dust = { area: 0.999 };
  tilesOf(tiny, 16, true, Infinity, dust);
  assert.equal(dust.area, 0.999);
});

/** True when a line from one point to another comes into a box `[west, north, east, south]`. */
function comesInto([ax, ay]: Point, [bx, by]: Point, [west, north, east, south]: readonly number[]): boolean {
  let [from, to] = [0, 1];
  for (const [start, step, low, high] of [
    [ax, bx - ax, west!, east!],
    [ay, by - ay, north!, south!],
  ] as const) {
    if (step === 0 && (start < low || start > high)) return false;
    if (step === 0) continue;
    const ends = [(low - start) / step, (high - start) / step];
    from = Math.max(from, Math.min(...ends));
    to = Math.min(to, Math.max(...ends));
  }
  return from <= to;
}

test('a tile is covered where it lies in the polygon and no edge comes into it', () => {
  const zoom = 5;
  let covers = 0;
  fc.assert(
    fc.property(stars, (coordinates) => {
      const ring = coordinates.flatMap((_, i): Point[] =>
        i % 2 === 0 ? [[coordinates[i]! * EXTENT * 2 ** zoom, coordinates[i + 1]! * EXTENT * 2 ** zoom]] : [],
      );
      for (const { x, y, isCover } of tilesOf(
        { type: POLYGON, parts: [[coordinates]] },
        zoom,
        true,
        Infinity,
      )!) {
        // Rounding moves an edge by less than a unit.
        const box = (by: number) => [
          x * EXTENT - BUFFER + by,
          y * EXTENT - BUFFER + by,
          (x + 1) * EXTENT + BUFFER - by,
          (y + 1) * EXTENT + BUFFER - by,
        ];
        const hasEdge = (by: number) => ring.some((point, i) => comesInto(ring.at(i - 1)!, point, box(by)));
        if (hasEdge(2)) assert.equal(isCover, false);
        else if (!hasEdge(-2))
          assert.equal(isCover, isInside(ring, [(x + 0.5) * EXTENT, (y + 0.5) * EXTENT]));
        covers += Number(isCover);
      }
    }),
    { numRuns: 200 },
  );
  assert.ok(covers > 500, `${covers}`);
});
