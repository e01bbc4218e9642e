import { boundsToArray } from '@citymodel/geo';
import type { GmlFileRow, ListedFileRow } from './rows.ts';

/**
 * What a list of files says of one besides its place: the members of a JSON object, `"fileSize":…` to `"bbox":…`,
 * without braces (specification, operation 7). Made once when a file is published: reading 23 columns and making it for
 * each answer was most of what a file cost.
 */
export function fileExtras(file: Omit<GmlFileRow, 'packageNo'>): string {
  const [lod0 = null, lod1 = null, lod2 = null, lod3 = null, lod4 = null] = file.lods;
  const { bounds } = file;
  const extras = {
    fileSize: file.size,
    features: file.features,
    lod0,
    lod1,
    lod2,
    lod3,
    lod4,
    sha256: file.sha256,
    bbox: bounds === null ? null : boundsToArray(bounds),
  };
  return JSON.stringify(extras).slice(1, -1);
}

/** A file as lists have it, made from its row; the database gives it without that. */
export function listedFile(file: GmlFileRow): ListedFileRow {
  const { packageNo, type, path, mesh, maxLod } = file;
  return { packageNo, type, path, mesh, maxLod, extras: fileExtras(file), areaCodes: file.areaCodes.join() };
}
