import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IssueCounter } from '../read/issue-counter.ts';
import { gmlSource } from '../read/testing/gml-source.ts';
import { Images, loadSharp } from './images.ts';

const sharp = await loadSharp();
const skip = sharp === null ? 'needs the optional library sharp' : false;

async function imageOf(side: number): Promise<Images> {
  const pixels = new Uint8Array(3 * side * side);
  const png = await sharp!(pixels, { raw: { width: side, height: side, channels: 3 } })
    .png()
    .toBuffer();
  const gml = 'udx/bldg/53394525_bldg_6697_op.gml';
  const members = new Map<string, Uint8Array>([
    [gml, Buffer.from('')],
    ['1.png', png],
  ]);
  return new Images(sharp!, gmlSource(gml, members), ['1.png'], new IssueCounter(gml, () => {}));
}

test('a small image is decoded once, whatever it is made smaller by', { skip }, async () => {
  const images = await imageOf(500);
  const whole = await images.pixels(0, 1);
  assert.equal(whole!.width, 500);
  assert.equal(await images.pixels(0, 0.1), whole);
});

test('a large image is decoded smaller', { skip }, async () => {
  const images = await imageOf(1_000);
  assert.equal((await images.pixels(0, 0.6))!.width, 1_000);
  assert.equal((await images.pixels(0, 0.1))!.width, 125);
});
