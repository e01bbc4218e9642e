import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { SKY_COLOURS } from '@citymodel/base';
import type { Vec3 } from '@citymodel/geo';
import type { Camera } from './camera.ts';
import { SUN } from './exposure.ts';
import { emptyPixels } from './raster.ts';
import { shade, type Theme } from './shade.ts';

/** Ten metres above the ground; it looks north, as far up as down. */
const CAMERA: Camera = {
  ...{ eye: [0, 0, 10], ahead: [0, 1, 0], right: [1, 0, 0], up: [0, 0, 1] },
  ...{ halfWidth: 1, halfHeight: 1, shift: 0 },
};
const THEMES: readonly Theme[] = ['light', 'dark'];
const [UP, DOWN, NORTH]: Vec3[] = [
  [0, 0, 1],
  [0, 0, -1],
  [0, 1, 0],
];
/** Colours as they are painted over, and as photographs have them. */
const [PAINTED, PHOTOGRAPH] = [255, 0];

interface Seen {
  colour?: readonly [red: number, green: number, blue: number];
  plain?: number;
  normal?: Vec3;
  far?: number;
  /** How much of the sun and of the sky it sees, of 255. */
  sun?: number;
  sky?: number;
}

/** Pixels of one column, from the top, or of a square; null: nothing is there. */
function shaded(
  seen: ReadonlyArray<Seen | null>,
  theme: Theme = 'light',
  times = 1,
  halfHeight = 1,
): number[][] {
  const pixels = emptyPixels(times, seen.length / times);
  const exposure = { sun: new Uint8Array(seen.length).fill(255), sky: new Uint8Array(seen.length).fill(255) };
  for (const [at, one] of seen.entries()) {
    if (one === null) continue;
    const { colour = [200, 200, 200], plain = PHOTOGRAPH, normal = UP!, far = 1, sun = 255, sky = 255 } = one;
    pixels.depth[at] = far;
    pixels.colour.set([...colour, plain], 4 * at);
    pixels.normal.set(
      normal.map((part) => Math.round(127 * part)),
      3 * at,
    );
    exposure.sun[at] = sun;
    exposure.sky[at] = sky;
  }
  const bytes = shade(
    pixels,
    exposure,
    { ...CAMERA, halfHeight },
    { theme, level: 0, haze: [100, 200], times },
  );
  return Array.from({ length: bytes.length / 3 }, (_, i) => [...bytes.subarray(3 * i, 3 * i + 3)]);
}

const one = (seen: Seen, theme: Theme = 'light') => shaded([seen], theme)[0]!;
const bytesOf = (hex: string) => [...Buffer.from(hex.slice(1), 'hex')];
const linear = (value: number) => (value / 255) ** 2.2;
/** By what a value was lit. */
const ratio = (shown: number, own = 200) => linear(shown) / linear(own);
const near = (value: number, expected: number, by = 0.02) =>
  assert.ok(Math.abs(value - expected) <= by, `${value} is not ${expected}`);

suite('light on pixels', () => {
  test('the sky is that of the 3D view, from its horizon to its zenith', () => {
    for (const theme of THEMES) {
      const { zenith, horizon } = SKY_COLOURS[theme];
      // The upper of two rows rises by half a metre to a metre.
      assert.deepEqual(shaded([null, null], theme)[0], bytesOf(zenith));
      const low = shaded(Array(41).fill(null), theme, 1, 0.4).slice(0, 21);
      assert.deepEqual(low.at(-1), bytesOf(horizon), 'the middle row is level');
      for (let i = 1; i < low.length; i++) {
        const [above, below] = [low[i - 1]!, low[i]!];
        const isBetween = theme === 'light' ? above[0]! <= below[0]! : above[2]! <= below[2]!;
        assert.ok(isBetween, `row ${i}`);
      }
    }
  });

  test('no light makes a photograph brighter than it is, and all of it together leaves it nearly as it is', () => {
    for (const channel of [0, 1, 2]) {
      near(ratio(one({})[channel]!), 0.96, 0.06);
      const alone = [one({ sun: 0 }), one({ sun: 0, normal: DOWN! }), one({ sky: 0 })];
      for (const shown of alone) assert.ok(ratio(shown[channel]!) < 0.8, `${shown}`);
      assert.ok(ratio(one({ normal: SUN, sky: 0 })[channel]!) < 1);
    }
  });

  test('the sky is blue, the ground that shines back and the sun are warm', () => {
    const [red, green, blue] = one({ sun: 0 });
    assert.ok(red! < green! && green! < blue!);
    const below = one({ sun: 0, normal: DOWN! });
    assert.ok(below[0]! >= below[1]! && below[1]! >= below[2]! && below[2]! < red!, `${below}`);
    const bySun = [0, 1, 2].map((i) => linear(one({})[i]!) - linear(one({ sun: 0 })[i]!));
    assert.ok(bySun[0]! > bySun[1]! && bySun[1]! > bySun[2]!, `${bySun}`);
  });

  test('what sees nothing of the sky keeps a quarter of its light, and half of it five eighths', () => {
    const [open] = one({ sun: 0 });
    near(linear(one({ sun: 0, sky: 0 })[0]!) / linear(open!), 1 / 4);
    near(linear(one({ sun: 0, sky: 127.5 })[0]!) / linear(open!), 5 / 8);
  });

  test('the sun shines as steeply as it stands on what faces it, and not on what is turned away', () => {
    const shadow = one({ sun: 0 });
    const onRoof = linear(one({})[0]!) - linear(shadow[0]!);
    const half = linear(one({ sun: 127.5 })[0]!) - linear(shadow[0]!);
    near(half / onRoof, 1 / 2);
    const facing = linear(one({ normal: SUN })[0]!) - linear(one({ normal: SUN, sun: 0 })[0]!);
    near(onRoof / facing, SUN[2]);
    // The sun is in the south-west.
    assert.deepEqual(one({ normal: NORTH! }), one({ normal: NORTH!, sun: 0 }));
  });

  test('what is far away fades into the horizon', () => {
    const [before, from, middle, to, behind] = [1, 100, 150, 200, 5_000].map((far) => one({ far }));
    assert.deepEqual(from, before);
    for (const shown of [to, behind]) assert.deepEqual(shown, bytesOf(SKY_COLOURS.light.horizon));
    for (const i of [0, 1, 2]) near(linear(middle![i]!), (linear(from![i]!) + linear(to![i]!)) / 2, 0.01);
  });

  test('where nothing is below the horizon there is land, as far as it reaches; ground is as that', () => {
    for (const theme of THEMES) {
      // Half a metre down to each metre: the land is twenty metres away.
      const [, land] = shaded([null, null], theme);
      assert.deepEqual(one({ colour: [0, 0, 0], plain: PAINTED, far: 20 }, theme), land);
      // At the lower edge of a very flat view it is farther than the haze.
      const [, far] = shaded([null, null], theme, 1, 0.02);
      assert.deepEqual(far, bytesOf(SKY_COLOURS[theme].horizon));
    }
  });

  test('roofs are warm, walls cool, and photographs darker in the dark', () => {
    const painted = { colour: [255, 255, 255], plain: PAINTED } as const;
    const shadeOf = (seen: Seen) => {
      const white = one({ ...seen, colour: [255, 255, 255], plain: PHOTOGRAPH });
      return one({ ...seen, ...painted }).map((value, i) => linear(value) / linear(white[i]!));
    };
    const [roof, wall] = [shadeOf({}), shadeOf({ normal: NORTH! })];
    for (const i of [0, 1, 2]) near(roof[i]!, linear(bytesOf('#f0e2cc')[i]!), 0.03);
    for (const i of [0, 1, 2]) near(wall[i]!, linear(bytesOf('#c3cfd9')[i]!), 0.03);
    // Dark colours that may be painted over lose a tenth at most.
    const black = one({ colour: [1, 1, 1], plain: PAINTED });
    near(linear(black[0]!) / linear(one(painted)[0]!), 0.9);
    const [light, dark] = THEMES.map((theme) => one({ sun: 0 }, theme));
    // The sky of the dark theme has 0.4 of blue light where that of the other has 0.55.
    near(linear(dark![2]!) / linear(light![2]!), (0.7 * 0.4) / 0.55);
  });

  test('pixels of a smaller picture are the mean of the light that falls on them', () => {
    const four = [10, 60, 120, 250].map((value) => ({ colour: [value, value, value] as const }));
    const [shown, ...others] = shaded(four, 'light', 2);
    assert.equal(others.length, 0);
    const all = four.map((seen) => linear(one(seen)[1]!));
    near(linear(shown![1]!), all.reduce((a, b) => a + b) / 4, 0.005);
  });
});
