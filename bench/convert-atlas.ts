/**
 * What images of textured tiles cost: processor time of decoding, drawing and encoding for each megapixel of an atlas, and what WebP's
 * effort would change in bytes and quality.
 *
 *   node bench/convert-atlas.ts [zips of CityGML packages, excerpts of ../shared/data/conversion and a dense ward by default]
 *
 * Works in one thread, where steps follow each other; the image library has no other threads either.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import sharp from 'sharp';
import { convertZip } from '../src/convert/run/testing/convert-zip.ts';
import { AtlasBuilder } from '../src/convert/texture/atlas.ts';
import type { Pixels } from '../src/convert/texture/draw.ts';
import { Images } from '../src/convert/texture/images.ts';
import { writeDenseWard } from './support/dense-ward.ts';
import { Results } from './support/table.ts';

const CONVERSION = join(import.meta.dirname, '../../shared/data/conversion');
const REAL = [
  '07-brid/43206_tamana-shi_city_2024_citygml_2_op.zip',
  '01-bldg-ward/13104_shinjuku-ku_pref_2025_citygml_1_op.zip',
  '03-frn/08220_tsukuba-shi_city_2023_citygml_2_op.zip',
];
/** Megapixels of pages on which efforts are compared, each page as it comes. */
const SAMPLE = 10;

type Step = 'decoding' | 'drawing' | 'encoding';
const spent: Record<Step, number> = { decoding: 0, drawing: 0, encoding: 0 };
let megapixels = 0;
let sample: Pixels[] = [];
let sampled = 0;

watch();
const directory = mkdtempSync(join(tmpdir(), 'citymodel-bench-'));
try {
  const ward = join(directory, '13104_shinjuku-ku_city_2023_citygml_1_op.zip');
  await writeDenseWard(ward, { meshes: ['53394525'], buildingsPerMesh: 1_000 });
  const steps = new Results('Images of textured tiles', [
    'package',
    'MP of atlas',
    'CPU s: all',
    'decoding',
    'drawing',
    'encoding',
    'MP a CPU s: images',
    'all',
  ]);
  const efforts = new Results('WebP, quality 75', [
    'package',
    'effort',
    'MP a CPU s',
    'bytes a pixel',
    'PSNR, dB',
  ]);
  const given = process.argv.slice(2);
  const zips = given.length > 0 ? given : [ward, ...REAL.map((path) => join(CONVERSION, path))];
  for (const [i, zip] of zips.entries()) {
    const all = await measure(zip, join(directory, String(i)));
    const images = spent.decoding + spent.drawing + spent.encoding;
    const seconds = [all, spent.decoding, spent.drawing, spent.encoding];
    steps.add(basename(zip), megapixels, ...seconds, megapixels / images, megapixels / all);
    for (const effort of [0, 1, 2, 3, 4])
      efforts.add(basename(zip), String(effort), ...(await encoded(effort)));
  }
  steps.print();
  efforts.print();
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Adds up the processor time of each step. Drawing a page has decoding in it. */
function watch(): void {
  const { pixels, facts, encode } = Images.prototype;
  const { draw } = AtlasBuilder.prototype;
  const counted = async <T>(step: Step, work: () => Promise<T>): Promise<T> => {
    const before = cpuSeconds();
    const others = spent.decoding;
    const result = await work();
    spent[step] += cpuSeconds() - before - (step === 'drawing' ? spent.decoding - others : 0);
    return result;
  };
  // What is known of an image is part of reading it, which happens before drawing or inside of decoding.
  let isInside = false;
  const decoding = <T>(work: () => Promise<T>): Promise<T> => {
    if (isInside) return work();
    isInside = true;
    return counted('decoding', work).finally(() => {
      isInside = false;
    });
  };
  Images.prototype.pixels = function (...args) {
    return decoding(() => pixels.apply(this, args));
  };
  const known = new WeakMap<Images, Set<number>>();
  Images.prototype.facts = function (image) {
    // They are asked for by each polygon: reading the clock takes longer than remembering.
    const own = known.get(this) ?? new Set();
    known.set(this, own);
    if (own.has(image)) return facts.call(this, image);
    own.add(image);
    return decoding(() => facts.call(this, image));
  };
  AtlasBuilder.prototype.draw = function (...args) {
    return counted('drawing', () => draw.apply(this, args));
  };
  Images.prototype.encode = function (page) {
    const size = (page.width * page.height) / 1e6;
    megapixels += size;
    if (sampled < SAMPLE) {
      sample.push(page);
      sampled += size;
    }
    return counted('encoding', () => encode.call(this, page));
  };
}

/** Converts the package; returns its processor time. */
async function measure(zip: string, out: string): Promise<number> {
  Object.assign(spent, { decoding: 0, drawing: 0, encoding: 0 });
  [megapixels, sample, sampled] = [0, [], 0];
  const before = cpuSeconds();
  await convertZip(zip, out);
  return cpuSeconds() - before;
}

/** Speed, bytes and quality of the sampled pages. */
async function encoded(effort: number): Promise<[number, number, number]> {
  let [seconds, bytes, pixels, squares, values] = [0, 0, 0, 0, 0];
  for (const { width, height, channels, data } of sample) {
    const before = cpuSeconds();
    const image = await sharp(data, { raw: { width, height, channels } })
      .webp({ quality: 75, effort })
      .toBuffer();
    seconds += cpuSeconds() - before;
    bytes += image.length;
    pixels += width * height;
    const back = await sharp(image).raw().toBuffer();
    for (let i = 0; i < data.length; i++) squares += (data[i]! - back[i]!) ** 2;
    values += data.length;
  }
  return [pixels / 1e6 / seconds, bytes / pixels, 10 * Math.log10(255 ** 2 / (squares / values))];
}
