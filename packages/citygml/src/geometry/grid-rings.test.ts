import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { finish } from '@citymodel/base';
import fc from 'fast-check';
import {
  boundariesOf,
  edgesOf,
  type GridEdge,
  type GridPoint,
  type GridRing,
  isSimpleRing,
  nodeEdges,
} from './grid-rings.ts';

type Numbers = ReadonlyArray<readonly [x: number, y: number]>;

const ringOf = (numbers: Numbers): GridRing => numbers.map(([x, y]) => ({ x, y }));
const textOf = ({ from, to, times }: GridEdge) => `${from.x},${from.y} ${to.x},${to.y} ${times}`;
/** North, or east where it is level, as `GridEdge` has it. */
function edge(x0: number, y0: number, x1: number, y1: number, times = 1): GridEdge {
  const [a, b] = [
    { x: x0, y: y0 },
    { x: x1, y: y1 },
  ];
  return y0 < y1 || (y0 === y1 && x0 < x1) ? { from: a, to: b, times } : { from: b, to: a, times: -times };
}
const noded = (edges: readonly GridEdge[], most = 1e6) => finish(nodeEdges(edges, most));
const texts = (edges: readonly GridEdge[] | null) => edges!.map(textOf).sort();

/** Edges until nothing more is to be put into them; null where they do not settle in ten rounds. */
function settled(edges: readonly GridEdge[]): readonly GridEdge[] | null {
  for (let i = 0; i < 10; i++) {
    const next = noded(edges)!;
    if (next === edges) return edges;
    edges = next;
  }
  return null;
}

describe('edges of rings', () => {
  test('run north, or east where they are level, with how often rings run along them', () => {
    const around: Numbers = [
      [0, 0],
      [4, 0],
      [4, 3],
      [0, 3],
    ];
    const expected = ['0,0 0,3 -1', '0,0 4,0 1', '0,3 4,3 -1', '4,0 4,3 1'];
    assert.deepEqual(texts(edgesOf([ringOf(around)])), expected);
    const twice = expected.map((text) => text.replace(/1$/, '2'));
    assert.deepEqual(texts(edgesOf([ringOf(around), ringOf(around)])), twice);
  });

  test('along which rings run as often as back bound nothing, nor do those without length', () => {
    const ring = ringOf([
      [0, 0],
      [5, 5],
      [2, 7],
    ]);
    assert.deepEqual(edgesOf([ring, ring.toReversed()]), []);
    assert.deepEqual(edgesOf([ringOf([[1, 1]])]), []);
    const spike = ringOf([
      [0, 0],
      [5, 0],
      [5, 5],
      [5, 0],
    ]);
    assert.deepEqual(edgesOf([spike]), []);
  });
});

describe('edges meet in vertices alone', () => {
  test('those that do stay as they are, the same array', () => {
    const edges = [edge(0, 0, 4, 0), edge(4, 0, 4, 4), edge(10, 0, 10, 4), edge(20, 9, 30, 9)];
    assert.equal(noded(edges), edges);
    assert.deepEqual(noded([]), []);
  });

  test('an edge is divided at all vertices on it, in their order from its beginning', () => {
    // Steeply, flatly, and along both axes, near the origin and far from it: neither axis alone has the order.
    for (const [dx, dy, x, y] of [
      [-3, 10, 7, 20],
      [10, 3, 7, 20],
      [-10, 3, 7, 20],
      [10, 0, 7, 20],
      [0, 10, 7, 20],
      [-10, 3, 70_000, 20],
      [3, -10, 20, 70_000],
    ] as const) {
      const at = (n: number): [number, number] => [x + n * dx, y + n * dy];
      // Sideways, so that they meet the long edge alone.
      const ends = [20, 10, 25].map((n) => edge(...at(n), x + n * dx + dy, y + n * dy - dx));
      const parts = [at(0), at(10), at(20), at(25), at(30)];
      assert.deepEqual(
        texts(noded([...ends, edge(...at(0), ...at(30), 2)])),
        texts([...ends, ...parts.slice(1).map((to, i) => edge(...parts[i]!, ...to, 2))]),
      );
    }
  });

  test('an edge is divided where another crosses it, and rounded to the grid', () => {
    assert.deepEqual(
      texts(noded([edge(0, 0, 10, 10), edge(10, 0, 0, 10)])),
      texts([edge(0, 0, 5, 5), edge(5, 5, 10, 10), edge(10, 0, 5, 5), edge(5, 5, 0, 10)]),
    );
    // At 20/3, 10/3.
    assert.deepEqual(
      texts(noded([edge(0, 0, 20, 10), edge(10, 0, 0, 10)])),
      texts([edge(0, 0, 7, 3), edge(7, 3, 20, 10), edge(10, 0, 7, 3), edge(7, 3, 0, 10)]),
    );
  });

  test('a vertex half a diagonal of a unit from an edge is put into it, and none farther off', () => {
    const diagonal = edge(0, 0, 100, 100);
    assert.deepEqual(
      texts(noded([diagonal, edge(50, 51, 40, 90)])),
      texts([edge(0, 0, 50, 51), edge(50, 51, 100, 100), edge(50, 51, 40, 90)]),
    );
    const apart = [diagonal, edge(50, 52, 40, 90)];
    assert.equal(noded(apart), apart);
    const level = [edge(0, 0, 100, 0), edge(50, 1, 50, 9)];
    assert.equal(noded(level), level);
  });

  test('edges that lie apart are not compared, and beyond a number of pairs there is no answer', () => {
    const row = Array.from({ length: 10 }, (_, i) => edge(i * 10, 0, i * 10, 5));
    assert.equal(noded(row, 0), row);
    const fan = Array.from({ length: 10 }, (_, i) => edge(0, i * 10, 5, i * 10));
    assert.equal(noded(fan, 45), fan);
    assert.equal(noded(fan, 44), null);
  });

  test('there is a pause after 200,000 pairs', () => {
    const pauses = (count: number) => {
      const steps = nodeEdges(
        Array.from({ length: count }, (_, i) => edge(0, i * 10, 5, i * 10)),
        1e9,
      );
      let found = 0;
      while (!steps.next().done) found++;
      return found;
    };
    assert.equal(pauses(632), 0);
    assert.equal(pauses(634), 1);
    assert.equal(pauses(1_000), 2);
  });

  test('once they settle, no vertex lies on an edge and no two edges cross', () => {
    const at = fc.integer({ min: 0, max: 60 });
    const rings = fc.array(fc.array(fc.tuple(at, at), { minLength: 3, maxLength: 7 }), {
      minLength: 1,
      maxLength: 3,
    });
    let divided = 0;
    fc.assert(
      fc.property(rings, (numbers) => {
        const edges = edgesOf(numbers.map(ringOf));
        const all = settled(edges);
        // A few never do, which is why there are coarser grids.
        if (all === null) return;
        if (all.length > edges.length) divided++;
        for (const [i, a] of all.entries()) {
          for (const b of all.slice(i + 1)) assert.ok(!meets(a, b), `${textOf(a)} ${textOf(b)}`);
        }
        // Rings are closed, and stay so: whatever enters a vertex leaves it.
        const flow = new Map<string, number>();
        for (const { from, to, times } of all) {
          for (const [vertex, out] of [
            [from, times],
            [to, -times],
          ] as const)
            flow.set(`${vertex.x} ${vertex.y}`, (flow.get(`${vertex.x} ${vertex.y}`) ?? 0) + out);
        }
        assert.ok([...flow.values()].every((sum) => sum === 0));
      }),
      { numRuns: 1_000 },
    );
    assert.ok(divided > 500, `${divided}`);
  });
});

/** Whether an end of one edge lies inside the other, within half a diagonal of a unit, or both cross; in whole numbers. */
function meets(a: GridEdge, b: GridEdge): boolean {
  const cross = (p: GridPoint, q: GridPoint, r: GridPoint) =>
    (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
  const lies = (p: GridPoint, { from, to }: GridEdge) => {
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    const along = (p.x - from.x) * dx + (p.y - from.y) * dy;
    const square = dx * dx + dy * dy;
    return along > 0 && along < square && 2 * cross(from, to, p) ** 2 <= square;
  };
  if (lies(a.from, b) || lies(a.to, b) || lies(b.from, a) || lies(b.to, a)) return true;
  return (
    cross(a.from, a.to, b.from) * cross(a.from, a.to, b.to) < 0 &&
    cross(b.from, b.to, a.from) * cross(b.from, b.to, a.to) < 0
  );
}

describe('boundaries', () => {
  const areaOf = (ring: GridRing) =>
    ring.reduce((sum, { x, y }, i) => {
      const next = ring[(i + 1) % ring.length]!;
      return sum + (x * next.y - next.x * y) / 2;
    }, 0);

  test('surround what rings cover, with the area on the left', () => {
    const square: Numbers = [
      [0, 0],
      [9, 0],
      [9, 9],
      [0, 9],
    ];
    const hole: Numbers = [
      [3, 3],
      [3, 6],
      [6, 6],
      [6, 3],
    ];
    const areas = (...numbers: Numbers[]) =>
      boundariesOf(settled(edgesOf(numbers.map(ringOf)))!)!
        .map(areaOf)
        .sort((a, b) => a - b);
    assert.deepEqual(areas(square), [81]);
    assert.deepEqual(areas(square.toReversed()), [81]);
    assert.deepEqual(areas(square, hole), [-9, 81]);
    // What runs the same way around is covered twice, and is no hole.
    assert.deepEqual(areas(square, hole.toReversed()), [81]);
    assert.deepEqual(boundariesOf([]), []);
  });

  test('of areas that touch in a vertex belong to one each', () => {
    const box = (x: number, y: number) =>
      ringOf([
        [x, y],
        [x + 5, y],
        [x + 5, y + 5],
        [x, y + 5],
      ]);
    const found = boundariesOf(edgesOf([box(0, 0), box(5, 5)]))!;
    assert.deepEqual(
      found.map((ring) => [ring.length, areaOf(ring)]),
      [
        [4, 25],
        [4, 25],
      ],
    );
  });

  test('of edges that cross there are none', () => {
    const bowtie = ringOf([
      [0, 0],
      [10, 10],
      [10, 0],
      [0, 10],
    ]);
    assert.equal(boundariesOf(edgesOf([bowtie])), null);
  });

  test('cover each unit that rings run around more often one way than the other', () => {
    const at = fc.integer({ min: 0, max: 9 });
    // Steps along the axes by turns, so that everything lies on the grid.
    const staircase = fc.array(fc.tuple(at, at), { minLength: 2, maxLength: 6 }).map((corners) =>
      corners.flatMap(
        ([x, y], i): Array<[number, number]> => [
          [x, y],
          [corners[(i + 1) % corners.length]![0], y],
        ],
      ),
    );
    let covered = 0;
    fc.assert(
      fc.property(fc.array(staircase, { minLength: 1, maxLength: 12 }), (numbers) => {
        const rings = numbers.map(ringOf);
        const boundaries = boundariesOf(settled(edgesOf(rings))!)!;
        const units: number[] = [];
        for (let x = 0; x < 9; x++) {
          for (let y = 0; y < 9; y++) {
            if (windings(rings, x + 0.5, y + 0.5) !== 0) units.push(x * 9 + y);
            assert.equal(
              windings(boundaries, x + 0.5, y + 0.5),
              windings(rings, x + 0.5, y + 0.5) === 0 ? 0 : 1,
              `${x} ${y}`,
            );
          }
        }
        assert.equal(
          boundaries.reduce((sum, ring) => sum + areaOf(ring), 0),
          units.length,
        );
        covered += units.length;
      }),
      { numRuns: 400 },
    );
    assert.ok(covered > 4_000, `${covered}`);
  });
});

/** How often rings run around a place, counter-clockwise. */
function windings(rings: readonly GridRing[], x: number, y: number): number {
  let times = 0;
  for (const ring of rings) {
    for (const [i, from] of ring.entries()) {
      const to = ring[(i + 1) % ring.length]!;
      if (from.y > y === to.y > y) continue;
      if (from.x + ((y - from.y) / (to.y - from.y)) * (to.x - from.x) > x) times += to.y > from.y ? 1 : -1;
    }
  }
  return times;
}

test('a ring is simple with three vertices or more, and where edges meet between neighbours alone', () => {
  const isSimple = (numbers: Numbers) => isSimpleRing(ringOf(numbers));
  const triangle: Numbers = [
    [0, 0],
    [9, 0],
    [0, 9],
  ];
  assert.ok(isSimple(triangle));
  assert.ok(!isSimple(triangle.slice(0, 2)));
  assert.ok(!isSimple([...triangle, triangle[2]!]), 'an edge without length');
  assert.ok(!isSimple([...triangle, [0, 0], [20, 5]]), 'a vertex twice');
  assert.ok(!isSimple([...triangle, [-9, 9], [5, -1]]), 'two edges that cross');
  assert.ok(!isSimple([...triangle, [-9, 9], [4, 0]]), 'a vertex on an edge');
  assert.ok(isSimple([...triangle, [-9, 9], [-9, 0]]));
});
