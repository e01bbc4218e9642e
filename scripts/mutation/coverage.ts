/**
 * Which places of the code a test runs. That is found out by a slow run of the test, and kept for later samples until
 * the test, or code that it imports, changes.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Begin and end in a file, and 0 where it did not run. */
export type Range = [start: number, end: number, count: number];

/** For each file the ranges of each process that loaded it. */
export type Coverage = Record<string, Range[][]>;

/** A run without any mutant, in which the test passed. */
export interface UsualRun {
  /** Milliseconds of all of it, and of its longest time without a line. */
  ms: number;
  quiet: number;
  coverage: Coverage;
}

/** Of what is kept; runs of another form are found out again. */
const FORM = 2;

/** Whether a place of a file ran: the innermost range at the place says so. */
export function runsPlace(coverage: Coverage, file: string, offset: number): boolean {
  return (coverage[file] ?? []).some((ranges) => {
    let length = Infinity;
    let count = 0;
    for (const [start, end, times] of ranges) {
      if (offset < start || offset >= end || end - start > length) continue;
      length = end - start;
      count = times;
    }
    return count > 0;
  });
}

/** Runs that are kept in a directory, under a hash of the texts of all that a test imports. */
export class KeptRuns {
  readonly #directory: string;
  readonly #closureOf: (test: string) => readonly string[];
  readonly #textOf: (file: string) => string;

  constructor(
    directory: string,
    closureOf: (test: string) => readonly string[],
    textOf: (file: string) => string,
  ) {
    this.#directory = directory;
    this.#closureOf = closureOf;
    this.#textOf = textOf;
  }

  /** The run of a test with the code as it is, or null. */
  find(test: string): UsualRun | null {
    const path = this.#pathOf(test);
    if (!existsSync(path)) return null;
    try {
      return JSON.parse(readFileSync(path, 'utf8')) as UsualRun;
    } catch {
      // Another run of the command was killed while it wrote.
      return null;
    }
  }

  keep(test: string, run: UsualRun): void {
    mkdirSync(this.#directory, { recursive: true });
    writeFileSync(this.#pathOf(test), JSON.stringify(run));
  }

  #pathOf(test: string): string {
    const hash = createHash('sha256').update(`${FORM} ${process.version}`);
    for (const file of this.#closureOf(test)) hash.update(`\0${file}\0${this.#textOf(file)}`);
    return join(this.#directory, `${hash.digest('hex').slice(0, 32)}.json`);
  }
}
