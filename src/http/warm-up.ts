export interface PreparationOptions {
  /** What is done one after the other for a new catalogue; a step ends early when the signal aborts. */
  work: ReadonlyArray<(signal: AbortSignal) => Promise<void>>;
  onError: (error: unknown) => void;
}

/** Work beside requests that makes later answers fast, and without which they are the same. */
export class Preparation {
  readonly #options: PreparationOptions;
  #abort = new AbortController();
  /** Settles when all work that was begun has ended. */
  #running: Promise<void> = Promise.resolve();

  constructor(options: PreparationOptions) {
    this.#options = options;
  }

  /** Begins anew, as for a catalogue that has just become current; what still runs for the one before ends early. */
  begin(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    this.#running = this.#running.then(() => this.#run(signal));
  }

  /** Ends what runs. To be called when nobody begins anything any more. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    try {
      for (const step of this.#options.work) if (!signal.aborted) await step(signal);
    } catch (error) {
      this.#options.onError(error);
    }
  }
}
