/** The vector tiles of a prefecture or of the whole country: those of its municipalities together. */
import { type Bounds, unionBounds } from '@citymodel/geo';
import { chooseMvtOfRegion } from '../rows/choose-mvt.ts';
import type { Dataset } from '../rows/snapshot-dataset.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { formatMvtSpec, type MvtSpec } from '../specs/mvt-spec.ts';

/** Tiles of municipalities that one tile is made of at most. At zooms where there would be more, there is none. */
export const MOST_TOGETHER = 32;
/** Cells of the map that a municipality covers at a zoom, beyond which it is in each of them anyhow. */
const MAX_CELLS = 10_000;

/** Whether a spec may mean several municipalities: a prefecture, or `all`. */
export function isRegion({ area }: MvtSpec): boolean {
  return area === 'all' || area.length === 2;
}

const kept = new WeakMap<Snapshot, Map<string, readonly Dataset[]>>();

/** The datasets whose tiles lie in the region, found once for a snapshot; none where nothing matches. */
export function regionTileSets(snapshot: Snapshot, spec: MvtSpec): readonly Dataset[] {
  const bySpec = kept.get(snapshot) ?? new Map<string, readonly Dataset[]>();
  kept.set(snapshot, bySpec);
  const key = formatMvtSpec(spec);
  const known = bySpec.get(key);
  if (known !== undefined) return known;
  const found = chooseMvtOfRegion(snapshot.datasetsOfType('mvt', spec.type), spec);
  // Specs of strangers that mean nothing need no memory.
  if (found.length > 0) bySpec.set(key, found);
  return found;
}

export interface RegionTiles {
  readonly minzoom: number;
  readonly maxzoom: number;
  readonly bounds: Bounds | null;
}

/** Zooms at which no tile is made of too many, and bounds of all. */
export function extentOfRegion(datasets: readonly Dataset[]): RegionTiles {
  const zooms = datasets.map(({ summary }) => [summary.minzoom ?? 0, summary.maxzoom ?? 14] as const);
  const maxzoom = zooms.reduce((most, [, max]) => Math.max(most, max), 0);
  let minzoom = zooms.reduce((least, [min]) => Math.min(least, min), maxzoom);
  while (minzoom < maxzoom && mostTogether(datasets, minzoom) > MOST_TOGETHER) minzoom++;
  const bounds = datasets.reduce<Bounds | null>(
    (sum, { package: row }) => unionBounds(sum, row.bounds),
    null,
  );
  return { minzoom, maxzoom, bounds };
}

/** How many datasets lie in the fullest tile of a zoom. */
function mostTogether(datasets: readonly Dataset[], z: number): number {
  const counts = new Map<string, number>();
  let most = 0;
  for (const { summary, package: row } of datasets) {
    if (row.bounds === null || z < (summary.minzoom ?? 0) || z > (summary.maxzoom ?? 14)) continue;
    const [x1, y1] = cellOf(row.bounds.west, row.bounds.north, z);
    const [x2, y2] = cellOf(row.bounds.east, row.bounds.south, z);
    if ((x2 - x1 + 1) * (y2 - y1 + 1) > MAX_CELLS) continue;
    for (let x = x1; x <= x2; x++) {
      for (let y = y1; y <= y2; y++) {
        const count = (counts.get(`${x}/${y}`) ?? 0) + 1;
        counts.set(`${x}/${y}`, count);
        most = Math.max(most, count);
      }
    }
  }
  return most;
}

function cellOf(lng: number, lat: number, z: number): [number, number] {
  const sine = Math.sin((lat * Math.PI) / 180);
  const y = 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
  const n = 2 ** z;
  const cell = (share: number) => Math.min(n - 1, Math.max(0, Math.floor(share * n)));
  return [cell((lng + 180) / 360), cell(y)];
}
