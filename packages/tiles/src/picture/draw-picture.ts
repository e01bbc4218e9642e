/**
 * A picture of a package of 3D Tiles, light and dark, as it is looked at first in the 3D view. It is drawn without a
 * graphics card or a browser: a z-buffer twice as fine as the picture, shadows of a sun, and streets darker than roofs.
 */
import { setImmediate as others } from 'node:timers/promises';
import type { PackageFiles } from '@citymodel/base';
import { aimAt } from './aim.ts';
import { cameraAt } from './camera.ts';
import { exposureOf, SUN } from './exposure.ts';
import { groundUnder } from './ground.ts';
import { HeightMap } from './height-map.ts';
import { loadScene, type SceneLook } from './load-surfaces.ts';
import { emptyPixels, Raster } from './raster.ts';
import { shade, type Theme } from './shade.ts';

/** Pixels of the z-buffer for each of the picture, across and down. */
const TIMES = 2;
/** Cells of the maps along the sun and from above. */
const SUN_CELLS = 3_072;
const SKY_CELLS = 1_536;

/** Red, green, blue in 8 bits, row by row from the upper left. */
export interface DrawnPicture {
  width: number;
  height: number;
  /** Null where every file is damaged. */
  pixels: Record<Theme, Uint8Array> | null;
  triangles: number;
  /** Files, tiles and images that cannot be drawn, and the reason of the first. */
  leftOut: number;
  firstReason: string | null;
  /** Files in sight for which there was no room: they are the farthest. */
  beyond: number;
}

export interface PictureOptions extends SceneLook {
  width: number;
  height: number;
  /** Metres around the middle that are shown at most; those that fit a town unless something else is said. */
  widest?: number | undefined;
  signal: AbortSignal;
}

/**
 * Draws a package. Null for one without anything to draw. Throws DocumentTooLarge, what reading files throws, and the
 * signal's reason.
 */
export async function drawPicture(
  files: PackageFiles,
  { width, height, isPlain, tint, widest, signal }: PictureOptions,
): Promise<DrawnPicture | null> {
  const scene = await loadScene(files, { isPlain, tint }, { wide: widest, signal });
  if (scene === null) return null;
  const { surfaces, beyond } = scene;
  const { count: leftOut, firstReason } = scene.leftOut;
  const triangles = surfaces.reduce((sum, { indices }) => sum + indices.length / 3, 0);
  const account = { width, height, triangles, leftOut, firstReason, beyond };
  if (triangles === 0) return leftOut === 0 ? null : { ...account, pixels: null };
  const reach = scene.radius * 3;
  const ground = groundUnder(surfaces, reach, isPlain ? 0 : 0.4);
  const above = new HeightMap([0, 0, 1], reach, SKY_CELLS);
  const lit = new HeightMap(SUN, reach, SUN_CELLS);
  for (const surface of surfaces) {
    await others();
    signal.throwIfAborted();
    above.draw(surface);
    lit.draw(surface);
  }
  const { target, radius } = aimAt(surfaces, reach, scene.radius, widest);
  const camera = cameraAt(target, radius, width / height);
  const pixels = emptyPixels(width * TIMES, height * TIMES);
  const raster = new Raster(pixels, camera);
  for (const surface of ground === null ? surfaces : [ground, ...surfaces]) {
    await others();
    signal.throwIfAborted();
    raster.draw(surface);
  }
  if (ground !== null) above.draw(ground);
  if (ground !== null) lit.draw(ground);
  const exposure = exposureOf(pixels, camera, above, lit);
  const haze = [radius * 3.2, radius * 11] as const;
  const inTheme = async (theme: Theme) => {
    await others();
    signal.throwIfAborted();
    return shade(pixels, exposure, camera, { theme, level: target[2], haze, times: TIMES });
  };
  return { ...account, pixels: { light: await inTheme('light'), dark: await inTheme('dark') } };
}
