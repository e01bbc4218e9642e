/** Lets work of a limited weight run at once; the rest waits in the order in which it came. */
export class Gate {
  readonly #capacity: number;
  #free: number;
  readonly #waiting: Array<{ weight: number; begin: () => void }> = [];

  /** `capacity`: the sum of weights that may run at once, in any unit. */
  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#free = capacity;
  }

  /** Runs the work when there is room for it; work that is heavier than the capacity runs alone. Rejects as it does. */
  async run<T>(work: () => Promise<T>, weight = 1): Promise<T> {
    const taken = Math.min(weight, this.#capacity);
    if (this.#waiting.length === 0 && this.#free >= taken) this.#free -= taken;
    else await new Promise<void>((begin) => this.#waiting.push({ weight: taken, begin }));
    try {
      return await work();
    } finally {
      this.#free += taken;
      while (this.#waiting.length > 0 && this.#waiting[0]!.weight <= this.#free) {
        const { weight: next, begin } = this.#waiting.shift()!;
        this.#free -= next;
        begin();
      }
    }
  }
}
