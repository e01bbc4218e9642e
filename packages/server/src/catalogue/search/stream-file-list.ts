/**
 * A file list that is too large to be held: its files are read again from the database, some at a time, as they are
 * sent.
 */

import type { CatalogueStore, GmlFileQuery, PackageRow, PlacedFileRow } from '@citymodel/store';
import { ServiceError } from '../../base/errors.ts';
import { type FileGroup, type FileListPart, type FileListUrls, fileObjectText } from './file-list.ts';

/** Files that are read together: some 64 kB of an answer. A slow caller has a piece or two of them wait. */
const AT_ONCE = 160;

export interface FileListSource {
  store: Pick<CatalogueStore, 'listedFiles'>;
  urls: Pick<FileListUrls, 'member'>;
  /** True for the files that belong to the answer. */
  accepts(pkg: PackageRow, row: PlacedFileRow): boolean;
}

/**
 * The text of an answer piece by piece. Nothing of the database is held between two pieces, however slowly they are
 * taken. Throws ServiceError 503 `unavailable` when a group has other files than were counted, as a package has gone
 * meanwhile.
 */
export async function* streamFileList(
  parts: ReadonlyArray<FileListPart<FileGroup>>,
  source: FileListSource,
): AsyncGenerator<Uint8Array, void, void> {
  for (let at = 0; at < parts.length; ) {
    const first = parts[at]!;
    if (typeof first !== 'string' && first.count > AT_ONCE) {
      yield* largeGroup(first, source);
      at++;
      continue;
    }
    let end = at;
    let files = 0;
    for (; end < parts.length; end++) {
      const part = parts[end]!;
      if (typeof part === 'string') continue;
      if (files + part.count > AT_ONCE) break;
      files += part.count;
    }
    yield* smallGroups(parts.slice(at, end), source);
    at = end;
  }
}

/** Parts with few files in all: one query, one piece. */
async function* smallGroups(
  parts: ReadonlyArray<FileListPart<FileGroup>>,
  source: FileListSource,
): AsyncGenerator<Uint8Array, void, void> {
  const groups = parts.filter((part) => typeof part !== 'string');
  const texts = new Map<string, string[]>(groups.map((group) => [keyOf(group.package.no, group.type), []]));
  const packages = new Map(groups.map((group) => [group.package.no, group.package]));
  const query = {
    packageNos: [...packages.keys()],
    types: [...new Set(groups.map(({ type }) => type))],
  };
  for await (const page of groups.length === 0 ? [] : source.store.listedFiles(query)) {
    for (const row of page) {
      const pkg = packages.get(row.packageNo)!;
      const found = texts.get(keyOf(row.packageNo, row.type));
      if (found !== undefined && source.accepts(pkg, row)) found.push(fileObjectText(pkg, row, source.urls));
    }
  }
  const pieces = parts.map((part) => {
    if (typeof part === 'string') return part;
    const files = texts.get(keyOf(part.package.no, part.type))!;
    if (files.length !== part.count) throw changed();
    return files.join();
  });
  yield Buffer.from(pieces.join(''));
}

/** One type of one package, from path to path. */
async function* largeGroup(group: FileGroup, source: FileListSource): AsyncGenerator<Uint8Array, void, void> {
  const { package: pkg, type } = group;
  const query: GmlFileQuery = { packageNos: [pkg.no], types: [type], limit: AT_ONCE };
  let sent = 0;
  let read: number;
  do {
    const texts: string[] = [];
    read = 0;
    for await (const page of source.store.listedFiles(query)) {
      for (const row of page) {
        if (source.accepts(pkg, row)) texts.push(fileObjectText(pkg, row, source.urls));
      }
      read += page.length;
      query.after = page.at(-1)!.path;
    }
    if (texts.length > 0) yield Buffer.from((sent > 0 ? ',' : '') + texts.join());
    sent += texts.length;
  } while (read === AT_ONCE);
  if (sent !== group.count) throw changed();
}

function keyOf(packageNo: number, type: string): string {
  return `${packageNo}/${type}`;
}

function changed(): ServiceError {
  return new ServiceError(503, 'unavailable', {
    reason: 'The catalogue changed while the list was being sent. Ask again.',
    retryAfter: 1,
  });
}
