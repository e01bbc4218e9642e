import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Appearances } from '../read/appearances.ts';
import { bodyOfPolygons } from '../read/bodies.ts';
import { linear, PLAIN_POLYGON, packColour } from './look.ts';
import type { Pixels } from './texture/draw.ts';
import { type Pictures, TextureLook, textureCost } from './texture-look.ts';
import type { ShownFeature } from './tile-model.ts';

const METRE = 111_320;
const GREY = packColour(linear(0.5), linear(0.5), linear(0.5), 1);

/** Level squares at the equator with sides of so many metres; ring `i` has the key `i + 1`. */
function squares(...sides: number[]) {
  const positions = sides.flatMap((side, i) => {
    const [west, end] = [139 + i, side / METRE];
    return [west, 0, 5, west + end, 0, 5, west + end, end, 5, west, end, 5];
  });
  const ends = Uint32Array.from(sides, (_, i) => 4 * (i + 1));
  const body = bodyOfPolygons(
    Float64Array.from(positions),
    ends,
    Uint32Array.from(sides, (_, i) => i + 1),
    false,
  );
  body.ringKeys.set(sides.map((_, i) => i + 1));
  body.ringWritten.fill(5);
  body.surfaceKeys.set(sides.flatMap((_, i) => [100 + i, 0, 0]));
  return body;
}
const shown = (body: ReturnType<typeof squares>, lod = 2) => ({ body, lod }) as ShownFeature;

/** The whole image, or so much of it, from its lower left corner. */
const uvsTo = (right: number, high: number) => [0, 0, right, 0, right, high, 0, high];

/** By ring its image and coordinates; by surface its colour. */
function appearances(
  rings: Record<number, [image: number, uvs: number[]]>,
  colours: Record<number, readonly number[]> = {},
): Appearances {
  return {
    textureOf(key: number) {
      const found = rings[key];
      return found === undefined ? null : { image: found[0], uvs: Float32Array.from(found[1]) };
    },
    colourOf: (keys: Iterable<number>) => [...keys].map((key) => colours[key]).find(Boolean) ?? null,
    laidOn: () => null,
  } as unknown as Appearances;
}

/** Images of so many pixels, whose columns and rows count up; null for one that is missing. */
function pictures(sizes: Array<readonly [width: number, height: number] | null>, channels: 3 | 4 = 3) {
  const [pages, drawn]: [Pixels[], number[]] = [[], []];
  const images = {
    facts: async (image: number) => {
      const size = sizes[image];
      return size == null ? null : { width: size[0], height: size[1], hasAlpha: channels === 4 };
    },
    pixels: async (image: number): Promise<Pixels | null> => {
      const [width, height] = sizes[image]!;
      const data = Uint8Array.from({ length: width * height * channels }, (_, i) => {
        const pixel = Math.floor(i / channels);
        return i % channels === 0 ? pixel % width : i % channels === 1 ? Math.floor(pixel / width) : 200;
      });
      return { width, height, channels, data };
    },
    encode: async (pixels: Pixels) => Uint8Array.of(pages.push(pixels)),
    noteDrawn: (image: number) => drawn.push(image),
    failureOf: () => null,
  };
  return { pages, drawn, pictures: { images, laid: {} } as unknown as Pictures };
}

test('polygons have the colours of their materials, or none; without pictures no image', async () => {
  const found = appearances({ 1: [0, uvsTo(1, 1)] }, { 101: [1, 0.5, 0, 0.25] });
  const look = await TextureLook.make([shown(squares(5, 5))], 0, found, null);
  assert.deepEqual([look.of(0, 0), look.images], [PLAIN_POLYGON, []]);
  assert.deepEqual(look.of(0, 1), { ...PLAIN_POLYGON, colour: packColour(1, linear(0.5), 0, 0.25) });
});

test('coordinates on a page lead to the pixels that the polygon has in its image', async () => {
  // A pixel of a metre stays as it is.
  const {
    pictures: own,
    pages,
    drawn,
  } = pictures([
    [32, 16],
    [64, 64],
  ]);
  const uvs = [0.25, 0.25, 0.75, 0.25, 0.75, 0.75, 0.25, 0.75];
  const look = await TextureLook.make(
    [shown(squares(16, 64)), shown(squares(16))],
    0,
    appearances({ 1: [0, uvs], 2: [1, uvsTo(1, 1)] }),
    own,
  );
  assert.equal(pages.length, 1);
  const [page] = pages as [Pixels];
  const at = (u: number, v: number) => {
    const pixel = Math.floor(v * page.height) * page.width + Math.floor(u * page.width);
    return [...page.data.subarray(3 * pixel, 3 * pixel + 2)];
  };
  const corners = (feature: number, polygon: number) => {
    const { image, uvs: own, colour } = look.of(feature, polygon);
    assert.deepEqual([image, colour], [0, PLAIN_POLYGON.colour]);
    const [left, bottom, right, , , top] = own!;
    const inside = 0.5 / page.width;
    const down = 0.5 / page.height;
    return [at(left! + inside, top! + down), at(right! - inside, bottom! - down)];
  };
  // From the upper left: a quarter of 32 and 16, up to three quarters.
  for (const feature of [0, 1])
    assert.deepEqual(corners(feature, 0), [
      [8, 4],
      [23, 11],
    ]);
  assert.deepEqual(corners(0, 1), [
    [0, 0],
    [63, 63],
  ]);
  assert.deepEqual([...new Set(drawn)].sort(), [0, 1]);
  assert.equal(look.uvError, 0.5 / Math.max(page.width, page.height));
  const { repeats, seeThrough, mimeType, bytes } = look.images[0]!;
  assert.deepEqual([repeats, seeThrough, mimeType, [...bytes]], [false, false, 'image/webp', [1]]);
});

test('textures are as fine as the screen where their tile is replaced, at most as their level needs', async () => {
  const sideOf = async (lod: number, error: number) => {
    // 640 pixels on 6.4 metres: a centimetre each.
    const { pictures: own, pages } = pictures([[640, 640]]);
    const found = appearances({ 1: [0, uvsTo(1, 1)] });
    const look = await TextureLook.make([shown(squares(6.4), lod)], error, found, own);
    const [left, , right] = look.of(0, 0).uvs!;
    return Math.round((right! - left!) * pages[0]!.width);
  };
  assert.equal(await sideOf(2, 0), 64);
  assert.equal(await sideOf(3, 0), 213);
  assert.equal(await sideOf(2, 3.2), 32);
  assert.equal(await sideOf(3, 3.2), 32);
  assert.equal(await sideOf(2, 100), 6, 'a metre is the coarsest');
});

test('an image that repeats is whole, once for all its polygons, with sides that are powers of two', async () => {
  const {
    pictures: own,
    pages,
    drawn,
  } = pictures(
    [
      [100, 700],
      [64, 64],
    ],
    4,
  );
  const look = await TextureLook.make(
    [shown(squares(5, 5, 5))],
    0,
    appearances({ 1: [0, uvsTo(2, 1)], 2: [0, uvsTo(1, 8)], 3: [1, uvsTo(1.5, 1.5)] }),
    own,
  );
  assert.deepEqual(
    pages.map(({ width, height, channels }) => [width, height, channels]),
    [
      [128, 512, 4],
      [64, 64, 4],
    ],
  );
  // All of the image, pixel by pixel where it has such sides already.
  const { data } = pages[1]!;
  assert.deepEqual([...data.subarray(0, 2), ...data.subarray(-4, -2)], [0, 0, 63, 63]);
  assert.deepEqual(drawn, [0, 1]);
  assert.deepEqual(
    look.images.map(({ repeats, seeThrough }) => [repeats, seeThrough]),
    [
      [true, true],
      [true, true],
    ],
  );
  assert.deepEqual(
    [0, 1, 2].map((polygon) => look.of(0, polygon).image),
    [0, 0, 1],
  );
  // CityGML counts v upwards, glTF downwards.
  assert.deepEqual([...look.of(0, 0).uvs!], [0, 1, 2, 1, 2, 0, 0, 0]);
  assert.equal(look.uvError, 1.5 / 4096);
});

test('surfaces whose image is missing are grey, whether it repeats or not', async () => {
  const { pictures: own, pages } = pictures([null]);
  const look = await TextureLook.make(
    [shown(squares(5, 5, 5))],
    0,
    appearances({ 1: [0, uvsTo(1, 1)], 2: [0, uvsTo(3, 1)], 3: [0, [0, 0]] }),
    own,
  );
  const grey = { ...PLAIN_POLYGON, colour: GREY };
  // Coordinates that do not fit are no image.
  assert.deepEqual(
    [0, 1, 2].map((polygon) => look.of(0, polygon)),
    [grey, grey, PLAIN_POLYGON],
  );
  assert.deepEqual(pages, []);
});

test('what textures cost falls with the error of a tile; what has none is counted by its reason', async () => {
  const { pictures: own } = pictures([null, [640, 640]]);
  const found = appearances({
    1: [0, uvsTo(1, 1)],
    2: [1, uvsTo(1, 1)],
    3: [1, uvsTo(4, 1)],
    4: [1, [0, 0]],
  });
  const cost = await textureCost(squares(6.4, 6.4, 6.4, 6.4, 6.4), 2, [0, 1.6, 3.2, 16], found, own);
  assert.deepEqual([cost.pictured, cost.without], [1, { misfit: 1, outside: 0 }]);
  // 64 pixels a side, then 64, 32 and 6, with edges of two pixels, later of one, in steps of twice that.
  assert.deepEqual(cost.pixels, [68 ** 2, 66 ** 2, 34 ** 2, 8 ** 2]);
  const none = await textureCost(squares(5), 2, [0, 1], appearances({}), own);
  assert.deepEqual(none, { pictured: null, pixels: [0, 0], without: { misfit: 0, outside: 0 } });
});
