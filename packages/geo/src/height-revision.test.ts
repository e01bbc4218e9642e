import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { isOtherGrid, readRevision, revisionAt } from './height-revision.ts';
import {
  decodeRevision,
  encodeRevision,
  type RevisionGrid,
  type RevisionRun,
  revisionGrid,
} from './height-revision-format.ts';

const PUBLISHED = '../shared/data/geoid/jgd2024-minus-jgd2011.txt.gz';

/** Nodes with gaps, in units of 0.00001 m; null for none. */
const cells = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 8 }))
  .chain(([rows, columns]) =>
    fc.array(
      fc.array(
        fc.oneof(
          { arbitrary: fc.integer({ min: -50_000, max: 50_000 }), weight: 8 },
          { arbitrary: fc.constant(null), weight: 1 },
        ),
        {
          minLength: columns,
          maxLength: columns,
        },
      ),
      { minLength: rows, maxLength: rows },
    ),
  );

function gridOf(rows: ReadonlyArray<ReadonlyArray<number | null>>): RevisionGrid {
  const runs: RevisionRun[] = [];
  for (const [row, values] of rows.entries()) {
    for (let from = 0; from < values.length; ) {
      let to = from;
      while (to < values.length && values[to] !== null) to++;
      const run = values.slice(from, to) as number[];
      if (run.length > 0) runs.push({ row: 10 + row, column: 20 + from, values: Int32Array.from(run) });
      from = to + 1;
    }
  }
  return revisionGrid({ perDegreeNorth: 1, perDegreeEast: 1, runs });
}

test('a grid comes back from its bytes', () => {
  fc.assert(
    fc.property(cells, (rows) => {
      const grid = gridOf(rows);
      assert.deepEqual(decodeRevision(encodeRevision(grid)), grid);
    }),
  );
});

test('corrections are bilinear between nodes, and unknown where one that counts is missing', () => {
  const place = fc.integer({ min: -2, max: 20 }).map((quarters) => quarters / 4);
  const seen = { known: 0, unknown: 0 };
  fc.assert(
    fc.property(cells, place, place, (rows, x, y) => {
      let sum: number | null = 0;
      let weights = 0;
      for (const [row, values] of rows.entries()) {
        for (const [column, value] of values.entries()) {
          const weight = Math.max(0, 1 - Math.abs(x - column)) * Math.max(0, 1 - Math.abs(y - row));
          if (weight === 0) continue;
          weights += weight;
          sum = sum === null || value === null ? null : sum + weight * value;
        }
      }
      const expected = sum === null || weights < 1 - 1e-9 ? null : sum / 100_000;
      const found = revisionAt(gridOf(rows), 20 + x, 10 + y);
      if (expected === null) assert.equal(found, null);
      else assert.ok(Math.abs(found! - expected) < 1e-12, `${found} is not ${expected}`);
      seen[expected === null ? 'unknown' : 'known']++;
    }),
    { numRuns: 2_000 },
  );
  assert.ok(seen.known > 50 && seen.unknown > 50, JSON.stringify(seen));
  assert.equal(revisionAt(gridOf([[1]]), Number.NaN, 10), null);
  assert.equal(revisionAt(gridOf([]), 20, 10), null);
});

test('bytes that are no grid, runs out of order, and corrections of 80 m are refused', () => {
  assert.throws(() => decodeRevision(Buffer.from('PK\x03\x04')), /begins with CMHR/);
  const later = encodeRevision(gridOf([[1]]));
  later.writeUInt16LE(2, 4);
  assert.throws(() => decodeRevision(later), /version 2; version 1 is known/);
  const run = (row: number, column: number, ...values: number[]) => ({
    row,
    column,
    values: Int32Array.from(values),
  });
  const facts = { perDegreeNorth: 1, perDegreeEast: 1 };
  for (const runs of [
    [run(2, 0, 1), run(1, 0, 1)],
    [run(1, 0, 1, 2), run(1, 1, 1)],
    [run(1, 0, 1, 2), run(1, 2, 1)],
  ]) {
    assert.throws(() => revisionGrid({ ...facts, runs }), RangeError);
  }
  assert.throws(() => encodeRevision(gridOf([[9_000_000]])), /differs by 9000000/);
});

test('the correction at places that were computed by hand', () => {
  const grid = readRevision();
  // South-west corner of third mesh 53351246.
  assert.equal(revisionAt(grid, 135 + 2 / 8 + 6 / 80, 53 / 1.5 + 1 / 12 + 4 / 120)?.toFixed(5), '-0.19031');
  assert.equal(revisionAt(grid, 139.35, 34.9), null);
  assert.equal(revisionAt(grid, 0, 0), null);
});

test('the meshes of the other grid: 22 of them, by their edges', () => {
  assert.ok(isOtherGrid(136.5 + 1e-9, 36.5 + 1e-9), '543664');
  assert.ok(!isOtherGrid(136.5 - 1e-9, 36.5 + 1e-9) && !isOtherGrid(136.5 + 1e-9, 36.5 - 1e-9));
  const found: string[] = [];
  for (const [south, west] of [
    [47, 31],
    [54, 36],
    [55, 36],
    [53, 39],
  ] as const) {
    for (const row of [0, 1, 2, 3, 4, 5, 6, 7]) {
      for (const column of [0, 1, 2, 3, 4, 5, 6, 7]) {
        const isOther = isOtherGrid(100 + west + (column + 0.5) / 8, south / 1.5 + (row + 0.5) / 12);
        if (isOther) found.push(`${south}${west}${row}${column}`);
      }
    }
  }
  const kyushu = '13 21 22 23 31 32 33 41 42 43 51 52 53 61 62 63 73'
    .split(' ')
    .map((second) => `4731${second}`);
  assert.deepEqual(found, [...kyushu, '543664', '543665', '543674', '543675', '553605']);
});

test('every node has its published value, to a hundredth of a millimetre', {
  skip: !existsSync(PUBLISHED),
}, () => {
  const grid = readRevision();
  let nodes = 0;
  for (const line of gunzipSync(readFileSync(PUBLISHED)).toString('latin1').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [row, column, ...steps] = line.split(' ').map(Number) as [number, number, ...number[]];
    let value = 0;
    for (const [k, step] of steps.entries()) {
      value += step;
      const found = revisionAt(grid, 100 + (column + k) / 80, row / 120);
      if (found === null || Math.abs(found - value / 100_000) >= 1e-9)
        assert.fail(`${row} ${column + k}: ${found}`);
      nodes++;
    }
  }
  assert.equal(nodes, 643_467);
});
