import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aimAt } from './aim.ts';
import { cameraAt } from './camera.ts';
import type { Surface } from './surfaces.ts';

/** Boxes of eight corners, whose triangles join these: aiming looks at nothing else. */
const surface = (...points: Array<readonly [x: number, y: number, z: number]>): Surface => ({
  positions: Float32Array.from(points.flat()),
  indices: Uint32Array.from(points.flatMap((_, i) => (i % 8 < 6 ? [i, i + 1, i + 2] : []))),
  uvs: null,
  colours: null,
  factor: [1, 1, 1, 1],
  texture: null,
  isPlain: false,
  isGround: false,
});
/** The corners of a box on the ground. */
const box = (x: number, y: number, half: number, height: number) =>
  [-half, half].flatMap((dx) =>
    [-half, half].flatMap((dy) => [0, height].map((z) => [x + dx, y + dy, z] as const)),
  );

test('of things that lie far apart one is in the middle, and not the empty place between them', () => {
  const corners = [
    [-150, -150],
    [150, -150],
    [-150, 150],
    [150, 150],
  ] as const;
  const { target } = aimAt([surface(...corners.flatMap(([x, y]) => box(x, y, 12, 6)))], 1_200, 420);
  const away = Math.min(...corners.map(([x, y]) => Math.hypot(target[0] - x, target[1] - y)));
  assert.ok(away < 40, `${away} m from the nearest`);
});

test('all corners of a small model are in its picture', () => {
  for (const points of [
    [...box(-28, 64, 8, 5), ...box(28, -64, 8, 5)],
    [...box(-70, 0, 8, 5), ...box(70, 0, 8, 5)],
    box(0, 0, 40, 12),
    box(0, 0, 5, 60),
  ]) {
    const { target, radius } = aimAt([surface(...points)], 300, 100);
    const { eye, ahead, right, up, halfWidth, halfHeight, shift } = cameraAt(target, radius, 1_200 / 630);
    for (const point of points) {
      const to = point.map((value, i) => value - eye[i]!);
      const along = (axis: readonly number[]) => to.reduce((sum, value, i) => sum + value * axis[i]!, 0);
      const x = along(right) / along(ahead) / halfWidth;
      const y = along(up) / along(ahead) / halfHeight - shift;
      assert.ok(Math.abs(x) < 1 && Math.abs(y) < 1, `${point} is at ${x}, ${y}`);
    }
  }
});

test('of small things over a whole town a few are shown, from near by', () => {
  const lamps = Array.from({ length: 400 }, (_, i) =>
    box(-500 + 50 * (i % 20), -500 + 50 * Math.floor(i / 20), 0.1, 5),
  );
  const all = [surface(...lamps.flat())];
  const { target, radius } = aimAt(all, 1_500, 500, 36);
  assert.ok(radius <= 36, `${radius} m`);
  const away = Math.min(...lamps.map(([first]) => Math.hypot(target[0] - first![0], target[1] - first![1])));
  assert.ok(away < 36, `${away} m from the nearest`);
  assert.ok(aimAt(all, 1_500, 500).radius > 100, 'of a town more is shown');
});

test('a few of many specks in a small model are seen from near by, where most of them are', () => {
  const posts = [
    [-80, 10],
    [75, -60],
    [60, 52],
    [64, 55],
    [66, 50],
  ] as const;
  const boxes = posts.map(([x, y]) => box(x, y, 0.4, 2));
  const { target, radius } = aimAt([surface(...boxes.flat())], 450, 150);
  assert.ok(radius <= 12, `${radius} m`);
  const away = posts.slice(2).map(([x, y]) => Math.hypot(target[0] - x, target[1] - y));
  assert.ok(Math.min(...away) < 4 && Math.max(...away) < 10, `${away} m from the posts`);
  // A square whose corners alone are vertices is no speck.
  const square = aimAt([surface(...box(0, 0, 90, 0))], 450, 150);
  assert.ok(square.radius > 90, `${square.radius} m of a square`);
});
