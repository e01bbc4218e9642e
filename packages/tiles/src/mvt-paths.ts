/** One tile of a package. */
import { compareTexts } from '@citymodel/base';

export interface TilePath {
  path: string;
  z: number;
  x: number;
  y: number;
}

/** Where the tiles of a package are. */
export interface TileLayout {
  /** Directory before the zoom with `/` at its end, or ''. */
  prefix: string;
  /** `mvt` or `pbf`. */
  extension: string;
  /** `{prefix}{z}/{x}/{y}.{extension}`. */
  template: string;
  tiles: number;
  /** By zoom, ascending: number of tiles and the least and greatest x and y. */
  zooms: Array<{ z: number; tiles: number; x1: number; y1: number; x2: number; y2: number }>;
  /** Up to about `perZoom` tiles of each zoom, evenly spread over it. */
  sample: TilePath[];
  /** True when the sample is all there is. */
  complete: boolean;
  /** Files named like tiles that are none of this layout, the first few, with the reason. */
  odd: Array<{ path: string; reason: string }>;
  oddCount: number;
}

const PATTERN = /^(?:([^/]+)\/)?(\d{1,2})\/(\d{1,10})\/(\d{1,10})\.(mvt|pbf)$/;
/** Web Mercator tiles are counted to this zoom at most. */
const MAX_ZOOM = 30;

/**
 * Finds the tiles among the paths of a package: `{z}/{x}/{y}.mvt` or `.pbf`, perhaps below one directory. The
 * directory and extension that most tiles have is the layout, others are odd. Null when there is no tile.
 */
export function findTileLayout(paths: () => Iterable<string>, perZoom: number): TileLayout | null {
  const counts = new Map<string, number>();
  const odd: TileLayout['odd'] = [];
  let oddCount = 0;
  const note = (path: string, reason: string) => {
    if (++oddCount <= 5) odd.push({ path, reason });
  };
  for (const path of paths()) {
    const match = PATTERN.exec(path);
    if (match !== null) {
      const key = `${match[1] === undefined ? '' : `${match[1]}/`}*.${match[5]}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    } else if (/\.(mvt|pbf)$/i.test(path)) note(path, 'is not named {z}/{x}/{y}.mvt');
  }
  const commonest = [...counts].sort((a, b) => b[1] - a[1] || compareTexts(a[0], b[0]))[0];
  if (commonest === undefined) return null;
  const [prefix, extension] = commonest[0].split('*.') as [string, string];

  const zooms = new Map<number, TileLayout['zooms'][number]>();
  const spread = new Map<number, Spread>();
  let tiles = 0;
  for (const path of paths()) {
    const match = PATTERN.exec(path);
    if (match === null) continue;
    const [z, x, y] = [Number(match[2]), Number(match[3]), Number(match[4])];
    if ((match[1] === undefined ? '' : `${match[1]}/`) !== prefix || match[5] !== extension) {
      note(path, `lies apart from the tiles ${prefix}{z}/{x}/{y}.${extension}`);
      continue;
    }
    if (z > MAX_ZOOM || x >= 2 ** z || y >= 2 ** z) {
      note(path, `has no place in a pyramid that has 2^z tiles each way`);
      continue;
    }
    tiles++;
    const seen = zooms.get(z);
    if (seen === undefined) zooms.set(z, { z, tiles: 1, x1: x, y1: y, x2: x, y2: y });
    else {
      seen.tiles++;
      seen.x1 = Math.min(seen.x1, x);
      seen.y1 = Math.min(seen.y1, y);
      seen.x2 = Math.max(seen.x2, x);
      seen.y2 = Math.max(seen.y2, y);
    }
    const at = spread.get(z) ?? new Spread(perZoom);
    spread.set(z, at);
    at.add({ path, z, x, y });
  }
  if (tiles === 0) return null;
  const sample = [...spread].sort((a, b) => a[0] - b[0]).flatMap(([, s]) => s.kept);
  return {
    prefix,
    extension,
    template: `${prefix}{z}/{x}/{y}.${extension}`,
    tiles,
    zooms: [...zooms.values()].sort((a, b) => a.z - b.z),
    sample,
    complete: sample.length === tiles,
    odd,
    oddCount,
  };
}

/** Keeps every n-th of a stream, n doubling whenever twice the wanted number is kept: evenly spread, not random. */
class Spread {
  kept: TilePath[] = [];
  private readonly wanted: number;
  private every = 1;
  private count = 0;

  constructor(target: number) {
    this.wanted = target;
  }

  add(tile: TilePath): void {
    if (this.count++ % this.every !== 0) return;
    this.kept.push(tile);
    if (this.kept.length < 2 * this.wanted) return;
    this.kept = this.kept.filter((_, i) => i % 2 === 0);
    this.every *= 2;
  }
}
