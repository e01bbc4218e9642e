/** Where the map on the ground ends, and the colour of the land that it fades into there. */
import type { Bounds } from '@citymodel/geo';
import type { Theme } from '../../core/state.ts';
import { type Rgb, rgbOf } from './air.ts';
import { type GroundDrawing, type GroundPicture, PICTURE_SIZE } from './ground-picture.ts';
import { PAPER } from './ground-style.ts';
import { boundsAround, boundsOfTile, boundsWithin, type TileAddress } from './ground-tiles.ts';

/** Part of its extent over which the map fades into the land around. */
const SOFT = 0.12;
/** Pixels between two that are looked at. */
const STEP = 16;
/** The land around has so much of the colours at the border, and else that of plain land: far away it is no map. */
const TAKEN = 0.85;
/** Of a border less covered than so, the land around has less. */
const MOSTLY = 0.4;

export interface Border {
  extent: Bounds;
  /** Degrees of longitude and latitude over which it fades. */
  soft: readonly [number, number];
}

/**
 * Where a map ends: with its pictures, or before, where colours cover all that the sources have.
 *
 * @param pictured the box of all pictures
 * @param sources feature types with their boxes
 */
export function borderOf(pictured: Bounds, sources: ReadonlyArray<{ type: string; bounds: Bounds }>): Border {
  // Streets and houses alone end where the last one does, which nobody takes for an edge.
  const isCovered = sources.some(({ type }) => type === 'luse');
  const held = boundsWithin(
    pictured,
    isCovered ? boundsAround(sources.map(({ bounds }) => bounds)) : pictured,
  );
  const extent = held.west < held.east && held.south < held.north ? held : pictured;
  return {
    extent,
    soft: [(extent.east - extent.west) * SOFT, (extent.north - extent.south) * SOFT],
  };
}

/**
 * The colour of the land around a map (sRGB by day): near the mean of what lies at its border, if something does.
 */
export function landAround(
  drawings: ReadonlyArray<readonly [TileAddress, GroundDrawing]>,
  border: Border,
  theme: Theme,
): Rgb {
  const sum = [0, 0, 0];
  let [covered, count] = [0, 0];
  for (const [address, { colours }] of drawings) {
    const { across, down } = insideOf(boundsOfTile(address), border);
    for (let row = STEP / 2; row < PICTURE_SIZE; row += STEP) {
      for (let column = STEP / 2; column < PICTURE_SIZE; column += STEP) {
        const inside = Math.min(across[column]!, down[row]!);
        if (inside === 0 || inside === 1) continue;
        const at = (row * PICTURE_SIZE + column) * 4;
        const part = colours[at + 3]! / 255;
        for (let i = 0; i < 3; i++) sum[i]! += (colours[at + i]! / 255) * part;
        covered += part;
        count++;
      }
    }
  }
  const taken = count === 0 ? 0 : TAKEN * Math.min(1, covered / count / MOSTLY);
  return plainLand(theme).map((part, i) =>
    taken === 0 ? part : part + taken * (sum[i]! / covered - part),
  ) as unknown as Rgb;
}

/**
 * The picture of a tile: where nothing covers it, plain land, which is that around the map at its border.
 *
 * @param land around the map, as `landAround` says
 */
export function groundPicture(
  bounds: Bounds,
  { colours, shade }: GroundDrawing,
  border: Border,
  land: Rgb,
  theme: Theme,
): GroundPicture {
  const plain = plainLand(theme);
  const { across, down } = insideOf(bounds, border);
  for (let row = 0; row < PICTURE_SIZE; row++) {
    for (let column = 0; column < PICTURE_SIZE; column++) {
      const at = (row * PICTURE_SIZE + column) * 4;
      const bare = 1 - colours[at + 3]! / 255;
      if (bare > 0) {
        const inside = across[column]! * down[row]!;
        for (let i = 0; i < 3; i++) {
          const below = 255 * (land[i]! + inside * (plain[i]! - land[i]!));
          colours[at + i] = colours[at + i]! + bare * (below - colours[at + i]!);
        }
      }
      colours[at + 3] = 255 - shade[at + 3]!;
    }
  }
  return { arrayBufferView: new Uint8Array(colours.buffer), width: PICTURE_SIZE, height: PICTURE_SIZE };
}

/** How far columns and rows of a tile's pixels lie inside of a map, 0 at its border to 1. */
function insideOf(
  { west, south, east, north }: Bounds,
  { extent, soft }: Border,
): { across: number[]; down: number[] } {
  const inside = (from: number, to: number, low: number, high: number, width: number) =>
    Array.from({ length: PICTURE_SIZE }, (_, i) => {
      const at = from + ((to - from) * (i + 0.5)) / PICTURE_SIZE;
      return Math.min(1, Math.max(0, Math.min(at - low, high - at) / width));
    });
  return {
    across: inside(west, east, extent.west, extent.east, soft[0]),
    down: inside(north, south, extent.south, extent.north, soft[1]),
  };
}

function plainLand(theme: Theme): Rgb {
  return rgbOf(PAPER[theme].land);
}
