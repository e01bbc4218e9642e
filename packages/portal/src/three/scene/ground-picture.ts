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
/** Pixels over which the shadow of a building fades. */
const SHADOW = 7;

/** The picture of a tile; parts in the order in which they are drawn. Throws on bytes that are no vector tile. */
export function drawGround(parts: readonly TilePart[], theme: Theme): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = PICTURE_SIZE;
  canvas.height = PICTURE_SIZE;
  const context = canvas.getContext('2d')!;
  const paper = PAPER[theme];
  context.fillStyle = paper.land;
  context.fillRect(0, 0, PICTURE_SIZE, PICTURE_SIZE);
  for (const part of parts) {
    const tile = new VectorTile(new PbfReader(part.bytes));
    for (const layer of Object.values(tile.layers)) {
      const scale = PICTURE_SIZE / part.size / layer.extent;
      const [left, top] = [part.left * layer.extent, part.top * layer.extent];
      context.setTransform(scale, 0, 0, scale, -left * scale, -top * scale);
      for (let i = 0; i < layer.length; i++)
        drawFeature(context, part.type, layer.feature(i), theme, 1 / scale);
    }
  }
  return canvas;
}

/** @param pixel size of a pixel in units of the tile */
function drawFeature(
  context: CanvasRenderingContext2D,
  type: string,
  feature: VectorTileFeature,
  theme: Theme,
  pixel: number,
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
    context.shadowColor = paper.shadow;
    context.shadowBlur = SHADOW;
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
