/**
 * Writes the archive and its index from an upload, in one pass over every byte. Small members are prepared a few at
 * a time in memory, so that one is scanned while others are compressed; large ones stream through.
 */
import { join } from 'node:path';
import type { PackageFiles } from '@citymodel/base';
import { isGmlPath, parseGmlName } from '@citymodel/citygml';
import type { Bounds } from '@citymodel/geo';
import type { InspectReport } from '@citymodel/inspect';
import type { GmlFileRow, PlaceRow } from '@citymodel/store';
import {
  ArchiveWriter,
  createArchiveFile,
  type Member,
  MemberDamaged,
  MemberIndex,
  MemberIndexBuilder,
  MemberTable,
  openFileSource,
  type SectionName,
} from '@citymodel/zip';
import type { TaskRun } from '../base/long-task.ts';
import type { AreaNames } from '../catalogue/names/area-reading.ts';
import { archiveFacts } from './archive-sums.ts';
import { contentId, uploadDigest } from './content-id.ts';
import { GmlPassMemory, passGml } from './gml-member.ts';
import { GmlScanResult } from './gml-scan-result.ts';
import type { IssueList } from './issue-list.ts';
import type { PackageLayout } from './layout.ts';
import { MemberLookup } from './member-lookup.ts';
import type { PackedRows } from './packed-rows.ts';
import { PassingQuality } from './passing-quality.ts';
import { type CompressedMember, compressMember, passPlain } from './plain-member.ts';
import type { FileObserver, ObservedFile, ScanObserver } from './scan-observer.ts';
import { OverBudget, PackageRefused, type Upload, type UploadMember } from './upload.ts';
import { archiveFiles } from './upload-files.ts';

/** Members up to this size, uncompressed, are prepared in memory; so many at once. */
const SMALL_BYTES = 16 << 20;
const IN_FLIGHT = 4;

/**
 * Steps from references to the geometry that they name, in a package, beside one for each byte read. Honest files take
 * a thirtieth.
 */
const MAX_REFERENCE_STEPS = 10_000_000;

export interface BuildOptions {
  /** Existing directory for the files that are made. */
  directory: string;
  /** Deflate level, 1 to 9. */
  level: number;
  /** Name of the package. */
  name: string;
  issues: IssueList;
  tell: TaskRun['tell'];
  observer: ScanObserver | undefined;
  /** Checks of quality look at attributes in every so many features of a file, by the bytes of the package. */
  everyOf: (bytes: number) => number;
  /** Ends the work; it throws the signal's reason. */
  signal: AbortSignal;
}

export interface BuiltArchive extends AsyncDisposable {
  /** Of its name and what was read, see `contentId`. */
  id: string;
  archivePath: string;
  indexPath: string;
  archiveSize: number;
  /** Lower-case hex. */
  archiveSha256: string;
  /** Of the members as written; see `uploadDigest`. */
  digest: () => string;
  index: MemberIndex;
  files: PackageFiles;
  /** Uncompressed bytes of all members. */
  bytes: number;
  gmlFiles: PackedRows<Omit<GmlFileRow, 'packageNo'>>;
  /** Names for the gazetteer; `areas` knows how municipalities are called here. */
  places: (areas: AreaNames) => Array<Omit<PlaceRow, 'packageNo'>>;
  types: Set<string>;
  features: number;
  bounds: Bounds | null;
  /** i-UR versions declared anywhere. */
  iurVersions: string[];
  /** What the checks of quality have found that need no geometry; null for tiles. */
  report: InspectReport | null;
  /** Closes the files, as disposing of it does; the archive and index stay. Again it does nothing. */
  close(): Promise<void>;
}

/**
 * Builds archive and index. Damaged members are left out and reported; everything else goes in. The upload's list of
 * members is released. Throws PackageRefused for CityGML of which no GML file can be read.
 */
export async function buildArchive(
  upload: Upload,
  layout: PackageLayout,
  options: BuildOptions,
): Promise<BuiltArchive> {
  const archivePath = join(options.directory, 'archive.zip');
  const indexPath = join(options.directory, 'archive.index');
  const build = new ArchiveBuild(upload, layout, options);
  const archiveSha256 = await build.write(archivePath, indexPath);
  // What was read of the upload's list is in the index now, which is read next and takes as much.
  upload.release();
  const archive = await openFileSource(archivePath);
  const indexSource = await openFileSource(indexPath);
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await archive[Symbol.asyncDispose]();
    await indexSource[Symbol.asyncDispose]();
  };
  try {
    const index = await MemberIndex.open(indexSource);
    const facts = build.facts;
    if (layout.kind === 'citygml' && facts.types.size === 0) {
      throw new PackageRefused(
        'NO_USABLE_GML',
        `None of the GML files in ${options.name} can be read; the issues say what is wrong with each.`,
      );
    }
    return {
      id: contentId(options.name, index.members()),
      archivePath,
      indexPath,
      archiveSize: archive.size,
      archiveSha256,
      digest: () => uploadDigest(named(index.members()))!,
      index,
      files: archiveFiles(index, archive),
      bytes: build.bytes,
      gmlFiles: facts.files,
      places: (areas) => facts.places(areas),
      types: facts.types,
      features: facts.features,
      bounds: facts.bounds,
      iurVersions: [...facts.iurVersions],
      report: build.report(),
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function* named(members: Iterable<Member>) {
  for (const { path, size, crc32 } of members) yield { name: path, size, crc32 };
}

/** A member that is ready to be written. */
interface PreparedMember {
  member: UploadMember;
  /** Null when it is damaged and left out. */
  result: (CompressedMember & { sections: Sections }) | null;
}

type Sections = Partial<Record<SectionName, Uint8Array>>;

class ArchiveBuild {
  bytes = 0;
  readonly facts: GmlScanResult;
  readonly #upload: Upload;
  readonly #layout: PackageLayout;
  readonly #options: BuildOptions;
  readonly #memory = new GmlPassMemory();
  readonly #quality: PassingQuality | null;
  #total = 0;
  #read = 0;
  /** Steps along references within the files so far. */
  #referenceSteps = 0;

  constructor(upload: Upload, layout: PackageLayout, options: BuildOptions) {
    this.#upload = upload;
    this.#layout = layout;
    this.#options = options;
    for (const { size } of upload.members()) this.#total += size;
    const lookup = new MemberLookup(upload.names, layout.root);
    this.facts = new GmlScanResult(lookup, options.issues.sink);
    const every = options.everyOf(this.#total);
    this.#quality =
      layout.kind === 'citygml' ? new PassingQuality(options.name, upload, lookup, every) : null;
  }

  /** What the checks that look in passing have found; null for what is no CityGML. */
  report(): InspectReport | null {
    return this.#quality?.report() ?? null;
  }

  /** Returns the archive's SHA-256, lower-case hex. */
  async write(archivePath: string, indexPath: string): Promise<string> {
    await using archive = await createArchiveFile(archivePath);
    await using index = await createArchiveFile(indexPath);
    const members = new MemberTable(this.#upload.names);
    const writer = new ArchiveWriter(archive, members);
    const builder = new MemberIndexBuilder(index, { members, root: this.#layout.root });
    const inFlight: Promise<PreparedMember>[] = [];
    const add = async (
      member: UploadMember,
      written: { offset: number; modified: number } & Omit<CompressedMember, 'chunks'>,
      sections: Sections,
    ) => {
      await builder.add(
        {
          path: this.#pathOf(member),
          method: written.method,
          offset: written.offset,
          compressedSize: written.compressedSize,
          size: written.size,
          crc32: written.crc32,
          sha256: written.sha256,
          modified: written.modified,
        },
        sections,
      );
      this.bytes += written.size;
    };
    const writeOldest = async () => {
      const { member, result } = await inFlight.shift()!;
      if (result === null) return;
      const written = await writer.copy(member.name, { ...result, modified: member.modified }, result.chunks);
      await add(member, { ...result, ...written }, result.sections);
    };
    try {
      for (const member of this.#upload.members()) {
        if (!this.#inPackage(member)) continue;
        if (member.size <= SMALL_BYTES) {
          const prepared = this.#prepare(member);
          prepared.catch(() => {});
          inFlight.push(prepared);
          if (inFlight.length >= IN_FLIGHT) await writeOldest();
          continue;
        }
        while (inFlight.length > 0) await writeOldest();
        await this.#stream(member, writer, add);
      }
      while (inFlight.length > 0) await writeOldest();
    } finally {
      await Promise.allSettled(inFlight);
    }
    await writer.finish();
    await using written = await openFileSource(archivePath);
    const { sha256, pageSums } = await archiveFacts(written);
    await builder.finish(pageSums);
    await archive.sync();
    await index.sync();
    return sha256;
  }

  /** Members beside the package's directory are not part of it. */
  #inPackage(member: UploadMember): boolean {
    if (member.name.startsWith(this.#layout.root)) return true;
    this.#options.issues.sink({
      code: 'OUTSIDE_PACKAGE',
      severity: 'warning',
      member: member.name,
      message: `It lies outside the package directory ${this.#layout.root} and is left out.`,
    });
    return false;
  }

  #pathOf(member: UploadMember): string {
    return member.name.slice(this.#layout.root.length);
  }

  #isGml(member: UploadMember): boolean {
    return this.#layout.kind === 'citygml' && isGmlPath(this.#pathOf(member));
  }

  async #prepare(member: UploadMember): Promise<PreparedMember> {
    try {
      if (this.#isGml(member)) {
        const chunks: Uint8Array[] = [];
        const { sections, ...totals } = await this.#passGml(member, (chunk) => {
          chunks.push(chunk);
        });
        return { member, result: { ...totals, chunks, sections } };
      }
      const isTile =
        this.#layout.tileExtension !== null && member.name.endsWith(`.${this.#layout.tileExtension}`);
      const result = await compressMember(this.#upload, member, {
        level: this.#options.level,
        unwrapGzip: isTile,
        onText: (bytes) => this.#progress(member, bytes),
      });
      return { member, result: { ...result, sections: {} } };
    } catch (error) {
      this.#leaveOut(member, error);
      return { member, result: null };
    }
  }

  /** Writes a large member while it is read. */
  async #stream(
    member: UploadMember,
    writer: ArchiveWriter,
    add: (
      member: UploadMember,
      written: { offset: number; modified: number } & Omit<CompressedMember, 'chunks'>,
      sections: Sections,
    ) => Promise<void>,
  ): Promise<void> {
    const isGml = this.#isGml(member);
    const method = isGml ? 8 : (this.#upload.raw(member)?.method ?? 8);
    const open = await writer.open(member.name, { modified: member.modified, method, size: member.size });
    try {
      const { sections, ...totals } = isGml
        ? await this.#passGml(member, (chunk) => open.write(chunk))
        : {
            sections: {},
            ...(await passPlain(this.#upload, member, {
              level: this.#options.level,
              onBytes: (chunk) => open.write(chunk),
              onText: (bytes) => this.#progress(member, bytes),
            })),
          };
      const written = await open.close(totals);
      await add(member, { ...totals, ...written }, sections);
    } catch (error) {
      await open.abandon();
      this.#leaveOut(member, error);
    }
  }

  async #passGml(
    member: UploadMember,
    onBytes: (chunk: Uint8Array) => Promise<void> | void,
  ): Promise<Omit<CompressedMember, 'chunks'> & { sections: Sections }> {
    const path = this.#pathOf(member);
    const { issues } = this.#options;
    const { summary, blocks, checks, pieces, ...totals } = await passGml(
      this.#upload.read(member, { lent: true }),
      {
        path,
        level: this.#options.level,
        crc32: member.crc32,
        memory: this.#memory,
        issue: issues.sink,
        observers: this.#observersOf({ path, bytes: member.size }),
        onBytes,
        onText: (bytes) => this.#progress(member, bytes),
      },
    );
    this.#referenceSteps += summary.referenceSteps;
    if (this.#referenceSteps > MAX_REFERENCE_STEPS + this.#read) {
      throw new OverBudget(
        path,
        'The references between geometries of this file and those before it take more steps to follow than they ' +
          'have bytes.',
      );
    }
    const dependencies = this.facts.add(
      path,
      parseGmlName(path),
      summary,
      Buffer.from(totals.sha256).toString('hex'),
    );
    return {
      ...totals,
      method: 8,
      sections: { blocks, checks, features: summary.featureIndex, dependencies, ...(pieces && { pieces }) },
    };
  }

  #observersOf(file: ObservedFile): FileObserver[] {
    const { observer, issues } = this.#options;
    const observers = [this.#quality?.open(file), observer?.(file, issues.sink)];
    return observers.filter((found) => found !== undefined && found !== null);
  }

  #leaveOut(member: UploadMember, error: unknown): void {
    if (!(error instanceof MemberDamaged)) throw error;
    this.#options.issues.sink({
      code: error.code,
      severity: 'error',
      member: this.#pathOf(member),
      message: `${error.message} The member is left out.`,
    });
  }

  #progress(member: UploadMember, bytes: number): void {
    this.#options.signal.throwIfAborted();
    this.#read += bytes;
    this.#options.tell({
      phase: 'reading',
      done: this.#read,
      total: this.#total,
      member: member.name,
    });
  }
}
