/**
 * CityGML that is no package: one file, as `.gml`, `.xml` or with gzip, or a directory of such files. It is read as if
 * it lay in `udx/{type}/` of a package, the type being that of its first feature. Files beside it, such as images, lie
 * there, too.
 */

import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { createGunzip } from 'node:zlib';
import { compareTexts } from '@citymodel/base';
import { parseGmlName } from '@citymodel/citygml';
import { ByteList, openFileSource } from '@citymodel/zip';
import { openDirectoryUpload } from '../ingest/directory-upload.ts';
import { PackageRefused, type Upload, type UploadMember } from '../ingest/upload.ts';
import { sniffCityGml } from './sniff-citygml.ts';

const LOOSE = /\.(gml|xml|citygml)(\.gz)?$/i;
/** What is known of a file that cannot be read. */
const UNREAD = { isCityGml: true, type: null };
const CODE_LISTS = 'codelists/';
/** A file with gzip inflates to so many times its size at most, as a member of a zip. */
const MAX_RATIO = 500;

/** A file, and its path in the package that stands for all of them. */
interface Placed {
  /** Path in the package. */
  name: string;
  /** The file itself. */
  file: string;
  /** Bytes of its text. */
  size: number;
  modified: number;
}

/** Whether a file is read as CityGML by itself: by its name. */
export function isLooseName(path: string): boolean {
  return LOOSE.test(path);
}

/** Opens one file. Throws PackageRefused for what is no CityGML. */
export async function openLooseFile(path: string): Promise<Upload> {
  const file = resolve(path);
  const { size: bytes, mtimeMs } = await stat(file);
  const { isCityGml, type, images, size } = await sniffCityGml(textOf(file, bytes), false).catch((error) => {
    throw new PackageRefused('UNREADABLE', `${path} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  });
  if (!isCityGml)
    throw new PackageRefused(
      'NOT_CITYGML',
      `${path} is no CityGML: its first element names no version of it.`,
    );
  const root = `udx/${typeOf(file, type)}/`;
  const placed: Placed[] = [{ name: root + gmlName(basename(file)), file, size, modified: mtimeMs }];
  const beside = dirname(file);
  for (const directory of directoriesOf(images, beside)) {
    for (const found of await filesIn(directory)) {
      const own = found.file
        .slice(beside.length + 1)
        .split(sep)
        .join('/');
      if (found.file !== file) placed.push({ ...found, name: root + own });
    }
  }
  // A file that was left in its package finds the code lists there.
  for (const found of await filesIn(resolve(beside, '../..', CODE_LISTS))) {
    placed.push({ ...found, name: CODE_LISTS + basename(found.file) });
  }
  return uploadOf(path, stemOf(file), placed, []);
}

/** Opens a directory that has no `udx`; null where it holds no CityGML. */
export async function openLooseDirectory(path: string): Promise<Upload | null> {
  const root = resolve(path);
  await using upload = await openDirectoryUpload(path);
  const others: Placed[] = [];
  const texts: Array<Placed & { type: string }> = [];
  for (const { name, size, modified } of upload.members()) {
    const file = join(root, name);
    const placed = { name, file, size, modified };
    // One that cannot be read is converted, too: the report says why it fails.
    const looked = LOOSE.test(name) ? await sniffCityGml(textOf(file, size), true).catch(() => UNREAD) : null;
    // What is called GML is converted, so that the report says what is wrong with it.
    if (looked === null || !(looked.isCityGml || /\.gml(\.gz)?$/i.test(name))) others.push(placed);
    else texts.push({ ...placed, name: gmlName(name), type: typeOf(file, looked.type) });
  }
  if (texts.length === 0) return null;
  const types = [...new Set(texts.map(({ type }) => type))];
  const placed = [
    ...texts.map(({ type, ...text }) => ({ ...text, name: `udx/${type}/${text.name}` })),
    ...others.flatMap((other) =>
      other.name.startsWith(CODE_LISTS)
        ? [other]
        : types.map((type) => ({ ...other, name: `udx/${type}/${other.name}` })),
    ),
  ];
  return uploadOf(path, basename(root), placed, upload.issues);
}

function uploadOf(
  location: string,
  name: string,
  placed: readonly Placed[],
  issues: Upload['issues'],
): Upload {
  const names = new ByteList();
  for (const { name: path } of placed) names.push(Buffer.from(path, 'utf8'));
  const files = new Map(placed.map((file) => [file.name, file]));
  const memberOf = ({ name: path, size, modified }: Placed): UploadMember => ({
    name: path,
    size,
    crc32: null,
    modified,
  });
  return {
    location,
    name,
    issues,
    names,
    uploadBytes: placed.reduce((sum, { size }) => sum + size, 0),
    *members() {
      for (const file of placed) yield memberOf(file);
    },
    member: (i) => memberOf(placed[i]!),
    raw: () => null,
    async *read(member) {
      const { file } = files.get(member.name)!;
      yield* textOf(file, (await stat(file)).size);
    },
    release: () => names.release(),
    async [Symbol.asyncDispose]() {},
  };
}

/** The bytes of a file, inflated where its name says gzip. Throws where it inflates without end. */
async function* textOf(file: string, bytes: number): AsyncGenerator<Uint8Array> {
  await using source = await openFileSource(file);
  if (!/\.gz$/i.test(file)) {
    yield* source.stream(0, source.size);
    return;
  }
  const gunzip = createGunzip();
  // The reader hears of it; one that has read enough need not.
  gunzip.on('error', () => {});
  const feeding = (async () => {
    for await (const chunk of source.stream(0, source.size)) {
      // The source uses its buffer again.
      if (!gunzip.write(Buffer.from(chunk)))
        await new Promise((drained) => gunzip.once('drain', drained).once('close', drained));
      if (gunzip.destroyed) return;
    }
    gunzip.end();
  })().catch((error) => gunzip.destroy(error));
  let length = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > bytes * MAX_RATIO)
        throw new Error(`${file} inflates to more than ${MAX_RATIO} times its size.`);
      yield chunk;
    }
  } finally {
    gunzip.destroy();
    await feeding;
  }
}

/** Directories of images, those that lie beside the file or below it; none of another machine or further up. */
function directoriesOf(images: Iterable<string>, beside: string): Set<string> {
  const directories = new Set<string>();
  for (const image of images) {
    if (/^[a-z][a-z0-9+.-]+:/i.test(image)) continue;
    const directory = dirname(resolve(beside, image));
    if (directory === beside || directory.startsWith(beside + sep)) directories.add(directory);
  }
  return directories;
}

/** Files of a directory; none where it cannot be read. Links are not followed. */
async function filesIn(directory: string): Promise<Array<Omit<Placed, 'name'>>> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const found: Array<Omit<Placed, 'name'>> = [];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = join(directory, entry.name);
    const { size, mtimeMs } = await stat(file);
    found.push({ file, size, modified: mtimeMs });
  }
  return found.sort((a, b) => compareTexts(a.file, b.file));
}

/**
 * The type that a name by the rules says, of which floods cannot be told by their elements; else that of the content.
 */
function typeOf(file: string, sniffed: string | null): string {
  const named = parseGmlName(gmlName(basename(file)));
  if (named.conforms) return named.type;
  return sniffed ?? 'gen';
}

function gmlName(name: string): string {
  return name.replace(LOOSE, '.gml');
}

function stemOf(file: string): string {
  return basename(file).replace(LOOSE, '');
}
