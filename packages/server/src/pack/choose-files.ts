/** From the URLs that a caller gives to what a pack takes from which package. */

import type { Archives, MetadataDirectory, PackageRow, PackageTable, PackSource } from '@citymodel/store';
import { ServiceError } from '../base/errors.ts';
import type { AssetUrls } from '../catalogue/names/asset-urls.ts';
import type { Snapshot } from '../catalogue/snapshot/snapshot.ts';

export interface ChooseFilesOptions {
  urls: Pick<AssetUrls, 'parse' | 'member' | 'metadataZip' | 'table'>;
  snapshot: Pick<Snapshot, 'findAsset'>;
  archives: Pick<Archives, 'open'>;
}

export interface ChosenFiles {
  /** By directory. */
  sources: PackSource[];
  /** One URL for each file, directory and table that was chosen, as the catalogue gives it, however it was written. */
  urls: string[];
  /** Bytes that the zip cannot exceed whatever its files refer to: all of every package, and the tables. */
  mostBytes: number;
}

/** Headers of one member in a zip take no more than this, bytes: two times a long name and the fixed parts. */
const MOST_HEADER_BYTES = 2 * 1_200 + 150;

/** What is chosen of one package. */
interface Choice {
  row: PackageRow;
  /** Path of a GML file → place of its first URL in the list. */
  files: Map<string, number>;
  metadata: Map<MetadataDirectory, number>;
  tables: Set<PackageTable>;
}

/**
 * Looks every URL up. Throws ServiceError 400 about the first that is wrong, with the URL: `invalid url`, `invalid
 * domain`, or `not found` for a URL of ours that names nothing (docs/interface/decisions.md, section 5). Several URLs
 * of one file count once.
 */
export async function chooseFiles(
  urls: readonly string[],
  options: ChooseFilesOptions,
): Promise<ChosenFiles> {
  const choices = new Map<PackageRow, Choice>();
  urls.forEach((url, i) => {
    const { row, path, directory, table } = locate(url, options);
    const choice = choices.get(row) ?? { row, files: new Map(), metadata: new Map(), tables: new Set() };
    choices.set(row, choice);
    if (path !== null && !choice.files.has(path)) choice.files.set(path, i);
    if (directory !== null && !choice.metadata.has(directory)) choice.metadata.set(directory, i);
    if (table !== null) choice.tables.add(table);
  });
  let lost = Number.POSITIVE_INFINITY;
  for (const choice of choices.values()) lost = Math.min(lost, await firstLost(choice, options.archives));
  if (lost < urls.length) throw namesNothing(urls[lost]!);
  return {
    sources: toSources([...choices.values()]),
    urls: [...choices.values()].flatMap((choice) => urlsOf(choice, options.urls)),
    mostBytes: mostBytes([...choices.values()]),
  };
}

function urlsOf({ row, files, metadata, tables }: Choice, urls: ChooseFilesOptions['urls']): string[] {
  return [
    ...[...files.keys()].map((path) => urls.member(row, path)),
    ...[...metadata.keys()].map((directory) => urls.metadataZip(row, directory)),
    ...[...tables].map(({ type }) => urls.table(row, type)),
  ];
}

/** What a URL names of a package: one of the three. */
interface Named {
  row: PackageRow;
  path: string | null;
  directory: MetadataDirectory | null;
  table: PackageTable | null;
}

/** The package that a URL names, and the file, directory or table of it. */
function locate(url: string, { urls, snapshot }: ChooseFilesOptions): Named {
  const asset = urls.parse(url);
  const row = asset === null ? undefined : snapshot.findAsset(asset);
  if (asset === null || row === undefined || row.archiveKey === '') throw namesNothing(url);
  if (row.kind === 'citygml') {
    const nothing = { path: null, directory: null, table: null };
    if (asset.kind === 'metadata') return { ...nothing, row, directory: asset.directory };
    if (asset.kind === 'member' && /\.gml$/i.test(asset.path)) return { ...nothing, row, path: asset.path };
    if (asset.kind === 'table') {
      const table = row.tables?.find(({ type }) => type === asset.type);
      if (table === undefined) throw namesNothing(url);
      return { ...nothing, row, table };
    }
  }
  throw new ServiceError(400, 'invalid url', {
    reason:
      'A pack takes CityGML files (…/udx/….gml), metadata zips (…_codelists.zip and the like) and tables ' +
      '(…_bldg.parquet); what files refer to comes along by itself.',
    url,
  });
}

/** Place in the list of the first URL that names nothing in the package; Infinity when all do. */
async function firstLost(choice: Choice, archives: Pick<Archives, 'open'>): Promise<number> {
  if (!takesMembers(choice)) return Number.POSITIVE_INFINITY;
  await using archive = await archives.open(choice.row);
  let lost = Number.POSITIVE_INFINITY;
  for (const [path, i] of choice.files) {
    if (i < lost && archive.index.find(path) === undefined) lost = i;
  }
  for (const [directory, i] of choice.metadata) {
    if (i < lost && archive.index.paths(`${directory}/`).next().done) lost = i;
  }
  return lost;
}

function namesNothing(url: string): ServiceError {
  return new ServiceError(400, 'not found', {
    reason: 'No hosted package has this file; expected URLs that the catalogue or the file search gave.',
    url,
  });
}

/** False where nothing but tables is chosen, which lie beside the archive. */
function takesMembers({ files, metadata }: Choice): boolean {
  return files.size + metadata.size > 0;
}

function toSources(choices: Choice[]): PackSource[] {
  const directories = new Set<string>();
  return choices
    .sort((a, b) => compareBytes(a.row.name, b.row.name) || compareBytes(a.row.id, b.row.id))
    .flatMap((choice) => {
      const { row, tables } = choice;
      const isTaken = directories.has(row.name);
      directories.add(row.name);
      // Two editions of one name, the newer put in place of the older, must not be mixed.
      const directory = isTaken ? `${row.name}~${row.id.slice(0, 8)}` : row.name;
      const sorted = [...tables].sort((a, b) => compareBytes(a.type, b.type));
      return [
        ...(takesMembers(choice) ? [ofArchive(choice, directory)] : []),
        ...sorted.map((table) => ofTable(row, table, directory)),
      ];
    });
}

function ofArchive({ row, files, metadata }: Choice, directory: string): PackSource {
  return {
    packageId: row.id,
    directory,
    archiveKey: row.archiveKey,
    indexKey: row.indexKey,
    archiveSha256: row.archiveSha256,
    files: [...files.keys()].sort(compareBytes),
    metadata: [...metadata.keys()].sort(),
  };
}

function ofTable(
  { id, name }: PackageRow,
  { key, type, sha256 }: PackageTable,
  directory: string,
): PackSource {
  return {
    packageId: id,
    directory,
    archiveKey: key,
    indexKey: '',
    archiveSha256: sha256,
    files: [`${name}_${type}.parquet`],
    metadata: [],
  };
}

function mostBytes(choices: readonly Choice[]): number {
  let bytes = 0;
  for (const choice of choices) {
    const { row, tables } = choice;
    if (takesMembers(choice)) bytes += row.archiveSize + row.memberCount * MOST_HEADER_BYTES;
    for (const { size } of tables) bytes += size + MOST_HEADER_BYTES;
  }
  return bytes;
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));
}
