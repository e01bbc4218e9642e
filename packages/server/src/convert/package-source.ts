/** A CityGML package that is converted, read where it is: a zip or directory of an operator, or a hosted archive. */

import { stat } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { compareTexts } from '@citymodel/base';
import { isGmlPath, parseGmlName } from '@citymodel/citygml';
import { Archives, type ObjectStore, type PackageRow } from '@citymodel/store';
import type { GmlFacts, GmlSource, SourcePackage } from '@citymodel/tiles';
import { identityRange, readWhole } from '@citymodel/zip';
import { prefectureOf, wardsOf } from '../catalogue/names/areas.ts';
import { openDirectoryUpload } from '../ingest/directory-upload.ts';
import { type Identity, identifyUpload, nameAreas, type Overrides } from '../ingest/identify.ts';
import { layoutOf, memberNames, type PackageLayout } from '../ingest/layout.ts';
import { MemberLookup } from '../ingest/member-lookup.ts';
import { readPackageMetadata } from '../ingest/metadata.ts';
import { PackageRefused, type Upload, type UploadMember } from '../ingest/upload.ts';
import { uploadFiles } from '../ingest/upload-files.ts';
import { openZipUpload } from '../ingest/zip-upload.ts';
import { isLooseName, openLooseDirectory, openLooseFile } from './loose-files.ts';

/** Where a package is: plain JSON, so that each thread opens it by itself. */
export type SourceAddress =
  | {
      kind: 'upload';
      path: string;
      overrides: Overrides;
      /** Files that are not ingested need no municipality and no year: those that nothing says stay open. */
      isNameless?: boolean;
    }
  | { kind: 'hosted'; row: HostedRow };

/** What of a package's row is needed to read its archive and to name what is made of it. */
export type HostedRow = Pick<
  PackageRow,
  | 'id'
  | 'archiveKey'
  | 'indexKey'
  | 'name'
  | 'pref'
  | 'prefCode'
  | 'city'
  | 'cityCode'
  | 'provider'
  | 'year'
  | 'areaNames'
>;

/** A member of a package, by its path below the root. */
export interface MemberFacts {
  path: string;
  /** Uncompressed bytes. */
  size: number;
}

/** An open package. Members are read one after the other. */
export interface PackageSource extends AsyncDisposable {
  readonly package: SourcePackage;
  /** `city` or what the name says: part of the identity of what is made of it. */
  readonly provider: string;
  /**
   * What must be said when tiles of the package are ingested, because their names do not tell it: an area outside of
   * Japan.
   */
  readonly said: Overrides;
  /** All members below the package's root, by path. */
  members(): Iterable<MemberFacts>;
  has(path: string): boolean;
  /** Differs when the bytes of the member do: its size and CRC-32. Null when it is not there. */
  stampOf(path: string): Promise<string | null>;
  /** Uncompressed bytes. Throws MemberDamaged, and a RangeError for a member that is not there. */
  read(path: string): AsyncIterable<Uint8Array>;
  /** A whole member, letter case forgiven; null when it is not there or larger than `limit`. */
  member(path: string, limit: number): Promise<Uint8Array | null>;
}

/** Opens a package. `objects` has the hosted archives. Throws PackageRefused for what is no CityGML package. */
export async function openSource(
  address: SourceAddress,
  objects: ObjectStore | null,
): Promise<PackageSource> {
  if (address.kind === 'upload') return openUploadSource(address);
  if (objects === null) throw new Error('A hosted package needs the store that has its archive.');
  return openHostedSource(address.row, objects);
}

/** GML files of a package, in the order of their paths. */
export function gmlFilesOf(source: PackageSource): GmlFacts[] {
  const files: GmlFacts[] = [];
  for (const { path, size } of source.members()) {
    if (!isGmlPath(path)) continue;
    const { type, mesh } = parseGmlName(path);
    files.push({ path, type, mesh, size });
  }
  return files.sort((a, b) => compareTexts(a.path, b.path));
}

/**
 * The GML file as makers read it; `onOther` is told the path of every other member that is asked for, also of one that
 * is not there.
 */
export function gmlSourceOf(
  source: PackageSource,
  facts: GmlFacts,
  onOther: (path: string) => void,
): GmlSource {
  return {
    ...facts,
    package: source.package,
    text: () => source.read(facts.path),
    textOf(path) {
      onOther(path);
      return source.has(path) ? source.read(path) : null;
    },
    member(path, limit) {
      onOther(path);
      return source.member(path, limit);
    },
  };
}

async function openUploadSource(address: Extract<SourceAddress, { kind: 'upload' }>): Promise<PackageSource> {
  const info = await stat(address.path).catch(() => null);
  if (info === null) throw new PackageRefused('NO_SUCH_FILE', `${address.path} does not exist.`);
  const upload = await openAny(address.path, info.isDirectory());
  try {
    const layout = layoutOf(upload);
    if (layout.kind !== 'citygml') {
      throw new PackageRefused('NOT_CITYGML', `${upload.location} holds tiles; only CityGML is converted.`);
    }
    const named = await namesFor(upload, layout, address);
    const lookup = new MemberLookup(upload.names, layout.root);
    const crcs = new ReadCrcs(upload);
    const find = (path: string): UploadMember | null => {
      const exact = lookup.find(path);
      if (exact !== -1) return upload.member(exact);
      const loose = lookup.findLoosely(path);
      return loose === undefined ? null : upload.member(lookup.find(loose));
    };
    return {
      ...named,
      *members() {
        for (const member of upload.members()) {
          if (member.name.startsWith(layout.root))
            yield { path: member.name.slice(layout.root.length), size: member.size };
        }
      },
      has: (path) => find(path) !== null,
      async stampOf(path) {
        const member = find(path);
        return member === null ? null : stampOf(member.size, member.crc32 ?? (await crcs.of(member)));
      },
      read(path) {
        const member = find(path);
        if (member === null) throw new RangeError(`${upload.location} has no member ${path}`);
        return upload.read(member);
      },
      async member(path, limit) {
        const member = find(path);
        if (member === null || member.size > limit) return null;
        const chunks: Uint8Array[] = [];
        for await (const chunk of upload.read(member)) chunks.push(chunk);
        return Buffer.concat(chunks);
      },
      [Symbol.asyncDispose]: () => upload[Symbol.asyncDispose](),
    };
  } catch (error) {
    await upload[Symbol.asyncDispose]();
    throw error;
  }
}

/** A package; else files that are none. */
async function openAny(path: string, isDirectory: boolean): Promise<Upload> {
  if (!isDirectory) return isLooseName(path) ? openLooseFile(path) : openZipUpload(path);
  const upload = await openDirectoryUpload(path);
  for (const name of memberNames(upload)) {
    const isGml = `/${name}`.includes('/udx/') && /\.gml$/i.test(name);
    if (isGml || /(^|\/)tileset\.json$/.test(name)) return upload;
  }
  return (await openLooseDirectory(path)) ?? upload;
}

/**
 * What a package is called, and which area it is of. Throws PackageRefused when nothing says it, unless `isNameless`.
 */
async function namesFor(
  upload: Upload,
  layout: PackageLayout,
  { overrides, isNameless }: Extract<SourceAddress, { kind: 'upload' }>,
): Promise<Pick<PackageSource, 'package' | 'provider' | 'said'>> {
  let identity: Identity;
  try {
    identity = identifyUpload(upload, layout, overrides, () => {});
  } catch (error) {
    if (!(isNameless && error instanceof PackageRefused && error.code === 'UNKNOWN_NAME')) throw error;
    return { package: namelessPackage(upload.name, overrides), provider: 'city', said: {} };
  }
  const { authorities } = await readPackageMetadata(uploadFiles(upload, layout.root));
  const { pref, city, known } = nameAreas(identity, authorities, overrides, () => {});
  return {
    package: packageOf(
      identity,
      fullName(identity.code, pref, city),
      known.flatMap(({ code, kind, parent }) =>
        kind === 'ward' && parent === identity.cityCode ? [code] : [],
      ),
    ),
    provider: identity.provider,
    said: saidOf(identity.code, pref, city),
  };
}

/** A package of no municipality; members of what is made of it have the first time that a zip can say. */
function namelessPackage(name: string, { name: wanted, code, year, city }: Overrides): SourcePackage {
  return {
    name: (wanted ?? name).replace(/[^\p{L}\p{N}._-]+/gu, '_'),
    cityCode: code ?? '',
    cityName: city ?? '',
    wards: [],
    year: year ?? 1980,
  };
}

async function openHostedSource(row: HostedRow, objects: ObjectStore): Promise<PackageSource> {
  const archives = new Archives(objects, { maxOpen: 1 });
  const open = await archives.open(row);
  return {
    package: {
      name: row.name,
      cityCode: row.cityCode,
      cityName: fullName(row.cityCode, row.pref, row.city),
      wards: wardCodes(row.cityCode, Object.keys(row.areaNames).filter(isWardOf(row))),
      year: row.year,
    },
    provider: row.provider,
    said: saidOf(row.cityCode, row.pref, row.city),
    *members() {
      for (const { path, size } of open.index.members()) yield { path, size };
    },
    has: (path) => open.index.findLoosely(path) !== undefined,
    async stampOf(path) {
      const member = open.index.findLoosely(path);
      return member === undefined ? null : stampOf(member.size, member.crc32);
    },
    async *read(path) {
      const member = open.index.findLoosely(path);
      if (member === undefined) throw new RangeError(`${row.name} has no member ${path}`);
      yield* identityRange(open.archive, member, await open.blocks(member), 0, member.size);
    },
    async member(path, limit) {
      const member = open.index.findLoosely(path);
      return member === undefined || member.size > limit ? null : readWhole(open.archive, member);
    },
    async [Symbol.asyncDispose]() {
      await open[Symbol.asyncDispose]();
      await archives.close();
    },
  };
}

function saidOf(code: string, pref: string, city: string): Overrides {
  return prefectureOf(code) === undefined ? { code, pref, city } : {};
}

function stampOf(size: number, crc: number): string {
  return `${size} ${crc}`;
}

/** CRC-32 of members of a directory, which no list has: each is read once. */
class ReadCrcs {
  readonly #upload: Upload;
  readonly #known = new Map<string, Promise<number>>();

  constructor(upload: Upload) {
    this.#upload = upload;
  }

  of(member: UploadMember): Promise<number> {
    // What cannot be read is no part either: a caller that reads it as one says why.
    const known = this.#known.get(member.name) ?? this.#read(member).catch(() => Number.NaN);
    this.#known.set(member.name, known);
    return known;
  }

  async #read(member: UploadMember): Promise<number> {
    let crc = 0;
    for await (const chunk of this.#upload.read(member)) crc = crc32(chunk, crc);
    return crc;
  }
}

function packageOf(identity: Identity, cityName: string, furtherWards: readonly string[]): SourcePackage {
  const cityCode = identity.wardCode ?? identity.cityCode;
  const { name, year } = identity;
  return { name, cityCode, cityName, wards: wardCodes(cityCode, furtherWards), year };
}

/** Wards of the built-in table, and those that the package's own code list has besides. */
function wardCodes(cityCode: string, further: readonly string[]): string[] {
  return [...new Set([...wardsOf(cityCode).map(({ code }) => code), ...further])].sort();
}

/** Whether a code of the package's own list is a ward of its city: wards share the first three digits. */
function isWardOf({ cityCode, areaNames }: HostedRow): (code: string) => boolean {
  return (code) =>
    code !== cityCode && code.slice(0, 3) === cityCode.slice(0, 3) && areaNames[code]!.endsWith('区');
}

/**
 * As code lists name municipalities: 東京都新宿区. A prefecture's own package has the name of the prefecture, a city abroad
 * its own.
 */
function fullName(code: string, pref: string, city: string): string {
  if (prefectureOf(code) === undefined) return city;
  return city === pref ? city : pref + city;
}
