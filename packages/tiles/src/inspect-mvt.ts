import type { IssueSeverity, IssueSink, PackageFiles } from '@citymodel/base';
import {
  type Bounds,
  boundsIntersect,
  mercatorLat,
  mercatorLng,
  tileBounds,
  unionBounds,
} from '@citymodel/geo';
import { isGzip, readMvtLayers } from './mvt-layers.ts';
import { centerOf, type MvtMetadata, parseMvtMetadata, type VectorLayer } from './mvt-metadata.ts';
import { findTileLayout, type TileLayout, type TilePath } from './mvt-paths.ts';
import { readJsonObject } from './read-json.ts';

/** What a package of vector tiles holds. */
export interface MvtFacts {
  /** Path template of the tiles in the package, e.g. `{z}/{x}/{y}.mvt`. */
  template: string;
  tiles: number;
  /** Zooms of the tiles that are there. */
  minzoom: number;
  maxzoom: number;
  /** From the metadata where it fits the tiles, else from the tiles. */
  bounds: Bounds;
  /** Longitude and latitude in degrees, zoom. */
  center: [number, number, number];
  /** Layers that the tiles have, with all attributes that metadata or tiles name. */
  vectorLayers: VectorLayer[];
  /** Units per tile edge that occur. */
  extents: number[];
  /** True when tiles (of those that were read) are gzipped; an issue says so when only some are. */
  compressed: boolean;
  /** From the metadata. */
  name: string | null;
  description: string | null;
  attribution: string | null;
}

/** Tiles read per zoom, at most, and bytes of one. */
const PER_ZOOM = 12;
const TILE_LIMIT = 32 * 1024 * 1024;

/**
 * Reads a package of vector tiles (Vector Tile Specification 2): names of all tiles, the metadata, and some tiles of
 * each zoom. What the metadata says is checked against these and completed from them. Whatever is wrong is reported,
 * not thrown, but for DocumentTooLarge. Null when there is no readable tile; an issue then says so.
 */
export async function inspectMvt(files: PackageFiles, issue: IssueSink): Promise<MvtFacts | null> {
  const report: Reporter = (code, severity, message, member = null) =>
    issue({ code, severity, message, member });
  const layout = findTileLayout(() => files.paths(), PER_ZOOM);
  if (layout === null) {
    report(
      'MVT_NO_TILES',
      'error',
      'There is no tile named {z}/{x}/{y}.mvt or .pbf, at the root or below one directory.',
    );
    return null;
  }
  for (const { path, reason } of layout.odd)
    report('MVT_NAME_ODD', 'warning', `The file ${reason}; it is not served as a tile.`, path);
  if (layout.oddCount > layout.odd.length) {
    report('MVT_NAME_ODD', 'warning', `${layout.oddCount} files in all are named like tiles but are none.`);
  }
  const metadata = await readMetadata(files, layout, issue);
  if (metadata?.scheme === 'tms') {
    report(
      'MVT_SCHEME_TMS',
      'error',
      'The metadata says that y is counted from the south (tms); xyz was expected, and is what the tiles are served ' +
        'as.',
    );
  }
  const seen = await readSample(files, layout, report);
  if (seen.read === 0) {
    report('MVT_UNREADABLE', 'error', 'None of the tiles that were tried could be read.');
    return null;
  }
  const minzoom = layout.zooms[0]!.z;
  const maxzoom = layout.zooms.at(-1)!.z;
  for (const [key, declared, real] of [
    ['minzoom', metadata?.minzoom, minzoom],
    ['maxzoom', metadata?.maxzoom, maxzoom],
  ] as const) {
    if (typeof declared === 'number' && declared !== real) {
      report(
        'MVT_ZOOM_DIFFERS',
        'warning',
        `The metadata says ${key} ${declared}; the tiles have ${real}, which is used.`,
      );
    }
  }
  const bounds = chooseBounds(metadata, layout, seen, report);
  return {
    template: layout.template,
    tiles: layout.tiles,
    minzoom,
    maxzoom,
    bounds,
    center:
      metadata?.center == null || !inside(bounds, metadata.center)
        ? centerOf(bounds, minzoom, maxzoom)
        : fitZoom(metadata.center, bounds, minzoom, maxzoom),
    vectorLayers: mergeLayers(metadata?.layers ?? null, seen, layout, report),
    extents: [...seen.extents].sort((a, b) => a - b),
    compressed: seen.gzipped > 0,
    name: metadata?.name ?? null,
    description: metadata?.description ?? null,
    attribution: metadata?.attribution ?? null,
  };
}

type Reporter = (code: string, severity: IssueSeverity, message: string, member?: string | null) => void;

/** What the tiles that were read say. */
interface Seen {
  read: number;
  gzipped: number;
  extents: Set<number>;
  /** By name; zooms are those at which the layer was met. */
  layers: Map<string, { fields: Map<string, string>; minzoom: number; maxzoom: number }>;
  /** Bounds of the features at the highest zoom, where all its tiles were read. */
  bounds: Bounds | null;
}

async function readMetadata(
  files: PackageFiles,
  layout: TileLayout,
  issue: IssueSink,
): Promise<MvtMetadata | null> {
  const directories = layout.prefix === '' ? [''] : [layout.prefix, ''];
  for (const directory of directories) {
    for (const name of ['metadata.json', 'tilejson.json', 'tiles.json']) {
      const json = await readJsonObject(files, directory + name, issue, 'MVT_METADATA_UNREADABLE');
      if (json !== null) return parseMvtMetadata(json);
    }
  }
  return null;
}

async function readSample(files: PackageFiles, layout: TileLayout, report: Reporter): Promise<Seen> {
  const seen: Seen = { read: 0, gzipped: 0, extents: new Set(), layers: new Map(), bounds: null };
  const top = layout.zooms.at(-1)!;
  const all = layout.sample.filter((tile) => tile.z === top.z).length === top.tiles;
  for (const tile of layout.sample) {
    try {
      const bytes = await files.read(tile.path, TILE_LIMIT);
      if (bytes === null) continue;
      const layers = readMvtLayers(bytes);
      if (layers.length === 0 && bytes.length > 0)
        throw new Error(`none of its ${bytes.length} bytes is a layer`);
      seen.read++;
      if (isGzip(bytes)) seen.gzipped++;
      for (const layer of layers) {
        seen.extents.add(layer.extent);
        const layerFields = seen.layers.get(layer.name) ?? {
          fields: new Map(),
          minzoom: tile.z,
          maxzoom: tile.z,
        };
        layerFields.minzoom = Math.min(layerFields.minzoom, tile.z);
        layerFields.maxzoom = Math.max(layerFields.maxzoom, tile.z);
        for (const [name, type] of layer.fields)
          if (!layerFields.fields.has(name)) layerFields.fields.set(name, type);
        seen.layers.set(layer.name, layerFields);
        if (all && tile.z === top.z && layer.box !== null) {
          seen.bounds = unionBounds(seen.bounds, featureBounds(tile, layer.box, layer.extent));
        }
      }
    } catch (error) {
      report(
        'MVT_UNREADABLE',
        'error',
        `The tile could not be read (${(error as Error).message}).`,
        tile.path,
      );
    }
  }
  if (seen.gzipped > 0 && seen.gzipped < seen.read) {
    report(
      'MVT_MIXED_COMPRESSION',
      'warning',
      `${seen.gzipped} of ${seen.read} tiles that were read are gzipped, the others are not.`,
    );
  }
  return seen;
}

/** Features reach over the edge of their tile by a buffer; what lies there belongs to the neighbour. */
function featureBounds(tile: TilePath, box: [number, number, number, number], extent: number): Bounds {
  const n = 2 ** tile.z;
  const at = (index: number, v: number) => (index + Math.min(1, Math.max(0, v / extent))) / n;
  return {
    west: mercatorLng(at(tile.x, box[0])),
    south: mercatorLat(at(tile.y, box[3])),
    east: mercatorLng(at(tile.x, box[2])),
    north: mercatorLat(at(tile.y, box[1])),
  };
}

function chooseBounds(
  metadata: MvtMetadata | null,
  layout: TileLayout,
  seen: Seen,
  report: Reporter,
): Bounds {
  const top = layout.zooms.at(-1)!;
  const ofTiles = tileBounds(top.z, top.x1, top.y1, top.x2, top.y2);
  const declared = metadata?.bounds;
  if (declared != null) {
    if (boundsIntersect(declared, ofTiles)) return declared;
    report(
      'MVT_BOUNDS_DIFFER',
      'warning',
      `The bounds of the metadata (${Object.values(declared)}) do not meet those of the tiles ` +
        `(${Object.values(ofTiles)}), which are used.`,
    );
  }
  return seen.bounds ?? ofTiles;
}

function inside(bounds: Bounds, [lng, lat]: [number, number, number]): boolean {
  return lng >= bounds.west && lng <= bounds.east && lat >= bounds.south && lat <= bounds.north;
}

/** The metadata's centre; a zoom outside those of the tiles (often 0) is replaced by one that shows the bounds. */
function fitZoom(
  center: [number, number, number],
  bounds: Bounds,
  minzoom: number,
  maxzoom: number,
): [number, number, number] {
  const [lng, lat, z] = center;
  return [
    lng,
    lat,
    Number.isInteger(z) && z >= minzoom && z <= maxzoom ? z : centerOf(bounds, minzoom, maxzoom)[2],
  ];
}

/**
 * Layers of the metadata in its order, as far as the tiles have them (or, when not all tiles were read, may have
 * them), then those that only the tiles have.
 */
function mergeLayers(
  declared: VectorLayer[] | null,
  seen: Seen,
  layout: TileLayout,
  report: Reporter,
): VectorLayer[] {
  const [found, unseen]: [VectorLayer[], VectorLayer[]] = [[], []];
  const names = new Set<string>();
  for (const layer of declared ?? []) {
    if (names.has(layer.id)) continue;
    names.add(layer.id);
    const real = seen.layers.get(layer.id);
    if (real === undefined) {
      if (layout.complete)
        report(
          'MVT_LAYER_MISSING',
          'warning',
          `The metadata names a layer ${layer.id}, which no tile has; it is left out.`,
        );
      else unseen.push(layer);
      continue;
    }
    const more = [...real.fields].filter(([name]) => layer.fields[name] === undefined);
    found.push({ ...layer, fields: { ...layer.fields, ...Object.fromEntries(more) } });
  }
  for (const [id, real] of seen.layers) {
    if (names.has(id)) continue;
    if (declared !== null) {
      report(
        'MVT_LAYER_UNDECLARED',
        'warning',
        `The tiles have a layer ${id}, which the metadata does not name; it is added.`,
      );
    }
    // A layer met at some zooms of a sample may be at others too: only a complete reading tells its zooms.
    const zooms = layout.complete ? { minzoom: real.minzoom, maxzoom: real.maxzoom } : {};
    found.push({ id, ...zooms, fields: Object.fromEntries(real.fields) });
  }
  return [...found, ...unseen];
}
