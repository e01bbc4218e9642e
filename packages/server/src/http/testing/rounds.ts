/** Rounds of the event loop, for tests of what lets others go between. */
import { setImmediate } from 'node:timers';

/** Counts rounds until it is disposed of. */
export class Rounds implements Disposable {
  /** Rounds that have begun. */
  now = 0;
  #next = setImmediate(() => this.#begin());

  #begin(): void {
    this.now++;
    this.#next = setImmediate(() => this.#begin());
  }

  [Symbol.dispose](): void {
    clearImmediate(this.#next);
  }
}
