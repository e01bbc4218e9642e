/** Long work in short slices, so that nothing else on the thread waits longer than one slice. */

import { performance } from 'node:perf_hooks';

/** Milliseconds of work at a stretch for one piece of work among several. */
const SLICE_MS = 2;
/** Milliseconds that all pieces of work together may take in one round of the event loop. */
const ROUND_MS = 15;
/**
 * A step up to this length is taken as work, ms. Whether a longer one has worked or waited, the processor time tells.
 */
const SHORT_MS = 0.25;
/** What a step counts at most that began in an earlier round, ms: most of its time went to others. */
const EARLIER_MS = 0.5;
/** Steps of some microseconds between two looks at the clock. */
export const STEPS = 32;

interface Clock {
  /** Milliseconds that the thread has worked since the last call; time in which it waited does not count. */
  step(): number;
  /** True when everybody has to let go, however little each has done. */
  readonly isRoundFull: boolean;
}

/** Where the time comes from, milliseconds since any moment. */
export interface Time {
  wall(): number;
  /** What the thread has had of the processor. */
  processor(): number;
  /** How many rounds of the event loop have begun. */
  readonly rounds: number;
}

const THREAD: Time = {
  wall: () => performance.now(),
  processor: threadMs,
  get rounds() {
    return performance.nodeTiming.uvMetricsInfo.loopCount;
  },
};

/** The one that work is done for, as far as work asks; every AbortSignal is one. */
export interface Caller {
  /** Throws the reason when nobody waits for the work any more. */
  throwIfAborted(): void;
}

/** Splits the thread's time into steps. */
class WorkClock implements Clock {
  readonly isRoundFull = false;
  readonly #time: Time;
  #wall: number;
  /** Null where it was not asked for when the steps began. */
  #processor: number | null;
  /** Short steps since `#processor` was read. */
  #counted = 0;

  constructor(time = THREAD) {
    this.#time = time;
    this.#wall = time.wall();
    this.#processor = time.processor();
  }

  /** Begins a step. What went before it is forgotten, and the processor's time is not asked for. */
  restart(): void {
    this.#wall = this.#time.wall();
    this.#processor = null;
    this.#counted = 0;
  }

  step(): number {
    const now = this.#time.wall();
    const wall = now - this.#wall;
    this.#wall = now;
    if (wall < SHORT_MS) {
      this.#counted += wall;
      return wall;
    }
    const processor = this.#time.processor();
    // Nothing tells what of the first long step after a beginning was waiting.
    const worked = this.#processor === null ? wall : processor - this.#processor - this.#counted;
    this.#processor = processor;
    this.#counted = 0;
    return Math.min(wall, Math.max(0, worked));
  }
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/**
 * One piece of work that asks after each small step whether it has to let go:
 * `if (slices.due()) await slices.pause()`.
 */
export class Slices {
  readonly #pause: () => Promise<void>;
  readonly #limit: number;
  readonly #clock: Clock;
  #worked = 0;

  /** `limit`: milliseconds of work after which a slice is due to end; the step that is running then still ends. */
  constructor(pause: () => Promise<void>, limit = 4, clock: Clock = new WorkClock()) {
    this.#pause = pause;
    this.#limit = limit;
    this.#clock = clock;
  }

  /** True when this slice has lasted long enough. */
  due(): boolean {
    this.#worked += this.#clock.step();
    return this.#worked >= this.#limit || this.#clock.isRoundFull;
  }

  /**
   * Takes items through a step of some microseconds one after the other, and ends slices that have lasted long enough.
   * The clock is looked at after several steps: it takes as long as a step.
   */
  async each<T>(items: readonly T[], step: (item: T) => void): Promise<void> {
    for (let at = 0; at < items.length; at += STEPS) {
      const end = Math.min(at + STEPS, items.length);
      for (let i = at; i < end; i++) step(items[i]!);
      if (this.due()) await this.pause();
    }
  }

  /** Ends the slice; the next one starts when the pause is over. Rejects as the pause does. */
  async pause(): Promise<void> {
    await this.#pause();
    this.#clock.step();
    this.#worked = 0;
  }
}

/** Slices of work in the background: whatever has arrived goes first in each pause. */
export function backgroundSlices(): Slices {
  return new Slices(() => new Promise<void>((resolve) => setImmediate(resolve)));
}

/**
 * Lets long answers take turns with everything else on the thread. In each round of the event loop one of those that
 * wait goes on for one slice, besides whatever arrives. What arrives need not wait until the answers together have
 * worked for `ROUND_MS` in the round. So a short request waits for slices, never for answers.
 *
 *   arrives ──▶ works ──slice or round used up──▶ waits ──its turn (one a round)──▶ works …
 */
export class Turns implements Clock {
  readonly #waiting: Array<() => void> = [];
  readonly #time: Time;
  readonly #clock: WorkClock;
  /** Milliseconds of work in this round. */
  #round = 0;
  /** The round in which something arrived last; its work is `#round`. */
  #arrivedIn = -1;
  /** True until the round ends, where its end is waited for. */
  #open = false;

  /** `time`: that of the calling thread unless a test says what it is. */
  constructor(time = THREAD) {
    this.#time = time;
    this.#clock = new WorkClock(time);
  }

  /** Resolves when it is the caller's turn. */
  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#begin();
    });
  }

  /** The slices of one piece of work. Its pauses throw what the caller throws when it has gone away. */
  slices(caller: Caller): Slices {
    this.step();
    const pause = async () => {
      caller.throwIfAborted();
      await this.wait();
      caller.throwIfAborted();
    };
    return new Slices(pause, SLICE_MS, this);
  }

  get isRoundFull(): boolean {
    return this.#round >= ROUND_MS;
  }

  step(): number {
    const worked = this.#clock.step();
    if (!this.#isRound()) {
      this.#begin();
      return Math.min(worked, EARLIER_MS);
    }
    this.#begin();
    this.#round += worked;
    return worked;
  }

  /**
   * Counts what has been worked in this round, or begins one. Cheaper than `step` for those who need no figure: what
   * was before the round is not looked at, and nothing is called at its end.
   */
  arrive(): void {
    if (this.#isRound()) {
      this.#round += this.#clock.step();
      return;
    }
    this.#arrivedIn = this.#time.rounds;
    this.#round = 0;
    this.#clock.restart();
  }

  #isRound(): boolean {
    return this.#open || this.#arrivedIn === this.#time.rounds;
  }

  #begin(): void {
    if (this.#open) return;
    // What arrived in this round before has worked in it.
    if (!this.#isRound()) this.#round = 0;
    this.#open = true;
    setImmediate(this.#end);
  }

  readonly #end = (): void => {
    this.#open = false;
    this.#arrivedIn = -1;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#begin();
    this.#clock.step();
    next();
  };
}
