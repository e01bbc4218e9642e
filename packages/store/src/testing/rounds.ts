/**
 * Turns of the event loop without a new request after which a round ends, and milliseconds between them. Turns, not one
 * timer: of a process that others keep from the processor it would end before requests are seen that came meanwhile.
 */
const QUIET = { turns: 16, ms: 5 };

/**
 * Counts the round trips that work on a remote store takes: requests that wait for each other are in different rounds,
 * those that are on their way at the same time in one. Answers of a round are held back until no further request comes.
 */
export class Rounds {
  count = 0;
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Resolves when the round ends that the caller belongs to. */
  readonly join = (): Promise<void> =>
    new Promise((resolve) => {
      if (this.#waiting.length === 0) this.count++;
      this.#waiting.push(resolve);
      clearTimeout(this.#timer);
      this.#endAfter(QUIET.turns);
    });

  #endAfter(turns: number): void {
    this.#timer = setTimeout(() => {
      if (turns > 1) {
        this.#endAfter(turns - 1);
        return;
      }
      const ended = this.#waiting;
      this.#waiting = [];
      for (const end of ended) end();
    }, QUIET.ms);
  }

  /** The rounds of some work. */
  async of(work: () => Promise<unknown>): Promise<number> {
    this.count = 0;
    await work();
    return this.count;
  }
}
