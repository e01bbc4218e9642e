import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imageFormat } from './image-format.ts';
import { loadSharp } from './images.ts';

const sharp = await loadSharp();

test('images are told by their first bytes', {
  skip: sharp === null && 'needs the library sharp',
}, async () => {
  const raw = { raw: { width: 2, height: 2, channels: 3 as const } };
  for (const format of ['jpeg', 'png', 'tiff', 'webp'] as const) {
    const bytes = await sharp!(new Uint8Array(12), raw).toFormat(format).toBuffer();
    assert.equal(imageFormat(bytes), format);
    for (let length = 0; length < 3; length++) assert.equal(imageFormat(bytes.subarray(0, length)), null);
  }
  assert.equal(imageFormat(await sharp!(new Uint8Array(12), raw).gif().toBuffer()), null);
});

test('what the decoder might run is none', () => {
  for (const text of [
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    '<?xml version="1.0"?><svg/>',
    '%PDF-1.7',
    'RIFF1234AVI ',
    '',
  ]) {
    assert.equal(imageFormat(Buffer.from(text)), null);
  }
  // Both byte orders, and BigTIFF.
  for (const start of ['49492a00', '4d4d002a', '49492b00', '4d4d002b']) {
    assert.equal(imageFormat(Buffer.from(start, 'hex')), 'tiff');
  }
});
