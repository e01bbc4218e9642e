/** Whether tests notice a mutant. */
import { readFileSync } from 'node:fs';
import type { Checkout, Runs } from './checkout.ts';
import type { Hints } from './hints.ts';
import { changed, type Mutant } from './mutant.ts';

/** Milliseconds; a test that takes longer without any mutant is left out. */
export const PATIENCE_MS = 40_000;

/** A test file, how long it takes with the code as it is, and the code that it runs. */
interface Trial {
  test: string;
  ms: number;
  runs: Runs;
}

export interface Tests {
  /** Milliseconds that a test may take without any mutant. */
  patience: number;
  /** Tests of a file, nearest first. */
  of(file: string): readonly string[];
  mayRunInThread(file: string): boolean;
  /** The code as it was at the start. */
  textOf(file: string): string;
  /** Variables for a test. */
  environment(test: string): Promise<NodeJS.ProcessEnv>;
  onLeftOut(test: string, why: string): void;
}

/** `unmet`: it lives, and no test runs its place. */
export type Verdict = 'killed' | 'late' | 'lives' | 'unmet';

/**
 * Tries mutants with the tests that run their places, which the first run of a test shows. A test that takes too long
 * kills a mutant only where the same test is in time again without it.
 */
export class CarefulTrials {
  readonly #tests: Tests;
  readonly #usual = new Map<string, Promise<Trial | null>>();

  constructor(tests: Tests) {
    this.#tests = tests;
  }

  async try(checkout: Checkout, mutant: Mutant): Promise<Verdict> {
    const { file, start } = mutant;
    const original = this.#tests.textOf(file);
    let isMet = false;
    for await (const { test, ms, runs } of this.#trialsOf(checkout, file, start)) {
      isMet ||= runs(file, start);
      const limit = ms * 4 + 5000;
      const environment = await this.#tests.environment(test);
      checkout.write(file, changed(mutant, original));
      const outcome = await checkout.run(test, limit, environment);
      checkout.write(file, original);
      if (outcome === 'failed') return 'killed';
      // On a busy machine the test may be late by itself.
      if (outcome === 'late' && (await checkout.run(test, limit, environment)) === 'passed') return 'late';
    }
    return isMet ? 'lives' : 'unmet';
  }

  /**
   * The tests that run a place: those that another mutant has met, the quickest first, then the others, the nearest
   * first. A worker thread that was ended says nothing about what it ran, so where none runs the place of such a file
   * all are tried.
   */
  async *#trialsOf(checkout: Checkout, file: string, offset: number): AsyncGenerator<Trial> {
    const tests = this.#tests.of(file);
    const met = tests.filter((test) => this.#usual.has(test));
    const known = await Promise.all(met.map((test) => this.#usual.get(test)!));
    const idle: Trial[] = [];
    let hasRun = false;
    const sorted = known.filter((trial) => trial !== null).sort((a, b) => a.ms - b.ms);
    for (const next of [...sorted, ...tests.filter((test) => !met.includes(test))]) {
      if (typeof next === 'string' && !this.#usual.has(next)) {
        this.#usual.set(next, this.#usualRun(checkout, next));
      }
      const trial = typeof next === 'string' ? await this.#usual.get(next)! : next;
      if (trial === null) continue;
      if (!trial.runs(file, offset)) {
        idle.push(trial);
        continue;
      }
      hasRun = true;
      yield trial;
    }
    if (!hasRun && this.#tests.mayRunInThread(file)) yield* idle;
  }

  /** Runs a test with the code as it is; null for one that fails, or takes too long, to say anything. */
  async #usualRun(checkout: Checkout, test: string): Promise<Trial | null> {
    const environment = await this.#tests.environment(test);
    const start = performance.now();
    const { outcome, runs } = await checkout.runWatched(test, this.#tests.patience, environment);
    if (outcome === 'passed') return { test, ms: performance.now() - start, runs };
    this.#tests.onLeftOut(test, outcome === 'late' ? 'takes too long' : 'fails');
    return null;
  }
}

/** Tries a mutant with tests that are known to pass, that of the hint first; a test that takes too long kills. */
export async function quickTrial(
  checkout: Checkout,
  mutant: Mutant,
  tests: Tests,
  hints: Hints,
): Promise<Verdict> {
  const original = tests.textOf(mutant.file);
  checkout.write(mutant.file, changed(mutant, original));
  try {
    for (const test of hints.ordered(mutant, tests.of(mutant.file))) {
      const outcome = await checkout.run(test, tests.patience, await tests.environment(test));
      if (outcome === 'passed') continue;
      hints.note(mutant, outcome === 'late' ? null : test);
      return outcome === 'late' ? 'late' : 'killed';
    }
    return 'lives';
  } finally {
    checkout.write(mutant.file, original);
  }
}

/** Remembers the texts of files as they are first read. */
export function rememberedTexts(): (file: string) => string {
  const texts = new Map<string, string>();
  return (file) => {
    const text = texts.get(file) ?? readFileSync(file, 'utf8');
    texts.set(file, text);
    return text;
  };
}
