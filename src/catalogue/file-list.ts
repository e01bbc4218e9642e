import { boundsToArray } from '../geo/bounds.ts';
import type { GmlFileRow, PackageRow } from '../store/rows.ts';
import type { AssetUrls } from './asset-urls.ts';
import { compareTypes, typeName } from './feature-types.ts';

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

/** The CityGML file-list result of the specification, for one package. */
export interface FileList {
  cityCode: string;
  cityName: string;
  year: number;
  registrationYear: number;
  spec: string;
  /** The whole package. */
  url: string;
  metadataZipUrls: string[];
  /** By feature-type code, in catalogue order. */
  files: Record<string, FileObject[]>;
  featureTypes: Record<string, { name: string }>;
}

/**
 * The answer of operation 7: a file-list result over everything found, which names the municipality that
 * contributes the most files, and one file-list result for each package.
 */
export interface FileListResult extends FileList {
  cities: FileList[];
}

/** The files found in one package. */
export interface FoundFiles {
  package: PackageRow;
  files: GmlFileRow[];
}

type Urls = Pick<AssetUrls, 'member' | 'archive' | 'metadataZip'>;

/** The answer for what was found, in its order. Throws a RangeError when nothing was. */
export function toFileListResult(found: readonly FoundFiles[], urls: Urls): FileListResult {
  const cities = found.map((each) => toFileList(each, urls));
  const head = cities[indexOfLargest(found)];
  if (head === undefined)
    throw new RangeError('A file list of nothing was asked for; expected at least one package.');
  const files: Record<string, FileObject[]> = {};
  for (const type of [...new Set(cities.flatMap((city) => Object.keys(city.files)))].sort(compareTypes)) {
    files[type] = cities.flatMap((city) => city.files[type] ?? []);
  }
  return {
    ...head,
    metadataZipUrls: cities.flatMap((city) => city.metadataZipUrls),
    files,
    featureTypes: namesOf(files),
    cities,
  };
}

function toFileList({ package: of, files: rows }: FoundFiles, urls: Urls): FileList {
  const byType = Map.groupBy(rows, (row) => row.type);
  const files: Record<string, FileObject[]> = {};
  for (const type of [...byType.keys()].sort(compareTypes)) {
    files[type] = byType.get(type)!.map((row) => toFileObject(of, row, urls));
  }
  return {
    cityCode: of.cityCode,
    cityName: of.city,
    year: of.year,
    registrationYear: of.registrationYear,
    spec: of.spec,
    url: urls.archive(of),
    metadataZipUrls: of.metadataZips.map(({ directory }) => urls.metadataZip(of, directory)),
    files,
    featureTypes: namesOf(files),
  };
}

function toFileObject(of: PackageRow, row: GmlFileRow, urls: Urls): FileObject {
  const [lod0 = null, lod1 = null, lod2 = null, lod3 = null, lod4 = null] = row.lods;
  return {
    code: row.mesh,
    maxLod: row.maxLod,
    url: urls.member(of, row.path),
    fileSize: row.size,
    features: row.features,
    lod0,
    lod1,
    lod2,
    lod3,
    lod4,
    sha256: row.sha256,
    bbox: row.bounds === null ? null : boundsToArray(row.bounds),
  };
}

function namesOf(files: Record<string, unknown>): Record<string, { name: string }> {
  return Object.fromEntries(Object.keys(files).map((type) => [type, { name: typeName(type) }]));
}

/** The first package, so the newest, of the municipality that has the most files in all its packages. */
function indexOfLargest(found: readonly FoundFiles[]): number {
  const counts = new Map<string, number>();
  for (const { package: of, files } of found) {
    counts.set(of.cityCode, (counts.get(of.cityCode) ?? 0) + files.length);
  }
  const most = Math.max(...counts.values());
  return found.findIndex(({ package: of }) => counts.get(of.cityCode) === most);
}

/**
 * The answer as JSON. Every file stands in it twice, in the union and in its package's list; its text is made once, which
 * halves the time for a hundred thousand files.
 */
export function fileListJson(result: FileListResult): string {
  const texts = new Map<FileObject, string>();
  const textOf = (file: FileObject): string => {
    let text = texts.get(file);
    if (text === undefined) {
      text = JSON.stringify(file);
      texts.set(file, text);
    }
    return text;
  };
  const listJson = ({ files, ...rest }: FileList): string => {
    const lists = Object.entries(files).map(
      ([type, each]) => `${JSON.stringify(type)}:[${each.map(textOf).join()}]`,
    );
    return `${JSON.stringify(rest).slice(0, -1)},"files":{${lists.join()}}`;
  };
  const { cities, ...union } = result;
  return `${listJson(union)},"cities":[${cities.map((city) => `${listJson(city)}}`).join()}]}`;
}
