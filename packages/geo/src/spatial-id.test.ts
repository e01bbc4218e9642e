import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evenly } from '@citymodel/base/testing';
import fc from 'fast-check';
import {
  formatSpatialId,
  parseSpatialId,
  parseSpatialIds,
  type SpatialId,
  spatialIdAltitudes,
  spatialIdBounds,
  spatialIdOf,
} from './spatial-id.ts';

const id: fc.Arbitrary<SpatialId> = fc.integer({ min: 0, max: 31 }).chain((z) => {
  const cell = fc.integer({ min: 0, max: 2 ** z - 1 });
  const floor = fc.option(fc.integer({ min: -(2 ** z), max: 2 ** z - 1 }));
  return fc.tuple(cell, cell, floor).map(([x, y, f]) => ({ z, x, y, f }));
});

/** Slow oracle: the quadrant of the point, level by level, in Mercator units. */
function descend(lng: number, lat: number, z: number): { x: number; y: number } {
  let [x, y] = [0, 0];
  let [west, east] = [-180, 180];
  let [top, bottom] = [Math.PI, -Math.PI];
  const mercator = Math.asinh(Math.tan((lat * Math.PI) / 180));
  for (let level = 0; level < z; level++) {
    const [middle, half] = [(west + east) / 2, (top + bottom) / 2];
    const [right, low] = [lng >= middle, mercator <= half];
    [west, east] = right ? [middle, east] : [west, middle];
    [top, bottom] = low ? [half, bottom] : [top, half];
    [x, y] = [x * 2 + Number(right), y * 2 + Number(low)];
  }
  return { x, y };
}

describe('spatial IDs', () => {
  it('reads every form', () => {
    const cell = { z: 18, x: 232853, y: 103220 };
    assert.deepEqual(parseSpatialId('18/232853/103220'), { ...cell, f: null });
    assert.deepEqual(parseSpatialId('/18/232853/103220'), { ...cell, f: null });
    assert.deepEqual(parseSpatialId('18/1/232853/103220'), { ...cell, f: 1 });
    assert.deepEqual(parseSpatialId('/18/-3/232853/103220'), { ...cell, f: -3 });
    assert.deepEqual(parseSpatialId('0/0/0/0'), { z: 0, x: 0, y: 0, f: 0 });
    assert.deepEqual(parseSpatialId('0/0/0'), { z: 0, x: 0, y: 0, f: null });
    assert.deepEqual(parseSpatialId('2'), { z: 1, x: 1, y: 0, f: 0 });
    assert.deepEqual(parseSpatialId('85'), { z: 2, x: 2, y: 2, f: 3 });
    assert.deepEqual(parseSpatialId('31/2147483647/2147483647/0'), {
      z: 31,
      f: 2147483647,
      x: 2147483647,
      y: 0,
    });
    assert.deepEqual(parseSpatialIds('18/1/232853/103220, /18/232853/103220,85,'), [
      { ...cell, f: 1 },
      { ...cell, f: null },
      { z: 2, x: 2, y: 2, f: 3 },
    ]);
  });

  it('says what is wrong', () => {
    for (const [text, reason] of [
      ['', /expected z\/x\/y/],
      ['18/1', /expected z\/x\/y/],
      ['18/1/2/3/4', /expected z\/x\/y/],
      ['18/x/y', /expected z\/x\/y/],
      ['18/1.5/2', /expected z\/x\/y/],
      ['//18/1/2', /expected z\/x\/y/],
      ['18/1/', /expected z\/x\/y/],
      ['1290', /expected z\/x\/y/],
      ['32/0/0', /zoom is 32/],
      ['-1/0/0', /zoom is -1/],
      ['2/4/0', /x is 4, expected 0 to 3/],
      ['2/0/-1', /y is -1, expected 0 to 3/],
      ['2/4/0/0', /floor is 4, expected -4 to 3/],
      ['2/-5/0/0', /floor is -5/],
      ['1'.repeat(32), /32 digits/],
    ] as const) {
      assert.throws(() => parseSpatialId(text), reason, text);
    }
    assert.throws(() => parseSpatialIds(' , '), /no spatial ID/);
    assert.throws(() => parseSpatialIds('0/0/0,oops'), /"oops"/);
  });

  it('formats what it reads', () => {
    fc.assert(fc.property(id, (cell) => assert.deepEqual(parseSpatialId(formatSpatialId(cell)), cell)));
  });

  it('reads tile hashes digit by digit', () => {
    fc.assert(
      fc.property(id, (cell) => {
        fc.pre(cell.f !== null && cell.f >= 0 && cell.z > 0);
        const [x, y, f] = [cell.x, cell.y, cell.f!].map((value) => value.toString(2).padStart(cell.z, '0'));
        const digits = Array.from({ length: cell.z }, (_, i) => 1 + +x![i]! + 2 * +y![i]! + 4 * +f![i]!);
        assert.deepEqual(parseSpatialId(digits.join('')), cell);
      }),
    );
  });

  it('finds the cell of a point as halving the world does', () => {
    fc.assert(
      fc.property(evenly(-180, 179.999), evenly(-85, 85), fc.integer({ min: 0, max: 24 }), (lng, lat, z) => {
        const { x, y } = spatialIdOf(lng, lat, null, z);
        const slow = descend(lng, lat, z);
        assert.equal(x, slow.x);
        // The two formulas for latitude may round a point on an edge to either side of it.
        const { south, north } = spatialIdBounds({ z, ...slow, f: null });
        fc.pre(Math.min(north - lat, lat - south) > 1e-12);
        assert.equal(y, slow.y);
      }),
    );
  });

  it('contains the point that it was found for, at every zoom', () => {
    fc.assert(
      fc.property(
        evenly(-180, 180),
        evenly(-85.05, 85.05),
        fc.integer({ min: -500_000, max: 4_000_000 }).map((millimetres) => millimetres / 1000),
        fc.integer({ min: 0, max: 31 }),
        (lng, lat, alt, z) => {
          const cell = spatialIdOf(lng, lat, alt, z);
          const { west, south, east, north } = spatialIdBounds(cell);
          assert.ok(west <= lng && (lng < east || lng === 180));
          assert.ok(south < lat && lat <= north);
          const altitudes = spatialIdAltitudes(cell);
          assert.ok(altitudes === null || (altitudes.min <= alt && alt < altitudes.max));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('gives neighbours a common edge', () => {
    fc.assert(
      fc.property(id, (cell) => {
        const bounds = spatialIdBounds(cell);
        assert.equal(spatialIdBounds({ ...cell, x: cell.x + 1 }).west, bounds.east);
        assert.equal(spatialIdBounds({ ...cell, y: cell.y + 1 }).north, bounds.south);
      }),
    );
  });

  it('measures floors', () => {
    assert.deepEqual(spatialIdAltitudes({ z: 25, x: 0, y: 0, f: 7 }), { min: 7, max: 8 });
    assert.deepEqual(spatialIdAltitudes({ z: 18, x: 0, y: 0, f: -1 }), { min: -128, max: 0 });
    assert.deepEqual(spatialIdAltitudes({ z: 31, x: 0, y: 0, f: 1 }), { min: 1 / 64, max: 1 / 32 });
    assert.equal(spatialIdAltitudes({ z: 18, x: 0, y: 0, f: null }), null);
    assert.equal(spatialIdAltitudes({ z: 0, x: 0, y: 0, f: 0 }), null);
    assert.deepEqual(spatialIdAltitudes({ z: 0, x: 0, y: 0, f: -1 }), { min: -(2 ** 25), max: 0 });
  });

  it('refuses points that the grid does not reach', () => {
    assert.throws(() => spatialIdOf(181, 0, null, 3), /outside the tile pyramid/);
    assert.throws(() => spatialIdOf(0, 86, null, 3), /outside the tile pyramid/);
    assert.throws(() => spatialIdOf(Number.NaN, 0, null, 3), RangeError);
    assert.throws(() => spatialIdOf(0, 0, 2 ** 25, 3), /altitude/);
    assert.throws(() => spatialIdOf(0, 0, 0, 32), /zoom is 32/);
    assert.deepEqual(spatialIdOf(180, -85.05, null, 1), { z: 1, x: 1, y: 1, f: null });
  });
});
