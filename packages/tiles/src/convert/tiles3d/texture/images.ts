/** Images of one package, decoded when they are needed. */

import type { Slices } from '@citymodel/base';
import { LRUCache } from 'lru-cache';
import type { Sharp, SharpOptions } from 'sharp';
import type { GmlSource } from '../../part-maker.ts';
import type { IssueCode, IssueCounter } from '../../read/issue-counter.ts';
import { stoppable } from '../../stoppable.ts';
import { drawPiece, type Pixels } from './draw.ts';
import { imageFormat } from './image-format.ts';

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
const MAX_PIXELS = 1 << 26;
/** Seconds that decoding an image may take. */
const MAX_SECONDS = 30;
/** Width times height that is decoded; larger images are made smaller on the way. */
const MOST_PIXELS = 12_000_000;
/**
 * Width times height up to which an image is decoded as it is, once for all tiles that show it, and then halved:
 * starting to decode takes longest.
 */
const WHOLE_PIXELS = 512 * 512;
/** Bytes of decoded images that are kept. */
const KEPT_BYTES = 32 << 20;
/** Images whose size is remembered. */
const KEPT_FACTS = 100_000;
const WEBP = { quality: 68, effort: 0 };

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
  readonly #slices: Slices;
  readonly #signal: AbortSignal;
  readonly #facts = new LRUCache<number, { facts: ImageFacts | null }>({ max: KEPT_FACTS });
  readonly #pixels = new KeptPixels(KEPT_BYTES);
  readonly #drawn = new Set<number>();
  readonly #failed = new Map<number, IssueCode>();

  /** `paths`: of images in the package, by their numbers. The signal stops the caller of one. */
  constructor(
    sharp: SharpLibrary,
    gml: GmlSource,
    paths: readonly string[],
    issues: IssueCounter,
    signal: AbortSignal,
  ) {
    this.#slices = stoppable(signal);
    this.#signal = signal;
    this.#sharp = sharp;
    this.#gml = gml;
    this.#paths = paths;
    this.#issues = issues;
  }

  /** Null, and an issue, for an image that the package lacks, or that is not or cannot be read. */
  async facts(image: number): Promise<ImageFacts | null> {
    if (this.#slices.due()) await this.#slices.pause();
    const known = this.#facts.get(image);
    if (known !== undefined) return known.facts;
    const found = await this.#readFacts(image);
    const facts = typeof found === 'string' ? null : found;
    if (typeof found === 'string') this.#fail(image, found);
    this.#facts.set(image, { facts });
    return facts;
  }

  /**
   * The pixels of an image, at a half, a quarter or an eighth of its size where `scale` allows that; null when they
   * cannot be read. `scale`: by how much it will be made smaller anyway, 0 to 1.
   */
  async pixels(image: number, scale: number): Promise<Pixels | null> {
    const facts = await this.facts(image);
    if (facts === null) return null;
    // Decoding waits on another thread, which the slices do not count.
    this.#signal.throwIfAborted();
    let shrink = 1;
    while (shrink < 8 && scale * 2 * shrink <= 1) shrink *= 2;
    while ((facts.width / shrink) * (facts.height / shrink) > MOST_PIXELS) shrink *= 2;
    const pixels = await this.#shrunk(image, facts, shrink);
    if (pixels === null) {
      this.#fail(image, 'IMAGE_MISSING');
      this.#facts.set(image, { facts: null });
    }
    return pixels;
  }

  #fail(image: number, code: IssueCode): void {
    // What was forgotten is read again, and told once all the same.
    if (this.#failed.has(image)) return;
    this.#failed.set(image, code);
    this.#issues.count(code, null, this.#paths[image]!);
  }

  /** Notes that a tile shows the image. */
  noteDrawn(image: number): void {
    this.#drawn.add(image);
  }

  /** True for an image that some tile shows. */
  isDrawn(image: number): boolean {
    return this.#drawn.has(image);
  }

  /** Why an image could not be read; null for one that could, or that nobody asked for. */
  failureOf(image: number): IssueCode | null {
    return this.#failed.get(image) ?? null;
  }

  /** A page as WebP. */
  async encode({ width, height, channels, data }: Pixels): Promise<Uint8Array> {
    return this.#sharp(data, { raw: { width, height, channels } }).webp(WEBP).toBuffer();
  }

  /** The same pixels whichever are kept. */
  async #shrunk(image: number, facts: ImageFacts, shrink: number): Promise<Pixels | null> {
    const key = `${image} ${shrink}`;
    const kept = this.#pixels.get(key);
    if (kept !== undefined) return kept;
    const isHalved = shrink > 1 && facts.width * facts.height <= WHOLE_PIXELS;
    let pixels: Pixels | null;
    if (isHalved) {
      const finer = await this.#shrunk(image, facts, shrink / 2);
      pixels = finer === null ? null : halved(finer);
      this.#pixels.spend(`${image} ${shrink / 2}`);
    } else pixels = await this.#decode(image, facts, shrink);
    if (pixels !== null) this.#pixels.set(key, pixels);
    return pixels;
  }

  /** What the image is, or why it is not read. */
  async #readFacts(image: number): Promise<ImageFacts | IssueCode> {
    const bytes = await this.#gml.member(this.#paths[image]!, MAX_FILE);
    if (bytes === null) return 'IMAGE_MISSING';
    if (imageFormat(bytes) === null) return 'IMAGE_FORMAT_UNKNOWN';
    try {
      const { width, height, hasAlpha } = await this.#sharp(bytes, { limitInputPixels: false }).metadata();
      return width * height > MAX_PIXELS ? 'IMAGE_TOO_LARGE' : { width, height, hasAlpha };
    } catch {
      return 'IMAGE_MISSING';
    }
  }

  async #decode(image: number, facts: ImageFacts, shrink: number): Promise<Pixels | null> {
    const bytes = await this.#gml.member(this.#paths[image]!, MAX_FILE);
    if (bytes === null || imageFormat(bytes) === null) return null;
    try {
      const options: SharpOptions = { limitInputPixels: MAX_PIXELS, failOn: 'error' };
      let decoder = this.#sharp(bytes, options).toColourspace('srgb');
      if (shrink > 1) {
        const [width, height] = [Math.ceil(facts.width / shrink), Math.ceil(facts.height / shrink)];
        decoder = decoder.resize(width, height, { fit: 'fill', kernel: 'linear' });
      }
      decoder = decoder.timeout({ seconds: MAX_SECONDS });
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

function halved(source: Pixels): Pixels {
  const { channels } = source;
  const [width, height] = [Math.ceil(source.width / 2), Math.ceil(source.height / 2)];
  const pixels: Pixels = { width, height, channels, data: new Uint8Array(width * height * channels) };
  const whole = { left: 0, top: 0, right: source.width, bottom: source.height };
  drawPiece(pixels, source, whole, { x: 0, y: 0, width, height, edge: 0 });
  return pixels;
}

/** Decoded images up to some bytes. What was halved goes first: tiles ask for fewer pixels the further up they are. */
class KeptPixels {
  readonly #most: number;
  readonly #used: LRUCache<string, Pixels>;
  readonly #spent: LRUCache<string, Pixels>;

  constructor(most: number) {
    this.#most = most;
    const limits = { maxSize: most, sizeCalculation: ({ data }: Pixels) => data.length };
    this.#used = new LRUCache(limits);
    this.#spent = new LRUCache(limits);
  }

  get(key: string): Pixels | undefined {
    const used = this.#used.get(key);
    if (used !== undefined) return used;
    const spent = this.#spent.get(key);
    if (spent === undefined) return undefined;
    this.#spent.delete(key);
    this.#used.set(key, spent);
    return spent;
  }

  set(key: string, pixels: Pixels): void {
    this.#used.set(key, pixels);
    while (this.#spent.size > 0 && this.#used.calculatedSize + this.#spent.calculatedSize > this.#most)
      this.#spent.pop();
  }

  /** To be forgotten before all that is used. */
  spend(key: string): void {
    const pixels = this.#used.peek(key);
    if (pixels === undefined) return;
    this.#used.delete(key);
    this.#spent.set(key, pixels);
  }
}
