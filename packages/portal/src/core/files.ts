/** File lists of operation 7, and what the page sums up from them. */
import { type Bounds, isMeshCode, meshBounds } from '@citymodel/geo';
import { type Area, areaMeets } from './area.ts';
import { type Box, toBounds } from './catalogue.ts';
import type * as interfaceTypes from './interface-types.ts';

export type GmlFile = Pick<
  interfaceTypes.CityGmlFile,
  'code' | 'maxLod' | 'url' | 'fileSize' | 'features'
> & { bbox?: Box | null };

export type CityFiles = Pick<
  interfaceTypes.FileList,
  'cityCode' | 'cityName' | 'year' | 'spec' | 'url' | 'metadataZipUrls'
> & { files: Record<string, GmlFile[]> };

export interface FileList {
  cities: CityFiles[];
}

/** A file with where it comes from. */
export interface FoundFile extends GmlFile {
  type: string;
  city: CityFiles;
}

/** Every file of a list. */
export function filesOf(list: FileList): FoundFile[] {
  return list.cities.flatMap((city) =>
    Object.entries(city.files).flatMap(([type, files]) => files.map((file) => ({ ...file, type, city }))),
  );
}

/** Where a file's features lie, else its mesh; null when neither is known. */
export function fileBounds(file: GmlFile): Bounds | null {
  if (file.bbox) return toBounds(file.bbox);
  return isMeshCode(file.code) ? meshBounds(file.code) : null;
}

export interface Sum {
  files: number;
  features: number;
  /** Uncompressed bytes. */
  bytes: number;
}

export function sumOf(files: readonly GmlFile[]): Sum {
  return files.reduce<Sum>(
    (sum, file) => ({
      files: sum.files + 1,
      features: sum.features + file.features,
      bytes: sum.bytes + file.fileSize,
    }),
    { files: 0, features: 0, bytes: 0 },
  );
}

export type FileCounts = interfaceTypes.FileCounts;

/** Everything that was counted. */
export function totalOf({ cities }: FileCounts): {
  files: number;
  features: number;
  bytes: number;
  zip: number;
} {
  const total = { files: 0, features: 0, bytes: 0, zip: 0 };
  for (const sum of cities.flatMap(({ types }) => Object.values(types))) {
    total.files += sum.files;
    total.features += sum.features;
    total.bytes += sum.bytes;
    total.zip += sum.zip_bytes;
  }
  return total;
}

/** Files by a key, keys in the order in which they come. */
export function groupBy(
  files: readonly FoundFile[],
  keyOf: (file: FoundFile) => string,
): Map<string, FoundFile[]> {
  const groups = new Map<string, FoundFile[]>();
  for (const file of files) {
    const group = groups.get(keyOf(file));
    if (group === undefined) groups.set(keyOf(file), [file]);
    else group.push(file);
  }
  return groups;
}

export interface Choice {
  area: Area;
  /** Null: all. */
  types: readonly string[] | null;
  allYears: boolean;
}

/**
 * Files of the chosen area and years, of every type, out of a list of every year. Without older years they are those
 * that the service lists by itself: of each municipality and type the newest year that has the type.
 */
export function filesInArea(list: FileList, { area, allYears }: Omit<Choice, 'types'>): FoundFile[] {
  const kindOf = (city: CityFiles, type: string) => `${city.cityCode}/${type}`;
  const newest = new Map<string, number>();
  for (const city of list.cities) {
    for (const type of Object.keys(city.files)) {
      const kind = kindOf(city, type);
      newest.set(kind, Math.max(city.year, newest.get(kind) ?? city.year));
    }
  }
  return filesOf(list).filter((file) => {
    if (!allYears && file.city.year !== newest.get(kindOf(file.city, file.type))) return false;
    const bounds = fileBounds(file);
    return bounds === null || areaMeets(area, bounds);
  });
}

/** What a pack of the files is asked for with: the files, and the metadata of their packages when it is wanted. */
export function packUrls(files: readonly FoundFile[], papers: boolean): string[] {
  const urls = files.map(({ url }) => url);
  if (papers) {
    for (const city of new Set(files.map((file) => file.city))) {
      urls.push(...city.metadataZipUrls.filter((url) => /_(metadata|specification)\.zip$/.test(url)));
    }
  }
  return [...new Set(urls)];
}
