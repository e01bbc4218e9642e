/** Which tests a file of code has: those that import it, by way of other files, too. */
import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { isUnitOfPortal } from '../testing/work.ts';

/** Test files that a mutant meets at most: the nearest. */
const TESTS = 12;

/** Code and tests by their paths from the root of the checkout. */
export function sourceFiles(): string[] {
  return globSync('{src,test,portal/src,portal/*,packages/*/src,packages/*/test,packages/*}/**/*.{ts,tsx}', {
    exclude: (path) => /(^|[\\/])(node_modules|dist)$/.test(path),
  })
    .map((path) => normalize(path))
    .filter((path, i, all) => all.indexOf(path) === i)
    .sort();
}

/** Code that mutants are made of. */
export function isCode(file: string): boolean {
  return (
    !/\.(test|d)\.tsx?$|(^|[\\/])(testing|test|bench|scripts)[\\/]|\.config\.ts$/.test(file) &&
    /\.tsx?$/.test(file)
  );
}

/**
 * A unit test runs without a build, a browser and real packages. Those of the portal's logic lie beside the tests of
 * the built program.
 */
function isUnitTest(file: string, text: string): boolean {
  if (!file.endsWith('.test.ts') || /real|features.agreement/.test(file)) return false;
  return !/(^|[\\/])test[\\/]/.test(file) || isUnitOfPortal(text);
}

export interface NearestTests {
  /** For each file its unit tests, nearest first: the test beside it, then those of its folder and its package. */
  tests: Map<string, string[]>;
  /** Files that a thread may run, whose end can take with it what coverage knows. */
  inThreads: Set<string>;
  /** A file and all that it imports, by way of other files, too. */
  closureOf(file: string): string[];
}

export function nearestTests(files: readonly string[]): NearestTests {
  const all = sourceFiles();
  const names = packageEntries();
  const entries = new Set(names.values());
  const importers = new Map<string, string[]>();
  const imports = new Map<string, string[]>();
  const inThreads = new Set<string>();
  const tests = new Set<string>();
  for (const file of all) {
    // Types alone run nothing.
    const text = readFileSync(file, 'utf8').replaceAll(/^(?:im|ex)port type [^;]*;/gm, '');
    if (isUnitTest(file, text)) tests.add(file);
    for (const [, how, target] of text.matchAll(/(from |import |import\(|new URL\()'([^'\n]+)'/g)) {
      const path = target!.startsWith('.') ? normalize(join(dirname(file), target!)) : names.get(target!);
      if (path === undefined) continue;
      importers.set(path, [...(importers.get(path) ?? []), file]);
      imports.set(file, [...(imports.get(file) ?? []), path]);
      if (how === 'new URL(') inThreads.add(path);
    }
  }
  // A set that grows while it is walked.
  for (const file of inThreads) for (const path of imports.get(file) ?? []) inThreads.add(path);
  return {
    tests: new Map(files.map((file) => [file, testsOf(file, importers, tests, entries)])),
    inThreads,
    closureOf(file) {
      const closure = new Set([file]);
      for (const path of closure) for (const next of imports.get(path) ?? []) closure.add(next);
      return [...closure].filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile()).sort();
    },
  };
}

function testsOf(
  file: string,
  importers: ReadonlyMap<string, string[]>,
  tests: ReadonlySet<string>,
  entries: ReadonlySet<string>,
): string[] {
  const beside = file.replace(/\.tsx?$/, '.test.ts');
  const found: string[] = tests.has(beside) ? [beside] : [];
  const seen = new Set([file]);
  // An entry is one step from all files of its package: tests of other packages come after all of its own.
  const outwards: string[] = [];
  for (let ring = [file]; ring.length > 0 && found.length < TESTS; ) {
    const next: string[] = [];
    const here: string[] = [];
    for (const importer of ring.flatMap((path) => importers.get(path) ?? [])) {
      if (seen.has(importer)) continue;
      seen.add(importer);
      if (tests.has(importer)) {
        if (!found.includes(importer)) here.push(importer);
      } else if (entries.has(importer)) outwards.push(importer);
      else if (!/\.test\.tsx?$/.test(importer)) next.push(importer);
    }
    found.push(...here.sort((a, b) => foldersApart(a, file) - foldersApart(b, file)));
    ring = next.length > 0 ? next : outwards.splice(0);
  }
  return found.slice(0, TESTS);
}

/** Folders on the way from one file to another. */
function foldersApart(a: string, b: string): number {
  return relative(dirname(a), dirname(b)).split(sep).filter(Boolean).length;
}

/** Names that packages of this repository are imported by, with the file that each stands for. */
function packageEntries(): Map<string, string> {
  const entries = new Map<string, string>();
  for (const path of globSync('packages/*/package.json')) {
    const { name, exports = {} } = JSON.parse(readFileSync(path, 'utf8')) as {
      name: string;
      exports?: string | Record<string, unknown>;
    };
    const places = typeof exports === 'string' ? { '.': exports } : exports;
    for (const [place, target] of Object.entries(places)) {
      const file = [target, ...Object.values((target ?? {}) as object)].find(
        (value) => typeof value === 'string' && value.endsWith('.ts'),
      ) as string | undefined;
      if (file !== undefined) entries.set(join(name, place), normalize(join(dirname(path), file)));
    }
  }
  return entries;
}
