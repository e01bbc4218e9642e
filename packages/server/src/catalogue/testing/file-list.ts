/** For tests: the answer of operation 7 as an object, made the slow way. */
import { gunzipSync } from 'node:zlib';
import { compareTypes, typeName } from '@citymodel/citygml';
import type { GmlFileRow, PackageRow } from '@citymodel/store';
import type { AssetUrls } from '../names/asset-urls.ts';
import type { FileObject } from '../search/file-list.ts';
import type { FileListAnswer } from '../search/file-search.ts';

/** The CityGML file-list result of the specification, for one package. */
export interface FileList {
  cityCode: string;
  cityName: string;
  year: number;
  registrationYear: number;
  spec: string;
  url: string;
  metadataZipUrls: string[];
  featureTypes: Record<string, { name: string }>;
  files: Record<string, FileObject[]>;
}

export interface FileListResult extends FileList {
  cities: FileList[];
}

/** The JSON document of an answer. */
export async function textOf(answer: FileListAnswer): Promise<string> {
  if (answer.kind === 'whole') return gunzipSync(answer.gzip).toString();
  let text = '';
  for await (const piece of answer.pieces()) text += Buffer.from(piece).toString();
  return text;
}

/** What the answer must hold for what was found. */
export function expectedResult(
  found: ReadonlyArray<{ package: PackageRow; files: GmlFileRow[] }>,
  urls: Pick<AssetUrls, 'member' | 'archive' | 'metadataZip'>,
): FileListResult {
  const cities = found.map(({ package: pkg, files: rows }): FileList => {
    const files: Record<string, FileObject[]> = {};
    for (const row of rows) {
      const [lod0, lod1, lod2, lod3, lod4] = row.lods.concat(Array(5).fill(null));
      files[row.type] ??= [];
      files[row.type]!.push({
        code: row.mesh,
        maxLod: row.maxLod,
        url: urls.member(pkg, row.path),
        fileSize: row.size,
        features: row.features,
        ...{ lod0: lod0!, lod1: lod1!, lod2: lod2!, lod3: lod3!, lod4: lod4! },
        sha256: row.sha256,
        bbox: row.bounds && [row.bounds.west, row.bounds.south, row.bounds.east, row.bounds.north],
      });
    }
    return {
      cityCode: pkg.cityCode,
      cityName: pkg.city,
      year: pkg.year,
      registrationYear: pkg.registrationYear,
      spec: pkg.spec,
      url: urls.archive(pkg),
      metadataZipUrls: pkg.metadataZips.map(({ directory }) => urls.metadataZip(pkg, directory)),
      ...sorted(files),
    };
  });
  const counts = new Map<string, number>();
  for (const { package: pkg, files } of found)
    counts.set(pkg.cityCode, (counts.get(pkg.cityCode) ?? 0) + files.length);
  const head = cities.find((city) => counts.get(city.cityCode) === Math.max(...counts.values()))!;
  const files: Record<string, FileObject[]> = {};
  for (const city of cities) {
    for (const [type, list] of Object.entries(city.files)) files[type] = (files[type] ?? []).concat(list);
  }
  return {
    ...head,
    ...sorted(files),
    metadataZipUrls: cities.flatMap((city) => city.metadataZipUrls),
    cities,
  };
}

function sorted(files: Record<string, FileObject[]>): Pick<FileList, 'files' | 'featureTypes'> {
  const types = Object.keys(files).sort(compareTypes);
  return {
    featureTypes: Object.fromEntries(types.map((type) => [type, { name: typeName(type) }])),
    files: Object.fromEntries(types.map((type) => [type, files[type]!])),
  };
}
