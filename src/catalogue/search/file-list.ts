import type { ListedFileRow, PackageRow } from '../../store/rows.ts';
import type { AssetUrls } from '../names/asset-urls.ts';
import { compareTypes, typeName } from '../names/feature-types.ts';
import { SharedText, type TextPiece } from './shared-text.ts';

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

/** The files found in one package. */
export interface FoundFiles {
  package: PackageRow;
  files: ListedFileRow[];
}

/** The files of one package that an answer lists. */
export interface ListedPackage {
  package: PackageRow;
  /** By feature-type code, in catalogue order. */
  types: ReadonlyMap<string, ListedFiles>;
}

export interface ListedFiles {
  count: number;
  /** A `FileObject` each, with commas between. */
  json: SharedText;
}

/** The URLs that a file list holds. */
export type FileListUrls = Pick<AssetUrls, 'member' | 'archive' | 'metadataZip'>;

/** Writes the files found in a package, which are in the order of their types and paths. */
export function listFiles(
  { package: of, files }: FoundFiles,
  urls: Pick<FileListUrls, 'member'>,
): ListedPackage {
  const byType = Map.groupBy(files, (row) => row.type);
  const types = new Map<string, ListedFiles>();
  for (const type of [...byType.keys()].sort(compareTypes)) {
    const rows = byType.get(type)!;
    const objects = rows.map((row) => fileObject(of, row, urls));
    types.set(type, { count: rows.length, json: new SharedText(objects.join()) });
  }
  return { package: of, types };
}

/**
 * The answer of operation 7, a JSON document in pieces: a file-list result of the specification over everything that was
 * found, which names the municipality that contributes the most files, and under `cities` one file-list result for each
 * package. Every file stands in it twice, but its text is made and compressed once. Throws a RangeError when nothing
 * was found.
 */
export function fileListPieces(listed: readonly ListedPackage[], urls: FileListUrls): TextPiece[] {
  const largest = listed[indexOfLargest(listed)];
  if (largest === undefined)
    throw new RangeError('A file list of nothing was asked for; expected at least one package.');
  const types = [...new Set(listed.flatMap((each) => [...each.types.keys()]))].sort(compareTypes);
  const union = {
    ...headOf(largest.package, types, urls),
    metadataZipUrls: listed.flatMap((each) => metadataZipUrls(each.package, urls)),
  };
  const pieces: TextPiece[] = [headText(union)];
  const filesOf = (type: string) => listed.flatMap((each) => each.types.get(type)?.json ?? []);
  addFiles(
    pieces,
    types.map((type) => [type, filesOf(type)]),
  );
  let before = ',"cities":[';
  for (const { package: of, types } of listed) {
    pieces.push(before + headText(headOf(of, types.keys(), urls)));
    addFiles(
      pieces,
      [...types].map(([type, { json }]) => [type, [json]]),
    );
    before = '},';
  }
  pieces.push('}]}');
  return pieces;
}

/** What a file-list result says besides its files. */
function headOf(of: PackageRow, types: Iterable<string>, urls: FileListUrls): object {
  return {
    cityCode: of.cityCode,
    cityName: of.city,
    year: of.year,
    registrationYear: of.registrationYear,
    spec: of.spec,
    url: urls.archive(of),
    metadataZipUrls: metadataZipUrls(of, urls),
    featureTypes: Object.fromEntries(Array.from(types, (type) => [type, { name: typeName(type) }])),
  };
}

function metadataZipUrls(of: PackageRow, urls: FileListUrls): string[] {
  return of.metadataZips.map(({ directory }) => urls.metadataZip(of, directory));
}

/** A file-list result up to its first file. */
function headText(head: object): string {
  return `${JSON.stringify(head).slice(0, -1)},"files":{`;
}

/** Adds the files of a file-list result, up to the brace that ends `files`. */
function addFiles(
  pieces: TextPiece[],
  lists: ReadonlyArray<readonly [type: string, texts: readonly SharedText[]]>,
): void {
  let before = '';
  for (const [type, texts] of lists) {
    before += `${JSON.stringify(type)}:[`;
    for (const text of texts) {
      pieces.push(before, text);
      before = ',';
    }
    before = '],';
  }
  pieces.push(']}');
}

/** A `FileObject` as JSON. */
function fileObject(of: PackageRow, row: ListedFileRow, urls: Pick<FileListUrls, 'member'>): string {
  const { mesh, maxLod, path, facts } = row;
  return `{"code":${JSON.stringify(mesh)},"maxLod":${maxLod},"url":${JSON.stringify(urls.member(of, path))},${facts}}`;
}

/** The first package, so the newest, of the municipality that has the most files in all its packages. */
function indexOfLargest(listed: readonly ListedPackage[]): number {
  const counts = new Map<string, number>();
  for (const { package: of, types } of listed) {
    let count = counts.get(of.cityCode) ?? 0;
    for (const files of types.values()) count += files.count;
    counts.set(of.cityCode, count);
  }
  const most = Math.max(...counts.values());
  return listed.findIndex(({ package: of }) => counts.get(of.cityCode) === most);
}
