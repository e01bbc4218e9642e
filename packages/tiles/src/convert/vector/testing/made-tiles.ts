/** Vector tiles of whole packages in memory, for tests, and what is in tiles. */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import type { ConvertIssue, ConvertOptions, GmlSource, JoinContext, Part } from '../../part-maker.ts';
import { outputSuffix } from '../../part-maker.ts';
import { partContext } from '../../read/testing/gml-source.ts';
import { vectorMaker } from '../maker.ts';

export interface MadePackages {
  /** Members of each package by the end of its name (`tran_mvt_lod1`). */
  packages: Map<string, Map<string, Buffer>>;
  issues: ConvertIssue[];
}

/** Makes parts of the files and joins them. */
export async function makeVectorTiles(
  gmls: readonly GmlSource[],
  options: Partial<ConvertOptions> = {},
): Promise<MadePackages> {
  const root = await mkdtemp(join(tmpdir(), 'citymodel-mvt-'));
  try {
    const parts: Part[] = [];
    const issues: ConvertIssue[] = [];
    for (const [i, gml] of gmls.entries()) {
      const directory = join(root, `part-${i}`);
      await mkdir(directory);
      const context = partContext(join(root, `scratch-${i}`), options);
      const outputs = await vectorMaker.makePart(gml, directory, context);
      issues.push(...context.issues);
      parts.push({ gml, directory, outputs });
    }
    const keys = new Map(parts.flatMap(({ outputs }) => outputs.map(({ key }) => [outputSuffix(key), key])));
    const packages: MadePackages['packages'] = new Map();
    for (const [suffix, key] of keys) {
      const scratch = join(root, `join-${suffix}`);
      await mkdir(scratch);
      const files = new Map<string, Buffer>();
      const append = (path: string, bytes: Uint8Array) => {
        files.set(path, Buffer.concat([files.get(path) ?? Buffer.alloc(0), bytes]));
      };
      const context: JoinContext = {
        package: gmls[0]!.package,
        name: `${gmls[0]!.package.name}_${suffix}`,
        options: partContext(scratch, options).options,
        heights: { name: 'test' },
        provenance: null,
        scratch,
        signal: new AbortController().signal,
        issue: (issue) => issues.push(issue),
      };
      await vectorMaker.join(
        key,
        parts,
        {
          add: async (path, bytes) => append(path, bytes),
          addFile: async (path, file) => append(path, await readFile(file)),
        },
        context,
      );
      packages.set(suffix, files);
    }
    return { packages, issues };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** What tiles of one zoom say of the features of a layer. */
export interface LayerContent {
  /** Properties by gml:id, of all tiles together. */
  features: Map<string, Record<string, unknown>>;
  /** Square metres on the ground inside of tiles, by gml:id; without what lies in buffers. */
  areas: Map<string, number>;
  ids: Map<string, number>;
}

/** Layers of the tiles of one zoom, `{z}/{x}/{y}.mvt` with anything before it. */
export function contentOf(files: ReadonlyMap<string, Uint8Array>, zoom: number): Map<string, LayerContent> {
  const layers = new Map<string, LayerContent>();
  for (const [path, bytes] of files) {
    const match = /(\d+)\/(\d+)\/(\d+)\.mvt$/.exec(path);
    if (match === null || Number(match[1]) !== zoom) continue;
    const y = Number(match[3]);
    for (const [name, layer] of Object.entries(new VectorTile(new PbfReader(bytes)).layers)) {
      const content = layers.get(name) ?? { features: new Map(), areas: new Map(), ids: new Map() };
      layers.set(name, content);
      for (let i = 0; i < layer.length; i++) {
        const feature = layer.feature(i);
        const id = String(feature.properties.gml_id ?? feature.id);
        // Tiles that a feature covers whole say less of it.
        content.features.set(id, { ...feature.properties, ...content.features.get(id) });
        if (feature.id !== undefined) content.ids.set(id, feature.id);
        let area = 0;
        for (const ring of feature.loadGeometry()) area += areaInside(ring, layer.extent);
        const lat = Math.atan(Math.sinh(Math.PI * (1 - (2 * (y + 0.5)) / 2 ** zoom)));
        const metres = (40_075_016.686 * Math.cos(lat)) / 2 ** zoom / layer.extent;
        content.areas.set(id, (content.areas.get(id) ?? 0) + area * metres * metres);
      }
    }
  }
  return layers;
}

/** Signed area of a ring inside of the tile. */
function areaInside(ring: ReadonlyArray<{ x: number; y: number }>, extent: number): number {
  let points = ring.slice(0, -1).map(({ x, y }): [number, number] => [x, y]);
  for (const [axis, limit, sign] of [
    [0, 0, 1],
    [0, extent, -1],
    [1, 0, 1],
    [1, extent, -1],
  ] as const) {
    const kept: Array<[number, number]> = [];
    for (const [i, point] of points.entries()) {
      const before = points.at(i - 1)!;
      const [a, b] = [sign * (before[axis] - limit), sign * (point[axis] - limit)];
      if (a < 0 !== b < 0) {
        const t = a / (a - b);
        kept.push([before[0] + t * (point[0] - before[0]), before[1] + t * (point[1] - before[1])]);
      }
      if (b >= 0) kept.push(point);
    }
    points = kept;
  }
  let sum = 0;
  for (const [i, [x, y]] of points.entries()) {
    const [px, py] = points.at(i - 1)!;
    sum += px * y - x * py;
  }
  return sum / 2;
}
