import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConvertIssue, GmlSource } from '../../part-maker.ts';
import { IssueCounter } from '../../read/issue-counter.ts';
import { gmlSource } from '../../read/testing/gml-source.ts';
import { Images, loadSharp } from './images.ts';

const sharp = await loadSharp();
const skip = sharp === null ? 'needs the optional library sharp' : false;

/** Images, all of the same file: whole they take 45 MB, more than is kept, halved 11. */
const COUNT = 60;
const GML = 'udx/bldg/53394525_bldg_6697_op.gml';

/** Noise, and how often its file was read. */
async function imageOf(
  side: number,
  signal = new AbortController().signal,
  cut = (png: Uint8Array) => png,
): Promise<{ images: Images; reads: () => number; issues: () => string[] }> {
  const pixels = Uint8Array.from({ length: 3 * side * side }, (_, i) => (i * 7_919) % 251);
  const png = await sharp!(pixels, { raw: { width: side, height: side, channels: 3 } })
    .png()
    .toBuffer();
  const members = new Map<string, Uint8Array>([
    [GML, Buffer.from('')],
    ['1.png', cut(png)],
  ]);
  let reads = 0;
  const issues: ConvertIssue[] = [];
  const counter = new IssueCounter(GML, (issue) => issues.push(issue));
  const source = gmlSource(GML, members);
  const counting: GmlSource = {
    ...source,
    member(path, limit) {
      reads++;
      return source.member(path, limit);
    },
  };
  const images = new Images(sharp!, counting, new Array<string>(COUNT).fill('1.png'), counter, signal);
  return {
    images,
    reads: () => reads,
    issues() {
      counter.tell();
      return issues.map(({ code, count }) => `${code} ${count}`);
    },
  };
}

test('a small image is decoded once, whatever it is made smaller by', { skip }, async () => {
  const { images, reads } = await imageOf(500);
  const whole = (await images.pixels(0, 1))!;
  const quarter = (await images.pixels(0, 0.2))!;
  const half = (await images.pixels(0, 0.5))!;
  // Once for what it is, once for its pixels.
  assert.equal(reads(), 2);
  assert.deepEqual([whole.width, half.width, quarter.width], [500, 250, 125]);
  let sum = 0;
  for (const at of [0, 3, 1_500, 1_503]) sum += whole.data[at]!;
  assert.equal(half.data[0], Math.round(sum / 4));
});

test('a small image that is asked for at an eighth at once is the same', { skip }, async () => {
  const { images } = await imageOf(499);
  for (const scale of [1, 0.5, 0.25]) await images.pixels(0, scale);
  const [once, slowly] = [await images.pixels(1, 0.125), await images.pixels(0, 0.125)];
  assert.equal(Buffer.compare(once!.data, slowly!.data), 0);
});

test('an image whose head alone can be read is missing, and told once', { skip }, async () => {
  const { images, issues } = await imageOf(64, new AbortController().signal, (png) =>
    png.subarray(0, png.length >> 1),
  );
  assert.notEqual(await images.facts(0), null);
  assert.equal(await images.pixels(0, 1), null);
  assert.deepEqual([images.failureOf(0), await images.facts(0)], ['IMAGE_MISSING', null]);
  assert.equal(await images.pixels(0, 1), null);
  assert.deepEqual(issues(), ['IMAGE_MISSING 1']);
});

test('what was halved is forgotten before what is used', { skip }, async () => {
  const { images, reads } = await imageOf(500);
  const decode = async (scale: number) => {
    for (let image = 0; image < COUNT; image++) await images.pixels(image, scale);
  };
  // The halves of all take less than half of what is kept, so they stay; of what they were made of, most goes.
  await decode(0.5);
  const before = reads();
  await decode(0.5);
  assert.equal(reads(), before);
  await decode(1);
  assert.ok(reads() > before + COUNT / 2);
});

test('a large image is decoded smaller', { skip }, async () => {
  const { images } = await imageOf(1_000);
  assert.equal((await images.pixels(0, 0.6))!.width, 1_000);
  assert.equal((await images.pixels(0, 0.1))!.width, 125);
});

test('an SVG never reaches the decoder, and decoding may take seconds only', { skip }, async () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>');
  const png = await sharp!(new Uint8Array(12), { raw: { width: 2, height: 2, channels: 3 } })
    .png()
    .toBuffer();
  const members = new Map<string, Uint8Array>([
    [GML, Buffer.from('')],
    ['a.svg', svg],
    // Names tell nothing.
    ['b.png', svg],
    ['c.png', png],
  ]);
  let decoders = 0;
  const seconds: number[] = [];
  const watched: typeof sharp = (input, options) => {
    decoders++;
    const decoder = sharp!(input, options);
    const timeout = decoder.timeout.bind(decoder);
    decoder.timeout = (limit) => {
      seconds.push(limit.seconds);
      return timeout(limit);
    };
    return decoder;
  };
  const found: string[] = [];
  const issues = new IssueCounter(GML, ({ code, message }) => found.push(`${code} ${message}`));
  const images = new Images(
    watched,
    gmlSource(GML, members),
    ['a.svg', 'b.png', 'c.png'],
    issues,
    new AbortController().signal,
  );
  for (const image of [0, 1]) assert.equal(await images.pixels(image, 1), null);
  assert.equal(decoders, 0);
  assert.equal((await images.pixels(2, 1))!.width, 2);
  assert.deepEqual(seconds, [30]);
  issues.tell();
  assert.deepEqual(
    found.map((message) => message.split(' is none')[0]),
    ['IMAGE_FORMAT_UNKNOWN The image a.svg', 'IMAGE_FORMAT_UNKNOWN The image b.png'],
  );
});

test('no image is decoded once the work is stopped', { skip }, async () => {
  const stop = new AbortController();
  const { images, reads } = await imageOf(8, stop.signal);
  await images.facts(0);
  stop.abort(new Error('stopped'));
  await assert.rejects(images.pixels(0, 1), /stopped/);
  assert.equal(reads(), 1);
});
