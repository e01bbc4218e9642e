/**
 * Draws a package of 3D Tiles, light and dark, large and small. The pictures take the place of those that it has:
 *
 *   begin intent ─▶ draw ─▶ put ─▶ one transaction: the package has these pictures
 *
 * A process that dies before the last step leaves an intent, and perhaps objects, which the sweep deletes.
 */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kindOfFormat } from '@citymodel/base';
import {
  Archives,
  type CatalogueStore,
  type ObjectStore,
  type PackagePicture,
  type PackageRow,
  pictureKey,
} from '@citymodel/store';
import { drawPicture, encodePicture } from '@citymodel/tiles';
import { Staging } from '../ingest/staging.ts';
import { archiveFiles } from '../ingest/upload-files.ts';

/** How pictures are drawn; another number has all of them drawn again by `reindex`. */
export const PICTURE_VERSION = 4;
/** What links show: the size that most of those who show them ask for (https://ogp.me), pixels. */
const LARGE = { width: 1_200, height: 630 };
/** A list has pictures so many times smaller. */
const SMALLER = 2;
/** Types whose grey surfaces mean nothing, so that roofs and walls may be painted. */
const PAINTED: ReadonlySet<string> = new Set(['bldg', 'brid', 'cons', 'ubld', 'unf', 'tun']);

/** Metres around the middle of pictures of what is small, and of hills. */
const WIDEST: Readonly<Record<string, number>> = { frn: 36, dem: 4_000 };

/** Linear colours of what comes white: asphalt, leaves, water. */
const ROAD = [0.33, 0.35, 0.37] as const;
export const TINTS: Readonly<Record<string, readonly [number, number, number]>> = {
  tran: ROAD,
  rwy: ROAD,
  trk: ROAD,
  squr: ROAD,
  veg: [0.23, 0.38, 0.16],
  wtr: [0.26, 0.46, 0.63],
  wwy: [0.26, 0.46, 0.63],
};

export interface PicturesContext {
  catalogue: CatalogueStore;
  objects: ObjectStore;
  /** Local directory for pictures that are not put yet. */
  stagingDir: string;
}

/** Pixels. */
interface PictureSize {
  width: number;
  height: number;
}

export interface PicturesOptions {
  /** Ends the work; it throws the signal's reason. */
  signal: AbortSignal;
  /** Of large pictures; that of links unless something else is said. */
  large?: PictureSize;
}

/** What was drawn, and what the pictures lack. */
export interface PicturesReport {
  pictures: number;
  triangles: number;
  /** Files, tiles and images that cannot be drawn, and the reason of the first. */
  leftOut: number;
  firstReason: string | null;
  /** Files in sight for which there was no room: they are the farthest. */
  beyond: number;
  bytes: number;
}

/** True for a package that pictures can be drawn of. */
export function isDrawn({ dataset, archiveKey }: Pick<PackageRow, 'dataset' | 'archiveKey'>): boolean {
  return dataset !== null && archiveKey !== '' && kindOfFormat(dataset.format) === '3dtiles';
}

/** True when nothing is to be drawn: the package has pictures as this program draws them, or can have none. */
export function hasPictures(row: PackageRow): boolean {
  return !isDrawn(row) || row.pictures?.version === PICTURE_VERSION;
}

/**
 * Draws a live package. One with nothing to draw, or of which nothing can be read, has no pictures from then on. Throws
 * CatalogueConflict when the package is gone meanwhile, what stores and disk throw, and the signal's reason.
 */
export async function makePictures(
  row: PackageRow,
  context: PicturesContext,
  { signal, large = LARGE }: PicturesOptions,
): Promise<PicturesReport> {
  const { catalogue, objects } = context;
  const drawn = await draw(row, objects, { signal, large });
  const files = drawn?.pixels == null ? [] : await encode(drawn.pixels, large);
  await using staging = await Staging.open(context, (id) => files.map(({ facts }) => pictureKey(id, facts)));
  const images: PackagePicture[] = [];
  for (const { facts, bytes } of files) {
    signal.throwIfAborted();
    const key = pictureKey(staging.id, facts);
    const path = join(staging.directory, 'picture');
    await writeFile(path, bytes);
    await objects.put(key, path, { once: true });
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    images.push({ ...facts, key, bytes: bytes.length, sha256 });
  }
  signal.throwIfAborted();
  const pictures = { version: PICTURE_VERSION, images };
  await staging.commit(() => catalogue.setPictures({ no: row.no, pictures, intent: staging.id }));
  return {
    pictures: images.length,
    triangles: drawn?.triangles ?? 0,
    leftOut: drawn?.leftOut ?? 0,
    firstReason: drawn?.firstReason ?? null,
    beyond: drawn?.beyond ?? 0,
    bytes: images.reduce((sum, image) => sum + image.bytes, 0),
  };
}

async function draw(row: PackageRow, objects: ObjectStore, { signal, large }: Required<PicturesOptions>) {
  const archives = new Archives(objects, { maxOpen: 1 });
  try {
    await using archive = await archives.open(row);
    const files = archiveFiles(archive.index, archive.checkedArchive());
    const { type } = row.dataset!;
    return await drawPicture(files, {
      ...large,
      isPlain: PAINTED.has(type),
      tint: TINTS[type] ?? null,
      widest: WIDEST[type],
      signal,
    });
  } finally {
    await archives.close();
  }
}

async function encode(pixels: Record<PackagePicture['theme'], Uint8Array>, large: PictureSize) {
  const files: Array<{ facts: Omit<PackagePicture, 'key' | 'bytes' | 'sha256'>; bytes: Uint8Array }> = [];
  for (const theme of ['light', 'dark'] as const) {
    for (const [size, times] of [
      ['large', 1],
      ['small', SMALLER],
    ] as const) {
      const { bytes, width, height, mimeType } = await encodePicture(pixels[theme], large, times);
      files.push({ facts: { theme, size, width, height, mimeType }, bytes });
    }
  }
  return files;
}
