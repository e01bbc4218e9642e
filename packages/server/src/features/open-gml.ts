/** A hosted GML file that is open for reading its features. */
import { type CodeLists, parseDependency } from '@citymodel/citygml';
import type { Archives, OpenArchive, PackageRow } from '@citymodel/store';
import type { Member } from '@citymodel/zip';
import type { BlockCache } from './block-cache.ts';
import type { CodeListCache } from './code-list-cache.ts';
import { FeatureText } from './feature-text.ts';
import type { GmlIndex } from './gml-index.ts';
import type { GmlIndexes } from './gml-indexes.ts';

/** Code lists of one file that are read before they are asked for; real files name some thirty. */
const MAX_LISTS = 100;

export interface OpenGml extends AsyncDisposable {
  /** Path in the package. */
  readonly path: string;
  /** Names the file among those of all archives, and changes with its bytes. */
  readonly key: string;
  /** Whether reads of its archive cost a round trip over a network. */
  readonly isFar: boolean;
  readonly index: GmlIndex;
  readonly text: FeatureText;
  readonly codeLists: CodeLists;
}

/** What files are opened with; shared by all requests. */
export interface GmlOpener {
  archives: Archives;
  indexes: GmlIndexes;
  blocks: BlockCache;
  codeLists: CodeListCache;
}

export interface GmlUse {
  /** Most of the index will be read. */
  many: boolean;
  /** A few ids will be looked up, and nothing else. */
  few?: boolean;
  /** The only id that will be looked up. */
  id?: string | undefined;
  /** Codes will be looked up in the lists of the package. */
  labels: boolean;
}

/**
 * Opens a GML file of a package until it is disposed of; null when the package has no member there, or one that is no
 * GML. What can be read at the same time is, for archives that are far away.
 */
export async function openGml(
  { archives, indexes, blocks, codeLists }: GmlOpener,
  row: PackageRow,
  path: string,
  { many, few = false, id, labels }: GmlUse,
): Promise<OpenGml | null> {
  const archive = await archives.open(row);
  try {
    const member = archive.index.find(path);
    if (member === undefined) return await closed(archive);
    const isFar = archive.readCost === 'remote';
    const [table, pieces, index, lists] = await Promise.all([
      archive.blocks(member),
      // Far away, where a read takes longer than inflating, a whole block is read as fast as a piece.
      isFar ? null : archive.pieces(member),
      indexes.open(row, member, many, few, id),
      labels && isFar ? listsOf(archive, member) : [],
    ]);
    if (table === null || index === null) return await closed(archive);
    codeLists.prefetch(row, lists);
    const key = `${row.archiveKey}\n${path}`;
    const text = new FeatureText(blocks, archive, member, { blocks: table, pieces }, key);
    return {
      path,
      key,
      isFar,
      index,
      text,
      codeLists: codeLists.of(row),
      async [Symbol.asyncDispose]() {
        await text[Symbol.asyncDispose]();
        await archive[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await archive[Symbol.asyncDispose]();
    throw error;
  }
}

/** Paths of the code lists that a GML names. */
async function listsOf(archive: OpenArchive, member: Member): Promise<string[]> {
  const section = await archive.section(member, 'dependencies');
  if (section === null) return [];
  const lines = Buffer.from(section).toString('utf8').split('\n');
  const names = lines.filter((line) => line !== '').map((line) => parseDependency(line).name);
  return names.filter((name) => name.startsWith('codelists/')).slice(0, MAX_LISTS);
}

async function closed(archive: OpenArchive): Promise<null> {
  await archive[Symbol.asyncDispose]();
  return null;
}
