/**
 * `citymodel reindex`: makes the index object of a package again from its archive, when a new version of the program
 * reads another format, while servers run.
 *
 *   open index ──▶ current? ──▶ left alone
 *        │ other format, damaged, older, or without sums of pages
 *   begin intent ─▶ read the archive for its SHA-256 and sums
 *                ─▶ scan its GML files, or copy what the old index has of them
 *                ─▶ write a new index in staging ─▶ put ─▶ swap the key, one transaction
 *
 * The archive stays as it is. Servers go on with the old index until they see the change; its object is deleted after
 * the grace period. A process that dies before the swap leaves an intent, which the sweep ends.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { FeatureIndexFile, GmlScanner, isGmlPath, parseGmlName, ScannerMemory } from '@citymodel/citygml';
import {
  archiveKeys,
  CatalogueConflict,
  type CatalogueStore,
  hasSums,
  type ObjectStore,
  type PackageRow,
  StoreUnavailable,
} from '@citymodel/store';
import {
  BlockTable,
  createArchiveFile,
  decodeBlockChecks,
  decodePieces,
  encodeBlockChecks,
  locateData,
  type Member,
  MemberIndex,
  MemberIndexBuilder,
  openFileSource,
  type RangedSource,
  readMember,
  readZipDirectory,
  recoverBlocks,
  recoverPieces,
  type SectionName,
  verifyMemberIndex,
  type ZipEntry,
} from '@citymodel/zip';
import { type LongTask, over, runTask, type TaskRun } from '../base/long-task.ts';
import type { ProgressSink } from '../base/progress.ts';
import { expectedFacts } from './archive-sums.ts';
import { copyIndex } from './copy-index.ts';
import { GmlScanResult } from './gml-scan-result.ts';
import { MemberLookup } from './member-lookup.ts';
import { readPartNames } from './part-names.ts';
import { Staging } from './staging.ts';
import { archiveFiles } from './upload-files.ts';

export interface ReindexContext {
  catalogue: CatalogueStore;
  objects: ObjectStore;
  /** Local directory for unfinished indexes. */
  stagingDir: string;
}

export interface ReindexOptions {
  /** Only packages of these names; null for every package. */
  names: readonly string[] | null;
  /** Also what is of the current format. */
  all: boolean;
  onProgress: ProgressSink;
  /** Ends the work between two packages; it throws the signal's reason. */
  signal?: AbortSignal;
}

export interface ReindexReport {
  rebuilt: string[];
  /** Packages whose index is of the current format. */
  current: number;
  faults: Array<{ place: string; fault: string }>;
}

/** Rebuilds what is outdated, one package after the other. Never throws for what is wrong with one of them. */
export async function reindex(context: ReindexContext, options: ReindexOptions): Promise<ReindexReport> {
  const report: ReindexReport = { rebuilt: [], current: 0, faults: [] };
  const rows: PackageRow[] = [];
  for await (const page of context.catalogue.packages(['live', 'retired'])) {
    rows.push(...page.filter((row) => row.archiveKey !== ''));
  }
  for (const name of options.names ?? []) {
    if (!rows.some((row) => row.name === name)) {
      report.faults.push({ place: name, fault: 'There is no such package.' });
    }
  }
  for (const row of rows) {
    if (options.names !== null && !options.names.includes(row.name)) continue;
    options.signal?.throwIfAborted();
    try {
      const { onProgress } = options;
      const end = await runTask(reindexing(context, row, options.all), { onProgress });
      if (end === 'rebuilt') report.rebuilt.push(row.name);
      else report.current++;
    } catch (error) {
      const meanwhile = error instanceof CatalogueConflict;
      report.faults.push({
        place: row.name,
        fault: meanwhile
          ? `It was changed by another process meanwhile: ${error.message}.`
          : `Its index cannot be made again: ${(error as Error).message}; ingest the package again.`,
      });
    }
  }
  return report;
}

/** `older`: read, but what has become of its form since is added. */
type IndexState = 'current' | 'older' | 'outdated';

/** One index object is written by one version of the program, so its first feature index tells for all. */
async function stateOf(objects: ObjectStore, row: PackageRow): Promise<IndexState> {
  await using source = await objects.open(row.indexKey);
  try {
    const index = await MemberIndex.open(source);
    let isOlder = index.archiveSums === null || !hasSums(row);
    for (const member of index.members('udx/')) {
      const { features, blocks, checks } = member.sections;
      if (features === undefined || blocks === undefined) continue;
      if (checks === undefined) return 'outdated';
      const sections = index.checked(source);
      isOlder ||= !(await FeatureIndexFile.open(sections, features)).hasPlaces;
      BlockTable.decode(await sections.read(blocks.offset, blocks.length));
      break;
    }
    await readPieces(index, source);
    return isOlder ? 'older' : 'current';
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    return 'outdated';
  }
}

/** Reads the first pieces of blocks that there are; throws what `decodePieces` throws, for those of another version too. */
async function readPieces(index: MemberIndex, source: RangedSource): Promise<void> {
  for (const { path, sections } of index.members('udx/')) {
    const { blocks, checks, pieces } = sections;
    if (blocks === undefined || checks === undefined || pieces === undefined) continue;
    const checked = index.checked(source);
    const [table, known, encoded] = await Promise.all(
      [blocks, checks, pieces].map(({ offset, length }) => checked.read(offset, length)),
    );
    decodePieces(encoded!, BlockTable.decode(table!).withChecks(decodeBlockChecks(known!, path)), path);
    return;
  }
}

/** Making the index of one package again: its part is a file in staging. */
function reindexing(
  { catalogue, objects, stagingDir }: ReindexContext,
  row: PackageRow,
  all: boolean,
): LongTask<IndexState, string, Parameters<CatalogueStore['replaceIndex']>[0], 'rebuilt' | 'current'> {
  let staging: Staging;
  return {
    label: () => row.name,
    async plan() {
      const state = await stateOf(objects, row);
      if (all) return 'outdated';
      return state === 'current' ? over('current') : state;
    },
    async parts(state, run) {
      const keysOf = (id: string) => [archiveKeys(id).index];
      staging = run.keep(await Staging.open({ catalogue, objects, stagingDir }, keysOf));
      const path = join(staging.directory, 'archive.index');
      await using archive = await objects.open(row.archiveKey);
      await using old = await objects.open(row.indexKey);
      await writeIndex(path, row, archive, old, state, run);
      return path;
    },
    async join(path) {
      const to = archiveKeys(staging.id).index;
      const partNames = await partNamesOf(row, objects, path);
      await objects.put(to, path, { once: true });
      return { no: row.no, from: row.indexKey, to, intent: staging.id, partNames };
    },
    async publish(swap) {
      await staging.commit(() => catalogue.replaceIndex(swap));
      return 'rebuilt';
    },
  };
}

/** Read again with the new index, which stands in staging. */
async function partNamesOf(
  row: PackageRow,
  objects: ObjectStore,
  indexPath: string,
): Promise<PackageRow['partNames']> {
  if (row.kind !== 'citygml') return {};
  await using archive = await objects.open(row.archiveKey);
  await using source = await openFileSource(indexPath);
  return readPartNames(archiveFiles(await MemberIndex.open(source), archive));
}

async function writeIndex(
  path: string,
  row: PackageRow,
  archive: RangedSource,
  oldSource: RangedSource,
  state: IndexState,
  run: TaskRun,
): Promise<void> {
  const { sha256, pageSums } = await expectedFacts(archive, row.archiveSha256);
  if (sha256 !== row.archiveSha256)
    throw new Error('the SHA-256 of its archive is not the one in the database');
  await using file = await createArchiveFile(path);
  const builder = new MemberIndexBuilder(file);
  let done = 0;
  const onText = (member: string, bytes: number) => {
    done += bytes;
    run.tell({ phase: 'reading', done, total: row.memberBytes, member });
  };
  const old = await MemberIndex.open(oldSource).catch(() => null);
  // Sections that have no sums of their own are compared before they get some.
  if (state === 'older' && old !== null && (await verifyMemberIndex(oldSource)) === null) {
    await copyIndex(old, old.checked(oldSource), builder, onText);
  } else {
    await addMembers(builder, row, archive, { old, sections: old?.checked(oldSource) ?? oldSource }, onText);
  }
  await builder.finish(pageSums);
  await file.sync();
}

/** Reads all members again. */
async function addMembers(
  builder: MemberIndexBuilder,
  row: PackageRow,
  archive: RangedSource,
  { old, sections: oldSections }: { old: MemberIndex | null; sections: RangedSource },
  onText: (member: string, bytes: number) => void,
): Promise<void> {
  const directory = await readZipDirectory(archive);
  const facts = new GmlScanResult(new MemberLookup(directory.names, row.rootPrefix), () => {});
  const memory = new ScannerMemory();
  for (const entry of directory.entries()) {
    if (!entry.name.startsWith(row.rootPrefix)) continue;
    const member = {
      path: entry.name.slice(row.rootPrefix.length),
      method: entry.method,
      offset: await locateData(archive, entry),
      compressedSize: entry.compressedSize,
      size: entry.size,
      crc32: entry.crc32,
      modified: entry.modified,
    };
    const oldMember = old?.find(member.path);
    const isGml = row.kind === 'citygml' && isGmlPath(member.path);
    if (!isGml && oldMember !== undefined) {
      onText(member.path, entry.size);
      await builder.add({ ...member, sha256: oldMember.sha256 }, {});
      continue;
    }
    const onBytes = (bytes: number) => onText(member.path, bytes);
    const { sha256, summary } = await scan(archive, entry, member.path, isGml ? memory : null, onBytes);
    const sections: Partial<Record<SectionName, Uint8Array>> = {};
    if (summary !== null) {
      const known = { ...member, known: oldMember };
      const blocks = await blocksOf(archive, oldSections, known);
      const features = summary.featureIndex;
      const checks = await checksOf(archive, member, blocks, features);
      const checked = BlockTable.decode(blocks).withChecks(decodeBlockChecks(checks, member.path));
      const pieces = await piecesOf(archive, oldSections, known, checked);
      Object.assign(sections, { blocks, features, checks }, pieces && { pieces });
      const name = parseGmlName(member.path);
      sections.dependencies = facts.add(member.path, name, summary, sha256.toString('hex'));
    }
    await builder.add({ ...member, sha256 }, sections);
  }
}

async function scan(
  archive: RangedSource,
  entry: ZipEntry,
  path: string,
  memory: ScannerMemory | null,
  onText: (bytes: number) => void,
) {
  const hash = createHash('sha256');
  const scanner = memory === null ? null : new GmlScanner({ member: path, onIssue: () => {}, memory });
  for await (const chunk of readMember(archive, entry, { lent: true })) {
    hash.update(chunk);
    scanner?.push(chunk);
    onText(chunk.length);
  }
  return { sha256: hash.digest(), summary: scanner?.end() ?? null };
}

async function checksOf(
  archive: RangedSource,
  member: Pick<Member, 'offset'>,
  table: Uint8Array,
  features: Uint8Array,
): Promise<Uint8Array> {
  const blocks = BlockTable.decode(table);
  const crcs: number[] = [];
  for (let i = 0; i < blocks.count; i++) {
    const start = blocks.dataOffset(i);
    crcs.push(crc32(await archive.read(member.offset + start, blocks.dataOffset(i + 1) - start)));
  }
  return encodeBlockChecks({ table, features }, crcs);
}

/** A member with what an index of before knew of it. */
type KnownMember = Pick<Member, 'path' | 'offset' | 'compressedSize' | 'size' | 'crc32'> & {
  known: Member | undefined;
};

/** The block table as it was, where it can be read, else as the data tells. */
async function blocksOf(
  archive: RangedSource,
  oldSource: RangedSource,
  member: KnownMember,
): Promise<Uint8Array> {
  const kept = await keptSection(oldSource, member, 'blocks', (encoded) => BlockTable.decode(encoded));
  return kept ?? (await recoverBlocks(archive, member)).encode();
}

/** The pieces of these blocks as they were, where they can be read, else as the data tells; null where it has none. */
async function piecesOf(
  archive: RangedSource,
  oldSource: RangedSource,
  member: KnownMember,
  blocks: BlockTable,
): Promise<Uint8Array | null> {
  const decode = (encoded: Uint8Array) => decodePieces(encoded, blocks, member.path);
  const kept = await keptSection(oldSource, member, 'pieces', decode);
  return kept ?? (await recoverPieces(archive, member, blocks));
}

/** A section of the index of before that can be decoded; null without one. */
async function keptSection(
  oldSource: RangedSource,
  { known }: KnownMember,
  name: SectionName,
  decode: (encoded: Uint8Array) => BlockTable,
): Promise<Uint8Array | null> {
  const range = known?.sections[name];
  if (range === undefined) return null;
  try {
    const encoded = await oldSource.read(range.offset, range.length);
    decode(encoded);
    return encoded;
  } catch (error) {
    // Another format, or damaged; the data tells the same.
    if (error instanceof StoreUnavailable) throw error;
    return null;
  }
}
