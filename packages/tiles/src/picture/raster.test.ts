import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Vec3 } from '@citymodel/geo';
import fc from 'fast-check';
import { type Camera, cameraAt } from './camera.ts';
import { emptyPixels, type Pixels, Raster } from './raster.ts';
import type { Surface } from './surfaces.ts';
import { levelsOf } from './texture.ts';

const WIDTH = 18;
const HEIGHT = 12;
const CAMERA = cameraAt([3, -2, 5], 40, WIDTH / HEIGHT);

const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, i) => sum + value * b[i]!, 0);
const minus = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** From the eye through the middle of a pixel, one metre ahead of it. */
function rayOf(camera: Camera, x: number, y: number): Vec3 {
  const across = ((x + 0.5) / WIDTH) * 2 - 1;
  const upwards = 1 - ((y + 0.5) / HEIGHT) * 2 + camera.shift;
  return [0, 1, 2].map(
    (i) =>
      camera.ahead[i]! +
      camera.right[i]! * across * camera.halfWidth +
      camera.up[i]! * upwards * camera.halfHeight,
  ) as Vec3;
}

/** A place in metres by what the camera sees: to the right and up in halves of the picture, and metres ahead. */
function placeOf(camera: Camera, across: number, upwards: number, far: number): Vec3 {
  return [0, 1, 2].map(
    (i) =>
      camera.eye[i]! +
      far *
        (camera.ahead[i]! +
          camera.right[i]! * across * camera.halfWidth +
          camera.up[i]! * (upwards + camera.shift) * camera.halfHeight),
  ) as Vec3;
}

/** Where a ray meets a triangle (Möller and Trumbore): how far, and the weights of its corners. */
function meeting(eye: Vec3, ray: Vec3, [a, b, c]: readonly [Vec3, Vec3, Vec3]) {
  const [u, v] = [minus(b, a), minus(c, a)];
  const p = cross(ray, v);
  const determinant = dot(u, p);
  const from = minus(eye, a);
  const wb = dot(from, p) / determinant;
  const q = cross(from, u);
  const wc = dot(ray, q) / determinant;
  return { far: dot(v, q) / determinant, weights: [1 - wb - wc, wb, wc] as const };
}

function surfaceOf(corners: readonly Vec3[], changes: Partial<Surface> = {}): Surface {
  return {
    positions: Float32Array.from(corners.flat()),
    indices: Uint32Array.from(corners, (_, i) => i),
    ...{ uvs: null, colours: null, factor: [1, 1, 1, 1] as const, texture: null },
    ...{ isPlain: false, isGround: false },
    ...changes,
  };
}

function drawn(surfaces: readonly Surface[], camera = CAMERA): Pixels {
  const pixels = emptyPixels(WIDTH, HEIGHT);
  const raster = new Raster(pixels, camera);
  for (const surface of surfaces) raster.draw(surface);
  return pixels;
}

/** A triangle that covers the whole picture, so far away. */
const wall = (far: number): Vec3[] =>
  [
    [-9, -9],
    [9, -9],
    [0, 18],
  ].map(([across, upwards]) => placeOf(CAMERA, across!, upwards!, far));

const at = (pixels: Pixels, x: number, y: number) => [
  ...pixels.colour.subarray(4 * (y * WIDTH + x), 4 * (y * WIDTH + x) + 4),
];

suite('the z-buffer of a picture', () => {
  // Whole numbers, which lie evenly: most floating-point numbers are tiny.
  const coordinate = fc.integer({ min: -6_000, max: 6_000 }).map((value) => value / 100 + 0.000_7);
  const triangles = fc.array(fc.tuple(...Array.from({ length: 9 }, () => coordinate)), {
    minLength: 1,
    maxLength: 8,
  });

  test('has of each pixel the nearest triangle that a ray through its middle meets, and its face', () => {
    fc.assert(
      fc.property(triangles, fc.integer({ min: 0, max: 60 }), (list, nearer) => {
        // Some lie behind the eye, or reach through the plane nearest to it.
        const eye = CAMERA.eye.map((value, i) => value + CAMERA.ahead[i]! * nearer) as Vec3;
        const camera = { ...CAMERA, eye };
        const corners = list.map(
          (n) =>
            [n.slice(0, 3), n.slice(3, 6), n.slice(6, 9)].map((p) => p.map(Math.fround)) as [
              Vec3,
              Vec3,
              Vec3,
            ],
        );
        // One surface, whose vertices lie backwards, so that indices count.
        const positions = Float32Array.from(corners.flat().reverse().flat());
        const last = 3 * corners.length - 1;
        const indices = Uint32Array.from({ length: last + 1 }, (_, i) => last - i);
        const pixels = drawn([{ ...surfaceOf([]), positions, indices }], camera);
        for (let y = 0; y < HEIGHT; y++) {
          for (let x = 0; x < WIDTH; x++) {
            const ray = rayOf(camera, x, y);
            const met = corners.map((three) => ({ three, ...meeting(eye, ray, three) }));
            // On an edge, or at equal distance, rounding decides.
            const isUnsure = met.some(
              ({ far, weights }) =>
                !(Math.abs(Math.min(...weights)) > 1e-4) || Math.abs(far - 2) < 1e-3 || !Number.isFinite(far),
            );
            if (isUnsure) continue;
            const seen = met.filter(({ far, weights }) => far > 2 && Math.min(...weights) > 0);
            const [first, second] = seen.sort((a, b) => a.far - b.far);
            const depth = pixels.depth[y * WIDTH + x]!;
            if (first === undefined) {
              assert.equal(depth, Infinity);
              assert.deepEqual(at(pixels, x, y), [0, 0, 0, 0]);
              continue;
            }
            assert.ok(Math.abs(depth / first.far - 1) < 1e-3, `${x}, ${y}: ${depth}, not ${first.far}`);
            if (second !== undefined && second.far / first.far < 1.002) continue;
            assert.deepEqual(at(pixels, x, y), [255, 255, 255, 0]);
            const [a, b, c] = first.three;
            const face = cross(minus(b, a), minus(c, a));
            const scale = (dot(face, ray) > 0 ? -127 : 127) / Math.hypot(...face);
            for (let k = 0; k < 3; k++) {
              const found = pixels.normal[3 * (y * WIDTH + x) + k]!;
              assert.ok(Math.abs(found - face[k]! * scale) < 0.6, `${k}: ${found}, not ${face[k]! * scale}`);
            }
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('shows an image by coordinates that run straight in space, and repeat', () => {
    // Sixteen pixels of colours of their own, so that each says where it lies.
    const size = 16;
    const data = new Uint8Array(4 * size * size);
    for (let y = 0; y < size; y++) {
      for (let x = 0; x < size; x++) data.set([16 * x + 8, 16 * y + 8, 77, 255], 4 * (y * size + x));
    }
    const texture = [{ width: size, height: size, data }];
    const uvs = Float32Array.of(-0.7, 0.2, 2.1, 0.4, 0.3, 1.9);
    // Steep to the eye: what runs straight on the picture would be far off.
    const corners: [Vec3, Vec3, Vec3] = [
      placeOf(CAMERA, -2, -2, 10),
      placeOf(CAMERA, 4, -1, 90),
      placeOf(CAMERA, -1, 4, 40),
    ];
    const rounded = corners.map((corner) => corner.map(Math.fround)) as [Vec3, Vec3, Vec3];
    const pixels = drawn([surfaceOf(rounded, { uvs, texture })]);
    let compared = 0;
    for (let y = 0; y < HEIGHT; y++) {
      for (let x = 0; x < WIDTH; x++) {
        const { weights } = meeting(CAMERA.eye, rayOf(CAMERA, x, y), rounded);
        if (Math.min(...weights) < 1e-3) continue;
        const place = [0, 1].map((k) => dot(weights, [uvs[k]!, uvs[2 + k]!, uvs[4 + k]!]) * size);
        if (place.some((value) => Math.abs(value - Math.round(value)) < 1e-3)) continue;
        const [u, v] = place.map((value) => ((Math.floor(value) % size) + size) % size);
        assert.deepEqual(at(pixels, x, y), [16 * u! + 8, 16 * v! + 8, 77, 0]);
        compared++;
      }
    }
    assert.ok(compared > 40, `${compared} pixels`);
  });

  test('takes the level of an image whose pixels are as large as its own', () => {
    const levels = levelsOf({ width: 64, height: 64, data: new Uint8Array(4 * 64 * 64).fill(255) });
    for (const [i, { data }] of levels.entries())
      for (let k = 0; k < data.length; k += 4) data[k] = 10 * (i + 1);
    /** Red where the image is so many times as wide as the picture, and as high. */
    const red = (times: number) => {
      const corners = wall(50);
      // Of the triangle, 9 halves of the picture are to the left and right, 27 up; a half has 9 and 6 pixels.
      const [across, upwards] = [(18 / 2) * WIDTH, (27 / 2) * HEIGHT].map((pixels) => (pixels * times) / 64);
      // Askew, and away from 0: areas alone decide.
      const place = (u: number, v: number) => [3 + u + v / 3, 5 + v + u / 7];
      const shrink = Math.sqrt(1 - 1 / 21);
      const corner = (u: number, v: number) => place(u / shrink, v / shrink);
      const uvs = Float32Array.from([corner(0, 0), corner(across!, 0), corner(across! / 2, upwards!)].flat());
      return at(drawn([surfaceOf(corners, { uvs, texture: levels })]), 5, 5)[0];
    };
    assert.equal(red(1), 10);
    assert.equal(red(0.25), 10);
    assert.equal(red(1.3), 10);
    assert.equal(red(1.5), 20);
    assert.equal(red(2), 20);
    assert.equal(red(4), 30);
    assert.equal(red(64), 70);
    assert.equal(red(1_000), 70, 'there is no smaller one');
    const still = surfaceOf(wall(50), { uvs: new Float32Array(6), texture: levels });
    assert.equal(at(drawn([still]), 5, 5)[0], 10);
  });

  test('has holes where an image is not opaque', () => {
    const opacity = (value: number) => {
      const texture = [{ width: 1, height: 1, data: Uint8Array.of(200, 100, 50, value) }];
      const pixels = drawn([surfaceOf(wall(20), { uvs: new Float32Array(6), texture })]);
      return pixels.depth[0]! < Infinity;
    };
    assert.deepEqual([0, 95, 96, 255].map(opacity), [false, false, true, true]);
  });

  test('has linear colours as they are shown, times the factor, and of no more than all light', () => {
    const colour = (factor: Surface['factor'], colours: number[] | null, changes: Partial<Surface> = {}) => {
      const all = colours === null ? null : Float32Array.from([...colours, ...colours, ...colours]);
      return at(drawn([surfaceOf(wall(20), { factor, colours: all, ...changes })]), 3, 3);
    };
    const shown = (linear: number) => Math.floor(255 * linear ** (1 / 2.2));
    assert.deepEqual(colour([0.5, 0.25, 0.1, 1], null), [shown(0.5), shown(0.25), shown(0.1), 0]);
    assert.deepEqual(colour([0.5, 0.5, 1, 1], [0.5, 0.25, 0.125, 1]), [
      shown(0.25),
      shown(0.125),
      shown(0.125),
      0,
    ]);
    assert.deepEqual(colour([2, -1, 1, 1], null), [255, 0, 255, 0]);
    const texture = [{ width: 1, height: 1, data: Uint8Array.of(200, 100, 50, 255) }];
    const tinted = colour([0.5, 1, 0.25, 1], null, { uvs: new Float32Array(6), texture });
    assert.deepEqual(
      tinted,
      [shown(0.5) * 0.784, 100, 50 * 0.5326, 0].map((value) => Math.floor(value)),
    );
    // The ground alone may be black.
    assert.deepEqual(colour([0, 0, 0, 1], null), [1, 0, 0, 0]);
    assert.deepEqual(colour([0, 0, 0, 1], null, { isGround: true }), [0, 0, 0, 0]);
  });

  test('says how grey a colour is that may be painted over', () => {
    const plain = (red: number, changes: Partial<Surface> = {}) => {
      const factor = [red, 0.5, 0.5, 1] as const;
      return at(drawn([surfaceOf(wall(20), { factor, isPlain: true, ...changes })]), 3, 3)[3];
    };
    assert.equal(plain(0.5), 255);
    assert.equal(plain(0.52), 255);
    // A spread of 0.02 is grey, one of 0.1 a colour.
    assert.equal(plain(0.55), Math.round((255 * 0.05) / 0.08));
    assert.equal(plain(0.45), Math.round((255 * 0.05) / 0.08));
    assert.equal(plain(0.57), Math.round((255 * 0.03) / 0.08));
    assert.equal(plain(0.6), 0);
    assert.equal(plain(0.9), 0);
    assert.equal(plain(0.5, { isPlain: false }), 0);
    const texture = [{ width: 1, height: 1, data: new Uint8Array(4).fill(255) }];
    assert.equal(plain(0.5, { texture, uvs: new Float32Array(6) }), 0);
  });

  test('mixes what is seen through with what is behind it, whose shape stays', () => {
    // Colours whose parts are all other numbers: red, green and blue as they are shown.
    const factorOf = (parts: number[], opacity: number) =>
      [...parts.map((part) => (part / 255) ** 2.2), opacity] as unknown as Surface['factor'];
    const behind = surfaceOf(wall(50), { factor: factorOf([200, 100, 40], 1), isPlain: true });
    const glass = (opacity: number, far = 20) =>
      surfaceOf(wall(far), { factor: factorOf([20, 60, 140], opacity) });
    const mixed = (opacity: number) =>
      [200, 100, 40].map((part, k) => part * (1 - opacity) + [20, 60, 140][k]! * opacity);
    const isNear = (pixels: Pixels, expected: number[]) => {
      for (let y = 0; y < HEIGHT; y++) {
        for (let x = 0; x < WIDTH; x++) {
          const found = at(pixels, x, y);
          assert.ok(
            expected.every((value, k) => Math.abs(found[k]! - value) <= 1.01),
            `${found}, not ${expected}`,
          );
          assert.equal(found[3], 0);
        }
      }
    };
    const grey = { ...behind, factor: factorOf([100, 100, 100], 1) };
    assert.equal(at(drawn([grey]), 4, 4)[3], 255);
    assert.equal(at(drawn([grey, glass(0.5)]), 4, 4)[3], 0, 'what is behind glass is not painted over');
    const both = drawn([behind, glass(0.5)]);
    isNear(both, mixed(0.5));
    assert.ok(Math.abs(both.depth[0]! - 50) < 0.01);
    // Hardly seen is still seen; what is nearly opaque hides; before nothing it is opaque.
    isNear(drawn([behind, glass(0.1)]), mixed(0.35));
    isNear(drawn([behind, glass(0.97)]), mixed(0.97));
    isNear(drawn([behind, glass(0.98)]), [20, 60, 140]);
    const alone = drawn([glass(0.5)]);
    isNear(alone, [20, 60, 140]);
    assert.ok(Math.abs(alone.depth[0]! - 20) < 0.01);
    isNear(drawn([behind, glass(0.5, 60)]), [200, 100, 40]);
  });

  test('passes over triangles without an area, or of no finite place', () => {
    const [a, b] = [placeOf(CAMERA, -1, -1, 20), placeOf(CAMERA, 1, 1, 20)];
    for (const corners of [
      [a, b, b],
      [a, a, a],
      [a, b, [Infinity, 0, 0] as Vec3],
      [a, b, [Number.NaN, 0, 0] as Vec3],
    ]) {
      assert.ok(drawn([surfaceOf(corners)]).depth.every((far) => far === Infinity));
    }
    assert.equal(emptyPixels(3, 2).normal.length, 18);
  });
});
