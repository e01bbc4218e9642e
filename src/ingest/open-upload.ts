/** From the paths on a command line to uploads. */
import { open, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
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
 * Finds the uploads behind paths: a file is one. A directory is one package or a shelf of uploads. It is a shelf when it has
 * zips, PMTiles files or directories named like packages, and no content of a package. CityGML packages come before tile packages, which take
 * LODs and names from them. A path that does not exist is one that is refused when it is opened.
 */
export async function findUploads(paths: readonly string[]): Promise<UploadPath[]> {
  const found: UploadPath[] = [];
  for (const path of paths) {
    const info = await stat(path).catch(() => null);
    if (info === null || !info.isDirectory()) {
      found.push({ path, kind: info === null ? 'missing' : await fileKind(path) });
      continue;
    }
    const entries = await readdir(path, { withFileTypes: true });
    const isPackage = entries.some(
      (entry) =>
        (entry.isDirectory() && (entry.name === 'udx' || /^\d{1,2}$/.test(entry.name))) ||
        entry.name === 'tileset.json',
    );
    const uploads = entries.filter((entry) =>
      entry.isDirectory()
        ? parsePackageName(entry.name) !== null
        : entry.isFile() && /\.(zip|pmtiles)$/i.test(entry.name),
    );
    if (isPackage || uploads.length === 0) {
      found.push({ path, kind: 'directory' });
      continue;
    }
    for (const upload of uploads.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const inside = join(path, upload.name);
      found.push({ path: inside, kind: upload.isDirectory() ? 'directory' : await fileKind(inside) });
    }
  }
  const isTiles = ({ path }: UploadPath) => /_(3dtiles|mvt)(_|\.|$)/i.test(basename(path));
  return [...found.filter((entry) => !isTiles(entry)), ...found.filter(isTiles)];
}

/** Opens one upload; what has to be unpacked for it lies in a staging directory. Throws PackageRefused when it cannot be read at all. */
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

/** PMTiles files begin with their name (PMTiles 3, section 3.1); everything else, and what cannot be opened, must be a zip. */
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
