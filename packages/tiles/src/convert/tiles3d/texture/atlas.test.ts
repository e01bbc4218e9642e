import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AtlasBuilder, type ImageReader, PAGE_SIDE, type Piece, pixelsOf } from './atlas.ts';
import type { Pixels } from './draw.ts';

const rect = (left: number, top: number, right: number, bottom: number) => ({ left, top, right, bottom });

/** Images of one colour each, of so many channels; each is asked for at the scale that is noted. */
function imagesOf(colours: number[], channels: Array<3 | 4 | null>, size = 64) {
  const asked: Array<[image: number, scale: number]> = [];
  const reader: ImageReader = {
    async facts(image) {
      if (channels[image] === null) return null;
      return { width: size, height: size, hasAlpha: channels[image] === 4 } as never;
    },
    async pixels(image, scale) {
      asked.push([image, scale]);
      const of = channels[image];
      if (of == null) return null;
      const side = Math.max(1, Math.round(size * scale));
      const data = new Uint8Array(side * side * of).map((_, i) =>
        of === 4 && i % 4 === 3 ? 200 : colours[image]!,
      );
      return { width: side, height: side, channels: of, data };
    },
  };
  return { reader, asked };
}

const valueAt = ({ data, width, channels }: Pixels, x: number, y: number) => data[(y * width + x) * channels];

test('equal pieces share a place at the larger scale; an image is read once, at the largest of all', async () => {
  const { reader, asked } = imagesOf([10, 20], [3, 3]);
  const atlas = new AtlasBuilder();
  const pieces: Piece[] = [
    { image: 1, rect: rect(0, 0, 32, 16), scale: 0.25 },
    { image: 0, rect: rect(0, 0, 8, 8), scale: 1 },
    { image: 1, rect: rect(0, 0, 32, 16), scale: 0.5 },
    { image: 1, rect: rect(0, 0, 32, 16), scale: 0.125 },
    { image: 1, rect: rect(0, 0, 32, 17), scale: 0.25 },
  ];
  assert.deepEqual(
    pieces.map((piece) => atlas.add(piece)),
    [0, 1, 0, 0, 2],
  );
  const { pages, placed } = await atlas.draw(reader);
  assert.deepEqual(asked, [
    [0, 1],
    [1, 0.5],
  ]);
  assert.deepEqual(
    placed.map(({ width, height }) => [width, height]),
    [
      [16, 8],
      [8, 8],
      [8, 4],
    ],
  );
  for (const [i, { page, x, y, width, height }] of placed.entries()) {
    const expected = [20, 10, 20][i];
    // With two pixels around it, and from a multiple of four on.
    for (const [px, py] of [
      [x - 2, y - 2],
      [x + width + 1, y + height + 1],
      [x, y],
    ] as const)
      assert.equal(valueAt(pages[page]!, px, py), expected);
    assert.deepEqual([(x - 2) % 4, (y - 2) % 4], [0, 0]);
  }
  assert.equal(pieces[0]!.scale, 0.25, 'what is handed over stays as it is');
});

test('a piece shows what its rectangle has in the image, also of one that is read smaller', async () => {
  const atlas = new AtlasBuilder(1);
  atlas.add({ image: 0, rect: rect(16, 32, 48, 64), scale: 0.5 });
  const { pages, placed } = await atlas.draw({
    facts: async () => ({ width: 64, height: 128, hasAlpha: false }) as never,
    // Columns have their number, rows ten times as much.
    pixels: async () => ({
      ...{ width: 32, height: 64, channels: 3 },
      data: Uint8Array.from({ length: 32 * 64 * 3 }, (_, i) => {
        const pixel = Math.floor(i / 3);
        return (pixel % 32) + 3 * Math.floor(pixel / 32);
      }),
    }),
  });
  const [{ x, y, width, height }] = placed as [(typeof placed)[0]];
  assert.deepEqual([width, height], [16, 16]);
  assert.equal(valueAt(pages[0]!, x, y), 8 + 3 * 16);
  assert.equal(valueAt(pages[0]!, x + 15, y + 15), 23 + 3 * 31);
});

test('a page is transparent where one of its images is, and grey where an image cannot be read', async () => {
  const drawn = async (channels: Array<3 | 4 | null>) => {
    const atlas = new AtlasBuilder();
    for (const image of channels.keys()) atlas.add({ image, rect: rect(0, 0, 8, 8), scale: 1 });
    const { pages, placed } = await atlas.draw(imagesOf([10, 20], channels).reader);
    assert.equal(pages.length, 1);
    return [pages[0]!.channels, ...placed.map(({ x, y }) => valueAt(pages[0]!, x, y))];
  };
  assert.deepEqual(await drawn([3, 3]), [3, 10, 20]);
  assert.deepEqual(await drawn([3, 4]), [4, 10, 20]);
  assert.deepEqual(await drawn([4, null]), [4, 10, 128]);
  assert.deepEqual(await drawn([null, 3]), [3, 128, 20]);
});

test('a piece takes its pixels with an edge, in steps of twice that, and fits on a page', async () => {
  const size = (width: number, height: number, scale: number, edge?: number) =>
    pixelsOf({ image: 0, rect: rect(5, 5, 5 + width, 5 + height), scale }, edge);
  assert.equal(size(8, 4, 1), 12 * 8);
  assert.equal(size(9, 5, 1), 16 * 12);
  assert.equal(size(8, 4, 1, 1), 10 * 6);
  assert.equal(size(100, 60, 0.5), 56 * 36);
  // Never enlarged, and a pixel at least.
  assert.equal(size(8, 4, 3), size(8, 4, 1));
  assert.equal(size(8, 4, 0.001), 8 * 8);
  const tiny = new AtlasBuilder();
  tiny.add({ image: 0, rect: rect(0, 0, 8, 4), scale: 0.001 });
  const { placed } = await tiny.draw(imagesOf([10], [3]).reader);
  assert.deepEqual([placed[0]!.width, placed[0]!.height], [1, 1]);
  assert.equal(size(2 * PAGE_SIDE, PAGE_SIDE, 1), PAGE_SIDE * (PAGE_SIDE / 2 + 4));
});
