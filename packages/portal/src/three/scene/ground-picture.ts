/**
 * Draws the ground of one tile from vector tiles. Footprints get a soft shadow around them, so that buildings stand on
 * the ground.
 */
import { VectorTile, type VectorTileFeature } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import type { Theme } from '../../core/state.ts';
import { landColour, PAPER } from './ground-style.ts';

/** A vector tile with the part of it that is wanted: a corner and a size, 0 to 1 of the tile. */
export interface TilePart {
  type: string;
  bytes: Uint8Array;
  left: number;
  top: number;
  size: number;
}

/** Pixels along a side. */
export const PICTURE_SIZE = 512;
/** Metres over which the dark around the foot of a building fades. */
const CONTACT = 2.5;
/** Higher buildings throw no longer baked shadows, metres. */
const HIGHEST = 60;
/** East and south, by metre of height: where the light of drawings throws shadows to. */
const THROWN = [-0.58, -0.71] as const;

/** What a map shows of a tile: bytes of `PICTURE_SIZE` rows from the north. */
export interface GroundDrawing {
  /** Red, green, blue, and how much of the pixel something covers. */
  colours: Uint8ClampedArray;
  /** As `colours`; its alpha is how far a pixel lies in the shade of buildings. */
  shade: Uint8ClampedArray;
}

/** Red, green, blue, and 255 less how far a pixel lies in the shade of buildings. */
export interface GroundPicture {
  arrayBufferView: Uint8Array;
  width: number;
  height: number;
}

/**
 * Draws a tile; parts in the order in which they are drawn. Throws on bytes that are no vector tile.
 *
 * @param metres size of a pixel
 */
export function drawGround(parts: readonly TilePart[], theme: Theme, metres: number): GroundDrawing {
  const context = newContext();
  const shade = newContext();
  for (const part of parts) {
    const tile = new VectorTile(new PbfReader(part.bytes));
    for (const layer of Object.values(tile.layers)) {
      const scale = PICTURE_SIZE / part.size / layer.extent;
      const [left, top] = [part.left * layer.extent, part.top * layer.extent];
      for (const one of [context, shade]) one.setTransform(scale, 0, 0, scale, -left * scale, -top * scale);
      for (let i = 0; i < layer.length; i++) {
        const feature = layer.feature(i);
        drawFeature(context, part.type, feature, theme, { pixel: 1 / scale, blur: CONTACT / metres });
        if (part.type === 'bldg' && feature.type === 3) throwShadow(shade, feature, 1 / scale / metres);
      }
    }
  }
  return { colours: pixelsOf(context), shade: pixelsOf(shade) };
}

function pixelsOf(context: CanvasRenderingContext2D): Uint8ClampedArray {
  return context.getImageData(0, 0, PICTURE_SIZE, PICTURE_SIZE).data;
}

function newContext(): CanvasRenderingContext2D {
  const canvas = document.createElement('canvas');
  canvas.width = PICTURE_SIZE;
  canvas.height = PICTURE_SIZE;
  return canvas.getContext('2d', { willReadFrequently: true })!;
}

/** Fills what a building shades: its outline, moved along the shadow. @param units of the tile in a metre */
function throwShadow(context: CanvasRenderingContext2D, feature: VectorTileFeature, units: number): void {
  const height = heightOf(feature.properties);
  if (height === null) return;
  const [right, down] = THROWN.map((part) => part * Math.min(height, HIGHEST) * units) as [number, number];
  const path = new Path2D();
  for (const ring of feature.loadGeometry()) {
    for (const [i, { x, y }] of ring.entries()) {
      const next = ring[(i + 1) % ring.length]!;
      // Each wall, all turned the same way: what two of them cover is filled once.
      const turn = (next.x - x) * down - (next.y - y) * right;
      const [a, b] = turn > 0 ? [{ x, y }, next] : [next, { x, y }];
      path.moveTo(a.x, a.y);
      path.lineTo(b.x, b.y);
      path.lineTo(b.x + right, b.y + down);
      path.lineTo(a.x + right, a.y + down);
      path.closePath();
    }
  }
  context.fill(path, 'nonzero');
}

/** Metres, under the names that converters give the height; null where none is known. */
function heightOf(properties: Record<string, unknown>): number | null {
  for (const name of ['bldg:measuredHeight', 'measuredHeight', 'bldg_measuredHeight', 'height']) {
    const value = Number(properties[name] ?? Number.NaN);
    if (value > 0) return value;
  }
  return null;
}

/** @param size `pixel`: of a pixel in units of the tile; `blur`: of the dark around buildings, pixels */
function drawFeature(
  context: CanvasRenderingContext2D,
  type: string,
  feature: VectorTileFeature,
  theme: Theme,
  { pixel, blur }: { pixel: number; blur: number },
): void {
  const paper = PAPER[theme];
  const path = pathOf(feature);
  if (feature.type === 2) {
    context.lineWidth = (type === 'rwy' ? 1.5 : 4) * pixel;
    context.strokeStyle = type === 'rwy' ? paper.rail : type === 'wtr' ? paper.water : paper.road;
    context.stroke(path);
    return;
  }
  if (feature.type !== 3) return;
  if (type === 'bldg') {
    // Less than a pixel of it would be a veil over whole quarters.
    context.shadowColor = blur < 1 ? 'transparent' : paper.shadow;
    context.shadowBlur = Math.min(8, blur);
    context.fillStyle = paper.building;
    context.fill(path, 'evenodd');
    context.shadowColor = 'transparent';
    return;
  }
  context.fillStyle =
    type === 'luse'
      ? landColour(feature.properties, theme)
      : type === 'wtr'
        ? paper.water
        : type === 'rwy'
          ? paper.rail
          : paper.road;
  context.fill(path, 'evenodd');
  if (type !== 'tran') return;
  context.lineWidth = pixel;
  context.strokeStyle = paper.roadEdge;
  context.stroke(path);
}

function pathOf(feature: VectorTileFeature): Path2D {
  const path = new Path2D();
  for (const ring of feature.loadGeometry()) {
    for (const [i, { x, y }] of ring.entries()) {
      if (i === 0) path.moveTo(x, y);
      else path.lineTo(x, y);
    }
    if (feature.type === 3) path.closePath();
  }
  return path;
}
