import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { boundsOverlap } from './bounds.ts';
import {
  countMeshesIn,
  finestMeshContaining,
  isInGrid,
  isMeshCode,
  MESH_DIGITS,
  type MeshDigits,
  meshAncestors,
  meshBounds,
  meshesIn,
  meshForExtent,
  meshOf,
  touchesGrid,
} from './mesh.ts';

interface Jismesh {
  toMeshCode(lat: number, lng: number, level: number): string;
  toMeshPoint(code: string, latMultiplier: number, lngMultiplier: number): [number, number];
}
const jismesh = createRequire(import.meta.url)('jismesh-js') as Jismesh;
const LEVEL: Record<MeshDigits, number> = { 4: 1, 6: 2, 8: 3, 9: 4, 10: 5, 11: 6 };

const digits = fc.constantFrom(...MESH_DIGITS);
const lng = fc.double({ min: 122, max: 154, noNaN: true });
const lat = fc.double({ min: 20, max: 46, noNaN: true });

/** Any code of the grid, built digit by digit. */
const code = digits.chain((length) =>
  fc
    .tuple(
      fc.integer({ min: 0, max: 99 }),
      fc.integer({ min: 0, max: 79 }),
      ...[8, 8, 10, 10].map((n) => fc.integer({ min: 0, max: n - 1 })),
      ...[1, 2, 3].map(() => fc.integer({ min: 1, max: 4 })),
    )
    .map(([row = 0, column = 0, ...rest]) =>
      [String(row).padStart(2, '0'), String(column).padStart(2, '0'), ...rest].join('').slice(0, length),
    ),
);

describe('mesh codes', () => {
  it('knows the cells of the standard', () => {
    assert.deepEqual(meshBounds('5339'), { west: 139, south: 106 / 3, east: 140, north: 36 });
    assert.deepEqual(meshBounds('533945'), { west: 139.625, south: 35 + 2 / 3, east: 139.75, north: 35.75 });
    assert.deepEqual(meshBounds('53394509'), {
      west: 139.7375,
      south: 35 + 2 / 3,
      east: 139.75,
      north: 35.675,
    });
    assert.equal(meshOf(139.745433, 35.658581, 8), '53393599');
    assert.equal(meshOf(139.745433, 35.658581, 11), jismesh.toMeshCode(35.658581, 139.745433, 6));
  });

  it('says what is wrong with a text that is no mesh code', () => {
    for (const [text, reason] of [
      ['53394', /5 digits/],
      ['5339-45', /digits only/],
      ['', /digits only/],
      ['533985', /digits 5 and 6 are 85/],
      ['533958', /digits 5 and 6 are 58/],
      ['5385', /digits 3 and 4 are 85/],
      ['5380', /digits 3 and 4 are 80/],
      ['533945095', /from the 9th on are 5/],
      ['5339450910', /from the 9th on are 10/],
      ['５３３９', /digits only/],
    ] as const) {
      assert.equal(isMeshCode(text), false, text);
      assert.throws(() => meshBounds(text), reason);
    }
    assert.throws(() => meshOf(99.9, 35, 8), /outside the mesh grid/);
    assert.throws(() => meshOf(180, 35, 8), /outside the mesh grid/);
    assert.throws(() => meshOf(139, 200 / 3, 8), /outside the mesh grid/);
    assert.throws(() => meshOf(139, -0.1, 8), RangeError);
    assert.throws(() => meshOf(Number.NaN, 35, 8), RangeError);
  });

  it('agrees with an independent implementation', () => {
    fc.assert(
      fc.property(lng, lat, digits, (x, y, length) => {
        // That implementation rounds at the edges; points that close to one are left to the tests below.
        const mine = meshOf(x, y, length);
        const { west, south, east, north } = meshBounds(mine);
        fc.pre(Math.min(x - west, east - x, y - south, north - y) > 1e-9);
        assert.equal(mine, jismesh.toMeshCode(y, x, LEVEL[length]));
        const [oracleSouth, oracleWest] = jismesh.toMeshPoint(mine, 0, 0);
        assert.ok(Math.abs(oracleSouth - south) < 1e-9 && Math.abs(oracleWest - west) < 1e-9);
      }),
      { numRuns: 2000 },
    );
  });

  it('puts every corner into its own mesh, at every length', () => {
    fc.assert(
      fc.property(code, (text) => {
        assert.equal(isMeshCode(text), true);
        const bounds = meshBounds(text);
        const length = text.length as MeshDigits;
        assert.equal(meshOf(bounds.west, bounds.south, length), text);
        assert.equal(meshOf(bounds.east - 1e-9, bounds.north - 1e-9, length), text);
        assert.deepEqual([...meshesIn(bounds, length)], [text]);
      }),
      { numRuns: 2000 },
    );
    // Every row and column edge of the eighth mesh: where rounding would slip if it could.
    for (let row = 0; row < 64_000; row++) {
      const at = meshBounds(meshOf(139, row / 960, 11));
      assert.equal(at.south, row / 960);
    }
    for (let column = 0; column < 51_200; column++) {
      const at = meshBounds(meshOf(100 + column / 640, 35, 11));
      assert.equal(at.west, 100 + column / 640);
    }
  });

  it('nests: a longer code of a point starts with every shorter one', () => {
    fc.assert(
      fc.property(lng, lat, (x, y) => {
        const finest = meshOf(x, y, 11);
        assert.deepEqual(
          meshAncestors(finest),
          [4, 6, 8, 9, 10].map((length) => meshOf(x, y, length as MeshDigits)),
        );
        for (const ancestor of meshAncestors(finest)) {
          const { west, south, east, north } = meshBounds(ancestor);
          assert.ok(west <= x && x < east && south <= y && y < north);
        }
      }),
    );
    assert.deepEqual(meshAncestors('5339'), []);
    assert.throws(() => meshAncestors('53'), RangeError);
  });

  it('lists exactly the meshes that share an area with a box', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 138, max: 140, noNaN: true }),
        fc.double({ min: 34, max: 36, noNaN: true }),
        fc.double({ min: 1e-6, max: 0.4, noNaN: true }),
        fc.double({ min: 1e-6, max: 0.4, noNaN: true }),
        fc.constantFrom<MeshDigits>(4, 6, 8),
        (west, south, width, height, length) => {
          const box = { west, south, east: west + width, north: south + height };
          const found = [...meshesIn(box, length)];
          assert.equal(found.length, countMeshesIn(box, length));
          assert.equal(new Set(found).size, found.length);
          const slow = [...meshesIn({ west: 137, south: 33, east: 141, north: 37 }, length)];
          assert.deepEqual(
            found,
            slow.filter((candidate) => boundsOverlap(meshBounds(candidate), box)),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it('gives the mesh of a point, and clips what lies outside the grid', () => {
    assert.deepEqual([...meshesIn({ west: 139, south: 36, east: 139, north: 36 }, 4)], ['5439']);
    assert.equal(countMeshesIn({ west: -180, south: -90, east: 180, north: 90 }, 4), 8000);
    assert.equal(countMeshesIn({ west: -10, south: 40, east: 10, north: 50 }, 6), 0);
    assert.deepEqual([...meshesIn({ west: 139, south: -20, east: 140, north: -10 }, 4)], []);
  });

  it('tells what the grid reaches', () => {
    const reached = (west: number, south: number) =>
      touchesGrid({ west, south, east: west + 0.1, north: south + 0.1 });
    assert.deepEqual([reached(139, 35), reached(99.95, -0.05), reached(179.95, 66.6)], [true, true, true]);
    const holds = (west: number, south: number) =>
      isInGrid({ west, south, east: west + 0.1, north: south + 0.1 });
    assert.deepEqual([holds(139, 35), holds(100, 0)], [true, true]);
    assert.deepEqual(
      [holds(99.95, 35), holds(139, 66.6), holds(179.95, 35), holds(139, -0.05)],
      Array(4).fill(false),
    );
    assert.deepEqual([reached(6.9, 50.9), reached(139, 67), reached(139, -1)], [false, false, false]);
  });

  it('finds a mesh for an extent', () => {
    const third = meshBounds('53394509');
    assert.equal(meshForExtent(third), '53394509');
    assert.equal(
      meshForExtent({ ...third, east: third.east + 1e-6 }),
      meshOf((third.west + third.east) / 2, (third.south + third.north) / 2, 8),
    );
    assert.equal(meshForExtent({ ...third, west: third.west - 1e-6 }), '533945');
    assert.equal(finestMeshContaining({ ...third, west: third.west - 1e-6 }, [8]), null);
    assert.equal(finestMeshContaining(third, [4, 6]), '533945');
    assert.equal(meshForExtent({ west: 139, south: 35, east: 141, north: 36 }), meshOf(140, 35.5, 8));
    assert.equal(meshForExtent({ west: 0, south: 0, east: 1, north: 1 }), null);
  });
});
