/**
 * What lies where in a pack: the chosen files, all that they refer to, metadata directories, laid out as one zip over
 * the archives. Reads indexes and lists of dependencies, never a file's bytes but those of local schemas.
 */
import { backgroundSlices, compareTexts, type Slices, STEPS } from '@citymodel/base';
import { type Dependency, dependencyLines, parseDependency, resolveReferences } from '@citymodel/citygml';
import type { Archives, OpenArchive, PackSource } from '@citymodel/store';
import { type Member, type PlannedMember, planZipInSlices, readWhole, type ZipLayout } from '@citymodel/zip';
import { KnownPages } from './known-pages.ts';
import { MAX_SCHEMA_BYTES, schemaImports } from './schema-imports.ts';
import { type WholeObject, wholeObject } from './whole-object.ts';

/** An archive that a pack's bytes come from. */
export interface PackArchive {
  key: string;
  /** Lower-case hex. */
  sha256: string;
  /** Sums of the pages that the pack takes bytes of; null where the index had none when the pack was planned. */
  pages: KnownPages | null;
}

export interface PackPlan {
  layout: ZipLayout<PackArchive>;
  /** Paths in the zip that files refer to and their packages lack, the first of them by name … */
  missing: string[];
  /** … of so many. */
  missingCount: number;
}

export interface PlanPackOptions {
  archives: Pick<Archives, 'open' | 'openObject'>;
  /** Aborted when the plan is not wanted any more; its reason is thrown then. */
  signal?: AbortSignal;
  /** Chosen files that are done, and how many there are. */
  onProgress?: (done: number, total: number) => void;
  /** The plan is wanted for the size of the zip alone: it has no CRC-32 of objects that are taken whole. */
  measures?: boolean;
}

/** The beginning of the time of zips: objects have none, and the same sources give the same bytes. */
const NO_TIME = Date.UTC(1980, 0, 1);
/** Lists of dependencies that are read at once. */
const READS_AT_ONCE = 16;
/** Missing files that are named. */
const MAX_MISSING = 1_000;

/**
 * Plans a pack. Packages come in the order given, the members of each as they lie in its archive, with their own
 * times: the same sources give the same bytes. Throws InvalidMemberName for a directory that no zip can have, and what
 * opening and reading archives throws.
 */
export async function planPack(sources: readonly PackSource[], options: PlanPackOptions): Promise<PackPlan> {
  return layOut(await findMembers(sources, options));
}

/** The members of each source, with all that they refer to. Throws as `planPack`. */
export async function findMembers(
  sources: readonly PackSource[],
  options: PlanPackOptions,
): Promise<FoundMembers> {
  const total = sources.reduce((sum, source) => sum + source.files.length, 0);
  let done = 0;
  const slices = backgroundSlices();
  const parts: PlannedPart[] = [];
  const missing = new Set<string>();
  for (const source of sources) {
    if (source.indexKey === '') {
      parts.push(ofObject(source, await wholeObject(source, options)));
      options.onProgress?.(++done, total);
      continue;
    }
    await using archive = await options.archives.open({
      id: source.packageId,
      archiveKey: source.archiveKey,
      indexKey: source.indexKey,
    });
    const closure = new Closure(archive);
    for (const directory of source.metadata) await closure.addDirectory(directory, slices);
    await closure.addFiles(source.files, () => {
      options.signal?.throwIfAborted();
      options.onProgress?.(++done, total);
    });
    for (const path of closure.missing) missing.add(`${source.directory}/${path}`);
    const members = await closure.members(slices);
    const sums = archive.archiveSums;
    const pages = sums === null ? null : await KnownPages.touched(sums, placesOf(members));
    parts.push({ archive: { key: source.archiveKey, sha256: source.archiveSha256, pages }, source, members });
  }
  return { parts, missing };
}

/** Lays the members out as one zip. Throws InvalidMemberName. */
export async function layOut({ parts, missing }: FoundMembers): Promise<PackPlan> {
  return {
    layout: await planZipInSlices(plannedMembers(parts), backgroundSlices()),
    missing: [...missing].sort().slice(0, MAX_MISSING),
    missingCount: missing.size,
  };
}

export interface FoundMembers {
  parts: PlannedPart[];
  /** Paths in the zip that files refer to and their packages lack. */
  missing: Set<string>;
}

interface PlannedPart {
  archive: PackArchive;
  source: PackSource;
  members: NamedMember[];
}

/** A member under one of the names that it has in the zip. */
interface NamedMember {
  member: PlacedMember;
  name: string;
}

/** Where the bytes of a member lie in its archive, and what a zip says of it. */
type PlacedMember = Pick<Member, 'method' | 'offset' | 'compressedSize' | 'size' | 'crc32' | 'modified'>;

/** The part that is one object, stored without compression. */
function ofObject(source: PackSource, { size, crc32, pages }: WholeObject): PlannedPart {
  const { archiveKey: key, archiveSha256: sha256, files } = source;
  const member = { method: 0, offset: 0, compressedSize: size, size, crc32, modified: NO_TIME } as const;
  return { archive: { key, sha256, pages }, source, members: [{ name: files[0]!, member }] };
}

function* placesOf(members: readonly NamedMember[]): Generator<PlacedMember> {
  for (const { member } of members) yield member;
}

function* plannedMembers(parts: PlannedPart[]): Generator<PlannedMember<PackArchive>> {
  for (const { archive, source, members } of parts) {
    for (const { member, name } of members) {
      const { method, offset, compressedSize, size, crc32, modified } = member;
      yield {
        name: `${source.directory}/${name}`,
        source: archive,
        method,
        offset,
        compressedSize,
        size,
        crc32,
        modified,
      };
    }
  }
}

/** Members of one archive and all that they refer to, and so on. */
class Closure {
  readonly missing = new Set<string>();
  readonly #archive: OpenArchive;
  /** By name in the zip, which is the member's path or what a GML calls it in another letter case. */
  readonly #members = new Map<string, Member>();
  /** Paths whose references have been looked at; a directory brings members that nothing has led to yet. */
  readonly #followed = new Set<string>();

  constructor(archive: OpenArchive) {
    this.#archive = archive;
  }

  /** In the order in which they lie in the archive. */
  async members(slices: Slices): Promise<NamedMember[]> {
    const byOffset = new Map<number, NamedMember[]>();
    await slices.each([...this.#members], ([name, member]) => {
      const sameOffset = byOffset.get(member.offset);
      if (sameOffset === undefined) byOffset.set(member.offset, [{ name, member }]);
      else sameOffset.push({ name, member });
    });
    const sorted: NamedMember[] = [];
    // Numbers alone are sorted ten times faster than members by them.
    await slices.each([...Float64Array.from(byOffset.keys()).sort()], (offset) => {
      const named = byOffset.get(offset)!;
      sorted.push(...named.sort((a, b) => compareTexts(a.name, b.name)));
    });
    return sorted;
  }

  async addDirectory(directory: string, slices: Slices): Promise<void> {
    for (const member of this.#archive.index.members(`${directory}/`)) {
      this.#members.set(member.path, member);
      if (this.#members.size % STEPS === 0 && slices.due()) await slices.pause();
    }
  }

  /** Adds files with what they refer to; `onFile` is called after each. A path that is not there is missing. */
  async addFiles(paths: readonly string[], onFile: () => void): Promise<void> {
    const waiting = [...paths].reverse();
    const readNext = async () => {
      try {
        for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
          await this.#add(path);
          onFile();
        }
      } catch (error) {
        waiting.length = 0;
        throw error;
      }
    };
    // All of them end before an error is passed on, so that nothing reads an archive that was given back.
    const readers = await Promise.allSettled(Array.from({ length: READS_AT_ONCE }, readNext));
    for (const reader of readers) if (reader.status === 'rejected') throw reader.reason;
  }

  async #add(path: string): Promise<void> {
    const queue: Dependency[] = [{ member: path, name: path }];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const member = next.member === null ? undefined : this.#archive.index.find(next.member);
      if (member === undefined) {
        this.missing.add(next.name);
        continue;
      }
      this.#members.set(next.name, member);
      if (this.#followed.has(member.path)) continue;
      this.#followed.add(member.path);
      for (const dependency of await this.#dependenciesOf(member)) {
        if (!this.#members.has(dependency.name) || !this.#followed.has(dependency.member!))
          queue.push(dependency);
      }
    }
  }

  async #dependenciesOf(member: Member): Promise<Dependency[]> {
    const section = await this.#archive.section(member, 'dependencies');
    if (section !== null) {
      const lines = Buffer.from(section).toString('utf8').split('\n');
      return lines.filter((line) => line !== '').map(parseDependency);
    }
    if (!/\.xsd$/i.test(member.path) || member.size > MAX_SCHEMA_BYTES) return [];
    const text = Buffer.from(await readWhole(this.#archive.archive, member)).toString('utf8');
    const { index } = this.#archive;
    const resolved = resolveReferences(
      member.path,
      { codeSpaces: [], images: [], hrefs: [], schemas: schemaImports(text) },
      {
        has: (path) => index.find(path) !== undefined,
        findLoosely: (path) => index.findLoosely(path)?.path,
      },
    );
    return dependencyLines(resolved).map(parseDependency);
  }
}
