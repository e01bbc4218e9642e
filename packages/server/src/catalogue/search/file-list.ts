import { compareTypes, typeName } from '@citymodel/citygml';
import type { ListedFileRow, PackageRow } from '@citymodel/store';
import type { AssetUrls } from '../names/asset-urls.ts';

/** A CityGML file in the answer of operation 7; every key is always there. */
export interface FileObject {
  /** Mesh code. */
  code: string;
  maxLod: number;
  url: string;
  /** Uncompressed bytes. */
  fileSize: number;
  features: number;
  /** Features with geometry at that LOD; null where unknown. */
  lod0: number | null;
  lod1: number | null;
  lod2: number | null;
  lod3: number | null;
  lod4: number | null;
  /** Lower-case hex. */
  sha256: string;
  /** West, south, east, north in degrees; null where unknown. */
  bbox: [number, number, number, number] | null;
}

/** How many files of each type were found in a package. */
export interface FoundPackage<T extends FileGroup = FileGroup> {
  package: PackageRow;
  /** By feature-type code. */
  types: ReadonlyMap<string, T>;
}

/** Files of one type in one package. */
export interface FileGroup {
  package: PackageRow;
  type: string;
  count: number;
}

/** The URLs that a file list holds. */
export type FileListUrls = Pick<AssetUrls, 'member' | 'archive' | 'metadataZip'>;

/** A part of an answer: text, or a place where the `FileObject`s of a group stand, with commas between. */
export type FileListPart<T extends FileGroup> = string | T;

/**
 * The answer of operation 7, a JSON document in parts: a file-list result of the specification over everything that was
 * found. It names the municipality with the most files. Under `cities` there is one file-list result for each package.
 * Every group stands in it twice. Throws a RangeError when nothing was found.
 */
export function fileListParts<T extends FileGroup>(
  found: ReadonlyArray<FoundPackage<T>>,
  urls: FileListUrls,
): Array<FileListPart<T>> {
  const largest = found[indexOfLargest(found)];
  if (largest === undefined)
    throw new RangeError('A file list of nothing was asked for; expected at least one package.');
  const byType = new Map<string, T[]>();
  for (const { types } of found) {
    for (const [type, group] of types) {
      const groups = byType.get(type);
      if (groups === undefined) byType.set(type, [group]);
      else groups.push(group);
    }
  }
  const types = [...byType.keys()].sort(compareTypes);
  const union = {
    ...headOf(largest.package, types, urls),
    metadataZipUrls: found.flatMap((entry) => metadataZipUrls(entry.package, urls)),
  };
  const parts: Array<FileListPart<T>> = [headText(union)];
  addFiles(
    parts,
    types.map((type) => [type, byType.get(type)!]),
  );
  let before = ',"cities":[';
  for (const { package: pkg, types } of found) {
    const own = [...types.keys()].sort(compareTypes);
    parts.push(before + headText(headOf(pkg, own, urls)));
    addFiles(
      parts,
      own.map((type) => [type, [types.get(type)!]]),
    );
    before = '},';
  }
  parts.push('}]}');
  return parts;
}

/** A `FileObject` as JSON. */
export function fileObjectText(
  pkg: PackageRow,
  { mesh, maxLod, path, extras }: ListedFileRow,
  urls: Pick<FileListUrls, 'member'>,
): string {
  return (
    `{"code":${JSON.stringify(mesh)},"maxLod":${maxLod},"url":${JSON.stringify(urls.member(pkg, path))},` +
    `${extras}}`
  );
}

/** What a file-list result says besides its files. */
function headOf(pkg: PackageRow, types: readonly string[], urls: FileListUrls): object {
  return {
    cityCode: pkg.cityCode,
    cityName: pkg.city,
    year: pkg.year,
    registrationYear: pkg.registrationYear,
    spec: pkg.spec,
    url: urls.archive(pkg),
    metadataZipUrls: metadataZipUrls(pkg, urls),
    featureTypes: Object.fromEntries(types.map((type) => [type, { name: typeName(type) }])),
  };
}

function metadataZipUrls(pkg: PackageRow, urls: FileListUrls): string[] {
  return pkg.metadataZips.map(({ directory }) => urls.metadataZip(pkg, directory));
}

/** A file-list result up to its first file. */
function headText(head: object): string {
  return `${JSON.stringify(head).slice(0, -1)},"files":{`;
}

/** Adds the files of a file-list result, up to the brace that ends `files`. */
function addFiles<T extends FileGroup>(
  parts: Array<FileListPart<T>>,
  lists: ReadonlyArray<readonly [type: string, groups: readonly T[]]>,
): void {
  let before = '';
  for (const [type, groups] of lists) {
    before += `${JSON.stringify(type)}:[`;
    for (const group of groups) {
      parts.push(before, group);
      before = ',';
    }
    before = '],';
  }
  parts.push(']}');
}

/** The first package, so the newest, of the municipality that has the most files in all its packages. */
function indexOfLargest(found: readonly FoundPackage[]): number {
  const counts = new Map<string, number>();
  let largest = 0;
  for (const { package: pkg, types } of found) {
    let count = counts.get(pkg.cityCode) ?? 0;
    for (const group of types.values()) count += group.count;
    counts.set(pkg.cityCode, count);
    largest = Math.max(largest, count);
  }
  return found.findIndex(({ package: pkg }) => counts.get(pkg.cityCode) === largest);
}
