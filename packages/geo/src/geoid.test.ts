import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { geoidHeight, readGsigeo2011 } from './geoid.ts';
import { decodeGeoid, encodeGeoid, type GeoidGrid, NO_HEIGHT } from './geoid-format.ts';

const grids: fc.Arbitrary<GeoidGrid> = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))
  .chain(([columns, rows]) =>
    fc.record(
      {
        columns: fc.constant(columns),
        rows: fc.constant(rows),
        west: fc.constant(120),
        north: fc.constant(50),
        perDegreeEast: fc.constant(40),
        perDegreeSouth: fc.constant(60),
        millimetres: fc
          .array(fc.oneof(fc.integer({ min: 30_000, max: 38_000 }), fc.constant(NO_HEIGHT)), {
            minLength: columns * rows,
            maxLength: columns * rows,
          })
          .map((values) => Uint16Array.from(values)),
      },
      { noNullPrototype: true },
    ),
  );

test('a grid comes back from its bytes', () => {
  fc.assert(fc.property(grids, (grid) => assert.deepEqual(decodeGeoid(encodeGeoid(grid)), grid)));
});

test('bytes that are no grid are refused', () => {
  assert.throws(() => decodeGeoid(Buffer.from('PK\x03\x04')), /begins with CMGD/);
  const later = encodeGeoid({ ...readGsigeo2011(), columns: 1, rows: 1 });
  later.writeUInt16LE(3, 4);
  assert.throws(() => decodeGeoid(later), /version 3; version 2 is known/);
});

test('GSIGEO2011 is known over land and unknown far from it', () => {
  const grid = readGsigeo2011();
  assert.equal(geoidHeight(grid, 120, 50), null);
  assert.equal(geoidHeight(grid, 119.99, 35), null);
  assert.equal(geoidHeight(grid, 135, 19), null);
  assert.equal(geoidHeight(grid, Number.NaN, 35), null);
  // A node of the published model, and a place between four of them.
  assert.equal(geoidHeight(grid, 139.775, 50 - 859 / 60)?.toFixed(3), '36.648');
  assert.equal(geoidHeight(grid, 139.77, 35.68)?.toFixed(3), '36.643');
  // An island: its first node has no neighbour that is known.
  assert.equal(geoidHeight(grid, 139.6, 33.87)?.toFixed(3), '41.088');
});

test('a node with weight 0 need not have a height', () => {
  const grid: GeoidGrid = {
    columns: 2,
    rows: 2,
    west: 130,
    north: 40,
    perDegreeEast: 40,
    perDegreeSouth: 60,
    millimetres: Uint16Array.of(1_000, 3_000, NO_HEIGHT, NO_HEIGHT),
  };
  assert.ok(Math.abs(geoidHeight(grid, 130.0125, 40)! - 2) < 1e-9);
  assert.equal(geoidHeight(grid, 130.0125, 39.999), null);
});

test('heights are bilinear between nodes, also on the last column and row, and unknown beyond them', () => {
  const grid: GeoidGrid = {
    columns: 3,
    rows: 2,
    west: 130,
    north: 40,
    perDegreeEast: 40,
    perDegreeSouth: 60,
    millimetres: Uint16Array.of(1_000, 2_000, 4_000, 3_000, 6_000, 10_000),
  };
  const at = (column: number, row: number) => geoidHeight(grid, 130 + column / 40, 40 - row / 60);
  const near = (found: number | null, expected: number) =>
    assert.ok(Math.abs(found! - expected) < 1e-6, `${found}`);
  near(at(0.5, 0.5), 3);
  near(at(1.25, 0.5), (2_000 * 0.75 + 4_000 * 0.25 + 6_000 * 0.75 + 10_000 * 0.25) / 2_000);
  // The last node itself, by numbers that are exact.
  assert.equal(geoidHeight({ ...grid, perDegreeEast: 1, perDegreeSouth: 1 }, 132, 39), 10);
  assert.equal(geoidHeight({ ...grid, perDegreeEast: 1, perDegreeSouth: 1 }, 130, 40), 1);
  for (const [column, row] of [
    [2.01, 0],
    [0, 1.01],
    [-0.01, 0],
    [0, -0.01],
  ] as const)
    assert.equal(at(column, row), null, `${column} ${row}`);
});

test('the header says where each thing stands', () => {
  const grid: GeoidGrid = {
    columns: 2,
    rows: 1,
    west: 122.5,
    north: 49.25,
    perDegreeEast: 40,
    perDegreeSouth: 60,
    millimetres: Uint16Array.of(30_000, 29_000),
  };
  const bytes = encodeGeoid(grid);
  assert.equal(bytes.toString('latin1', 0, 4), 'CMGD');
  assert.deepEqual(
    [4, 6, 8, 10, 12].map((at) => bytes.readUInt16LE(at)),
    [2, 2, 1, 40, 60],
  );
  assert.deepEqual([bytes.readDoubleLE(14), bytes.readDoubleLE(22)], [122.5, 49.25]);
  assert.equal(bytes.length, 42 + [30, 34, 38].reduce((sum, at) => sum + bytes.readUInt32LE(at), 0));
});

test('neighbours that differ too much are refused', () => {
  const grid = {
    columns: 2,
    rows: 1,
    west: 0,
    north: 0,
    perDegreeEast: 1,
    perDegreeSouth: 1,
    millimetres: Uint16Array.of(0, 40_000),
  };
  assert.throws(() => encodeGeoid(grid), /differs by 40000 mm/);
});
