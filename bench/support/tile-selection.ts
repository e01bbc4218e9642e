/**
 * Which tiles a viewer shows from a place, as CesiumJS 1.140 chooses them by default: it skips no levels (3D Tiles 1.1, section 6.7.1) and puts up
 * with more error far away when it looks along the ground (`dynamicScreenSpaceError`). `foveatedScreenSpaceError` changes nothing here: it waits
 * with tiles aside of the middle while the camera moves, and never with those that replace others (`Cesium3DTile.js`, `isPriorityDeferred`).
 */
import type { Region } from '../../src/geo/bounding-volume.ts';
import type { Tile, Tileset } from '../../src/tiles/tileset.ts';

export interface View {
  /** What the camera looks at: degrees, and metres above the ellipsoid. */
  lng: number;
  lat: number;
  height: number;
  /** Metres from there. */
  distance: number;
  /** Degrees: clockwise from north, and below the horizon. */
  heading: number;
  pitch: number;
}

/** Pixels of the screen, the angle of its longer side, and the error in pixels that CesiumJS puts up with. */
const SCREEN = { width: 1920, height: 1080, angle: Math.PI / 3, error: 16 };
/** Defaults of `Cesium3DTileset`: `dynamicScreenSpaceErrorDensity`, a metre; `…Factor`, pixels; `…HeightFalloff`. */
const DYNAMIC = { density: 2e-4, factor: 24, falloff: 0.25 };

type Vector = readonly [number, number, number];
/** Lowest and highest corner: metres to the east and north of the target, and up. */
type Box = readonly [low: Vector, high: Vector];

/**
 * Paths of the contents that are shown. `read` gives the tileset at a path of the package. `isDynamic`: false for a viewer that puts up with the
 * same error everywhere.
 */
export function selectTiles(
  read: (path: string) => Tileset,
  view: View,
  { isDynamic = true }: { isDynamic?: boolean } = {},
): string[] {
  const { eye, planes } = cameraOf(view);
  const { root } = read('tileset.json');
  const density = isDynamic ? densityOf(root, view, eye) : 0;
  const across = Math.tan(SCREEN.angle / 2);
  const perPixel = (2 * across * SCREEN.height) / SCREEN.width / SCREEN.height;
  const errorAt = (metres: number, far: number) =>
    metres / (perPixel * Math.max(far, 1e-7)) - DYNAMIC.factor * fog(far * density);
  const isSeen = (volume: Tile['boundingVolume']) =>
    !planes.some((plane) => isOutside(boxOf((volume as { region: Region }).region, view), plane));
  const found: string[] = [];
  const visit = (tile: Tile, folder: string, refine: 'ADD' | 'REPLACE'): void => {
    const uri = tile.content?.uri;
    if (uri?.endsWith('.json')) {
      if (!isSeen(tile.boundingVolume)) return;
      const path = folder + uri;
      visit(read(path).root, path.slice(0, path.lastIndexOf('/') + 1), tile.refine ?? refine);
      return;
    }
    const own = tile.refine ?? refine;
    const far = distance(eye, boxOf((tile.boundingVolume as { region: Region }).region, view));
    const isTooCoarse = errorAt(tile.geometricError, far) > SCREEN.error;
    const seen = (tile.children ?? []).filter((child) => isSeen(child.boundingVolume));
    // A tile that is replaced is not seen where nothing below it is (`updateTileVisibility`).
    if (own === 'REPLACE' && (tile.children ?? []).length > 0 && seen.length === 0) return;
    const refines = seen.length > 0 && isTooCoarse;
    const isShown = isSeen(tile.content?.boundingVolume ?? tile.boundingVolume);
    if (uri !== undefined && isShown && (own === 'ADD' || !refines)) found.push(folder + uri);
    if (!refines) return;
    for (const child of seen) {
      // What adds to a tile is left out where the tile is good enough at that place (`meetsScreenSpaceErrorEarly`).
      const near = distance(eye, boxOf((child.boundingVolume as { region: Region }).region, view));
      if (own === 'ADD' && errorAt(tile.geometricError, near) <= SCREEN.error) continue;
      visit(child, folder, own);
    }
  };
  if (isSeen(root.boundingVolume)) visit(root, '', 'ADD');
  return found;
}

/** Grows towards the horizon, and with the height of the camera shrinks to 0 at the top of the tileset (`updateDynamicScreenSpaceError`). */
function densityOf(root: Tile, view: View, eye: Vector): number {
  const [, , , , low, high] = ((root.content?.boundingVolume ?? root.boundingVolume) as { region: Region })
    .region;
  const close = low + (high - low) * DYNAMIC.falloff;
  const height = view.height + eye[2];
  const above = Math.min(1, Math.max(0, (height - close) / (high - close)));
  const horizon = 1 - Math.sin((view.pitch * Math.PI) / 180);
  return DYNAMIC.density * horizon * (1 - above);
}

/** `CesiumMath.fog`. */
function fog(scaled: number): number {
  return 1 - Math.exp(-(scaled ** 2));
}

interface Plane {
  normal: Vector;
  offset: number;
}

/** The four sides of what the camera sees; inside is where `normal · point + offset` is positive. */
function cameraOf({ distance: far, heading, pitch }: View): { eye: Vector; planes: Plane[] } {
  const [turn, tilt] = [(heading * Math.PI) / 180, (pitch * Math.PI) / 180];
  const ahead: Vector = [Math.sin(turn) * Math.cos(tilt), Math.cos(turn) * Math.cos(tilt), -Math.sin(tilt)];
  const right: Vector = [Math.cos(turn), -Math.sin(turn), 0];
  const up: Vector = [Math.sin(turn) * Math.sin(tilt), Math.cos(turn) * Math.sin(tilt), Math.cos(tilt)];
  const eye = ahead.map((value) => -far * value) as unknown as Vector;
  const across = Math.tan(SCREEN.angle / 2);
  const planes = [
    [right, across],
    [up, (across * SCREEN.height) / SCREEN.width],
  ].flatMap(([axis, slope]) =>
    [1, -1].map((sign): Plane => {
      const normal = ahead.map(
        (value, i) => value * (slope as number) + sign * (axis as Vector)[i]!,
      ) as unknown as Vector;
      return { normal, offset: -dot(normal, eye) };
    }),
  );
  return { eye, planes };
}

/** A view reaches over few kilometres: the ground is flat there. */
function boxOf([west, south, east, north, low, high]: Region, { lng, lat, height }: View): Box {
  const metre = (111_320 * 180) / Math.PI;
  const aside = metre * Math.cos((lat * Math.PI) / 180);
  const [x, y] = [(lng * Math.PI) / 180, (lat * Math.PI) / 180];
  return [
    [(west - x) * aside, (south - y) * metre, low - height],
    [(east - x) * aside, (north - y) * metre, high - height],
  ];
}

function isOutside([low, high]: Box, { normal, offset }: Plane): boolean {
  const farthest = normal.map((value, i) => (value > 0 ? high[i]! : low[i]!)) as unknown as Vector;
  return dot(normal, farthest) + offset < 0;
}

function distance(eye: Vector, [low, high]: Box): number {
  return Math.hypot(...eye.map((value, i) => Math.max(low[i]! - value, 0, value - high[i]!)));
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
