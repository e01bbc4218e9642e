/** Images of one package, decoded when they are needed. */
import { LRUCache } from 'lru-cache';
import type { Sharp, SharpOptions } from 'sharp';
import type { GmlSource } from '../part-maker.ts';
import type { IssueCounter } from '../read/issue-counter.ts';

/** Pixels in rows from the upper left, 3 or 4 bytes each. */
export interface Pixels {
  width: number;
  height: number;
  channels: 3 | 4;
  data: Uint8Array;
}

/** What an image is without its pixels. */
export interface ImageFacts {
  width: number;
  height: number;
  hasAlpha: boolean;
}

type SharpLibrary = (input: Uint8Array, options?: SharpOptions) => Sharp;

/** Bytes of an image file. */
const MAX_FILE = 64 << 20;
/** Width times height that a file may state. */
const MAX_PIXELS = 268_402_689;
/** Width times height that is decoded; larger images are made smaller on the way. */
const MOST_PIXELS = 12_000_000;
/** Width times height up to which an image is decoded as it is, once for all tiles that show it: starting to decode takes longest. */
const WHOLE_PIXELS = 512 * 512;
/** Bytes of decoded images that are kept. */
const KEPT_BYTES = 24 << 20;
/** Images whose size is remembered. */
const KEPT_FACTS = 100_000;
const WEBP = { quality: 75, effort: 2 };

let loading: Promise<SharpLibrary | null> | null = null;

/** The optional library sharp; null when it is not installed here. */
export function loadSharp(): Promise<SharpLibrary | null> {
  loading ??= import('sharp').then(
    ({ default: sharp }) => {
      // One image at a time, and nothing kept: the memory of a conversion is bounded.
      sharp.concurrency(1);
      sharp.cache(false);
      return sharp;
    },
    () => {
      loading = null;
      return null;
    },
  );
  return loading;
}

export class Images {
  readonly #sharp: SharpLibrary;
  readonly #gml: GmlSource;
  readonly #paths: readonly string[];
  readonly #issues: IssueCounter;
  readonly #facts = new LRUCache<number, { facts: ImageFacts | null }>({ max: KEPT_FACTS });
  readonly #pixels = new LRUCache<string, Pixels>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ data }) => data.length,
  });

  /** `paths`: of images in the package, by their numbers. */
  constructor(sharp: SharpLibrary, gml: GmlSource, paths: readonly string[], issues: IssueCounter) {
    this.#sharp = sharp;
    this.#gml = gml;
    this.#paths = paths;
    this.#issues = issues;
  }

  /** Null, and an issue, for an image that the package lacks or that cannot be read. */
  async facts(image: number): Promise<ImageFacts | null> {
    const known = this.#facts.get(image);
    if (known !== undefined) return known.facts;
    const facts = await this.#readFacts(image);
    if (facts === null) this.#issues.count('IMAGE_MISSING', null, this.#paths[image]!);
    this.#facts.set(image, { facts });
    return facts;
  }

  /**
   * The pixels of an image, of a large one at a half, a quarter or an eighth of its size where `scale` allows that; null when they cannot be
   * read.
   * `scale`: by how much it will be made smaller anyway, 0 to 1.
   */
  async pixels(image: number, scale: number): Promise<Pixels | null> {
    const facts = await this.facts(image);
    if (facts === null) return null;
    let shrink = 1;
    const isSmall = facts.width * facts.height <= WHOLE_PIXELS;
    while (!isSmall && shrink < 8 && scale * 2 * shrink <= 1) shrink *= 2;
    while ((facts.width / shrink) * (facts.height / shrink) > MOST_PIXELS) shrink *= 2;
    const key = `${image} ${shrink}`;
    let pixels = this.#pixels.get(key);
    if (pixels === undefined) {
      const decoded = await this.#decode(image, facts, shrink);
      if (decoded === null) {
        this.#issues.count('IMAGE_MISSING', null, this.#paths[image]!);
        this.#facts.set(image, { facts: null });
        return null;
      }
      pixels = decoded;
      this.#pixels.set(key, pixels);
    }
    return pixels;
  }

  /** A page as WebP. */
  async encode({ width, height, channels, data }: Pixels): Promise<Uint8Array> {
    return this.#sharp(data, { raw: { width, height, channels } }).webp(WEBP).toBuffer();
  }

  async #readFacts(image: number): Promise<ImageFacts | null> {
    const bytes = await this.#gml.member(this.#paths[image]!, MAX_FILE);
    if (bytes === null) return null;
    try {
      const { width, height, hasAlpha } = await this.#sharp(bytes, {
        limitInputPixels: MAX_PIXELS,
      }).metadata();
      return { width, height, hasAlpha };
    } catch {
      return null;
    }
  }

  async #decode(image: number, facts: ImageFacts, shrink: number): Promise<Pixels | null> {
    const bytes = await this.#gml.member(this.#paths[image]!, MAX_FILE);
    if (bytes === null) return null;
    try {
      const options: SharpOptions = { limitInputPixels: MAX_PIXELS, failOn: 'error' };
      let decoder = this.#sharp(bytes, options).toColourspace('srgb');
      if (shrink > 1) {
        const [width, height] = [Math.ceil(facts.width / shrink), Math.ceil(facts.height / shrink)];
        decoder = decoder.resize(width, height, { fit: 'fill', kernel: 'linear' });
      }
      decoder = facts.hasAlpha ? decoder.ensureAlpha() : decoder.removeAlpha();
      const { data, info } = await decoder.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
      const channels = facts.hasAlpha ? 4 : 3;
      if (info.channels !== channels) return null;
      return { width: info.width, height: info.height, channels, data };
    } catch {
      return null;
    }
  }
}
