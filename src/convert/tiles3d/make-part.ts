/** What one GML file adds to packages of 3D Tiles. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Bounds } from '../../geo/bounds.ts';
import { meshBounds } from '../../geo/mesh.ts';
import { loadDraco } from '../mesh/draco.ts';
import { loadMeshopt } from '../mesh/meshopt.ts';
import type { ConvertOptions, GmlSource, OutputKey, PartContext, PartOutput } from '../part-maker.ts';
import { IssueCounter } from '../read/issue-counter.ts';
import { type FeatureFacts, type GmlRecords, raisingOf } from '../read/read-records.ts';
import { Images, loadSharp } from '../texture/images.ts';
import { LaidImages } from '../texture/laid-images.ts';
import { BUDGET, planAdding, planReplacing, type TreeNode } from '../tree/plan-tree.ts';
import { boundsOfPlaces, diagonalOf } from '../tree/region.ts';
import { FloodSurfaces } from './flood-surfaces.ts';
import type { GlbOptions } from './glb.ts';
import type { PartData } from './join-tilesets.ts';
import { PLAIN_LOOK } from './look.ts';
import { floodKey, isFlood, keyOf, lodsOf, subOf, wardOf } from './outputs.ts';
import { PropertyRanges } from './property-ranges.ts';
import { type Pictures, type TextureCost, TextureLook, texelFor, textureCost } from './texture-look.ts';
import { type PlacedItem, type TileContent, type TreeWriter, writeTree } from './write-tree.ts';

/** A feature at the level of detail that a package has it in. */
interface LodItem extends PlacedItem {
  facts: FeatureFacts;
  lod: number;
}

/** Features that go into the same packages. */
interface Group {
  sub: string | null;
  wardCode: string | null;
  features: FeatureFacts[];
}

/** How an output is written. */
interface Style {
  compression: GlbOptions['compression'];
  /** Null where none can be read. */
  pictures: Pictures | null;
  /** True for tiles with images, which replace the tiles above them. */
  isTextured: boolean;
}

/** Pixels, at their finest, of what a tile above the leaves shows: there they are four times coarser at least. */
const COARSE_PIXELS = 16 * BUDGET.pixels;
/** Most that a position may be moved along an axis, metres: 1.5 cm in space up to LOD 2, 0.5 cm above. */
const ERROR = { coarse: 0.0085, fine: 0.0028 };

export class Tiles3dPart {
  readonly #gml: GmlSource;
  readonly #directory: string;
  readonly #context: PartContext;
  readonly #read: GmlRecords;
  readonly #issues: IssueCounter;
  readonly #outputs: PartOutput[] = [];
  /** The last level of detail of features that were looked at and lack textures. */
  readonly #without = new Map<FeatureFacts, number>();

  constructor(gml: GmlSource, directory: string, context: PartContext, read: GmlRecords) {
    this.#gml = gml;
    this.#directory = directory;
    this.#context = context;
    this.#read = read;
    this.#issues = new IssueCounter(gml.path, context.issue);
  }

  /** Writes all outputs. */
  async make(): Promise<PartOutput[]> {
    const { options } = this.#context;
    const compression = await compressionOf(options);
    if (isFlood(this.#gml.type)) {
      await this.#writeFloods(compression);
      this.#issues.tell();
      return this.#outputs;
    }
    const pictures = await this.#pictures();
    for (const { sub, wardCode, features } of this.#groups()) {
      for (const lod of lodsOf(this.#gml.type, options)) {
        if (!features.some(({ bodies }) => bodies[lod] != null)) continue;
        const key = { ...keyOf(this.#gml.type, lod), sub, wardCode };
        const items = features.flatMap((facts) => itemAt(facts, lod));
        const isTextured = await this.#addPixels(items, pictures);
        await this.#write(key, items, { compression, pictures, isTextured });
        if (isTextured)
          await this.#write({ ...key, noTexture: true }, items, { compression, pictures, isTextured: false });
      }
    }
    this.#issues.tell();
    return this.#outputs;
  }

  /** By class where packages are of one class, by ward where the city has wards; without buildings of other cities. */
  #groups(): Group[] {
    const { type, package: source } = this.#gml;
    const groups = new Map<string, Group>();
    for (const facts of this.#read.features) {
      const wardCode = wardOf(type, source, facts.cityCode);
      if (wardCode === undefined) {
        this.#issues.count('CITY_OUTSIDE', facts.id, facts.cityCode);
        continue;
      }
      const sub = subOf(this.#gml, facts.type);
      const key = `${sub} ${wardCode}`;
      const group = groups.get(key) ?? { sub, wardCode, features: [] };
      group.features.push(facts);
      groups.set(key, group);
    }
    return [...groups.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
  }

  /** Null when the file has no images, or none can be read here. */
  async #pictures(): Promise<Pictures | null> {
    const { appearances, srsName } = this.#read;
    if (!appearances.hasImages) return null;
    const sharp = await loadSharp();
    if (sharp === null) this.#issues.count('IMAGES_UNREADABLE', null);
    if (sharp === null) return null;
    const images = new Images(sharp, this.#gml, appearances.images, this.#issues);
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
      const cost = await textureCost(body, texelFor(item.lod, 0), appearances, pictures);
      this.#noteTextures(item, cost.without);
      item.pixels = cost.pixels;
      isTextured ||= cost.isTextured;
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
    const tree = style.isTextured
      ? planReplacing(items, cell, BUDGET, { ...BUDGET, pixels: COARSE_PIXELS })
      : planAdding(items, cell);
    if (tree === null) return;
    await this.#writeTree(key, tree, items, {
      refine: style.isTextured ? 'REPLACE' : 'ADD',
      compression: style.compression,
      content: (node) => this.#content(node, key, style),
    });
  }

  /** One output of all depths in the file. */
  async #writeFloods(compression: GlbOptions['compression']): Promise<void> {
    const surfaces = new FloodSurfaces(this.#read);
    const tree = surfaces.plan(this.#cell(surfaces.bounds));
    if (tree === null) return;
    await this.#writeTree(floodKey(this.#gml), tree, leafItems(tree), {
      refine: 'ADD',
      compression,
      content: async (node) => surfaces.content(node),
    });
  }

  async #writeTree<T extends PlacedItem>(
    key: OutputKey,
    tree: TreeNode<T>,
    items: readonly PlacedItem[],
    { refine, compression, content }: Pick<TreeWriter<T>, 'refine' | 'content'> & Pick<Style, 'compression'>,
  ): Promise<void> {
    const folder = String(this.#outputs.length);
    const directory = join(this.#directory, folder);
    mkdirSync(directory);
    const { options, signal } = this.#context;
    const ranges = new PropertyRanges();
    const largest = items.reduce((most, { diagonal }) => Math.max(most, diagonal), 0);
    const written = await writeTree(tree, 2 * largest, {
      directory,
      refine,
      version: options.tiles,
      glb: { compression, unlit: options.unlit },
      signal,
      issues: this.#issues,
      ranges,
      content,
    });
    if (written.region === null) return;
    const extension = options.tiles === '1.1' ? 'glb' : 'b3dm';
    const data: PartData = {
      folder,
      files: Array.from({ length: written.tiles }, (_, i) => `${i}.${extension}`),
      region: written.region,
      geometricError: written.geometricError,
      ranges: ranges.toJSON(),
    };
    this.#outputs.push({ key, features: items.length, data });
  }

  async #content(node: TreeNode<LodItem>, key: OutputKey, style: Style): Promise<TileContent> {
    const { records, appearances } = this.#read;
    const finest = Math.max(...node.items.map(({ lod }) => lod));
    const features = node.items.map(({ facts, lod }) => ({
      head: records.head(facts.record),
      body: records.body(facts.record, lod),
      lod,
    }));
    const error = finest <= 2 ? ERROR.coarse : ERROR.fine;
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

async function compressionOf({ compression }: ConvertOptions): Promise<GlbOptions['compression']> {
  if (compression === 'draco') return { kind: 'draco', module: await loadDraco() };
  if (compression === 'meshopt') return { kind: 'meshopt', encoder: await loadMeshopt() };
  return { kind: 'none' };
}

/** The feature at its highest level of detail up to `lod`, from 1 on; none where it has no such body. */
function itemAt(facts: FeatureFacts, lod: number): LodItem[] {
  for (let at = lod; at >= 1; at--) {
    const box = facts.bodies[at];
    if (box == null) continue;
    return [
      {
        id: facts.id,
        lng: (box.west + box.east) / 2,
        lat: (box.south + box.north) / 2,
        diagonal: diagonalOf(box),
        // Texts are UTF-8, mostly of Japanese; a vertex takes some 4 bytes with Draco.
        bytes: 200 + 1.5 * facts.textBytes + 4 * box.positions,
        vertices: box.positions,
        pixels: 0,
        box,
        facts,
        lod: at,
      },
    ];
  }
  return [];
}

function leafItems<T extends PlacedItem>(node: TreeNode<T>): T[] {
  return node.children.length === 0 ? node.items : node.children.flatMap(leafItems);
}
