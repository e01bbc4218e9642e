/**
 * Says at once that a store does not answer, where that is known already. Otherwise each caller would find it out by
 * waiting, and hold a place meanwhile.
 *
 *   open ──SHUT_AFTER tries without any answer, for SHUT_AFTER_MS──▶ shut
 *   shut ──looked at every LOOK_EVERY_MS, answers──▶ open
 *
 * Work that nobody waits for passes a shut gate, and opens it too when it gets an answer.
 */
import { isAwaited } from '@citymodel/base';
import { StoreUnavailable } from '../catalogue-store.ts';

/** Tries that follow each other, none of which was answered. */
const SHUT_AFTER = 3;
/** Since the first of them began, ms: a store that cuts a few lines is asked again. */
const SHUT_AFTER_MS = 1_000;
/** Pause between two looks, ms. */
const LOOK_EVERY_MS = 500;

export class StoreGate {
  readonly #look: () => Promise<unknown>;
  #unanswered = 0;
  /** When the first try that was not answered began, ms of the process's clock. */
  #since = 0;
  #isShut = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | null = null;

  /** `look` asks the store for little, and rejects when it does not answer soon. */
  constructor(look: () => Promise<unknown>) {
    this.#look = look;
  }

  get isShut(): boolean {
    return this.#isShut;
  }

  /** Throws StoreUnavailable for who is awaited while the store does not answer. */
  check(): void {
    if (!this.#isShut || !isAwaited()) return;
    throw new StoreUnavailable('the object store does not answer, as others found out', {
      why: 'it does not answer',
    });
  }

  /** The store answered, whatever it said. */
  answered(): void {
    this.#unanswered = 0;
    this.#isShut = false;
  }

  /** Nothing came of a try that began at a time of the process's clock, ms. */
  failed(begun: number): void {
    if (this.#unanswered++ === 0) this.#since = begun;
    if (this.#isShut || this.#unanswered < SHUT_AFTER || performance.now() - this.#since < SHUT_AFTER_MS)
      return;
    this.#isShut = true;
    this.#lookLater();
  }

  /** Looks no more. */
  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #lookLater(): void {
    if (this.#isClosed || !this.#isShut) return;
    this.#timer = setTimeout(async () => {
      await this.#look().then(
        () => this.answered(),
        () => this.#lookLater(),
      );
    }, LOOK_EVERY_MS).unref();
  }
}
