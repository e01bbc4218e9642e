/** Where pictures are aimed at, beside a slow and obvious reckoning of the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Aim, aimAt } from './aim.ts';
import type { Surface } from './surfaces.ts';

type Point = readonly [x: number, y: number, z: number];

/** Points that triangles join eight by eight, as the corners of boxes. */
function surface(points: readonly Point[], joins = true): Surface {
  return {
    positions: Float32Array.from(points.flat()),
    indices: Uint32Array.from(joins ? points.flatMap((_, i) => (i % 8 < 6 ? [i, i + 1, i + 2] : [])) : []),
    ...{ uvs: null, colours: null, factor: [1, 1, 1, 1], texture: null, isPlain: false, isGround: false },
  };
}

/** Corners differ a little in height, so that no two cells have the same around them. */
const box = (x: number, y: number, half: number, height: number, ground = 0): Point[] =>
  [-half, half].flatMap((dx, i) =>
    [-half, half].flatMap((dy, j) =>
      [0, height - 0.01 * (2 * i + j)].map((z) => [x + dx, y + dy, ground + z] as const),
    ),
  );

const pointsOf = (surfaces: readonly Surface[]): Point[] =>
  surfaces.flatMap(({ positions }) =>
    Array.from(
      { length: positions.length / 3 },
      (_, i) => [...positions.subarray(3 * i, 3 * i + 3)] as never,
    ),
  );

/** Column and row of a point in a square of so many cells; null outside. */
function cellOf([px, py]: Point, [x, y]: readonly [number, number], reach: number, cells: number) {
  const cell = [px - x, py - y].map((value) => Math.floor((value + reach) * (cells / (2 * reach))));
  return cell.every((at) => at >= 0 && at < cells) ? (cell as [number, number]) : null;
}

interface Spot {
  x: number;
  y: number;
  room: number;
}

class Reckoning {
  readonly surfaces: readonly Surface[];
  readonly points: Point[];

  constructor(surfaces: readonly Surface[]) {
    this.surfaces = surfaces;
    this.points = pointsOf(surfaces);
  }

  /** The cell of 96 by 96 around which the most is built, in metres from the middle of the square. */
  mostBuilt(middle: readonly [number, number], reach: number, radius: number, from: Point, away: number) {
    const groups = new Map<string, { cell: [number, number]; heights: number[] }>();
    for (const point of this.points) {
      const cell = cellOf(point, middle, reach, 96);
      if (cell === null) continue;
      const group = groups.get(`${cell}`) ?? { cell, heights: [] };
      group.heights.push(point[2]);
      groups.set(`${cell}`, group);
    }
    const built = [...groups.values()].map(({ cell, heights }) => {
      const ground = Math.min(...heights);
      return { cell, weight: heights.reduce((sum, z) => sum + (3 + z - ground) ** 0.8, 0) };
    });
    const metres = (2 * reach) / 96;
    let best = { x: from[0], y: from[1], sum: 0 };
    for (let row = 0; row < 96; row++) {
      for (let column = 0; column < 96; column++) {
        const [x, y] = [(column + 0.5) * metres - reach, (row + 0.5) * metres - reach];
        if (Math.hypot(x - from[0], y - from[1]) > away) continue;
        const sum = built.reduce((sum, { cell, weight }) => {
          const distance = Math.hypot(cell[0] - column, cell[1] - row) * metres;
          return sum + weight * Math.max(0, 1 - distance / radius) ** 2;
        }, 0);
        if (sum > best.sum * (1 + 1e-12)) best = { x, y, sum };
      }
    }
    return best;
  }

  /** Metres of the longest side of what hangs together around a spot. */
  largestThing({ x, y, room }: Spot): number {
    const things: Array<Set<string>> = [];
    const join = (cells: readonly string[]) => {
      const joined = things.filter((thing) => cells.some((cell) => thing.has(cell)));
      for (const thing of joined) things.splice(things.indexOf(thing), 1);
      things.push(new Set([...cells, ...joined.flatMap((thing) => [...thing])]));
    };
    const place = (point: Point) => cellOf(point, [x, y], room, 32);
    const built = new Map<string, [number, number]>();
    for (const point of this.points) {
      const cell = place(point);
      if (cell !== null) built.set(`${cell}`, cell);
    }
    for (const [key, [column, row]] of built) {
      join([key, ...[`${[column + 1, row]}`, `${[column, row + 1]}`].filter((other) => built.has(other))]);
    }
    for (const one of this.surfaces) {
      const points = pointsOf([one]);
      for (let i = 0; i < one.indices.length; i += 3) {
        const cells = [...one.indices.subarray(i, i + 3)].map((vertex) => place(points[vertex]!));
        const within = cells.filter((cell) => cell !== null);
        if (within.length === 3) join(within.map(String));
        else if (within.length > 0) return room;
      }
    }
    const sides = things.flatMap((thing) => {
      const inside = this.points.filter((point) => thing.has(`${place(point)}`));
      return [0, 1, 2].map((axis) => {
        const values = inside.map((point) => point[axis]!);
        return Math.max(...values) - Math.min(...values);
      });
    });
    return Math.max(0, ...sides);
  }

  nearSpecks(spot: Spot): Spot {
    const size = this.largestThing(spot);
    const room = Math.max(2, 5 * size);
    if (size >= 0.16 * spot.room || room >= spot.room) return spot;
    const best = this.mostBuilt([spot.x, spot.y], spot.room, room, [0, 0, 0], spot.room);
    return { x: spot.x + best.x, y: spot.y + best.y, room };
  }

  within({ x, y, room }: Spot): Aim {
    const near = this.points.filter((point) => Math.hypot(point[0] - x, point[1] - y) <= room);
    if (near.length === 0) return { target: [x, y, 0], radius: room };
    const at = (values: number[], part: number) =>
      values.sort((a, b) => a - b)[Math.floor(part * (values.length - 1))]!;
    const heights = near.map(([, , z]) => z);
    const [low, high] = [at(heights, 0.05), at(heights, 0.98)];
    const away = at(
      near.map((point) => Math.hypot(point[0] - x, point[1] - y)),
      0.94,
    );
    return {
      target: [x, y, low + Math.min(0.35 * (high - low), 0.25 * room)],
      radius: Math.max(Math.min(12, room), away, 0.7 * (high - low)),
    };
  }

  whole(): Aim {
    const sides = [0, 1, 2].map((axis) => {
      const values = this.points.map((point) => point[axis]!);
      return [Math.min(...values), Math.max(...values)] as const;
    });
    const target = sides.map(([least, most]) => (least + most) / 2) as [number, number, number];
    const [wide, deep, high] = sides.map(([least, most]) => (most - least) / 2) as [number, number, number];
    const all = { x: target[0], y: target[1], room: Math.hypot(wide, deep) };
    const some = this.nearSpecks(all);
    if (some !== all) return this.within(some);
    return { target, radius: Math.max(3, 1.4 * all.room, 2.3 * high) };
  }

  aim(reach: number, radius: number, widest = 420): Aim {
    if (radius <= 160 && radius <= widest) return this.whole();
    let room = Math.min(radius, widest);
    let best = this.mostBuilt([0, 0], reach, room, [0, 0, 0], 2 * radius);
    while (room > 200) {
      const closer = this.mostBuilt([0, 0], reach, 0.6 * room, [best.x, best.y, 0], room);
      if (closer.sum < 0.6 * best.sum) break;
      room *= 0.6;
      best = closer;
    }
    const all = { x: best.x, y: best.y, room };
    const [wide, near] = [this.within(all), this.within(this.nearSpecks(all))];
    return near.radius < wide.radius ? near : wide;
  }
}

const close = (value: number, expected: number, what: string) =>
  assert.ok(Math.abs(value - expected) < 1e-3, `${what}: ${value}, not ${expected}`);

function compare(surfaces: readonly Surface[], what: string, ...limits: [number, number, number?]): Aim {
  const aim = aimAt(surfaces, ...limits);
  const expected = new Reckoning(surfaces).aim(...limits);
  aim.target.forEach((value, axis) => {
    close(value, expected.target[axis]!, `${what}: axis ${axis}`);
  });
  close(aim.radius, expected.radius, `${what}: radius`);
  return aim;
}

/** Numbers from 0 to 1 that are the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
}

test('a small model is shown as a whole, with room for what lies towards the camera', () => {
  const aim = (points: Point[], radius = 100, widest?: number) =>
    compare([surface(points)], `${points[0]}`, 1_200, radius, widest);
  const wide = aim(box(10, -20, 40, 12, 5));
  assert.deepEqual(wide.target, [10, -20, 11]);
  close(wide.radius, 1.4 * 40 * Math.SQRT2, 'a wide one');
  close(aim(box(3, 4, 5, 60)).radius, 2.3 * 30, 'a high one');
  close(aim(box(3, 4, 0.5, 1)).radius, 3, 'a tiny one');
  aim([...box(-30, 12, 5, 8), ...box(9, 70, 6, 20, 3)]);
  const parts = [surface(box(-30, 12, 9, 8)), surface(box(9, 40, 9, 20, 3))];
  compare(parts, 'two surfaces', 1_200, 100);
  // Up to 160 metres, and up to what is shown at most.
  const town = [...box(-90, 0, 20, 9), ...box(90, 10, 20, 9)];
  for (const [radius, widest, isWhole] of [
    [160, 420, true],
    [161, 420, false],
    [100, 100, true],
    [100, 99, false],
  ] as const) {
    assert.equal(aim(town, radius, widest).radius > 140, isWhole, `${radius}, ${widest}`);
  }
});

test('of a small model of specks the place with most of them is shown', () => {
  for (let seed = 1; seed <= 3; seed++) {
    const next = numbers(seed);
    const half = 0.1 + 0.3 * next();
    const posts = Array.from({ length: 14 }, () =>
      box(140 * next() - 70, 140 * next() - 70, half, 2 + 2 * next(), 9 * next()),
    );
    const { radius } = compare(
      [surface(posts.slice(5).flat()), surface(posts.slice(0, 5).flat())],
      `${seed}`,
      400,
      150,
    );
    assert.ok(radius < 60, `${radius} m`);
  }
});

test('what hangs together is one thing, by triangles or by neighbouring cells, and only that', () => {
  const corners = [...box(-64, -64, 0.1, 0.4), ...box(63.9, 63.9, 0.1, 0.4)];
  // Cells are 5.66 metres wide: half of the diagonal of 128 metres, 181 / 32.
  const cell = (2 * Math.hypot(64.05, 64.05)) / 32;
  const posts = (...places: Array<[number, number]>) =>
    places.flatMap(([x, y]) => box(x * cell, y * cell, 0.1, 0.4));
  for (const [what, points, isWhole] of [
    ['posts', posts([0.5, 0.5], [3.5, 0.5]), false],
    ['a row of neighbours', posts([0.5, 0.5], [1.5, 0.5], [2.5, 0.5], [3.5, 0.5], [4.5, 0.5]), true],
    ['a column of them', posts([0.5, 0.5], [0.5, 1.5], [0.5, 2.5], [0.5, 3.5], [0.5, 4.5]), true],
    ['a row, from the other end', posts([4.5, 0.5], [3.5, 0.5], [2.5, 0.5], [1.5, 0.5], [0.5, 0.5]), true],
    ['those that meet at corners', posts([0.5, 0.5], [1.5, 1.5], [2.5, 2.5], [3.5, 3.5], [4.5, 4.5]), false],
    ['last and first of two rows', posts([-11.2, 2.5], [11.2, 1.5]), false],
    ['a beam', [...posts([0.5, 0.5]), ...box(9, 20, 12, 1)], true],
    ['a mast', box(9, 20, 0.2, 18), true],
    ['a hall', box(9, 20, 16, 9), true],
  ] as Array<[string, Point[], boolean]>) {
    const { radius } = compare([surface([...corners, ...points])], what, 300, 150);
    assert.equal(radius > 100, isWhole, `${what}: ${radius} m`);
  }
  // Vertices of no triangle are things, too; what reaches out of a square is large.
  compare([surface([...corners, ...posts([0.5, 0.5])], false)], 'points', 300, 150);
});

test('of a town that place is shown around which most is built, from as near as shows most of it', () => {
  for (let seed = 11; seed <= 14; seed++) {
    const next = numbers(seed);
    const houses = Array.from({ length: 30 }, (_, i) => {
      const spread = i < 12 ? 200 : 1_500;
      const [x, y] = [spread * next() - spread / 2 + 400, spread * next() - spread / 2 - 300];
      return box(x, y, 4 + 8 * next(), 4 + (i % 7 === 0 ? 60 : 9) * next(), 40 * next());
    });
    compare([surface(houses.slice(9).flat()), surface(houses.slice(0, 9).flat())], `${seed}`, 2_000, 700);
    compare([surface(houses.flat())], `${seed}, nearer`, 2_000, 300, 60 + 15 * (seed % 4));
  }
});

test('a village in a wide country fills the picture, and a town without a middle does not', () => {
  const village = Array.from({ length: 9 }, (_, i) =>
    box(300 + 25 * (i % 3), 200 + 25 * Math.floor(i / 3), 9, 8),
  );
  const { target, radius } = compare([surface(village.flat())], 'a village', 3_000, 1_000, 420);
  assert.ok(radius < 200 && Math.hypot(target[0] - 325, target[1] - 225) < 70, `${target}, ${radius}`);
  const town = Array.from({ length: 100 }, (_, i) =>
    box(130 * (i % 10) - 600, 120 * Math.floor(i / 10) - 500, 45, 8),
  );
  assert.ok(compare([surface(town.flat())], 'a town', 3_000, 1_000).radius > 300);
  const next = numbers(5);
  const spread = Array.from({ length: 3_000 }, (): Point => [1_400 * next(), 1_300 * next(), 5 * next()]);
  compare([surface(spread, false)], 'spread', 3_000, 1_000);
  // So many metres are left at least.
  for (const radius of [200, 201, 240]) compare([surface(village.flat())], `${radius}`, 3_000, radius);
});

test('a tower counts more than a house, and less than several', () => {
  const tower = box(500, 0, 20, 30, 12);
  const houses = (count: number) => Array.from({ length: count }, () => box(-500, 0, 20, 6, 80)).flat();
  const isAtTower = (count: number) =>
    compare([surface([...tower, ...houses(count)])], `${count} houses`, 2_000, 900, 170).target[0] > 0;
  assert.deepEqual([1, 2, 3].map(isAtTower), [true, true, false]);
  // Flat ground counts as if it were three metres high.
  const flat = (count: number) => Array.from({ length: count }, () => box(-500, 0, 20, 0)).flat();
  const beside = (count: number, height: number) =>
    compare([surface([...box(500, 0, 20, height), ...flat(count)])], `${count} roads`, 2_000, 900, 170)
      .target[0] > 0;
  assert.deepEqual([beside(1, 8), beside(2, 8), beside(2, 10), beside(3, 10)], [true, false, true, false]);
});

test('nothing is in the middle of what has nothing, and what lies outside of the square is not looked at', () => {
  const far = surface(box(9_000, 0, 9, 9));
  assert.deepEqual(compare([far], 'far away', 4_000, 500), { target: [0, 0, 0], radius: 2 });
  for (const [x, y] of [
    [4_100, 0],
    [-4_100, 0],
    [0, 4_100],
    [0, -4_100],
  ] as const) {
    const points = [...box(100, 50, 14, 9), ...box(x, y, 30, 400)];
    compare([surface(points)], `${x}, ${y}`, 4_000, 500);
  }
});

test('things are told apart in cells of a square around what is shown, up to its edges', () => {
  // All of it lies in one cell of the map that is looked at first, whose middle is aimed at.
  const middle = (60.5 * 4_000) / 96 - 2_000;
  const cell = (2 * 15) / 32;
  const at = (column: number, row: number, half = 0.05) =>
    box(middle - 15 + (column + 0.5) * cell, middle - 15 + (row + 0.5) * cell, half, 0.4);
  const shown = (what: string, ...surfaces: Surface[]) => {
    const { radius } = compare(surfaces, what, 2_000, 900, 15);
    return radius < 11 ? 'near by' : 'all';
  };
  /** Columns and rows, as `4,9 5,9`. */
  const cellsOf = (text: string) =>
    text.split(' ').map((place) => place.split(',').map(Number) as [number, number]);
  const posts = (text: string) => surface(cellsOf(text).flatMap(([column, row]) => at(column, row)));
  for (const [what, places, expected] of [
    ['posts in all corners', '0,0 31,31 0,31 31,0 9,20', 'near by'],
    ['last and first of two rows', '31,5 0,6 9,20', 'near by'],
    ['the first ones of the first row', '0,0 1,0 2,0 3,0', 'all'],
    ['the last ones of the last row', '28,31 29,31 30,31 31,31', 'all'],
    ['the first ones of the first column', '0,0 0,1 0,2 0,3', 'all'],
    ['the last ones of the last column', '31,28 31,29 31,30 31,31', 'all'],
    ['those in the middle', '14,9 15,9 16,9 17,9', 'all'],
    ['every second one', '14,9 16,9 18,9 20,9', 'near by'],
    ['a row that goes on below its first', '4,9 5,9 6,9 7,9 4,10', 'all'],
    ['one beside the last column', '32,5 0,6 9,20', 'near by'],
    ['one before the first column', '-1,5 31,4 9,20', 'near by'],
    ['one below the last row', '5,32 9,20', 'near by'],
    ['one above the first row', '5,-1 9,20', 'near by'],
  ] as const) {
    assert.equal(shown(what, posts(places)), expected, what);
  }
  for (const [what, places, expected] of [
    ['two cells wide', '4,4 6,4 5,5', 'near by'],
    ['wide', '4,4 9,4 5,5', 'all'],
    ['from the first cell on', '0,0 3,0 1,1', 'all'],
    ['one corner outside', '4,4 5,4 33,5', 'all'],
    ['two corners outside', '4,4 33,4 33,5', 'all'],
    ['outside', '33,6 33,4 34,5', 'near by'],
  ] as const) {
    const corners = cellsOf(places).map(([column, row]) => at(column, row)[0]!);
    for (const order of [
      [0, 1, 2],
      [1, 2, 0],
      [2, 0, 1],
    ]) {
      const triangle = {
        ...surface(order.map((i) => corners[i]!)),
        indices: Uint32Array.of(0, 1, 2),
      };
      assert.equal(shown(what, triangle, posts('20,20')), expected, `${what}, ${order}`);
    }
  }
});

test('a village in a corner of the square is found, and one just outside of it is not there', () => {
  for (const [x, y] of [
    [-1_990, -1_985],
    [1_985, -1_990],
    [-1_985, 1_990],
    [1_990, 1_985],
  ] as const) {
    const village = [...box(x, y, 2, 9), ...box(x * 0.985, y * 0.985, 3, 12)];
    const { target } = compare([surface(village)], `${x}, ${y}`, 2_000, 1_900, 170);
    assert.ok(Math.hypot(target[0] - x, target[1] - y) < 100, `${target}`);
  }
  for (const [x, y] of [
    [-2_020, 500],
    [2_020, 500],
    [500, -2_020],
    [500, 2_020],
  ] as const) {
    const { target } = compare(
      [surface([...box(300, 300, 20, 3), ...box(x, y, 9, 90)])],
      'out',
      2_000,
      1_900,
      170,
    );
    assert.ok(Math.hypot(target[0] - 300, target[1] - 300) < 60, `${target}`);
  }
  // Cells begin at the middle of the square, to the metre.
  compare([surface(box(2_000 / 48 + 0.5, 2_000 / 48 + 0.5, 0.2, 3))], 'at a border', 2_000, 170);
});

test('of things close together is shown what there is, and a corner that stands out counts', () => {
  const middle = (60.5 * 4_000) / 96 - 2_000;
  const close = [...box(middle, middle - 4, 1.5, 3), ...box(middle, middle + 4, 1.4, 3)];
  compare([surface(close)], 'close', 2_000, 900, 170);
  const first: Point[] = [
    [-60, -50, -5],
    [10, 20, 0],
    [15, 20, 7],
  ];
  compare([surface(first, false)], 'first', 300, 100);
});

test('of very many vertices every second one is looked at for heights, and of a few all', () => {
  const next = numbers(7);
  const points = Array.from({ length: 20_000 }, (): Point => [9 * next(), 9 * next(), 90 * next()]);
  compare([surface(points, false)], 'some', 4_000, 300);
  const radiusOf = (count: number) => {
    const points = Array.from(
      { length: count },
      (_, i): Point => [5 * (i % 4), 5 * (i % 3), i % 2 === 0 ? 9 : 409],
    );
    const half = 49_998;
    return aimAt([surface(points.slice(0, half), false), surface(points.slice(half), false)], 4_000, 300)
      .radius;
  };
  close(radiusOf(99_999), 0.7 * 400, 'all');
  assert.ok(radiusOf(100_000) < 100);
});
