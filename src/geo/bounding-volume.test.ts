import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type BoundingVolume,
  hullPoints,
  isBoundingVolume,
  type Region,
  regionBounds,
  regionRadius,
  transformVolume,
  unionRegions,
  volumeContains,
  volumeRegion,
} from './bounding-volume.ts';
import { eastNorthUp, ecefToGeodetic, geodeticToEcef, multiply, transformPoint } from './ecef.ts';

const D = Math.PI / 180;
const unit = () => fc.double({ min: -1, max: 1, noNaN: true });
const place = (maxLat: number) =>
  fc.record({
    lng: fc.double({ min: -Math.PI, max: Math.PI, noNaN: true }),
    lat: fc.double({ min: -maxLat * D, max: maxLat * D, noNaN: true }),
    height: fc.double({ min: -500, max: 5000, noNaN: true }),
  });

/** A box of any orientation: half axes are columns of a random rotation, each with its length. */
const anyBox = (maxLat: number, maxHalf: number) =>
  fc
    .record({
      at: place(maxLat),
      turn: fc.tuple(unit(), unit(), unit(), unit()).filter((q) => Math.hypot(...q) > 0.1),
      half: fc.tuple(...Array(3).fill(fc.double({ min: 0, max: maxHalf, noNaN: true }))),
    })
    .map(({ at, turn, half }) => {
      const n = Math.hypot(...turn);
      const [w, x, y, z] = turn.map((v) => v / n) as [number, number, number, number];
      const columns = [
        [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
        [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
        [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
      ];
      return {
        box: [
          ...geodeticToEcef(at.lng, at.lat, at.height),
          ...columns.flatMap((column, i) => column.map((v) => v * (half as number[])[i]!)),
        ],
      };
    });

const inBox = (box: number[], s: number[]) =>
  [0, 1, 2].map((i) => box[i]! + s[0]! * box[3 + i]! + s[1]! * box[6 + i]! + s[2]! * box[9 + i]!);

const insides = fc.array(fc.tuple(unit(), unit(), unit()), { minLength: 30, maxLength: 30 });

function assertInside(region: Region, point: number[]) {
  const [lng, lat, height] = ecefToGeodetic(point);
  const text = `${[lng, lat, height]} lies outside ${region}`;
  const east = (to: number) => (((to - region[0]) % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI);
  const whole = region[0] === -Math.PI && region[2] === Math.PI;
  assert.ok(whole || east(lng) <= east(region[2]) + 1e-14 || east(lng) > 2 * Math.PI - 1e-14, text);
  assert.ok(lat >= region[1] - 1e-14 && lat <= region[3] + 1e-14, text);
  assert.ok(height >= region[4] - 1e-6 && height <= region[5] + 1e-6, text);
}

describe('geodetic and ECEF', () => {
  it('agree with the defining points of the ellipsoid', () => {
    assert.deepEqual(geodeticToEcef(0, 0, 0), [6378137, 0, 0]);
    assert.ok(Math.abs(geodeticToEcef(0, Math.PI / 2, 10)[2] - 6356762.314245179) < 1e-6);
  });

  it('invert each other to a micrometre', () => {
    fc.assert(
      fc.property(place(90), ({ lng, lat, height }) => {
        const p = geodeticToEcef(lng, lat, height);
        const back = geodeticToEcef(...ecefToGeodetic(p));
        assert.ok(Math.hypot(back[0] - p[0], back[1] - p[1], back[2] - p[2]) < 1e-6);
        assert.ok(Math.abs(ecefToGeodetic(p)[2] - height) < 1e-6);
      }),
    );
  });

  it('turns local metres into ECEF', () => {
    const frame = eastNorthUp(139.7 * D, 35.7 * D, 40);
    const [lng, lat, height] = ecefToGeodetic(transformPoint(frame, [100, 0, 5]));
    assert.ok(lng > 139.7 * D && Math.abs(lat - 35.7 * D) < 1e-9);
    assert.ok(Math.abs(height - 45) < 1e-3);
  });
});

describe('volumeRegion', () => {
  it('contains every point of a box of any orientation, up to a country', () => {
    for (const [maxLat, half] of [
      [85, 20_000],
      [90, 3000],
      [60, 800_000],
    ] as const) {
      fc.assert(
        fc.property(anyBox(maxLat, half), insides, (volume, points) => {
          const region = volumeRegion(volume);
          assert.ok(isBoundingVolume({ region }), `${region} is no region`);
          for (const s of points) assertInside(region, inBox(volume.box, s));
          for (const corner of hullPoints(volume)) assertInside(region, corner);
        }),
        { numRuns: 60 },
      );
    }
  });

  it('is tight for a city: at most 1 % wider than the points of a fine grid, and in height a metre more', () => {
    fc.assert(
      fc.property(anyBox(60, 15_000), (volume) => {
        const region = volumeRegion(volume);
        const grid = Array.from({ length: 13 }, (_, i) => i / 6 - 1);
        const seen = [Infinity, Infinity, -Infinity, -Infinity, Infinity, -Infinity];
        for (const i of grid) {
          for (const j of grid) {
            for (const k of grid) {
              const [lng, lat, height] = ecefToGeodetic(inBox(volume.box, [i, j, k]));
              const near = lng - region[0] < -Math.PI ? lng + 2 * Math.PI : lng;
              seen[0] = Math.min(seen[0]!, near);
              seen[2] = Math.max(seen[2]!, near);
              seen[1] = Math.min(seen[1]!, lat);
              seen[3] = Math.max(seen[3]!, lat);
              seen[4] = Math.min(seen[4]!, height);
              seen[5] = Math.max(seen[5]!, height);
            }
          }
        }
        const width = (region[2] - region[0] + 2 * Math.PI) % (2 * Math.PI);
        assert.ok(width <= (seen[2]! - seen[0]!) * 1.01 + 1e-9);
        assert.ok(region[3] - region[1] <= (seen[3]! - seen[1]!) * 1.01 + 1e-9);
        assert.ok(region[5] - region[4] <= (seen[5]! - seen[4]!) * 1.01 + 1);
      }),
      { numRuns: 30 },
    );
  });

  it('contains every point of a sphere and is not bloated', () => {
    for (const [maxLat, most] of [
      [90, 30_000],
      [80, 900_000],
    ] as const) {
      fc.assert(
        fc.property(
          place(maxLat),
          fc.double({ min: 0, max: most, noNaN: true }),
          fc.array(fc.tuple(unit(), unit(), unit()), { minLength: 30, maxLength: 30 }),
          (at, radius, directions) => {
            const centre = geodeticToEcef(at.lng, at.lat, at.height);
            const region = volumeRegion({ sphere: [...centre, radius] });
            for (const d of directions) {
              const length = Math.hypot(...d);
              if (length < 1e-6) continue;
              assertInside(
                region,
                centre.map((c, i) => c + (d[i]! * radius) / length),
              );
            }
            const tall = 2 * Math.asin(Math.min(1, radius / 6.3e6));
            assert.ok(region[3] - region[1] <= tall * 1.15 + 1e-9, `${region}`);
          },
        ),
        { numRuns: 100 },
      );
    }
  });

  it('gives every longitude around a pole and crosses the antimeridian', () => {
    const pole = volumeRegion({ box: [0, 0, 6356752, 1000, 0, 0, 0, 1000, 0, 0, 0, 10] });
    assert.deepEqual([pole[0], pole[2], pole[3]], [-Math.PI, Math.PI, Math.PI / 2]);
    assert.ok(pole[1] > 89.98 * D);
    const fiji = volumeRegion({ sphere: [...geodeticToEcef(Math.PI, -0.3, 0), 5000] });
    assert.ok(fiji[0] > 3.1 && fiji[2] < -3.1);
    assert.deepEqual(
      { ...regionBounds(fiji), south: 0, north: 0 },
      { west: -180, east: 180, south: 0, north: 0 },
    );
  });

  it('takes a volume around the Earth for the globe', () => {
    const globe = volumeRegion({ sphere: [0, 0, 0, 6.4e6] });
    assert.deepEqual(globe.slice(0, 4), [-Math.PI, -Math.PI / 2, Math.PI, Math.PI / 2]);
    assert.ok(globe[5] >= 6.4e6 - 6356752.4);
  });

  it('leaves a region as it is', () => {
    assert.deepEqual(volumeRegion({ region: [1, 0, 1.1, 0.1, -5, 50] }), [1, 0, 1.1, 0.1, -5, 50]);
  });
});

describe('transformVolume', () => {
  it('moves boxes and spheres with their points, never regions', () => {
    const frame = multiply(eastNorthUp(2.4, 0.6, 30), [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1]);
    const local: BoundingVolume = { box: [1, 2, 3, 10, 0, 0, 0, 20, 0, 0, 0, 5] };
    const moved = transformVolume(local, frame) as { box: number[] };
    const expected = transformPoint(frame, inBox(local.box, [1, -1, 1]));
    inBox(moved.box, [1, -1, 1]).forEach((v, i) => {
      assert.ok(Math.abs(v - expected[i]!) < 1e-6);
    });
    const sphere = transformVolume({ sphere: [0, 0, 0, 7] }, frame) as { sphere: number[] };
    assert.ok(Math.abs(sphere.sphere[3]! - 14) < 1e-9);
    const region = { region: [0, 0, 1, 1, 0, 1] };
    assert.equal(transformVolume(region, frame), region);
  });
});

describe('unionRegions', () => {
  const region = fc
    .record({ at: place(80), width: fc.double({ min: 0, max: 1, noNaN: true }) })
    .map(({ at, width }): Region => {
      const east = at.lng + width;
      return [at.lng, at.lat, east > Math.PI ? east - 2 * Math.PI : east, at.lat + 0.01, 0, at.height + 600];
    });

  it('contains both, also across the antimeridian, and is a region', () => {
    fc.assert(
      fc.property(region, region, (a, b) => {
        const u = unionRegions(a, b);
        assert.ok(isBoundingVolume({ region: u }), `${u}`);
        for (const part of [a, b]) {
          for (const p of hullPoints({ region: part })) {
            assert.ok(volumeContains({ region: u }, p, 1e-3), `${u} lacks ${part}`);
          }
        }
        assert.deepEqual(unionRegions(a, a), a);
      }),
    );
  });

  it('goes the shorter way around', () => {
    const u = unionRegions([3.1, 0, 3.12, 0.1, 0, 1], [-3.12, 0, -3.1, 0.1, 0, 1]);
    assert.deepEqual([u[0], u[2]], [3.1, -3.1]);
    assert.deepEqual(
      unionRegions([0.1, 0, 0.2, 0.1, 0, 1], [0.4, -0.1, 0.5, 0, -3, 0]),
      [0.1, -0.1, 0.5, 0.1, -3, 1],
    );
  });
});

describe('volumeContains', () => {
  it('holds for the hull of every kind of volume and fails beyond it', () => {
    fc.assert(
      fc.property(anyBox(80, 5000), (volume) => {
        for (const p of hullPoints(volume)) assert.ok(volumeContains(volume, p, 1e-3));
        const out = inBox(volume.box, [1.01, 0, 0]);
        if (Math.hypot(...volume.box.slice(3, 6)) > 10) assert.ok(!volumeContains(volume, out, 1e-3));
      }),
    );
    const sphere: BoundingVolume = { sphere: [...geodeticToEcef(2, 0.5, 0), 100] };
    for (const p of hullPoints(sphere)) assert.ok(volumeContains(sphere, p, 1e-6));
    const region: BoundingVolume = { region: [2, 0.5, 2.001, 0.501, 0, 10] };
    assert.ok(!volumeContains(region, geodeticToEcef(2.0005, 0.5005, 11)));
    assert.ok(!volumeContains(region, geodeticToEcef(1.9999, 0.5005, 5)));
  });
});

describe('isBoundingVolume', () => {
  it('refuses what the standard does not allow', () => {
    for (const bad of [
      null,
      {},
      { region: [0, 0, 1, 1, 0] },
      { region: [0, 1, 1, 0, 0, 1] },
      { region: [0, 0, 139, 35, 0, 1] },
      { region: [0, 0, 1, 1, 5, 1] },
      { box: [1, 2, 3] },
      { sphere: [0, 0, 0, -1] },
      { sphere: [0, 0, 0, null] },
      { sphere: [0, 0, 0, 1], box: Array(12).fill(1) },
    ]) {
      assert.equal(isBoundingVolume(bad), false, JSON.stringify(bad));
    }
  });
});

describe('regionRadius', () => {
  it('is about half the diagonal', () => {
    const radius = regionRadius([139.7 * D, 35.6 * D, 139.8 * D, 35.7 * D, 0, 0]);
    assert.ok(Math.abs(radius - 7150) < 150, `${radius}`);
  });
});
