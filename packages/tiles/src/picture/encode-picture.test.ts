import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { encodePicture, writePng } from './encode-picture.ts';

/** Any bytes, the same always. */
const noise = (length: number) => Uint8Array.from({ length }, (_, i) => (i * i * 31 + i * 7) % 256);

test('a PNG has every pixel as it was, whatever its sides', async () => {
  for (const [width, height] of [
    [1, 1],
    [1, 3],
    [5, 1],
    [7, 4],
  ] as const) {
    const pixels = noise(3 * width * height);
    const { data, info } = await sharp(writePng(pixels, width, height))
      .raw()
      .toBuffer({ resolveWithObject: true });
    assert.deepEqual([info.width, info.height, info.channels], [width, height, 3]);
    assert.deepEqual([...data], [...pixels]);
  }
});

test('a picture that is made smaller has the mean of each square, and loses what is no whole square', async () => {
  const [size, times] = [{ width: 50, height: 34 }, 3];
  // Stripes of a pixel on a wide gradient, of other strength in each part; the last columns and rows are white.
  const valueAt = (x: number, y: number, k: number) =>
    x >= 48 || y >= 33
      ? 255
      : 40 + 3 * Math.floor(x / 3) + 2 * Math.floor(y / 3) + ((x + y) % 3) * (10 + 5 * k);
  const pixels = new Uint8Array(3 * size.width * size.height);
  for (let i = 0; i < pixels.length; i++) {
    const pixel = Math.floor(i / 3);
    pixels[i] = valueAt(pixel % size.width, Math.floor(pixel / size.width), i % 3);
  }
  const picture = await encodePicture(pixels, size, times);
  assert.deepEqual([picture.width, picture.height, picture.mimeType], [16, 11, 'image/jpeg']);
  const { data, info } = await sharp(picture.bytes).raw().toBuffer({ resolveWithObject: true });
  assert.deepEqual([info.format, info.width, info.height, info.channels], ['raw', 16, 11, 3]);
  for (const [i, value] of data.entries()) {
    const [x, y, k] = [Math.floor(i / 3) % 16, Math.floor(i / 48), i % 3];
    const mean = 40 + 3 * x + 2 * y + 10 + 5 * k;
    assert.ok(Math.abs(value - mean) <= 5, `${value} in place of ${mean} at ${x}, ${y}, ${k}`);
  }
  const whole = await encodePicture(pixels, size, 1);
  const { width, height, format } = await sharp(whole.bytes).metadata();
  assert.deepEqual([width, height, format], [50, 34, 'jpeg']);
});
