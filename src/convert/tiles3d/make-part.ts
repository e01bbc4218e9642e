/** What one GML file adds to packages of 3D Tiles. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Bounds } from '../../geo/bounds.ts';
import { meshBounds } from '../../geo/mesh.ts';
import { loadDraco } from '../mesh/draco.ts';
import { loadMeshopt } from '../mesh/meshopt.ts';
import type { ConvertOptions, GmlSource, OutputKey, PartContext, PartOutput } from '../part-maker.ts';
import { IssueCounter } from '../read/issue-counter.ts';
import type { FeatureFacts, GmlRecords } from '../read/read-records.ts';
import { planAdding, type TreeNode } from '../tree/plan-tree.ts';
import { diagonalOf } from '../tree/region.ts';
import type { GlbOptions } from './glb.ts';
import type { PartData } from './join-tilesets.ts';
import { PLAIN_LOOK } from './look.ts';
import { classOf, keyOf, lodsOf, wardOf } from './outputs.ts';
import { PropertyRanges } from './property-ranges.ts';
import { type PlacedItem, type TileContent, writeTree } from './write-tree.ts';

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

/** Most that a position may be moved along an axis, metres: 1.5 cm in space up to LOD 2, 0.5 cm above. */
const ERROR = { coarse: 0.0085, fine: 0.0028 };

export class Tiles3dPart {
  readonly #gml: GmlSource;
  readonly #directory: string;
  readonly #context: PartContext;
  readonly #read: GmlRecords;
  readonly #issues: IssueCounter;
  readonly #outputs: PartOutput[] = [];

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
    for (const { sub, wardCode, features } of this.#groups()) {
      for (const lod of lodsOf(this.#gml.type, options)) {
        if (!features.some(({ bodies }) => bodies[lod] != null)) continue;
        const items = features.flatMap((facts) => itemAt(facts, lod));
        await this.#write({ ...keyOf(this.#gml.type, lod), sub, wardCode }, items, compression);
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
      const wardCode = wardOf(type, source.cityCode, facts.cityCode);
      if (wardCode === undefined) {
        this.#issues.count('CITY_OUTSIDE', facts.id, facts.cityCode);
        continue;
      }
      const sub = classOf(type, facts.type);
      const key = `${sub} ${wardCode}`;
      const group = groups.get(key) ?? { sub, wardCode, features: [] };
      group.features.push(facts);
      groups.set(key, group);
    }
    return [...groups.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
  }

  async #write(key: OutputKey, items: LodItem[], compression: GlbOptions['compression']): Promise<void> {
    const folder = String(this.#outputs.length);
    const directory = join(this.#directory, folder);
    mkdirSync(directory);
    const { options, signal } = this.#context;
    const tree = planAdding(items, this.#cell(items));
    if (tree === null) return;
    const ranges = new PropertyRanges();
    const written = await writeTree(tree, 2 * Math.max(...items.map((item) => item.diagonal)), {
      directory,
      refine: 'ADD',
      version: options.tiles,
      glb: { compression, unlit: options.unlit },
      signal,
      issues: this.#issues,
      ranges,
      content: async (node) => this.#content(node),
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

  #content(node: TreeNode<LodItem>): TileContent {
    const { records } = this.#read;
    const finest = Math.max(...node.items.map(({ lod }) => lod));
    return {
      features: node.items.map(({ facts, lod }) => ({
        head: records.head(facts.record),
        body: records.body(facts.record, lod),
        lod,
      })),
      look: PLAIN_LOOK,
      error: finest <= 2 ? ERROR.coarse : ERROR.fine,
      uvError: 0,
    };
  }

  /** The mesh of the file; for a file without one what its features take. */
  #cell(items: readonly LodItem[]): Bounds {
    if (this.#gml.mesh !== null) return meshBounds(this.#gml.mesh);
    const bounds = { west: 180, south: 90, east: -180, north: -90 };
    for (const { lng, lat } of items) {
      bounds.west = Math.min(bounds.west, lng);
      bounds.south = Math.min(bounds.south, lat);
      bounds.east = Math.max(bounds.east, lng);
      bounds.north = Math.max(bounds.north, lat);
    }
    return bounds;
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
