/** Does something every so often, one after the other, until stopped. */
export class Repeated {
  readonly #timer: NodeJS.Timeout;
  #going: Promise<void> | null = null;

  /** `work` must not throw. A turn that comes while it goes on is left out. */
  constructor(everyMs: number, work: () => Promise<void>) {
    this.#timer = setInterval(() => {
      this.#going ??= work().finally(() => {
        this.#going = null;
      });
    }, everyMs);
  }

  /** Resolves when nothing goes on any more. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#going;
  }
}
