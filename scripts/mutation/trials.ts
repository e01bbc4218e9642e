/** Whether tests notice a mutant. */
import { readFileSync } from 'node:fs';
import { changesItsProcess } from '../testing/work.ts';
import type { Checkout } from './checkout.ts';
import { type KeptRuns, runsPlace, type UsualRun } from './coverage.ts';
import type { Hints } from './hints.ts';
import { changed, type Mutant } from './mutant.ts';

/** Milliseconds; a test that takes longer without any mutant is left out. */
export const PATIENCE_MS = 40_000;
/** Test files in one process at most. */
const TOGETHER = 6;

/** A test file, how long it takes with the code as it is, and the code that it runs. */
interface Trial extends UsualRun {
  test: string;
  /** It changes or measures its process, and shares it with no other. */
  isAlone: boolean;
  /** Whether it has passed in this run of the command; one that is kept passed in a run before. */
  hasPassed: boolean;
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
  /** Runs of tests that were found out before. */
  kept: KeptRuns;
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
    const { file, place } = mutant;
    let isMet = false;
    let together: Trial[] = [];
    let most = 1;
    for await (const trial of this.#trialsOf(checkout, file, place)) {
      isMet ||= runsPlace(trial.coverage, file, place);
      if (trial.isAlone) {
        const verdict = await this.#verdictOf(checkout, mutant, [trial]);
        if (verdict !== 'lives') return verdict;
        continue;
      }
      together.push(trial);
      if (together.length < most) continue;
      const verdict = await this.#verdictOf(checkout, mutant, together);
      if (verdict !== 'lives') return verdict;
      together = [];
      // Most mutants fail at the first test; what survives it meets the others in few processes.
      most = TOGETHER;
    }
    const verdict = together.length === 0 ? 'lives' : await this.#verdictOf(checkout, mutant, together);
    return verdict === 'lives' && !isMet ? 'unmet' : verdict;
  }

  /** Runs tests with a mutant, in one process where they are several. */
  async #verdictOf(checkout: Checkout, mutant: Mutant, trials: readonly Trial[]): Promise<Verdict> {
    const original = this.#tests.textOf(mutant.file);
    const tests = trials.length === 1 ? trials[0]!.test : trials.map(({ test }) => test);
    const limit = {
      all: trials.reduce((sum, { ms }) => sum + ms * 4, 5000),
      // One that hangs is known before the time of all is over.
      quiet: trials.reduce((sum, { quiet }) => sum + quiet * 4, 5000),
    };
    const environment = await this.#tests.environment(trials[0]!.test);
    const run = () => checkout.run(tests, limit, environment);
    checkout.write(mutant.file, changed(mutant, original));
    const outcome = await run();
    checkout.write(mutant.file, original);
    if (outcome === 'passed') return 'lives';
    // What tests read beside code may have changed since they passed, and on a busy machine they may be late.
    const isSure = outcome === 'failed' && trials.length === 1 && trials[0]!.hasPassed;
    if (isSure || (await run()) === 'passed') {
      if (trials.length === 1) trials[0]!.hasPassed = true;
      return outcome === 'failed' ? 'killed' : 'late';
    }
    if (trials.length === 1) {
      if (outcome === 'failed') {
        this.#usual.set(trials[0]!.test, Promise.resolve(null));
        this.#tests.onLeftOut(trials[0]!.test, 'fails');
      }
      return 'lives';
    }
    for (const trial of trials) {
      const verdict = await this.#verdictOf(checkout, mutant, [trial]);
      if (verdict !== 'lives') return verdict;
    }
    return 'lives';
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
      if (!runsPlace(trial.coverage, file, offset)) {
        idle.push(trial);
        continue;
      }
      hasRun = true;
      yield trial;
    }
    if (!hasRun && this.#tests.mayRunInThread(file)) yield* idle;
  }

  #isAlone(test: string): boolean {
    return changesItsProcess(this.#tests.textOf(test));
  }

  /** Runs a test with the code as it is; null for one that fails, or takes too long, to say anything. */
  async #usualRun(checkout: Checkout, test: string): Promise<Trial | null> {
    const kept = this.#tests.kept.find(test);
    if (kept !== null) return { ...kept, test, isAlone: this.#isAlone(test), hasPassed: false };
    const environment = await this.#tests.environment(test);
    const start = performance.now();
    const { outcome, quiet, coverage } = await checkout.runWatched(test, this.#tests.patience, environment);
    if (outcome === 'passed') {
      const run = { ms: performance.now() - start, quiet, coverage };
      this.#tests.kept.keep(test, run);
      return { ...run, test, isAlone: this.#isAlone(test), hasPassed: true };
    }
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
      const limit = { all: tests.patience, quiet: tests.patience };
      const outcome = await checkout.run(test, limit, await tests.environment(test));
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
