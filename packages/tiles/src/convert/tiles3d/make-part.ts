/** What one GML file adds to packages of 3D Tiles. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { compareTexts } from '@citymodel/base';
import { type Bounds, meshBounds, type Region } from '@citymodel/geo';
import { INTERIOR_LOD } from '../account/written-levels.ts';
import { loadSimplifier } from '../mesh/simplify.ts';
import { TileFrame } from '../mesh/tile-frame.ts';
import type { GmlSource, OutputKey, PartContext, PartOutput } from '../part-maker.ts';
import type { FeatureFacts } from '../read/feature-facts.ts';
import { IssueCounter } from '../read/issue-counter.ts';
import type { GmlRecords } from '../read/read-records.ts';
import { CoarseContents, headAt } from './coarse-content.ts';
import { DrawnBodies } from './drawn-bodies.ts';
import { DrawnRows } from './drawn-rows.ts';
import { FloodRanks } from './flood-ranks.ts';
import type { PartData } from './join-tilesets.ts';
import { isInsideAt, itemAt, type LodItem, plain, shownLod } from './lod-item.ts';
import { PLAIN_LOOK } from './look.ts';
import {
  FLOOD_LOD,
  floodKey,
  interiorKey,
  isFlood,
  isTerrain,
  keyOf,
  lodsOf,
  subOf,
  wardOf,
} from './outputs.ts';
import {
  isLarge,
  OVERVIEW_ERROR,
  OVERVIEW_SHARE,
  type OverviewFeature,
  overviewFeatures,
  writeOverview,
} from './overview.ts';
import { type PackedFile, writePacked } from './packed-file.ts';
import { PartPictures } from './part-pictures.ts';
import { PropertyRanges } from './property-ranges.ts';
import { type SurfaceGrouping, Surfaces } from './surfaces.ts';
import { TerrainReliefs } from './terrain-reliefs.ts';
import { type Pictures, TextureLook } from './texture-look.ts';
import { tileModel } from './tile-model.ts';
import { COARSE_ERROR, largestWithin, planAdding, planReplacing, type TreeNode } from './tree/plan-tree.ts';
import { boundsOfPlaces } from './tree/region.ts';
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
  /** Counts rows of tiles; null where their cells are counted already. */
  rows: DrawnRows | null;
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

export class Tiles3dPart {
  readonly #gml: GmlSource;
  readonly #directory: string;
  readonly #context: PartContext;
  readonly #read: GmlRecords;
  readonly #issues: IssueCounter;
  readonly #drawn: DrawnBodies;
  readonly #rows: DrawnRows;
  readonly #pictures: PartPictures;
  readonly #coarse: CoarseContents;
  readonly #outputs: PartOutput[] = [];

  constructor(gml: GmlSource, directory: string, context: PartContext, read: GmlRecords) {
    this.#gml = gml;
    this.#directory = directory;
    this.#context = context;
    this.#read = read;
    this.#issues = new IssueCounter(gml.path, context.issue);
    this.#pictures = new PartPictures(gml, context, read, this.#issues);
    this.#coarse = new CoarseContents(read);
    this.#drawn = new DrawnBodies(context.account, this.#issues);
    this.#rows = new DrawnRows(context.account.attributes);
  }

  /** Writes all outputs. */
  async make(): Promise<PartOutput[]> {
    const { type } = this.#gml;
    if (isFlood(type) || isTerrain(type)) {
      await (isFlood(type) ? this.#writeFloods() : this.#writeTerrain());
      this.#drawn.settleTogether();
      this.#issues.tell();
      return this.#outputs;
    }
    const lods = this.#levels();
    for (const facts of this.#read.features) for (const lod of lods) this.#drawn.claim(facts, lod);
    const pictures = await this.#pictures.open();
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
    this.#pictures.settle(pictures);
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
    const isTextured = await this.#pictures.addPixels(items, pictures);
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
      rows: this.#rows,
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
    const content = await this.#coarse.of({ items, geometricError: OVERVIEW_ERROR }, style.pictures);
    return overviewFeatures(
      content.items.map((item) => ({ ...plain(item), ...item.coarse })),
      content,
      OVERVIEW_ERROR,
    );
  }

  /** One output of all depths in the file. */
  async #writeFloods(): Promise<void> {
    const ranks = new FloodRanks(this.#read);
    for (const { source, features } of ranks.groups) this.#drawn.claimTogether(source, features, FLOOD_LOD);
    this.#rows.settleTogether(
      this.#read.features,
      (record) => this.#read.records.head(record),
      (record) => ranks.columnsOf(record),
    );
    await this.#writeSurfaces(floodKey(this.#gml), ranks);
  }

  /** An output for each level of detail of the terrain. */
  async #writeTerrain(): Promise<void> {
    const { features, records } = this.#read;
    const { type } = this.#gml;
    for (const lod of lodsOf(type, this.#context.options)) {
      const reliefs = new TerrainReliefs(this.#read, lod);
      const { groups } = reliefs;
      if (groups.length === 0) continue;
      for (const { source, features: own } of groups) this.#drawn.claimTogether(source, own, lod);
      await this.#writeSurfaces(keyOf(type, lod), reliefs, { count: reliefs.count, rows: this.#rows });
      this.#drawn.endTogether(lod);
    }
    // Pieces of a relief have one row.
    const firsts = features.filter(({ number }, i) => features[i - 1]?.number !== number);
    this.#rows.settle(firsts, (record) => records.head(record));
    this.#pictures.settle(null);
  }

  /** `rows`: as `OutputPlan` has them; `count`: features, else the tiles that show everything count. */
  async #writeSurfaces(
    key: OutputKey,
    grouping: SurfaceGrouping,
    { count, rows = null }: { count?: number; rows?: DrawnRows | null } = {},
  ): Promise<void> {
    const surfaces = new Surfaces(this.#read, await loadSimplifier(), grouping);
    const tree = surfaces.plan(this.#cell(surfaces.bounds));
    if (tree === null) return;
    await this.#writeOutput(key, count ?? leavesOf(tree), {
      tree,
      missing: 0,
      rows,
      overview: async () => surfaces.overview(tree),
      refine: 'REPLACE',
      content: async (node) => surfaces.content(node),
    });
  }

  async #writeOutput<T extends PlacedItem>(
    key: OutputKey,
    features: number,
    { tree, missing, rows, overview: overviewOf, refine, content }: OutputPlan<T>,
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
            rows,
            content,
          });
    const overview = await overviewOf();
    const root = written?.root ?? null;
    const isDrawn = overview.length > 0 && (refine === 'REPLACE' || (await this.#lookInto(overview, ranges)));
    if (root === null && !isDrawn) return;
    if (isDrawn) {
      writeOverview(directory, overview);
      rows?.kept(overview);
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
      return await this.#coarse.of(node, style.pictures);
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

function leavesOf(node: TreeNode<PlacedItem>): number {
  return node.children.length === 0 ? 1 : node.children.reduce((sum, child) => sum + leavesOf(child), 0);
}
