/** Looks that are compared. */
const KEPT = 12;
/** Looks that are made before a time counts, at most; one as fast as this, ms, is enough. */
const LOOKS = 6;
const FAST_MS = 1;

/**
 * The clock of the database as this process knows it: from answers that say the time, of which the fastest tells most.
 */
export class DatabaseClock {
  /**
   * Of the last answers: the database's clock less the process's, in the middle of the request; and how long that took.
   */
  readonly #looks: Array<{ offset: number; took: number }> = [];

  /** Asks for something that tells the time as well, and gives it with the time of now. */
  async ask<T extends { clock: number }>(question: () => Promise<T>): Promise<T> {
    const sent = performance.now();
    const answer = await question();
    const received = performance.now();
    this.#looks.push({ offset: answer.clock - (sent + received) / 2, took: received - sent });
    if (this.#looks.length > KEPT) this.#looks.shift();
    return { ...answer, clock: received + this.#offset() };
  }

  /** Asks for the time until a fast answer tells it well enough, or often enough. */
  async settle(question: () => Promise<number>): Promise<void> {
    for (let i = 0; i < LOOKS && this.#best().took > FAST_MS; i++) {
      await this.ask(async () => ({ clock: await question() }));
    }
  }

  /** A time of the database's clock by that of the process, ms. */
  toLocal(time: number): number {
    return time - this.#offset();
  }

  #offset(): number {
    return this.#best().offset;
  }

  #best(): { offset: number; took: number } {
    return this.#looks.reduce((best, look) => (look.took < best.took ? look : best));
  }
}
