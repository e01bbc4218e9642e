import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Candidate, LEAST_SHARE, matchFeatures } from './match-features.ts';

/** Boxes on a small grid, so that many overlap; a unit is a degree and a metre. */
const candidate = fc
  .record({
    id: fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: null }),
    stableId: fc.option(fc.constantFrom('s', 't', 'u'), { nil: null }),
    type: fc.constantFrom('bldg:Building', 'bldg:BuildingPart'),
    box: fc.option(
      fc.tuple(fc.nat(6), fc.nat(6), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 })),
      {
        nil: null,
      },
    ),
  })
  .map(({ box, ...rest }): Candidate => {
    if (box === null) return { ...rest, bounds: null, area: null };
    const [x, y, width, depth] = box;
    return { ...rest, bounds: [x, y, x + width, y + depth], area: width * depth };
  });

function overlapOf(a: Candidate, b: Candidate): number {
  if (a.bounds === null || b.bounds === null) return 0;
  const side = (i: number) =>
    Math.min(a.bounds![i + 2]!, b.bounds![i + 2]!) - Math.max(a.bounds![i]!, b.bounds![i]!);
  return Math.max(0, side(0)) * Math.max(0, side(1));
}

/** The rules word for word, one pair after the other. */
function slowly(before: readonly Candidate[], after: readonly Candidate[]): string[] {
  const pairs: string[] = [];
  const free = { before: before.map((_, i) => i), after: after.map((_, i) => i) };
  const take = (i: number, j: number, by: string) => {
    pairs.push(`${i}-${j} ${by}`);
    free.before = free.before.filter((one) => one !== i);
    free.after = free.after.filter((one) => one !== j);
  };
  for (const j of [...free.after]) {
    const { id, type } = after[j]!;
    const i = free.before.find((one) => id !== null && before[one]!.id === id && before[one]!.type === type);
    if (i !== undefined) take(i, j, 'id');
  }
  const same = (a: Candidate, b: Candidate) =>
    a.stableId !== null && a.stableId === b.stableId && a.type === b.type;
  const unique = free.after.flatMap((j) => {
    const others = free.before.filter((i) => same(before[i]!, after[j]!));
    const own = free.after.filter((one) => same(after[one]!, after[j]!));
    return others.length === 1 && own.length === 1 ? [[others[0]!, j] as const] : [];
  });
  for (const [i, j] of unique) take(i, j, 'stableId');
  for (;;) {
    let best: { i: number; j: number; share: number } | null = null;
    for (const i of free.before) {
      for (const j of free.after) {
        if (before[i]!.type !== after[j]!.type || before[i]!.area === null || after[j]!.area === null)
          continue;
        const share = overlapOf(before[i]!, after[j]!) / Math.max(before[i]!.area!, after[j]!.area!);
        if (share >= LEAST_SHARE && (best === null || share > best.share)) best = { i, j, share };
      }
    }
    if (best === null) break;
    take(best.i, best.j, 'footprint');
  }
  return [...pairs, ...free.before.map((i) => `${i} removed`), ...free.after.map((j) => `${j} added`)].sort();
}

test('matches as the rules say, one pair after the other', () => {
  fc.assert(
    fc.property(
      fc.array(candidate, { maxLength: 14 }),
      fc.array(candidate, { maxLength: 14 }),
      (before, after) => {
        const { pairs, removed, added } = matchFeatures(before, after, (i, j) =>
          overlapOf(before[i]!, after[j]!),
        );
        const found = [
          ...pairs.map(({ before: i, after: j, by }) => `${i}-${j} ${by}`),
          ...removed.map((i) => `${i} removed`),
          ...added.map((j) => `${j} added`),
        ].sort();
        assert.deepEqual(found, slowly(before, after));
        assert.deepEqual(
          pairs.map(({ after: j }) => j),
          pairs.map(({ after: j }) => j).sort((a, b) => a - b),
        );
      },
    ),
    { numRuns: 500 },
  );
});

test('of many footprints over one place those that share most with it are compared', () => {
  const box = (x: number): Candidate => ({
    id: null,
    stableId: null,
    type: 'bldg:Building',
    bounds: [x, 0, x + 100, 100],
    area: 10_000,
  });
  const after = Array.from({ length: 60 }, (_, i) => box(60 - i));
  const before = [box(0)];
  let compared = 0;
  const { pairs } = matchFeatures(before, after, (i, j) => {
    compared++;
    return overlapOf(before[i]!, after[j]!);
  });
  assert.deepEqual(pairs, [{ before: 0, after: 59, by: 'footprint' }]);
  assert.equal(compared, 32);
});

test('what boxes share is width times depth, wherever they lie', () => {
  const box = (west: number, south: number): Candidate => ({
    ...{ id: null, stableId: null, type: 'bldg:Building' },
    ...{ bounds: [west, south, west + 100, south + 100], area: 10_000 },
  });
  for (const corner of [
    [1_000, 2_000],
    [2_000, 1_000],
  ] as const) {
    // A strip of a side is longer than what a corner shares, and less of it.
    const strips = [-70, 70].flatMap((shift) => [
      ...Array.from({ length: 20 }, () => box(corner[0] + shift, corner[1])),
      ...Array.from({ length: 20 }, () => box(corner[0], corner[1] + shift)),
    ]);
    for (const [east, north] of [
      [20, 20],
      [-20, 20],
      [20, -20],
      [-20, -20],
    ] as const) {
      const after = [...strips, box(corner[0] + east, corner[1] + north)];
      const { pairs } = matchFeatures([box(corner[0], corner[1])], after, (_, j) =>
        overlapOf(box(corner[0], corner[1]), after[j]!),
      );
      assert.deepEqual(pairs, [{ before: 0, after: strips.length, by: 'footprint' }]);
    }
  }
});

const BOX: Candidate = {
  ...{ id: null, stableId: null, type: 'bldg:Building' },
  ...{ bounds: [0, 0, 10, 10], area: 100 },
};
const times = (count: number, candidate: Candidate) => Array.from({ length: count }, () => candidate);
const pairsOf = ({ pairs }: ReturnType<typeof matchFeatures>) =>
  pairs.map(({ before, after }) => [before, after]);

test('of footprints that share the same, the first is matched with the first', () => {
  const all = () => 100;
  const inOrder = (count: number) => Array.from({ length: count }, (_, i) => [i, i]);
  assert.deepEqual(pairsOf(matchFeatures(times(9, BOX), times(9, BOX), all)), inOrder(9));
  assert.deepEqual(pairsOf(matchFeatures(times(1, BOX), times(9, BOX), all)), [[0, 0]]);
  assert.deepEqual(pairsOf(matchFeatures(times(9, BOX), times(1, BOX), all)), [[0, 0]]);
  // Later ones share more.
  const growing = (i: number, j: number) => 60 + i + j;
  assert.deepEqual(pairsOf(matchFeatures(times(3, BOX), times(3, BOX), growing)), inOrder(3));
  const compared: number[] = [];
  matchFeatures([BOX], times(80, BOX), (_, j) => {
    compared.push(j);
    return 0;
  });
  assert.deepEqual(
    compared.sort((a, b) => a - b),
    Array.from({ length: 32 }, (_, i) => i),
  );
});

test('a footprint of half the size matches, and those that are larger yet are not in the way', () => {
  const half = { ...BOX, bounds: [0, 0, 5, 10], area: 50 };
  const large = { ...BOX, bounds: [-50, -50, 50, 50], area: 10_000 };
  const share = (i: number, j: number) => overlapOf([BOX][i]!, [...times(40, large), half][j]!);
  assert.deepEqual(pairsOf(matchFeatures([BOX], [...times(40, large), half], share)), [[0, 40]]);
  const less = { ...half, area: 49.9 };
  assert.deepEqual(pairsOf(matchFeatures([BOX], [less], () => 49.9)), []);
});

test('what has no area, or no place, is not matched by its footprint', () => {
  for (const odd of [
    { ...BOX, area: null },
    { ...BOX, bounds: null },
  ]) {
    assert.deepEqual(pairsOf(matchFeatures([odd], [BOX], () => 100)), []);
    assert.deepEqual(pairsOf(matchFeatures([BOX], [odd], () => 100)), []);
  }
});
