import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Vec3 } from '@citymodel/geo';
import type { Camera } from './camera.ts';
import { exposureOf, SUN } from './exposure.ts';
import { HeightMap } from './height-map.ts';
import { emptyPixels } from './raster.ts';

/** Ten metres above a place; it looks straight down. */
const above = (x: number, y: number): Camera => ({
  ...{ eye: [x, y, 10], ahead: [0, 0, -1], right: [1, 0, 0], up: [0, 1, 0] },
  ...{ halfWidth: 1, halfHeight: 1, shift: 0 },
});
/** Heights begin this much above what is looked at. */
const ABOVE = 0.3;

/** A level rectangle: from west to east, from south to north, metres, and its height. */
type Roof = readonly [west: number, east: number, south: number, north: number, height: number];

function mapOf(toward: Vec3, roofs: readonly Roof[]): HeightMap {
  const map = new HeightMap(toward, 60, 480);
  for (const [west, east, south, north, z] of roofs) {
    map.draw({
      positions: Float32Array.of(west, south, z, east, south, z, east, north, z, west, north, z),
      indices: Uint32Array.of(0, 1, 2, 0, 2, 3),
      ...{ factor: [1, 1, 1, 1], colours: null },
    });
  }
  return map;
}

/** The parts of the sky and of the sun that a place sees, on the ground as a rule; `normal`: of what is there. */
function seen(roofs: readonly Roof[], { x = 0, y = 0, z = 0, normal = [0, 0, 1] as Vec3, far = 10 } = {}) {
  const pixels = emptyPixels(1, 1);
  pixels.depth[0] = far;
  pixels.normal.set(normal.map((part) => 127 * part));
  const camera = above(x, y);
  const lifted = { ...camera, eye: [x, y, 10 + z] as Vec3 };
  const { sun, sky } = exposureOf(pixels, lifted, mapOf([0, 0, 1], roofs), mapOf(SUN, roofs));
  return { sun: sun[0]! / 255, sky: sky[0]! / 255 };
}

/** Parts are kept in 255 steps. */
const near = (value: number, expected: number) =>
  assert.ok(Math.abs(value - expected) < 1 / 255, `${value} is not ${expected}`);
/** What is free of a half circle, above what rises so steeply. */
const free = (height: number, distance: number) => 1 / (1 + (height / distance) ** 2);

test('the sun is a direction from the south-west, 45 degrees high', () => {
  near(Math.hypot(...SUN), 1);
  assert.ok(SUN[0] < 0 && SUN[1] < 0);
  assert.ok(Math.abs(Math.asin(SUN[2]) * (180 / Math.PI) - 45) < 1.5);
});

test('what stands free sees everything, and so does what is not there', () => {
  assert.deepEqual(seen([]), { sun: 1, sky: 1 });
  // Ground, and what is lower, stands before nothing.
  assert.deepEqual(seen([[-60, 60, -60, 60, 0]]), { sun: 1, sky: 1 });
  assert.deepEqual(seen([[-60, 60, -60, 60, 30]], { far: Infinity }), { sun: 1, sky: 1 });
});

test('a court sees what its walls leave of the sky: the square of the cosine', () => {
  const height = 7;
  const z = height + ABOVE;
  const court: Roof[] = [
    [-60, -5, -60, 60, z],
    [5, 60, -60, 60, z],
    [-60, 60, -60, -5, z],
    [-60, 60, 5, 60, z],
  ];
  // Walls are met seven metres away, at 45 degrees: half of the sky is free.
  near(seen(court).sky, free(height, 7));
  near(seen(court).sky, 1 / 2);
  assert.equal(seen(court).sun, 0);
});

test('what stands on one side takes the sky of that side, less where it is far away', () => {
  const east = (from: number): Roof => [from, 60, -60, 60, 7 + ABOVE];
  // Of the four directions to that side two meet it seven metres away, two eighteen.
  const side = (2 * free(7, 7) + 2 * free(7, 18)) / 4;
  near(seen([east(5)]).sky, (1 + side) / 2);
  // Two directions meet it eighteen metres away, two forty-two.
  near(seen([east(12)]).sky, (1 + (2 * free(7, 18) + 2 * free(7, 42)) / 4) / 2);
  // A wall looks at one side alone: at what stands before it, and not at what stands behind.
  near(seen([east(5)], { normal: [1, 0, 0] }).sky, side);
  assert.equal(seen([east(5)], { normal: [-1, 0, 0] }).sky, 1);
  const north: Roof = [-60, 60, 5, 60, 7 + ABOVE];
  near(seen([north], { normal: [0, 1, 0] }).sky, side);
  assert.equal(seen([north], { normal: [0, -1, 0] }).sky, 1);
  // One that looks north-east has four directions before it: one of them meets nothing.
  near(
    seen([north], { normal: [Math.SQRT1_2, Math.SQRT1_2, 0] }).sky,
    (1 + 2 * free(7, 7) + free(7, 18)) / 4,
  );
});

test('a tower throws its shadow to the north-east, as long as the sun is low, with a soft edge', () => {
  const tower: Roof[] = [[-4, 4, -4, 4, 20]];
  const away = (metres: number) => {
    const length = Math.hypot(SUN[0], SUN[1]);
    return seen(tower, { x: (-SUN[0] / length) * metres, y: (-SUN[1] / length) * metres }).sun;
  };
  // Only its roof is drawn: the shadow is that of the roof, as far away as that is high.
  const reach = (20 * Math.hypot(SUN[0], SUN[1])) / SUN[2];
  assert.equal(away(reach), 0);
  for (const metres of [reach - 9, reach + 9, -reach]) assert.equal(away(metres), 1, `${metres} m`);
  const edge = Array.from({ length: 60 }, (_, i) => away(reach + i / 8));
  for (let i = 1; i < edge.length; i++) assert.ok(edge[i]! >= edge[i - 1]!);
  assert.ok(edge.some((value) => value > 0.1 && value < 0.9));
});

test('each pixel is the place that its ray meets, from wherever and however the camera looks', () => {
  const roofs: Roof[] = [
    [-30, -4, -20, 6, 9],
    [3, 20, 2, 30, 5],
  ];
  const maps = [mapOf([0, 0, 1], roofs), mapOf(SUN, roofs)] as const;
  const [width, height] = [4, 3];
  const cameras: Array<[camera: Camera, far: number]> = [
    [{ ...above(1, -2), halfWidth: 0.6, halfHeight: 0.9, shift: 0.25 }, 10],
    // To the east, and a little down to the north.
    [
      {
        ...{ eye: [-8, 1, 4], ahead: [1, 0, 0], right: [0, -1, 0], up: [0, 0, 1] },
        ...{ halfWidth: 0.8, halfHeight: 0.3, shift: 0 },
      },
      7,
    ],
    [
      {
        ...{ eye: [2, -9, 8], ahead: [0, 0.8, -0.6], right: [1, 0, 0], up: [0, 0.6, 0.8] },
        ...{ halfWidth: 0.7, halfHeight: 0.4, shift: -0.1 },
      },
      8,
    ],
    // To the north, turned about its own axis.
    [
      {
        ...{ eye: [-3, -6, 3], ahead: [0, 1, 0], right: [0.6, 0, 0.8], up: [-0.8, 0, 0.6] },
        ...{ halfWidth: 0.5, halfHeight: 0.6, shift: 0.1 },
      },
      6,
    ],
  ];
  const found = new Set<number>();
  for (const [camera, far] of cameras) {
    const pixels = emptyPixels(width, height);
    for (let at = 0; at < width * height; at++) {
      pixels.depth[at] = far + at / 8;
      pixels.normal.set([0, 0, 127], 3 * at);
    }
    const { sun, sky } = exposureOf(pixels, camera, ...maps);
    const { eye, ahead, right, up } = camera;
    for (let at = 0; at < width * height; at++) {
      const [column, row] = [at % width, Math.floor(at / width)];
      // -1 to 1 from the left to the right, and from the bottom to the top.
      const across = (camera.halfWidth * (column + 0.5 - width / 2)) / (width / 2);
      const along = camera.halfHeight * ((height / 2 - row - 0.5) / (height / 2) + camera.shift);
      const [x, y, z] = [0, 1, 2].map(
        (axis) => eye[axis]! + (far + at / 8) * (ahead[axis]! + across * right[axis]! + along * up[axis]!),
      ) as Vec3;
      const expected = seen(roofs, { x, y, z });
      near(sun[at]! / 255, expected.sun);
      near(sky[at]! / 255, expected.sky);
      found.add(sky[at]!).add(sun[at]!);
    }
  }
  assert.ok(found.size > 12, `${found.size} different parts`);
});

/** Of a map from above on which the sun stands over everything: the parts that a place sees, without a normal as a rule. */
function seenFromAbove(
  roofs: readonly Roof[],
  [x, y, z]: Vec3,
  normal: Vec3 = [0, 0, 0],
): { sun: number; sky: number } {
  const pixels = emptyPixels(1, 1);
  pixels.depth[0] = 10;
  pixels.normal.set(normal.map((part) => 127 * part));
  const map = mapOf([0, 0, 1], roofs);
  const { sun, sky } = exposureOf(pixels, { ...above(x, y), eye: [x, y, 10 + z] }, map, map);
  return { sun: sun[0]! / 255, sky: sky[0]! / 255 };
}

test('a shadow is soft over three cells, half of it at its edge, on every side', () => {
  const cell = 0.25;
  const roof: Roof[] = [[-4, 2, -3, 5, 1]];
  const part = (metres: number) => Math.min(1, Math.max(0, metres / (3 * cell) + 0.5));
  for (const metres of [-0.6, -0.375, -0.3, -0.2, -0.07, 0, 0.05, 0.13, 0.25, 0.33, 0.4, 0.6]) {
    near(seenFromAbove(roof, [2 + metres, 1, 0]).sun, part(metres));
    near(seenFromAbove(roof, [-4 - metres, 1, 0]).sun, part(metres));
    near(seenFromAbove(roof, [0, 5 + metres, 0]).sun, part(metres));
    near(seenFromAbove(roof, [0, -3 - metres, 0]).sun, part(metres));
    // At a corner the shadows of both sides overlap.
    near(seenFromAbove(roof, [2 + metres, 5 + 0.13, 0]).sun, 1 - (1 - part(metres)) * (1 - part(0.13)));
  }
  // What rises by less than thirty centimetres throws none.
  assert.equal(seenFromAbove(roof, [0, 0, 0.6]).sun, 0);
  assert.equal(seenFromAbove(roof, [0, 0, 0.8]).sun, 1);
  // The ground is looked at from a cell and sixty centimetres above it.
  assert.equal(seenFromAbove(roof, [0, 0, 1 - 0.3 - 0.85 - 0.003], [0, 0, 1]).sun, 0);
  assert.equal(seenFromAbove(roof, [0, 0, 1 - 0.3 - 0.85 + 0.003], [0, 0, 1]).sun, 1);
});

test('sun and sky are those of a place before a wall, as far away as its shadow on itself would reach', () => {
  const roofs: Roof[] = [
    [-3, 1, -2, 3, 2],
    [2, 6, -7, -1, 4],
  ];
  const [offSun, offSky] = [0.6 + 0.25, 1.2 + 0.25];
  // So little that no direction lies behind it.
  const small = 19 / 127;
  let differing = 0;
  for (let i = 0; i < 24; i++) {
    const place: Vec3 = [-5 + i * 0.43, 4 - i * 0.37, 0];
    for (const normal of [
      [1, 0, 0],
      [0, 1, 0],
      [-0.6, -0.8, 0],
    ] as Vec3[]) {
      const kept = normal.map((value) => Math.trunc(127 * value) / 127) as Vec3;
      const before = place.map((value, axis) => value + offSun * kept[axis]!) as Vec3;
      near(seenFromAbove(roofs, place, normal).sun, seenFromAbove(roofs, before).sun);
    }
    for (const normal of [
      [small, 0, 0],
      [0, small, 0],
    ] as Vec3[]) {
      const before = place.map((value, axis) => value + offSky * normal[axis]!) as Vec3;
      const sky = seenFromAbove(roofs, before).sky;
      near(seenFromAbove(roofs, place, normal).sky, sky);
      if (seenFromAbove(roofs, place).sky !== sky) differing++;
    }
  }
  assert.ok(differing > 4, `${differing} places where it matters`);
});

test('the sky is looked for from near by to forty-two metres away, from wherever a place is', () => {
  for (const [x, y] of [
    [0, 0],
    [7, -3],
    [-9, 11],
  ] as const) {
    const court = (half: number, height: number): Roof[] => {
      const z = height + ABOVE;
      return [
        [-60, x - half, -60, 60, z],
        [x + half, 60, -60, 60, z],
        [-60, 60, -60, y - half, z],
        [-60, 60, y + half, 60, z],
      ];
    };
    near(seen(court(2, 2.5), { x, y }).sky, 1 / 2);
    near(seen(court(5, 7), { x, y }).sky, 1 / 2);
    near(seen(court(15, 18), { x, y }).sky, 1 / 2);
    near(seen(court(28, 42), { x, y }).sky, 1 / 2);
  }
});
