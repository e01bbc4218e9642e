/** A hosted GML file that is open for reading its features. */
import type { CodeLists } from '../citygml/attributes/code-lists.ts';
import type { Archives, OpenArchive } from '../store/archives.ts';
import type { PackageRow } from '../store/rows.ts';
import type { BlockCache } from './block-cache.ts';
import type { CodeListCache } from './code-list-cache.ts';
import { FeatureText } from './feature-text.ts';
import type { GmlIndex } from './gml-index.ts';
import type { GmlIndexes } from './gml-indexes.ts';

export interface OpenGml extends AsyncDisposable {
  /** Path in the package. */
  readonly path: string;
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

/**
 * Opens a GML file of a package until it is disposed of; null when the package has no member there, or one that is no GML.
 * `many`: most of its index will be read.
 */
export async function openGml(
  { archives, indexes, blocks, codeLists }: GmlOpener,
  row: PackageRow,
  path: string,
  many: boolean,
): Promise<OpenGml | null> {
  const archive = await archives.open(row);
  try {
    const member = archive.index.find(path);
    const table = member === undefined ? null : await archive.blocks(member);
    if (member === undefined || table === null) return await closed(archive);
    const index = await indexes.open(row, member, many);
    if (index === null) return await closed(archive);
    const text = new FeatureText(blocks, archive, member, table, `${row.archiveKey}\n${path}`);
    return {
      path,
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

async function closed(archive: OpenArchive): Promise<null> {
  await archive[Symbol.asyncDispose]();
  return null;
}
