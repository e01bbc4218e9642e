/**
 * What one request may cost. Every operation declares an allowance; its code counts before it does the work, and stops
 * with an error that says how to ask for less. Times are not counted: they depend on the machine, the three amounts do
 * not.
 */
import { ServiceError } from './errors.ts';

/** Amounts that one request of an operation may use. */
export interface Allowance {
  /** Candidates that are looked at: files, datasets, features, cells, list entries; times the conditions on each. */
  readonly items: number;
  /** Bytes of the answer, and of what it is made from, that are in memory at one time. */
  readonly bytesHeld: number;
  /** Bytes read from the stores, after decompression. */
  readonly bytesRead: number;
}

type Amount = keyof Allowance;

const WHAT: Record<Amount, (limit: number) => string> = {
  items: (limit) => `The request makes the server look at more than ${limit} entries`,
  bytesHeld: (limit) => `The answer needs more than ${limit} bytes of memory at once`,
  bytesRead: (limit) => `The request makes the server read more than ${limit} bytes`,
};

/** Counts what one request uses. */
export class RequestBudget {
  readonly #allowance: Allowance;
  readonly #advice: string;
  readonly #used: Record<Amount, number> = { items: 0, bytesHeld: 0, bytesRead: 0 };

  /** `advice`: a full sentence that says how to ask for less, such as "Ask for a smaller area or fewer types." */
  constructor(allowance: Allowance, advice: string) {
    this.#allowance = allowance;
    this.#advice = advice;
  }

  /** Charges `count` entries. Throws a ServiceError (400, `request too large`) when the allowance is passed. */
  items(count: number): void {
    this.#charge('items', count);
  }

  /** Charges bytes that are kept until the answer is sent. Throws as `items`, with 413. */
  hold(bytes: number): void {
    this.#charge('bytesHeld', bytes);
  }

  /** Gives held bytes back, once they are sent or dropped. */
  release(bytes: number): void {
    this.#used.bytesHeld = Math.max(0, this.#used.bytesHeld - bytes);
  }

  /** Charges bytes that are read from a store. Throws as `items`, with 413. */
  read(bytes: number): void {
    this.#charge('bytesRead', bytes);
  }

  /** What has been used so far, for the log. */
  get used(): Readonly<Record<Amount, number>> {
    return this.#used;
  }

  #charge(amount: Amount, count: number): void {
    this.#used[amount] += count;
    const limit = this.#allowance[amount];
    if (this.#used[amount] <= limit) return;
    throw new ServiceError(amount === 'items' ? 400 : 413, 'request too large', {
      reason: `${WHAT[amount](limit)}, which is the most that is accepted. ${this.#advice}`,
    });
  }
}
