/** What one GML file adds to packages of 3D Tiles. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { compareTexts } from '@citymodel/base';
import { type Bounds, meshBounds, type Region } from '@citymodel/geo';
import { addTo, emptyTally } from '../account/tally.ts';
import { INTERIOR_LOD } from '../account/written-levels.ts';
import { loadSimplifier, simplifyBody } from '../mesh/simplify.ts';
import { TileFrame } from '../mesh/tile-frame.ts';
import type { GmlSource, OutputKey, PartContext, PartOutput } from '../part-maker.ts';
import { IssueCounter } from '../read/issue-counter.ts';
import type { FeatureHead } from '../read/pack-head.ts';
import { type FeatureFacts, type GmlRecords, raisingOf } from '../read/read-records.ts';
import { coarseLook, type MeanColours, meanColours } from './coarse-look.ts';
import { DrawnBodies } from './drawn-bodies.ts';
import { DrawnRows } from './drawn-rows.ts';
import { FloodSurfaces } from './flood-surfaces.ts';
import type { PartData } from './join-tilesets.ts';
import { isInsideAt, itemAt, type LodItem, plain, shownLod } from './lod-item.ts';
import { PLAIN_LOOK } from './look.ts';
import { FLOOD_LOD, floodKey, interiorKey, isFlood, keyOf, lodsOf, subOf, wardOf } from './outputs.ts';
import {
  isLarge,
  OVERVIEW_ERROR,
  OVERVIEW_SHARE,
  type OverviewFeature,
  overviewFeatures,
  writeOverview,
} from './overview.ts';
import { type PackedFile, writePacked } from './packed-file.ts';
import { addPlace } from './place-columns.ts';
import { PropertyRanges } from './property-ranges.ts';
import { Images, loadSharp } from './texture/images.ts';
import { LaidImages } from './texture/laid-images.ts';
import { type Pictures, type TextureCost, TextureLook, textureCost } from './texture-look.ts';
import { type ShownFeature, tileModel } from './tile-model.ts';
import {
  COARSE_ERROR,
  largestWithin,
  planAdding,
  planReplacing,
  TEXTURED_ERRORS,
  type TreeNode,
} from './tree/plan-tree.ts';
import { type Box, boundsOfPlaces } from './tree/region.ts';
import {
  type PlacedItem,
  positionError,
  type TileContent,
  type TreeWriter,
  writeTree,
} from './write-tree.ts';

/** Features that go into the same packages. */
interface Group {
  sub: string | null;
  wardCode: string | null;
  features: FeatureFacts[];
}

/** What an output is made of. */
interface OutputPlan<T extends PlacedItem> extends Pick<TreeWriter<T>, 'refine' | 'content'> {
  /** Null when the overview has everything. */
  tree: TreeNode<T> | null;
  /** What is wrong when nothing of the tree is drawn, metres. */
  missing: number;
  /** What the overview of all files shows; asked for when the tree is written. */
  overview(): Promise<readonly OverviewFeature[]>;
}

/** How an output is written. */
interface Style {
  /** Null where none can be read. */
  pictures: Pictures | null;
  /** True for tiles with images, which replace the tiles above them. */
  isTextured: boolean;
}

/**
 * Shapes that are seen from afar are simplified by this part of the geometric error: a pixel, where the tile is
 * replaced.
 */
const PIXEL = 1 / 16;
/** Images are read at this part of their size to see whether they can be. */
const LOOK_SCALE = 1 / 8;
export class Tiles3dPart {
  readonly #gml: GmlSource;
  readonly #directory: string;
  readonly #context: PartContext;
  readonly #read: GmlRecords;
  readonly #issues: IssueCounter;
  readonly #drawn: DrawnBodies;
  readonly #rows: DrawnRows;
  readonly #outputs: PartOutput[] = [];
  /** The last level of detail of features that were looked at and lack textures. */
  readonly #without = new Map<FeatureFacts, number>();
  /** The library for images is not installed. */
  #areUnreadable = false;
  /** Mean colours of features by their records and levels of detail. */
  readonly #colours = new Map<string, MeanColours>();

  constructor(gml: GmlSource, directory: string, context: PartContext, read: GmlRecords) {
    this.#gml = gml;
    this.#directory = directory;
    this.#context = context;
    this.#read = read;
    this.#issues = new IssueCounter(gml.path, context.issue);
    this.#drawn = new DrawnBodies(context.account, this.#issues);
    this.#rows = new DrawnRows(context.account.attributes);
  }

  /** Writes all outputs. */
  async make(): Promise<PartOutput[]> {
    const { type } = this.#gml;
    if (isFlood(this.#gml.type)) {
      await this.#writeFloods();
      this.#issues.tell();
      return this.#outputs;
    }
    const lods = this.#levels();
    for (const facts of this.#read.features) for (const lod of lods) this.#drawn.claim(facts, lod);
    const pictures = await this.#pictures();
    for (const { sub, wardCode, features } of this.#groups()) {
      for (const lod of lods) {
        const [inside, outside] = [true, false].map((wanted) =>
          features.some((facts) => facts.bodies[lod] != null && isInsideAt(facts, lod) === wanted),
        );
        if (outside) {
          const items = features.flatMap((facts) => itemAt(facts, isInsideAt(facts, lod) ? lod - 1 : lod));
          await this.#writeTwins({ ...keyOf(type, lod), sub, wardCode }, items, pictures);
        }
        if (inside) {
          const items = features.flatMap((facts) => (isInsideAt(facts, lod) ? itemAt(facts, lod) : []));
          await this.#writeTwins({ ...interiorKey(type), sub, wardCode }, items, pictures);
        }
      }
    }
    this.#drawn.settle(this.#read.features, lods);
    this.#rows.settle(this.#read.features, (record) => this.#read.records.head(record));
    this.#settleImages(pictures);
    this.#issues.tell();
    return this.#outputs;
  }

  /** Levels of detail of bodies that outputs are made of. */
  #levels(): readonly number[] {
    const { options } = this.#context;
    const lods = lodsOf(this.#gml.type, options);
    const hasInside = this.#read.features.some((facts) => isInsideAt(facts, INTERIOR_LOD));
    return !hasInside || lods.includes(INTERIOR_LOD) ? lods : [...lods, INTERIOR_LOD];
  }

  /** An output, and where it has textures one without them. */
  async #writeTwins(key: OutputKey, items: LodItem[], pictures: Pictures | null): Promise<void> {
    const isTextured = await this.#addPixels(items, pictures);
    await this.#write(key, items, { pictures, isTextured });
    if (isTextured) await this.#write({ ...key, noTexture: true }, items, { pictures, isTextured: false });
  }

  /** By class where packages are of one class, by ward where the city has wards; without buildings of other cities. */
  #groups(): Group[] {
    const { type, package: source } = this.#gml;
    const groups = new Map<string, Group>();
    for (const facts of this.#read.features) {
      const wardCode = wardOf(type, source, facts.cityCode);
      if (wardCode === undefined) {
        this.#issues.count('CITY_OUTSIDE', facts.id, facts.cityCode);
        for (const lod of this.#levels()) this.#drawn.lost(facts, lod, 'CITY_OUTSIDE');
        continue;
      }
      const sub = subOf(this.#gml, facts);
      const key = `${sub} ${wardCode}`;
      const group = groups.get(key) ?? { sub, wardCode, features: [] };
      group.features.push(facts);
      groups.set(key, group);
    }
    return [...groups.entries()].sort(([a], [b]) => compareTexts(a, b)).map(([, group]) => group);
  }

  /** Accounts for the images that appearances name. */
  #settleImages(pictures: Pictures | null): void {
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

  /** Null when the file has no images, or none can be read here. */
  async #pictures(): Promise<Pictures | null> {
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
  async #addPixels(items: readonly LodItem[], pictures: Pictures | null): Promise<boolean> {
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

  async #write(key: OutputKey, items: LodItem[], style: Style): Promise<void> {
    const cell = this.#cell(boundsOfPlaces(items));
    const large = largestWithin(
      items.filter(isLarge),
      OVERVIEW_SHARE,
      style.isTextured ? ({ coarse }) => ({ ...coarse, pixels: 0 }) : undefined,
    ).shown;
    // No tile that adds has images, nor has the overview.
    const isShown = new Set(large);
    const rest = items.filter((item) => !isShown.has(item));
    await this.#writeOutput(key, items.length, {
      tree: style.isTextured ? planReplacing(items) : planAdding(rest.map(plain), cell),
      missing: 2 * rest.reduce((most, { diagonal }) => Math.max(most, diagonal), 0),
      overview: () => this.#overview(large, key, style),
      refine: style.isTextured ? 'REPLACE' : 'ADD',
      content: (node) => this.#content(node, key, style),
    });
    this.#drawn.endOutput(items);
  }

  /** Large features as the overview of all files shows them. */
  async #overview(items: LodItem[], key: OutputKey, style: Style): Promise<OverviewFeature[]> {
    if (items.length === 0) return [];
    if (style.pictures === null || !style.isTextured) {
      const content = await this.#content({ items, children: [], geometricError: 0 }, key, style);
      return overviewFeatures(items.map(plain), content, 0);
    }
    const content = await this.#coarseContent({ items, geometricError: OVERVIEW_ERROR }, style.pictures);
    return overviewFeatures(
      content.items.map((item) => ({ ...plain(item), ...item.coarse })),
      content,
      OVERVIEW_ERROR,
    );
  }

  /** One output of all depths in the file. */
  async #writeFloods(): Promise<void> {
    const surfaces = new FloodSurfaces(this.#read, await loadSimplifier());
    const tree = surfaces.plan(this.#cell(surfaces.bounds));
    this.#drawn.claimTogether(this.#read.features, FLOOD_LOD);
    this.#rows.settleTogether(
      this.#read.features,
      (record) => this.#read.records.head(record),
      (record) => (tree === null ? null : surfaces.columnsOf(record)),
    );
    if (tree === null) return;
    await this.#writeOutput(floodKey(this.#gml), leavesOf(tree), {
      tree,
      missing: 0,
      overview: async () => surfaces.overview(tree),
      refine: 'REPLACE',
      content: async (node) => surfaces.content(node),
    });
    this.#drawn.settleTogether(this.#read.features, FLOOD_LOD);
  }

  async #writeOutput<T extends PlacedItem>(
    key: OutputKey,
    features: number,
    { tree, missing, overview: overviewOf, refine, content }: OutputPlan<T>,
  ): Promise<void> {
    const folder = String(this.#outputs.length);
    const directory = join(this.#directory, folder);
    mkdirSync(directory);
    const { options, signal } = this.#context;
    const ranges = new PropertyRanges();
    const written =
      tree === null
        ? null
        : await writeTree(tree, {
            directory,
            refine,
            version: options.tiles,
            glb: options,
            signal,
            issues: this.#issues,
            drawn: this.#drawn.note,
            ranges,
            rows: this.#rows,
            content,
          });
    const overview = await overviewOf();
    const root = written?.root ?? null;
    const isDrawn = overview.length > 0 && (refine === 'REPLACE' || (await this.#lookInto(overview, ranges)));
    if (root === null && !isDrawn) return;
    if (isDrawn) {
      writeOverview(directory, overview);
      this.#rows.kept(overview);
    }
    const geometricError = Math.max(missing, root?.geometricError ?? 0);
    const files: PackedFile[] = [];
    if (root !== null) {
      const tileset = { asset: { version: options.tiles }, geometricError, root: { ...root, refine } };
      const bytes = Buffer.from(JSON.stringify(tileset));
      files.push(await writePacked(directory, 'tileset.json', bytes), ...written!.files);
    }
    const data: PartData = {
      folder,
      files,
      region: root === null ? null : (root.boundingVolume as { region: Region }).region,
      geometricError,
      refine,
      hasOverview: isDrawn,
      ranges: ranges.toJSON(),
      isOutsideGeoid: this.#context.heights.outside > 0,
      isRevised: this.#context.heights.isRevised,
      elevations: [...this.#context.heights.elevations].sort(),
    };
    this.#outputs.push({ key, features, data });
  }

  /**
   * Notes what is odd about features, and their ranges, that only the overview shows, which is written when the file is
   * forgotten. False when nothing of them can be drawn.
   */
  async #lookInto(overview: readonly OverviewFeature[], ranges: PropertyRanges): Promise<boolean> {
    const { west, south, low } = overview[0]!.item.box;
    const frame = new TileFrame(west, south, low);
    const { note } = this.#drawn;
    const { signal } = this.#context;
    const { tables, primitives } = await tileModel(overview, frame, PLAIN_LOOK, note, true, null, signal);
    ranges.add(tables);
    return primitives.length > 0;
  }

  async #content(node: TreeNode<LodItem>, key: OutputKey, style: Style): Promise<TileContent> {
    const { records, appearances } = this.#read;
    const finest = Math.max(...node.items.map(({ lod }) => lod));
    const isReplaced = style.isTextured && node.children.length > 0;
    if (isReplaced && style.pictures !== null && node.geometricError >= COARSE_ERROR) {
      return await this.#coarseContent(node, style.pictures);
    }
    const features = node.items.map(({ facts, lod }) => ({
      head: headAt(records, facts, lod, isReplaced),
      body: records.body(facts.record, lod),
      lod: shownLod(facts, lod),
      source: DrawnBodies.sourceOf(facts.record, lod),
    }));
    const error = positionError(finest);
    if (key.noTexture || appearances.isEmpty) return { features, look: PLAIN_LOOK, error, uvError: 0 };
    const pictures = style.isTextured ? style.pictures : null;
    const look = await TextureLook.make(features, node.geometricError, appearances, pictures);
    return { features, look, error, uvError: look.uvError };
  }

  /** Features from afar: blocks of LOD 1 or simplified shapes, in the mean colours of their textures. */
  async #coarseContent(
    { items, geometricError }: Pick<TreeNode<LodItem>, 'items' | 'geometricError'>,
    pictures: Pictures,
  ): Promise<TileContent & { items: LodItem[] }> {
    const simplifier = await loadSimplifier();
    const { records, appearances } = this.#read;
    const features: ShownFeature[] = [];
    const colours: MeanColours[] = [];
    const boxes: Box[] = [];
    const shown: LodItem[] = [];
    for (const item of items) {
      const { facts, lod, box } = item;
      const { record } = facts;
      const body = records.body(record, lod);
      const hasBlock = lod > 1 && facts.bodies[1] != null && !isInsideAt(facts, lod);
      const block = hasBlock ? records.body(record, 1) : null;
      const coarse = block ?? simplifyBody(simplifier, body, { error: PIXEL * geometricError })?.body;
      if (coarse == null) continue;
      const key = `${record} ${lod}`;
      let mean = this.#colours.get(key);
      if (mean === undefined) {
        mean = await meanColours(body, appearances, pictures);
        this.#colours.set(key, mean);
      }
      features.push({
        ...{ head: headAt(records, facts, lod, true), body: coarse },
        ...{ lod: shownLod(facts, lod), source: -1 },
      });
      shown.push(item);
      colours.push(mean);
      boxes.push(block === null ? box : facts.bodies[1]!);
    }
    const look = coarseLook(
      features.map(({ body }) => body),
      colours,
    );
    return { items: shown, features, boxes, look, error: positionError(1), uvError: 0 };
  }

  /** The mesh of the file; where some places lie outside of it, what they take. */
  #cell(places: Bounds): Bounds {
    const mesh = this.#gml.mesh === null ? null : meshBounds(this.#gml.mesh);
    if (mesh === null) return places;
    const isInside =
      places.west >= mesh.west &&
      places.east <= mesh.east &&
      places.south >= mesh.south &&
      places.north <= mesh.north;
    return isInside ? mesh : places;
  }
}

/** Tiles that others replace (`isInner`) have all columns but the text of everything, which is most of their bytes. */
function headAt(
  records: GmlRecords['records'],
  facts: FeatureFacts,
  lod: number,
  isInner: boolean,
): FeatureHead {
  // Read for this tile alone, so its columns may be changed.
  const head = records.head(facts.record);
  if (isInner) head.columns = head.columns.filter(({ name }) => name !== 'attributes');
  addPlace(head.columns, facts, lod);
  return head;
}

function leavesOf(node: TreeNode<PlacedItem>): number {
  return node.children.length === 0 ? 1 : node.children.reduce((sum, child) => sum + leavesOf(child), 0);
}
