/** How much of the sun and of the sky each pixel of a z-buffer sees. */
import type { Vec3 } from '@citymodel/geo';
import type { Camera } from './camera.ts';
import { type HeightMap, unit } from './height-map.ts';
import type { Pixels } from './raster.ts';

/** To the sun: from the south-west, 45 degrees high. */
export const SUN: Vec3 = unit([-0.62, -0.42, 0.72]);
/** Directions that the sky is looked for in, and how far, metres. */
const DIRECTIONS = 8;
const DISTANCES = [2.5, 7, 18, 42];
/** A wall throws no shadow on itself: metres away from it. */
const BIAS = 0.6;

/** Parts of 255. */
export interface Exposure {
  sun: Uint8Array;
  sky: Uint8Array;
}

/**
 * @param above the model from above
 * @param lit the model along the sun
 */
export function exposureOf(pixels: Pixels, camera: Camera, above: HeightMap, lit: HeightMap): Exposure {
  const { width, height, depth, normal } = pixels;
  const sun = new Uint8Array(width * height).fill(255);
  const sky = new Uint8Array(width * height).fill(255);
  const { eye, ahead, right, up, halfWidth, halfHeight, shift } = camera;
  const aboveCell = (2 * above.reach) / above.size;
  const litCell = (2 * lit.reach) / lit.size;
  const [onAbove, onLit] = [new Float64Array(3), new Float64Array(3)];
  for (let y = 0, at = 0; y < height; y++) {
    const down = (1 - (2 * y + 1) / height + shift) * halfHeight;
    for (let x = 0; x < width; x++, at++) {
      const far = depth[at]!;
      if (far === Infinity) continue;
      const across = ((2 * x + 1) / width - 1) * halfWidth;
      const px = eye[0] + far * (ahead[0] + right[0] * across + up[0] * down);
      const py = eye[1] + far * (ahead[1] + right[1] * across + up[1] * down);
      const pz = eye[2] + far * (ahead[2] + right[2] * across + up[2] * down);
      const [nx, ny, nz] = [normal[3 * at]! / 127, normal[3 * at + 1]! / 127, normal[3 * at + 2]! / 127];
      const off = BIAS + litCell;
      lit.cell(px + nx * off, py + ny * off, pz + nz * off, onLit);
      sun[at] = 255 * sunlit(lit, onLit[0]!, onLit[1]!, onLit[2]! + 0.3);
      const away = 1.2 + aboveCell;
      above.cell(px + nx * away, py + ny * away, pz, onAbove);
      sky[at] = 255 * openSky(above, onAbove[0]!, onAbove[1]!, pz + 0.3, aboveCell, nx, ny);
    }
  }
  return { sun, sky };
}

const AROUND = Array.from({ length: DIRECTIONS }, (_, i) => {
  const angle = ((i + 0.5) / DIRECTIONS) * 2 * Math.PI;
  return [Math.cos(angle), Math.sin(angle)] as const;
});

/** The part of the sky that nothing stands before. A wall, with its normal, does not stand before itself. */
function openSky(
  map: HeightMap,
  column: number,
  row: number,
  height: number,
  cell: number,
  nx: number,
  ny: number,
): number {
  let open = 0;
  let directions = 0;
  for (let d = 0; d < DIRECTIONS; d++) {
    const [dx, dy] = AROUND[d]!;
    if (dx * nx + dy * ny < -0.15) continue;
    directions++;
    let steepest = 0;
    for (let i = 0; i < DISTANCES.length; i++) {
      const cells = DISTANCES[i]! / cell;
      const slope = (map.at(column + dx * cells, row + dy * cells) - height) / DISTANCES[i]!;
      if (slope > steepest) steepest = slope;
    }
    // The half circle of a direction is free above what stands there: by the square of the cosine.
    open += 1 / (1 + steepest * steepest);
  }
  return open / directions;
}

/** The part of the sun that is seen: soft at the edge of a shadow, over three cells. */
function sunlit(map: HeightMap, column: number, row: number, height: number): number {
  const [x, y] = [column - 0.5, row - 0.5];
  const [fx, fy] = [x - Math.floor(x), y - Math.floor(y)];
  let sum = 0;
  for (let dy = -1; dy <= 2; dy++) {
    const weight = dy === -1 ? 1 - fy : dy === 2 ? fy : 1;
    let line = 0;
    for (let dx = -1; dx <= 2; dx++) {
      if (map.at(x + dx, y + dy) > height) continue;
      line += dx === -1 ? 1 - fx : dx === 2 ? fx : 1;
    }
    sum += weight * line;
  }
  return sum / 9;
}
