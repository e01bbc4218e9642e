import { createWriteStream, existsSync, globSync, statSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ROUNDS } from '@citymodel/base/testing';
import yauzl from 'yauzl';
import yazl from 'yazl';

/** Published packages for tests, which are not part of the project. */
export const DATA = new URL('../../../../../shared/data/', import.meta.url).pathname;

/** Excerpts lie here from one run to the next. */
const EXCERPTS = new URL('../../../../node_modules/.cache/excerpts/', import.meta.url).pathname;
/** Files of a package that is read whole, at most. */
const MOST_FILES = 60;
/** Of a package with more files, every so many-th is read. */
const EVERY = 6;

/**
 * Paths of the published CityGML packages, ordered, for tests that need to meet all that is published. All files of a
 * package are made by one program: where there are many, an excerpt of the same name stands for it, unless
 * `TEST_ROUNDS` asks for more than every run.
 */
export async function publishedPackages(pattern = 'packages/*.zip'): Promise<string[]> {
  if (!existsSync(DATA)) return [];
  const paths = globSync(`${DATA}${pattern}`).sort();
  return ROUNDS > 1 ? paths : Promise.all(paths.map((path) => excerptOf(path)));
}

async function excerptOf(path: string): Promise<string> {
  const { size } = statSync(path);
  const excerpt = join(EXCERPTS, String(size), basename(path));
  if (existsSync(excerpt)) return excerpt;
  if (size < 5_000_000) return path;
  const members = await unzip(path, /[^/]$/);
  const files = [...members.keys()].filter((name) => name.endsWith('.gml')).sort();
  if (files.length <= MOST_FILES) return path;
  const leftOut = new Set(files.filter((_, number) => number % EVERY !== 0));
  const zip = new yazl.ZipFile();
  for (const [name, bytes] of members) if (!leftOut.has(name)) zip.addBuffer(bytes, name);
  zip.end();
  await mkdir(join(EXCERPTS, String(size)), { recursive: true });
  // Several tests may make it at once.
  const part = `${excerpt}.${process.pid}`;
  await pipeline(zip.outputStream, createWriteStream(part));
  await rename(part, excerpt);
  return excerpt;
}

/** The members of a package whose names match, the GML and XML files otherwise, by their path below its root. */
export async function unzip(path: string, pattern = /\.(gml|xml)$/i): Promise<Map<string, Buffer>> {
  const members = new Map<string, Buffer>();
  const zip = await yauzl.openPromise(path);
  const root = `${basename(path, '.zip')}/`;
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.endsWith('/') || !pattern.test(entry.fileName)) continue;
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    members.set(entry.fileName.replace(root, ''), Buffer.concat(chunks));
  }
  return members;
}

/** A small generator with a seed, uniform in [0, 1). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
