import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundsOfPlaces, boxOf, diagonalOf, regionAround, regionOf } from './region.ts';

const RADIANS = Math.PI / 180;
/** Metres of a degree of latitude at 35 degrees. */
const METRE = 110_940;
const BOXES = [
  { west: 139.1, south: 35.2, east: 139.3, north: 35.3, low: 4, high: 9 },
  { west: 139.2, south: 35.1, east: 139.25, north: 35.4, low: -2, high: 7 },
];

test('a region holds all boxes, and is wider by an error on all sides', () => {
  const [west, south, east, north, low, high] = regionAround(BOXES, 0).map((value, i) =>
    i < 4 ? value / RADIANS : value,
  );
  const expected = [139.1, 35.1, 139.3, 35.4, -2, 9];
  for (const [i, value] of [west, south, east, north, low, high].entries())
    assert.ok(Math.abs(value! - expected[i]!) < 1e-9);
  const plain = regionAround(BOXES, 0);
  const wide = regionAround(BOXES, 50);
  const grown = wide.map((value, i) => Math.abs(value - plain[i]!));
  const sideways = Math.cos(35.4 * RADIANS);
  for (const [i, metres] of [
    [0, (grown[0]! / RADIANS) * METRE * sideways],
    [1, (grown[1]! / RADIANS) * METRE],
    [2, (grown[2]! / RADIANS) * METRE * sideways],
    [3, (grown[3]! / RADIANS) * METRE],
    [4, grown[4]!],
    [5, grown[5]!],
  ] as const)
    assert.ok(metres >= 50 - 1e-6 && metres < 51.5, `${metres} m at ${i}`);
  for (const i of [0, 1, 4]) assert.ok(wide[i]! < plain[i]!);
  for (const i of [2, 3, 5]) assert.ok(wide[i]! > plain[i]!);
  // South of the equator the southern edge is the shorter one.
  const [south1] = [{ ...BOXES[0]!, south: -60, north: -10 }];
  const [left, , right] = regionAround([south1], 50);
  assert.ok(((right - left) / RADIANS - 0.2) * METRE * Math.cos(60 * RADIANS) >= 100);
});

test('a box is that of its region again, and regions are joined', () => {
  const regions = BOXES.map((box) => regionAround([box], 0));
  for (const [i, region] of regions.entries()) {
    for (const [name, value] of Object.entries(boxOf(region)))
      assert.ok(Math.abs(value - BOXES[i]![name as 'west']) < 1e-9, name);
  }
  assert.deepEqual(regionOf(regions), regionAround(BOXES, 0));
  assert.deepEqual(regionOf(regions.slice(0, 1)), regions[0]);
});

test('the diagonal of a box is measured in metres', () => {
  const box = { west: 139, south: 35, east: 139.01, north: 35.02, low: 10, high: 510 };
  const expected = Math.hypot(0.01 * 111_320 * Math.cos(35.01 * RADIANS), 0.02 * METRE, 500);
  assert.ok(Math.abs(diagonalOf(box) / expected - 1) < 0.003, `${diagonalOf(box)} m`);
  assert.equal(diagonalOf({ ...box, east: 139, north: 35, high: 13 }), 3);
});

test('bounds hold all places', () => {
  const places = [
    { lng: 139.5, lat: 35.5 },
    { lng: 139.1, lat: 35.9 },
    { lng: 139.3, lat: 35.1 },
  ];
  assert.deepEqual(boundsOfPlaces(places), { west: 139.1, south: 35.1, east: 139.5, north: 35.9 });
  assert.deepEqual(boundsOfPlaces(places.slice(0, 1)), {
    west: 139.5,
    south: 35.5,
    east: 139.5,
    north: 35.5,
  });
});
