/** The imports of the sources, for the checks that hold the borders of packages and layers. */
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** One statement that imports, or exports what another module has. */
export interface Import {
  /** As it is written. */
  target: string;
  /** From the root of the project; null for a package. */
  path: string | null;
  /** Names in braces, as the other module has them; none for whole modules. */
  names: string[];
  /** Whether types alone are imported, which run nothing. */
  isType: boolean;
}

const STATEMENT =
  /(?:\{([^}]*)\}\s*=\s*await\s+)?import\(\s*'([^']+)'\s*\)|(?:^|\n)\s*(?:import|export)\b([^;'"]*?)from\s*'([^']+)'|(?:^|\n)import\s*'([^']+)'/g;

/** The imports of a file; paths have `/` between their parts. */
export function importsOf(file: string): Import[] {
  return [...readFileSync(file, 'utf8').matchAll(STATEMENT)].map(
    ([, loadedNames, loaded, clause = '', from, run]) => {
      const target = (from ?? loaded ?? run)!;
      return {
        target,
        path: target.startsWith('.') ? posix(normalize(join(dirname(file), target))) : null,
        names: namesOf(loadedNames === undefined ? clause : `{${loadedNames}}`),
        isType: /^\s*type\b/.test(clause),
      };
    },
  );
}

/** The name of the package in a specifier, such as `@citymodel/zip` in `@citymodel/zip/testing`. */
export function packageIn(target: string): string {
  const parts = target.split('/');
  return parts.slice(0, target.startsWith('@') ? 2 : 1).join('/');
}

/** Whether a file is a test or there for tests alone. */
export function isForTests(file: string): boolean {
  return /\.test\.tsx?$|[\\/]testing[\\/]/.test(file);
}

/** A path with `/` between its parts on every system. */
export function posix(path: string): string {
  return path.replaceAll('\\', '/');
}

function namesOf(clause: string): string[] {
  const inner = /\{([\s\S]*)\}/.exec(clause)?.[1] ?? '';
  return inner
    .split(',')
    .map((word) => word.trim().replace(/^type\s+/, ''))
    .filter((word) => word !== '')
    .map((word) => word.split(/\s+as\s+/)[0]!);
}
