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
