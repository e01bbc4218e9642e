/** From the paths on a command line to uploads. */

import type { Dirent } from 'node:fs';
import { open, opendir, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { compareTexts, EVERY_OUTPUT_KIND } from '@citymodel/base';
import { parsePackageName } from '../catalogue/names/package-name.ts';
import { openDirectoryUpload } from './directory-upload.ts';
import { openPmtilesUpload } from './pmtiles-upload.ts';
import type { StagingContext } from './staging.ts';
import { PackageRefused, type Upload } from './upload.ts';
import { openZipUpload } from './zip-upload.ts';

/** A path that is one upload. */
export interface UploadPath {
  path: string;
  kind: 'zip' | 'directory' | 'pmtiles' | 'missing';
}

/**
 * Finds the uploads behind paths: a file is one. A directory is one package or a shelf of uploads. It is a shelf when
 * it has zips, PMTiles files or directories named like packages, and no content of a package. Then its other
 * directories are uploads or shelves too, where they have such content: what they are called is refused when they are
 * read. `onPassedOver` gets the paths on shelves that are neither. CityGML packages come before tile packages, which
 * take LODs and names from them. A path that does not exist is one that is refused when it is opened.
 */
export async function findUploads(
  paths: readonly string[],
  onPassedOver: (path: string) => void = () => {},
): Promise<UploadPath[]> {
  const found: UploadPath[] = [];
  for (const path of paths) {
    const info = await stat(path).catch(() => null);
    if (info?.isDirectory()) found.push(...(await uploadsOf(path, onPassedOver, 0)));
    else found.push({ path, kind: info === null ? 'missing' : await fileKind(path) });
  }
  const isTiles = ({ path }: UploadPath) => TILES_NAME.test(basename(path));
  return [...found.filter((entry) => !isTiles(entry)), ...found.filter(isTiles)];
}

/** What a name has that says the package is made of CityGML. */
const TILES_NAME = new RegExp(`_(${EVERY_OUTPUT_KIND.join('|')})(_|\\.|$)`, 'i');

/** The uploads in a directory, which may be one itself; `depth` is how many shelves it lies in. */
async function uploadsOf(
  path: string,
  onPassedOver: (path: string) => void,
  depth: number,
): Promise<UploadPath[]> {
  const entries = await readdir(path, { withFileTypes: true });
  const isNamed = (entry: Dirent) =>
    entry.isDirectory()
      ? parsePackageName(entry.name) !== null
      : entry.isFile() && /\.(zip|pmtiles)$/i.test(entry.name);
  if (entries.some(isContent) || !entries.some(isNamed) || depth > MAX_SHELVES) {
    return [{ path, kind: 'directory' }];
  }
  const found: UploadPath[] = [];
  for (const entry of entries.sort((a, b) => compareTexts(a.name, b.name))) {
    const inside = join(path, entry.name);
    if (isNamed(entry)) {
      found.push({ path: inside, kind: entry.isDirectory() ? 'directory' : await fileKind(inside) });
    } else if (entry.isDirectory() && (await holdsContent(inside))) {
      found.push(...(await uploadsOf(inside, onPassedOver, depth + 1)));
    } else onPassedOver(inside);
  }
  return found;
}

/** Shelves within shelves that are looked through, and entries of a directory that has no content so far. */
const MAX_SHELVES = 8;
const MAX_ENTRIES = 20_000;

/** Whether a directory that has this entry is a package: `udx/`, zooms of vector tiles, or a tileset. */
function isContent(entry: Dirent): boolean {
  return entry.isDirectory()
    ? entry.name === 'udx' || /^\d{1,2}$/.test(entry.name)
    : entry.name === 'tileset.json';
}

/**
 * Whether something that could be published lies anywhere below a directory; true for one with too many entries to say.
 */
async function holdsContent(path: string): Promise<boolean> {
  const waiting = [path];
  let seen = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for await (const entry of await opendir(next)) {
      if (++seen > MAX_ENTRIES || /^(udx|tileset\.json)$|\.(gml|zip|pmtiles|mvt|pbf)$/i.test(entry.name))
        return true;
      if (entry.isDirectory()) waiting.push(join(next, entry.name));
    }
  }
  return false;
}

/**
 * Opens one upload; what has to be unpacked for it lies in a staging directory. Throws PackageRefused when it cannot be
 * read at all.
 */
export async function openUpload({ path, kind }: UploadPath, context: StagingContext): Promise<Upload> {
  switch (kind) {
    case 'zip':
      return openZipUpload(path);
    case 'pmtiles':
      return openPmtilesUpload(path, context);
    case 'directory':
      return openDirectoryUpload(path);
    case 'missing':
      throw new PackageRefused('NO_SUCH_FILE', `${path} does not exist.`);
  }
}

/**
 * PMTiles files begin with their name (PMTiles 3, section 3.1); everything else, and what cannot be opened, must be a
 * zip.
 */
async function fileKind(path: string): Promise<'zip' | 'pmtiles'> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return 'zip';
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(7), 0, 7, 0);
    return buffer.toString('latin1', 0, bytesRead) === 'PMTiles' ? 'pmtiles' : 'zip';
  } finally {
    await file.close();
  }
}
