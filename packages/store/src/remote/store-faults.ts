/** What the errors of a store mean, whatever library throws them. */
import { StoreUnavailable } from '../catalogue-store.ts';

/** What an error of a store says. */
export interface FaultFacts {
  /** HTTP status; undefined when there was no answer. */
  status: number | undefined;
  /** The store's word for it, such as `NoSuchKey`, or that of the system. */
  code: string;
}

/** How one kind of stores says things. */
export interface FaultWords {
  read(error: unknown): FaultFacts;
  /** 404 with this word is about the place of all objects. */
  placeMissing: string;
  /** An object of the key is there, besides 412. */
  exists?: string;
  /** The upload of parts is not known (any more). */
  uploadGone: string;
  /** What an operator can do about errors that do not pass, by word or status. */
  advice: Record<string | number, string>;
}

export class StoreFaults {
  readonly #words: FaultWords;

  constructor(words: FaultWords) {
    this.#words = words;
  }

  /** HTTP status of a refused request; undefined when there was no answer. */
  statusOf(error: unknown): number | undefined {
    return this.#words.read(error).status;
  }

  /** True when an object is not there; false when its place is not. */
  isMissing(error: unknown): boolean {
    const { status, code } = this.#words.read(error);
    return status === 404 && code !== this.#words.placeMissing;
  }

  /** True for an answer that a condition on the entity tag does not hold. */
  isChanged(error: unknown): boolean {
    return this.statusOf(error) === 412;
  }

  /** True for an answer that an object of the key is there, where none must be. */
  isTaken(error: unknown): boolean {
    const { status, code } = this.#words.read(error);
    return status === 412 || (status === 409 && code === this.#words.exists);
  }

  isUploadGone(error: unknown): boolean {
    return this.#words.read(error).code === this.#words.uploadGone;
  }

  /**
   * True for a loss that asking again may mend: no answer, a cut line, a time-out, a fault or a throttle of the store.
   */
  isPassing(error: unknown): boolean {
    const status = this.statusOf(error);
    if (status !== undefined && status >= 300) return status >= 500 || status === 429 || status === 408;
    return true;
  }

  /** StoreUnavailable for whatever the store, or the way to it, could not do; says what, without addresses and keys. */
  unavailable(error: unknown, doing: string): StoreUnavailable {
    if (error instanceof StoreUnavailable) return error;
    const { status, code } = this.#words.read(error);
    const { advice } = this.#words;
    const why = isTimeout(error)
      ? 'it did not answer in time'
      : (advice[code] ?? advice[status ?? 0] ?? (error as { code?: string }).code ?? code);
    const answer = status === undefined || status < 300 ? '' : ` (${status} ${code})`;
    return new StoreUnavailable(`the object store cannot ${doing}: ${why}${answer}`, { cause: error, why });
  }
}

/** True when nothing came for as long as one waits. */
export function isTimeout(error: unknown): boolean {
  const { name, code } = error as Error & { code?: unknown };
  return name === 'TimeoutError' || name === 'AbortError' || code === 'ETIMEDOUT';
}
