import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { evenly } from '@citymodel/base/testing';
import fc from 'fast-check';
import {
  type BoundingVolume,
  isBoundingVolume,
  type Region,
  regionBounds,
  regionRadius,
  transformVolume,
  unionRegions,
  volumeRegion,
} from './bounding-volume.ts';
import { ecefToGeodetic, geodeticToEcef, multiply, transformPoint } from './ecef.ts';
import { eastNorthUp, hullPoints, volumeContains } from './testing/volumes.ts';

const D = Math.PI / 180;
const unit = () => evenly(-1, 1);
const place = (maxLat: number) =>
  fc.record({
    lng: evenly(-Math.PI, Math.PI),
    lat: evenly(-maxLat * D, maxLat * D),
    height: evenly(-500, 5000),
  });

/** A box of any orientation: half axes are columns of a random rotation, each with its length. */
const anyBox = (maxLat: number, maxHalf: number) =>
  fc
    .record({
      at: place(maxLat),
      turn: fc.tuple(unit(), unit(), unit(), unit()).filter((q) => Math.hypot(...q) > 0.1),
      half: fc.tuple(...Array(3).fill(evenly(0, maxHalf))),
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
          evenly(0, most),
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
    const fromWest = volumeRegion({ sphere: [...geodeticToEcef(0.0001 - Math.PI, -0.3, 0), 5000] });
    assert.ok(
      Math.abs(fromWest[0] - 3.14087) < 1e-4 && Math.abs(fromWest[2] + 3.14067) < 1e-4,
      `${fromWest}`,
    );
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
  const region = fc.record({ at: place(80), width: evenly(0, 1) }).map(({ at, width }): Region => {
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

test('a union of regions that lie across the globe from each other goes from the first to the second', () => {
  const a: Region = [0, 0, Math.PI / 4, 0, 0, 0];
  const b: Region = [-Math.PI, 0, (-3 * Math.PI) / 4, 0, 0, 0];
  assert.deepEqual(unionRegions(a, b), [0, 0, b[2], 0, 0, 0]);
  assert.deepEqual(unionRegions(b, a), [-Math.PI, 0, a[2], 0, 0, 0]);
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

describe('volumes beside their definitions', () => {
  const TAU = 2 * Math.PI;
  const forward = (from: number, to: number) => (((to - from) % TAU) + TAU) % TAU;

  it('a box contains a point whose coordinates along its half axes are within 1, give or take the tolerance', () => {
    const coordinate = evenly(-2, 2);
    const long = anyBox(80, 5000).filter(({ box }) =>
      [3, 6, 9].every((i) => Math.hypot(...box.slice(i, i + 3)) > 10),
    );
    fc.assert(
      fc.property(long, coordinate, coordinate, coordinate, (volume, ...s) => {
        const most = Math.max(...s.map(Math.abs));
        if (Math.abs(most - 1) < 1e-3) return;
        assert.equal(volumeContains(volume, inBox(volume.box, s)), most < 1);
        // As far beyond each face as the tolerance says, and not farther.
        for (const axis of [0, 1, 2]) {
          const half = Math.hypot(...volume.box.slice(3 + 3 * axis, 6 + 3 * axis));
          const at = [0, 0, 0];
          at[axis] = 1 + 4 / half;
          assert.ok(volumeContains(volume, inBox(volume.box, at), 4.001));
          assert.ok(!volumeContains(volume, inBox(volume.box, at), 3.999));
        }
      }),
    );
  });

  it('flat boxes, lines and points contain themselves only', () => {
    const at = [6_378_137, 0, 0];
    const flat: BoundingVolume = { box: [...at, 0, 10, 0, 0, 0, 20, 0, 0, 0] };
    const line: BoundingVolume = { box: [...at, 0, 10, 0, 0, 0, 0, 0, 0, 0] };
    const dot: BoundingVolume = { box: [...at, 0, 0, 0, 0, 0, 0, 0, 0, 0] };
    const contains = (volume: BoundingVolume, x: number, y: number, z: number, tolerance = 0.01) =>
      volumeContains(volume, [6_378_137 + x, y, z], tolerance);
    assert.ok(contains(flat, 0, 9.9, 19.9) && contains(line, 0, 9.9, 0) && contains(dot, 0, 0, 0));
    assert.ok(!contains(flat, 0, 10.1, 0) && !contains(flat, 0, 0, 20.1) && !contains(flat, 0.1, 0, 0));
    assert.ok(!contains(line, 0, 10.1, 0));
    assert.ok(!contains(dot, 0.1, 0, 0) && contains(dot, 0.1, 0, 0, 0.2));
  });

  it('the hull of a region is its corners, and the middles of edges and faces', () => {
    const region: Region = [3.1, 0.4, -3.1, 0.5, -20, 80];
    const points = hullPoints({ region }).map(ecefToGeodetic);
    const key = (p: readonly number[]) => p.map((v) => v.toFixed(6)).join();
    const expected = new Set<string>();
    for (const lng of [3.1, Math.PI, -3.1]) {
      for (const lat of [0.4, 0.45, 0.5]) {
        for (const height of [-20, 30, 80]) {
          if (lng !== Math.PI || lat !== 0.45 || height !== 30) expected.add(key([lng, lat, height]));
        }
      }
    }
    assert.equal(points.length, 26);
    assert.deepEqual(new Set(points.map((p) => key(p).replace('-3.141593', '3.141593'))), expected);
  });

  it('a region contains what lies between its edges, give or take the tolerance in metres', () => {
    const edges: Region = [2.9, -0.4, -2.9, 0.6, -100, 900];
    const inside = (lng: number, lat: number, height: number, tolerance = 0) =>
      volumeContains({ region: edges }, geodeticToEcef(lng, lat, height), tolerance);
    const metre = 1 / 6_378_137;
    for (const [lng, lat, height] of [
      [2.9, 0.1, 0],
      [-2.9, 0.1, 0],
      [3, -0.4, 0],
      [3, 0.6, 0],
      [3, 0.1, -100],
      [3, 0.1, 900],
    ] as const) {
      const out = (d: number): [number, number, number] => [
        lng === 2.9 ? lng - d * metre : lng === -2.9 ? lng + d * metre : lng,
        lat === -0.4 ? lat - d * metre : lat === 0.6 ? lat + d * metre : lat,
        height === -100 ? height - d : height === 900 ? height + d : height,
      ];
      assert.ok(inside(...out(-5)), `${[lng, lat, height]} inside`);
      assert.ok(!inside(...out(5)), `${[lng, lat, height]} outside`);
      assert.ok(inside(...out(5), 6) && !inside(...out(9), 8), `${[lng, lat, height]} with tolerance`);
    }
    assert.ok(volumeContains({ region: [-Math.PI, -0.5, Math.PI, 0.5, 0, 9] }, geodeticToEcef(3, 0, 5)));
    // With a tolerance the gap of a nearly complete ring closes.
    const ring = { region: [-Math.PI + 1e-7, -0.5, Math.PI, 0.5, 0, 9] };
    assert.ok(volumeContains(ring, geodeticToEcef(-Math.PI + 5e-8, 0, 5), 1));
    assert.ok(!volumeContains(ring, geodeticToEcef(-Math.PI + 5e-8, 0, 5)));
    // An edge on the antimeridian is near to what lies on its other side.
    const edge = { region: [-Math.PI, -0.5, -3, 0.5, 0, 9] };
    assert.ok(volumeContains(edge, geodeticToEcef(Math.PI - 1e-7, 0, 5), 1));
    assert.ok(!volumeContains(edge, geodeticToEcef(Math.PI - 1e-7, 0, 5)));
  });

  it('every axis of a box moves with its own corner', () => {
    const frame = multiply(eastNorthUp(2.4, 0.6, 30), [2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 0, 0, 0, 1]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 12, maxLength: 12 }), (box) => {
        const moved = transformVolume({ box }, frame) as { box: number[] };
        for (const s of [
          [0, 0, 0],
          [1, 0, 0],
          [0, 1, 0],
          [0, 0, 1],
        ]) {
          const expected = transformPoint(frame, inBox(box, s));
          for (const [i, v] of inBox(moved.box, s).entries()) assert.ok(Math.abs(v - expected[i]!) < 1e-6);
        }
      }),
    );
  });

  it('a union has the shortest arc of longitudes that covers both, or all of them', () => {
    const wide = fc
      .tuple(
        fc.integer({ min: -31, max: 31 }).map((n) => n / 10),
        fc.integer({ min: 0, max: 62 }).map((n) => n / 10),
      )
      .map(([west, width]): [number, number] => [west, width]);
    fc.assert(
      fc.property(wide, wide, ([a, widthA], [b, widthB]) => {
        const region = (west: number, width: number): Region => {
          const east = west + width;
          return [west, 0, east > Math.PI ? east - TAU : east, 0.1, 0, 1];
        };
        const union = unionRegions(region(a, widthA), region(b, widthB));
        const least = Math.min(
          Math.max(widthA, forward(a, b) + widthB),
          Math.max(widthB, forward(b, a) + widthA),
        );
        const whole = union[0] === -Math.PI && union[2] === Math.PI;
        const width = whole ? TAU : forward(union[0], union[2]);
        assert.ok(Math.abs(width - Math.min(TAU, least)) < 1e-9, `${union}: ${width} instead of ${least}`);
      }),
      { numRuns: 500 },
    );
  });

  it('the longitudes of a box are the shortest arc over its corners, all of them around the axis', () => {
    const polar = fc
      .tuple(anyBox(90, 3000), fc.boolean(), fc.constantFrom(3000, 700))
      .map(([{ box }, south, near]) => ({
        // Near the axis, where the arc may be of any width.
        box: [box[0]! / near, box[1]! / near, south ? -6_356_000 : 6_356_000, ...box.slice(3)],
      }));
    fc.assert(
      fc.property(polar, (volume) => {
        const corners = [-1, 1].flatMap((i) =>
          [-1, 1].flatMap((j) => [-1, 1].map((k) => inBox(volume.box, [i, j, k]))),
        );
        const angles = corners.map((c) => Math.atan2(c[1]!, c[0]!));
        const arcs = angles.map((from) => Math.max(...angles.map((to) => forward(from, to))));
        const least = Math.min(...arcs);
        // A flat box through the axis: rounding decides.
        if (Math.abs(least - Math.PI) < 1e-9) return;
        const region = volumeRegion(volume);
        const width = region[0] === -Math.PI && region[2] === Math.PI ? TAU : forward(region[0], region[2]);
        assert.ok(Math.abs(width - (least >= Math.PI ? TAU : least)) < 1e-9, `${width} instead of ${least}`);
      }),
      { numRuns: 300 },
    );
  });

  it('a box across the antimeridian begins and ends at its own corners', () => {
    // Turned by angles that give its eight corners eight longitudes.
    const centre = geodeticToEcef(Math.PI, 0.6, 0);
    const box = [...centre, 3000, 5000, 400, -700, 900, 2500, 250, -330, 1700];
    const angles = [-1, 1].flatMap((i) =>
      [-1, 1].flatMap((j) =>
        [-1, 1].map((k) => Math.atan2(...(inBox(box, [i, j, k]).slice(0, 2).reverse() as [number, number]))),
      ),
    );
    const [west, , east] = volumeRegion({ box });
    assert.ok(new Set(angles).size === 8 && Math.min(...angles) < -3 && Math.max(...angles) > 3);
    assert.equal(west, Math.min(...angles.filter((angle) => angle > 0)));
    assert.equal(east, Math.max(...angles.filter((angle) => angle < 0)));
  });

  it('the region of a box is as narrow as the box, in each direction', () => {
    for (const lat of [-0.7, 0, 0.3, 0.6, 1.1]) {
      const frame = eastNorthUp(2.4, lat, 0);
      const half = [500, 800, 1000];
      const axes = half.map((length, i) => frame.slice(4 * i, 4 * i + 3).map((v) => v * length));
      const box = [...geodeticToEcef(2.4, lat, 0), ...axes.flat()];
      const region = volumeRegion({ box });
      const steps = Array.from({ length: 11 }, (_, i) => i / 5 - 1);
      const places = steps.flatMap((i) =>
        steps.flatMap((j) => steps.map((k) => ecefToGeodetic(inBox(box, [i, j, k])))),
      );
      for (const [axis, low, high] of [
        [0, 0, 2],
        [1, 1, 3],
        [2, 4, 5],
      ] as const) {
        const values = places.map((place) => place[axis]!);
        const [least, most] = [Math.min(...values), Math.max(...values)];
        const slack = (most - least) * 2e-3;
        assert.ok(
          region[low]! <= least && region[low]! > least - slack,
          `${lat} ${axis}: ${region[low]} ${least}`,
        );
        assert.ok(
          region[high]! >= most && region[high]! < most + slack,
          `${lat} ${axis}: ${region[high]} ${most}`,
        );
      }
    }
  });

  it('a flat box reaches as far down as its lowest point, also between the places that are sampled', () => {
    const frame = eastNorthUp(2.4, 0.6, 100);
    const axes = [0, 1].map((i) => frame.slice(4 * i, 4 * i + 3).map((v) => v * 50_000)) as [
      number[],
      number[],
    ];
    const foot = geodeticToEcef(2.4, 0.6, 100);
    // A sixth of a half axis is half a cell.
    for (const [i, j] of [
      [1, 1],
      [-1, 1],
      [3, -1],
    ] as const) {
      const centre = foot.map((v, k) => v - (axes[0][k]! * i) / 6 - (axes[1][k]! * j) / 6);
      const [, , , , low] = volumeRegion({ box: [...centre, ...axes.flat(), 0, 0, 0] });
      assert.ok(low <= 100 && low > 99, `${low}`);
    }
  });

  it('a box across the antimeridian has the shortest arc however many of its corners lie beyond', () => {
    const beyond = new Set<number>();
    for (let step = -60; step <= 60; step++) {
      const centre = geodeticToEcef(Math.PI + step * 2e-5, 0.6, 0);
      const box = [...centre, 3000, 5000, 400, -700, 900, 2500, 250, -330, 1700];
      const angles = [-1, 1].flatMap((i) =>
        [-1, 1].flatMap((j) =>
          [-1, 1].map((k) => inBox(box, [i, j, k])).map((c) => Math.atan2(c[1]!, c[0]!)),
        ),
      );
      const [east, west] = [angles.filter((angle) => angle < 0), angles.filter((angle) => angle > 0)];
      beyond.add(east.length);
      const region = volumeRegion({ box });
      assert.equal(region[0], Math.min(...(west.length > 0 ? west : east)), `${step}`);
      assert.equal(region[2], Math.max(...(east.length > 0 ? east : west)), `${step}`);
    }
    assert.deepEqual([...beyond].sort(), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('a volume that reaches deep into the Earth has the heights between its nearest and its farthest point', () => {
    assert.deepEqual(volumeRegion({ sphere: [0, 0, 3_000_000, 2_000_000] }).slice(4), [
      1_000_000 - 6_378_137,
      5_000_000 - 6356752.314245179,
    ]);
    assert.deepEqual(volumeRegion({ box: [0, 0, 3_000_000, 3, 0, 0, 0, 4, 0, 0, 0, 12] }).slice(4), [
      3_000_000 - 13 - 6_378_137,
      Math.hypot(3, 4, 3_000_012) - 6356752.314245179,
    ]);
  });

  it('a sphere beside a pole has every longitude only when it reaches it', () => {
    for (const sign of [1, -1]) {
      const far = volumeRegion({ sphere: [3000, 0, sign * 6_356_752, 2999] });
      assert.ok(far[2] - far[0] < Math.PI, `${far}`);
      const over = volumeRegion({ sphere: [3000, 0, sign * 6_356_752, 3001] });
      assert.deepEqual([over[0], over[2]], [-Math.PI, Math.PI]);
      assert.equal(over[sign === 1 ? 3 : 1], (sign * Math.PI) / 2);
    }
  });
});

describe('isBoundingVolume', () => {
  it('accepts the limits of the standard', () => {
    for (const good of [
      { region: [-Math.PI, -Math.PI / 2, Math.PI, Math.PI / 2, 5, 5] },
      { region: [3, 0.5, -3, 0.5, -9, 9] },
      { box: Array(12).fill(0) },
      { sphere: [0, 0, 0, 0] },
    ]) {
      assert.equal(isBoundingVolume(good), true, JSON.stringify(good));
    }
  });

  it('refuses what the standard does not allow', () => {
    for (const bad of [
      null,
      {},
      { region: [0, 0, 1, 1, 0] },
      { region: [0, 1, 1, 0, 0, 1] },
      { region: [-3.15, 0, 1, 1, 0, 1] },
      { region: [0, 0, 3.15, 1, 0, 1] },
      { region: [0, -1.58, 1, 1, 0, 1] },
      { region: [0, 0, 1, 1.58, 0, 1] },
      { region: [0, 0, 1, 1, 0, 1, 0] },
      { box: Array(13).fill(0) },
      { sphere: [0, 0, 0, 1, 0] },
      { sphere: 'abcd' },
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

describe('regionBounds', () => {
  it('are the edges in degrees, and all longitudes across the antimeridian alone', () => {
    const bounds = (west: number, east: number) =>
      regionBounds([west, -Math.PI / 4, east, Math.PI / 2, 0, 1]);
    const [south, north] = [-45, 90];
    assert.deepEqual(bounds(0, Math.PI / 2), { west: 0, south, east: 90, north });
    assert.deepEqual(bounds(Math.PI / 2, Math.PI / 2), { west: 90, south, east: 90, north });
    assert.deepEqual(bounds(Math.PI / 2, 0), { west: -180, south, east: 180, north });
  });
});

describe('regionRadius', () => {
  it('is about half the diagonal', () => {
    const radius = regionRadius([139.7 * D, 35.6 * D, 139.8 * D, 35.7 * D, 0, 0]);
    assert.ok(Math.abs(radius - 7150) < 150, `${radius}`);
  });

  it('counts heights, the width where the region is widest, and at most half a turn', () => {
    assert.equal(regionRadius([1, 0.5, 1, 0.5, -10, 50]), 30);
    const equator = 2 * 6_378_137 * Math.sin(0.05);
    const near = (region: Region, expected: number) =>
      assert.ok(Math.abs(regionRadius(region) / expected - 1) < 1e-9, `${regionRadius(region)} ${expected}`);
    near([0, -0.1, 0.1, 0.1, 0, 0], Math.hypot(equator, 2 * 6_378_137 * Math.sin(0.1)) / 2);
    near([0, 0.5, 0.1, 0.5, 0, 0], (equator * Math.cos(0.5)) / 2);
    near([0, -0.6, 0.1, -0.5, 0, 0], Math.hypot(equator * Math.cos(0.5), equator) / 2);
    near([-3, 0, 3, 0, 0, 0], 6_378_137);
  });
});
