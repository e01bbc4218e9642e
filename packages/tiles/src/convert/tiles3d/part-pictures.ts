/** The images that a file brings: opened, measured for its features, and accounted for. */
import { addTo, emptyTally } from '../account/tally.ts';
import type { GmlSource, PartContext } from '../part-maker.ts';
import type { FeatureFacts } from '../read/feature-facts.ts';
import type { IssueCounter } from '../read/issue-counter.ts';
import { raisingOf } from '../read/raise-body.ts';
import type { GmlRecords } from '../read/read-records.ts';
import type { LodItem } from './lod-item.ts';
import { Images, loadSharp } from './texture/images.ts';
import { LaidImages } from './texture/laid-images.ts';
import { type Pictures, type TextureCost, textureCost } from './texture-look.ts';
import { TEXTURED_ERRORS } from './tree/plan-tree.ts';

/** Images are read at this part of their size to see whether they can be. */
const LOOK_SCALE = 1 / 8;

/** Images of a file, whose issues and account it keeps. */
export class PartPictures {
  readonly #gml: GmlSource;
  readonly #context: PartContext;
  readonly #read: GmlRecords;
  readonly #issues: IssueCounter;
  /** The last level of detail of features that were looked at and lack textures. */
  readonly #without = new Map<FeatureFacts, number>();
  /** The library for images is not installed. */
  #areUnreadable = false;

  constructor(gml: GmlSource, context: PartContext, read: GmlRecords, issues: IssueCounter) {
    this.#gml = gml;
    this.#context = context;
    this.#read = read;
    this.#issues = issues;
  }

  /** Accounts for the images that appearances name. */
  settle(pictures: Pictures | null): void {
    const { images, unread } = this.#read.appearances;
    if (unread > 0) this.#issues.count('APPEARANCE_UNREAD', null, '', unread);
    const tally = emptyTally();
    for (const [image, path] of images.entries()) {
      tally.in++;
      if (pictures?.images.isDrawn(image)) {
        tally.out++;
        continue;
      }
      const failure = this.#areUnreadable ? 'IMAGES_UNREADABLE' : pictures?.images.failureOf(image);
      const code = failure ?? (unread > 0 ? 'APPEARANCE_UNREAD' : 'IMAGE_UNUSED');
      addTo(tally.rest, code, 1);
      if (code === 'IMAGE_UNUSED') this.#issues.count(code, null, path);
    }
    this.#context.account.images = tally;
  }

  /** The images; null when the file has none, or none can be read here. */
  async open(): Promise<Pictures | null> {
    const { appearances, srsName } = this.#read;
    if (!appearances.hasImages) return null;
    const sharp = await loadSharp();
    this.#areUnreadable = sharp === null;
    if (sharp === null) this.#issues.count('IMAGES_UNREADABLE', null);
    if (sharp === null) return null;
    const images = new Images(sharp, this.#gml, appearances.images, this.#issues, this.#context.signal);
    const positions = { srsName, raisedBy: raisingOf(srsName, this.#context) };
    return {
      images,
      laid: await LaidImages.open(appearances, images, this.#gml, positions, this.#issues),
    };
  }

  /** Adds the pixels of their textures to items; true when some have any. */
  async addPixels(items: readonly LodItem[], pictures: Pictures | null): Promise<boolean> {
    if (pictures === null) return false;
    const { appearances, records } = this.#read;
    let isTextured = false;
    for (const item of items) {
      const body = records.body(item.facts.record, item.lod);
      const cost = await textureCost(body, item.lod, [0, ...TEXTURED_ERRORS], appearances, pictures);
      this.#noteTextures(item, cost.without);
      [item.pixels, ...item.pixelsAt] = cost.pixels as [number, ...number[]];
      // Only an image that can be read makes textures.
      isTextured ||=
        cost.pictured !== null && (await pictures.images.pixels(cost.pictured, LOOK_SCALE)) !== null;
    }
    return isTextured;
  }

  /** Once for a feature at a level of detail, of which higher outputs have it too. */
  #noteTextures({ facts, lod }: LodItem, { misfit, outside }: TextureCost['without']): void {
    if (misfit + outside === 0 || this.#without.get(facts) === lod) return;
    this.#without.set(facts, lod);
    if (misfit > 0) this.#issues.count('TEXTURE_MISFITS', facts.id, '', misfit);
    if (outside > 0) this.#issues.count('TEXTURE_OUTSIDE', facts.id, '', outside);
  }
}
