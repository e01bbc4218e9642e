import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import sharp from 'sharp';
import { levelsOf, Textures } from './texture.ts';

test('each level has half the sides of the one before, down to a pixel, and of each four pixels the mean', () => {
  const sides = fc.integer({ min: 1, max: 9 });
  fc.assert(
    fc.property(
      sides,
      sides,
      fc.infiniteStream(fc.integer({ min: 0, max: 255 })),
      (width, height, stream) => {
        const data = Uint8Array.from({ length: 4 * width * height }, () => stream.next().value!);
        const levels = levelsOf({ width, height, data });
        assert.deepEqual(
          levels.map((level) => [level.width, level.height]),
          Array.from({ length: Math.floor(Math.log2(Math.max(width, height))) + 1 }, (_, i) => [
            Math.max(1, width >> i),
            Math.max(1, height >> i),
          ]),
        );
        for (const [i, { width, height, data }] of levels.entries()) {
          if (i === 0) continue;
          const before = levels[i - 1]!;
          const of = (x: number, y: number, k: number) =>
            before.data[
              4 * (Math.min(y, before.height - 1) * before.width + Math.min(x, before.width - 1)) + k
            ]!;
          for (let y = 0; y < height; y++) {
            for (let x = 0; x < width; x++) {
              for (let k = 0; k < 4; k++) {
                const four = [of(2 * x, 2 * y, k), of(2 * x + 1, 2 * y, k), of(2 * x, 2 * y + 1, k)];
                const mean = (four.reduce((sum, value) => sum + value, 0) + of(2 * x + 1, 2 * y + 1, k)) / 4;
                assert.equal(data[4 * (y * width + x) + k], Math.round(mean));
              }
            }
          }
        }
      },
    ),
  );
});

test('an image is decoded in four channels, no larger than a picture needs it, and never enlarged', async () => {
  const image = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#204060' } })
      .png()
      .toBuffer();
  const textures = new Textures((bytes, options) => sharp(bytes, options));
  const [small] = await textures.read(await image(5, 3));
  assert.deepEqual([small!.width, small!.height], [5, 3]);
  assert.deepEqual([...small!.data.subarray(0, 4)], [0x20, 0x40, 0x60, 255]);
  const [large] = await textures.read(await image(2_048, 1_024));
  assert.deepEqual([large!.width, large!.height], [1_024, 512]);
  await assert.rejects(textures.read(Buffer.from('no image')));
  await assert.rejects(
    new Textures(null).read(await image(1, 1)),
    /sharp, which reads images, is not installed/,
  );
});

test('images beyond twenty million pixels are one colour, their mean', async () => {
  const asked: Array<[number, number]> = [];
  const decode = (width: number, height: number) => {
    const chain = {
      toColourspace: () => chain,
      ensureAlpha: () => chain,
      raw: () => chain,
      resize: (width: number, height: number) => {
        asked.push([width, height]);
        return chain;
      },
      toBuffer: async () => ({ data: Buffer.alloc(4 * width * height), info: { width, height } }),
    };
    return chain;
  };
  const textures = new Textures((() => decode(5_000, 1_999)) as never);
  for (let i = 0; i < 3; i++) await textures.read(Buffer.alloc(1));
  const edge = new Textures((() => decode(5_000, 2_000)) as never);
  for (let i = 0; i < 3; i++) await edge.read(Buffer.alloc(1));
  assert.deepEqual(asked, [
    [1_024, 1_024],
    [1_024, 1_024],
    [1_024, 1_024],
    [1_024, 1_024],
    [1_024, 1_024],
    [1, 1],
  ]);
});
