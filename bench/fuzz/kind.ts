/**
 * What a kind of input is: how to make one from a generator, and what must hold when the code under test has seen it.
 */
import type { Random } from '../../packages/sample/src/random.ts';

/** `refused` is an answer as well: an issue, a ServiceError, an error that says what was found. */
export type Verdict = 'accepted' | 'refused';

/**
 * Remembers the input, as the file that reproduces a fault. Called once for each input, before the code under test
 * runs.
 */
export type Keep = (input: () => Uint8Array | string) => void;

export interface FuzzKind {
  readonly name: string;
  /** Inputs between two looks at time and memory: many where one takes microseconds. */
  readonly batch: number;
  /**
   * Processor time that one turn of the event loop may take, ms, where that is no promise to requests; `MAX_TURN_MS`
   * otherwise.
   */
  readonly mostTurnMs?: number;
  /**
   * Makes one input and gives it to the code under test. The same generator makes the same input. Throws whenever
   * something does not hold: an exception that no caller expects, or what `assert` finds.
   */
  run(random: Random, keep: Keep): Verdict | Promise<Verdict>;
  /** Ends what the kind has opened; throws when something was left behind. */
  close?(): Promise<void>;
}

/** Opens a kind: reads its seeds. */
export type OpenKind = () => Promise<FuzzKind>;
