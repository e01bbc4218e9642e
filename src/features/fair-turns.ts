/** Milliseconds of work at a stretch; the step that is running then still ends. */
const SLICE_MS = 2;
/**
 * What a step counts at most, ms: one that took longer has waited for its data, most likely. Who waits is not working, and
 * would otherwise, when many callers wait for the disk, have to wait for a turn as well.
 */
const STEP_MS = 0.5;

/**
 * Lets long answers take turns with everything else on the thread: in each round of the event loop, besides whatever
 * arrives, one of them goes on, for one slice. So a short request waits for slices, never for answers, however many
 * callers are listing whole cities.
 */
export class Turns {
  readonly #waiting: Array<() => void> = [];

  /** Resolves when it is the caller's turn. */
  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(this.#release);
    });
  }

  /** The turns of one piece of work. */
  slice(signal: AbortSignal): Slice {
    return new Slice(this, signal);
  }

  readonly #release = (): void => {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(this.#release);
  };
}

/** Work that asks after each small step whether it has to let go: `if (slice.due()) await slice.pause()`. */
export class Slice {
  readonly #turns: Turns;
  readonly #signal: AbortSignal;
  #worked = 0;
  #last = performance.now();

  constructor(turns: Turns, signal: AbortSignal) {
    this.#turns = turns;
    this.#signal = signal;
  }

  due(): boolean {
    const now = performance.now();
    this.#worked += Math.min(now - this.#last, STEP_MS);
    this.#last = now;
    return this.#worked >= SLICE_MS;
  }

  /** Waits for the next turn. Throws the signal's reason when the caller of the work has gone away. */
  async pause(): Promise<void> {
    this.#signal.throwIfAborted();
    await this.#turns.wait();
    this.#signal.throwIfAborted();
    this.#worked = 0;
    this.#last = performance.now();
  }
}
