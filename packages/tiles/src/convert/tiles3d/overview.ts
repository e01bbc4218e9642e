/**
 * What is seen of a second mesh from afar: the largest features of all its files in one tile. Files are converted one
 * by one. So each part has a file of its largest features; when parts are joined, the tile is made of these files.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { PLAIN_POLYGON, type Shade } from './look.ts';
import type { ShownFeature } from './tile-model.ts';
import { type Budget, largestWithin, planAdding, type TreeNode } from './tree/plan-tree.ts';
import { type Box, boundsOfPlaces } from './tree/region.ts';
import { type PlacedItem, positionError, type TileContent } from './write-tree.ts';

/** From this on a feature belongs to the overview: diagonal of its box, and its height, metres. */
const LARGE = { diagonal: 150, height: 60 };
/** What one file adds to it at most. */
export const OVERVIEW_SHARE: Budget = { bytes: 112_000, vertices: 16_000, pixels: Infinity };
/** Geometric error that textured features have in it, metres. */
export const OVERVIEW_ERROR = 64;

/** A feature of the overview as its part keeps it. */
export interface OverviewFeature extends ShownFeature {
  item: PlacedItem;
  /** Of each polygon, as `PolygonLook` has it; null where all are white. */
  colours: Uint32Array | null;
  /** Of each polygon, as `PolygonLook` has it; without it all are flat by themselves. */
  shades?: ReadonlyArray<Shade | undefined>;
  /** What is wrong with its shape, metres. */
  geometricError: number;
}

export function isLarge({ diagonal, box }: PlacedItem): boolean {
  return diagonal >= LARGE.diagonal || box.high - box.low >= LARGE.height;
}

/** The features of a tile for the overview; `items` are theirs, in the same order. */
export function overviewFeatures(
  items: readonly PlacedItem[],
  { features, boxes, look }: TileContent,
  geometricError: number,
): OverviewFeature[] {
  return features.map((feature, i) => {
    const { id, lng, lat, diagonal, bytes, vertices, pixels, box } = items[i]!;
    const colours = Uint32Array.from(feature.body.polygonEnds, (_, polygon) => look.of(i, polygon).colour);
    const isPlain = colours.every((colour) => colour === PLAIN_POLYGON.colour);
    const item = { id, lng, lat, diagonal, bytes, vertices, pixels, box: boxes?.[i] ?? box };
    return { ...feature, item, colours: isPlain ? null : colours, geometricError };
  });
}

const FILE = 'overview';

export function writeOverview(directory: string, features: readonly OverviewFeature[]): void {
  writeFileSync(join(directory, FILE), serialize(features));
}

export function readOverview(directory: string): OverviewFeature[] {
  return deserialize(readFileSync(join(directory, FILE))) as OverviewFeature[];
}

/** An item of the tree with what it shows. */
interface OverviewItem extends PlacedItem {
  feature: OverviewFeature;
}

/** All features in a tree that adds; the largest that fit in one tile that is replaced. `features`: one at least. */
export function planOverview(
  features: readonly OverviewFeature[],
  refine: 'ADD' | 'REPLACE',
): TreeNode<OverviewItem> {
  const items = features.map((feature) => ({ ...feature.item, feature }));
  if (refine === 'ADD') return planAdding(items, boundsOfPlaces(items))!;
  const { shown, left } = largestWithin(items);
  const errors = shown.map(({ feature }) => feature.geometricError);
  const missing = 2 * (left[0]?.diagonal ?? 0);
  return { items: shown, children: [], geometricError: Math.max(missing, ...errors) };
}

export function overviewContent({ items }: TreeNode<OverviewItem>): TileContent {
  const features = items.map(({ feature }) => feature);
  const look = {
    images: [],
    of: (feature: number, polygon: number) => {
      const { colours, shades } = features[feature]!;
      const [colour, shade] = [colours?.[polygon] ?? PLAIN_POLYGON.colour, shades?.[polygon]];
      return shade === undefined ? { ...PLAIN_POLYGON, colour } : { ...PLAIN_POLYGON, colour, shade };
    },
  };
  const error = positionError(Math.max(...features.map(({ lod }) => lod)));
  return { features, boxes: items.map(({ box }): Box => box), look, error, uvError: 0 };
}
