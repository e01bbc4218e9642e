/** Lets work of a limited weight run at once; the rest waits in the order in which it came. */
export class ConcurrencyLimit {
  readonly #capacity: number;
  #free: number;
  readonly #waiting: Array<{ weight: number; begin: () => void }> = [];

  /** `capacity`: the sum of weights that may run at once, in any unit. */
  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#free = capacity;
  }

  /** The sum of weights that run now. */
  get inUse(): number {
    return this.#capacity - this.#free;
  }

  /** Works that wait for room. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Runs the work when there is room for it; work that is heavier than the capacity runs alone. Rejects as it does. */
  async run<T>(work: () => Promise<T>, weight = 1): Promise<T> {
    if (!this.tryEnter(weight)) await this.enter(weight);
    try {
      return await work();
    } finally {
      this.leave(weight);
    }
  }

  /** Enters when there is room now and nobody waits; false otherwise. Who enters has to leave with the same weight. */
  tryEnter(weight = 1): boolean {
    const share = Math.min(weight, this.#capacity);
    if (this.#waiting.length > 0 || this.#free < share) return false;
    this.#free -= share;
    return true;
  }

  /** Resolves when the caller has entered. */
  async enter(weight = 1): Promise<void> {
    if (this.tryEnter(weight)) return;
    const share = Math.min(weight, this.#capacity);
    await new Promise<void>((begin) => this.#waiting.push({ weight: share, begin }));
  }

  leave(weight = 1): void {
    this.#free += Math.min(weight, this.#capacity);
    while (this.#waiting.length > 0 && this.#waiting[0]!.weight <= this.#free) {
      const { weight: next, begin } = this.#waiting.shift()!;
      this.#free -= next;
      begin();
    }
  }
}

/** One caller's way through a limit, for work that learns only on its way that it has to enter. */
export class Pass implements Disposable {
  readonly #limit: ConcurrencyLimit;
  #isInside = false;

  constructor(limit: ConcurrencyLimit) {
    this.#limit = limit;
  }

  get isInside(): boolean {
    return this.#isInside;
  }

  /** Enters when there is room now; false otherwise. */
  tryEnter(): boolean {
    this.#isInside ||= this.#limit.tryEnter();
    return this.#isInside;
  }

  /** Resolves when the caller has entered. */
  async enter(): Promise<void> {
    if (this.#isInside) return;
    await this.#limit.enter();
    this.#isInside = true;
  }

  /** Leaves, when the caller has entered. */
  [Symbol.dispose](): void {
    if (this.#isInside) this.#limit.leave();
    this.#isInside = false;
  }
}
