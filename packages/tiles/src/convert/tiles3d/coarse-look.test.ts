import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Appearances } from '../read/appearances.ts';
import { type Body, bodyOfPolygons } from '../read/bodies.ts';
import { coarseLook, meanColours } from './coarse-look.ts';
import { linear, PLAIN_POLYGON, packColour } from './look.ts';
import type { Pictures } from './texture-look.ts';

const METRE = 1 / 111_320;
type Corner = readonly [number, number, number];

/** Polygons of metres from a place at the equator, with their numbers as keys. */
function bodyOf(polygons: ReadonlyArray<readonly Corner[]>): Body {
  const positions = polygons.flat().flatMap(([x, y, z]) => [139 + x * METRE, y * METRE, z]);
  let end = 0;
  const ends = polygons.map((corners) => (end += corners.length));
  const rings = Uint32Array.from(polygons, (_, i) => i + 1);
  const body = bodyOfPolygons(Float64Array.from(positions), Uint32Array.from(ends), rings, false);
  for (const i of polygons.keys()) {
    body.ringKeys[i] = i + 1;
    body.ringWritten[i] = polygons[i]!.length;
    body.surfaceKeys[3 * i] = i + 1;
  }
  return body;
}

const floor = (width: number, depth: number): Corner[] => [
  [0, 0, 5],
  [width, 0, 5],
  [width, depth, 5],
  [0, depth, 5],
];
const wall = (width: number, height: number): Corner[] => [
  [0, 0, 0],
  [width, 0, 0],
  [width, 0, height],
  [0, 0, height],
];
/** Turned up by so many degrees from the horizon. */
const slope = (degrees: number): Corner[] => {
  const [rise, run] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
  return [
    [0, 0, 0],
    [10, 0, 0],
    [10, 10 * run, 10 * rise],
    [0, 10 * run, 10 * rise],
  ];
};

const appearancesOf = (
  colours: ReadonlyArray<readonly number[] | null>,
  uvs: Record<number, number[]> = {},
) =>
  ({
    textureOf: (key: number) =>
      uvs[key] === undefined ? null : { image: 3, uvs: Float32Array.from(uvs[key]) },
    laidOn: () => null,
    colourOf: (keys: Iterable<number>) => colours[[...keys].find((key) => key > 0)! - 1] ?? null,
  }) as unknown as Appearances;
const colour = (...srgb: number[]) => {
  const [red, green, blue] = srgb.map((value) => linear(value));
  return packColour(red!, green!, blue!, 1);
};
const NO_PICTURES = { images: null, laid: null } as unknown as Pictures;

test('colours are means by area, of what looks up and of the rest; one side alone counts for both', async () => {
  const body = bodyOf([floor(10, 10), floor(10, 30), wall(10, 2), wall(10, 6)]);
  const means = (...of: Array<number[] | null>) => meanColours(body, appearancesOf(of), NO_PICTURES);
  const [red, green, blue, white] = [
    [1, 0, 0, 1],
    [0, 1, 0, 1],
    [0, 0, 1, 1],
    [1, 1, 1, 1],
  ];
  assert.deepEqual(await means(red!, blue!, green!, white!), {
    up: colour(0.25, 0, 0.75),
    aside: colour(0.75, 1, 0.75),
  });
  assert.deepEqual(await means(red!, null, green!, null), { up: colour(1, 0, 0), aside: colour(0, 1, 0) });
  assert.deepEqual(await means(red!, null, null, null), { up: colour(1, 0, 0), aside: colour(1, 0, 0) });
  assert.deepEqual(await means(null, null, null, green!), { up: colour(0, 1, 0), aside: colour(0, 1, 0) });
  const specks = bodyOf([floor(0.1, 0.1), wall(0.1, 0.1)]);
  assert.deepEqual(await meanColours(specks, appearancesOf([red!, green!]), NO_PICTURES), {
    up: colour(1, 0, 0),
    aside: colour(0, 1, 0),
  });
  const plain = PLAIN_POLYGON.colour;
  assert.deepEqual(await means(null, null, null, null), { up: plain, aside: plain });
});

test('what leans back by less than sixty degrees looks up, as a whole body does polygon by polygon', () => {
  const bodies = [bodyOf([slope(59), slope(61), wall(4, 4)]), bodyOf([wall(4, 4), floor(9, 9)])];
  const colours = [
    { up: 1, aside: 2 },
    { up: 3, aside: 4 },
  ];
  const look = coarseLook(bodies, colours);
  const of = (feature: number, polygons: number) =>
    Array.from({ length: polygons }, (_, polygon) => look.of(feature, polygon).colour);
  assert.deepEqual([of(0, 3), of(1, 2), look.images], [[1, 2, 2], [4, 3], []]);
  const { colour: _, ...others } = look.of(0, 0);
  const { colour: __, ...plain } = PLAIN_POLYGON;
  assert.deepEqual(others, plain);
  // Seen from below it does not.
  assert.equal(coarseLook([bodyOf([floor(9, 9).reverse()])], colours).of(0, 0).colour, 2);
});

test('a texture counts by the mean of the piece that the polygon shows, in an image of an eighth', async () => {
  const body = bodyOf([floor(10, 10), wall(10, 10)]);
  // Columns of the image, from the left: red, green, blue, white, all black at the top and the bottom. 8 pixels across
  // stand for 64.
  const columns = [
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
    [255, 255, 255],
  ];
  const [width, height] = [8, 4];
  const data = Uint8Array.from(
    Array.from({ length: width * height }, (_, i) =>
      i >= width && i < 3 * width ? columns[Math.floor((i % width) / 2)]! : [0, 0, 0],
    ).flat(),
  );
  const asked: unknown[][] = [];
  const pictures = (isReadable: boolean, facts: object | null = { width: 64, height: 32, hasAlpha: false }) =>
    ({
      images: {
        facts: async (image: number) => {
          asked.push(['facts', image]);
          return facts;
        },
        pixels: async (image: number, scale: number) => {
          asked.push(['pixels', image, scale]);
          return isReadable ? { width, height, channels: 3, data } : null;
        },
      },
      laid: null,
    }) as unknown as Pictures;
  // A quarter of the width, and half of the height.
  const uvs = {
    1: [0.25, 0.25, 0.5, 0.25, 0.5, 0.75, 0.25, 0.75],
    2: [0.75, 0.25, 1, 0.25, 1, 0.75, 0.75, 0.75],
  };
  const appearances = appearancesOf([null, null], uvs);
  assert.deepEqual(await meanColours(body, appearances, pictures(true)), {
    up: colour(0, 1, 0),
    aside: colour(1, 1, 1),
  });
  assert.deepEqual(asked.slice(0, 2), [
    ['facts', 3],
    ['pixels', 3, 1 / 8],
  ]);
  const plain = { up: PLAIN_POLYGON.colour, aside: PLAIN_POLYGON.colour };
  assert.deepEqual(await meanColours(body, appearances, pictures(false)), plain);
  assert.deepEqual(await meanColours(body, appearances, pictures(true, null)), plain);
  // Coordinates that do not fit leave the material.
  const misfit = appearancesOf([[1, 0, 0, 1], null], { 1: [0, 0] });
  assert.deepEqual(await meanColours(body, misfit, pictures(true)), {
    up: colour(1, 0, 0),
    aside: colour(1, 0, 0),
  });
});
