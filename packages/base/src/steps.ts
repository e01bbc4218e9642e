/**
 * Work in steps: a generator that yields where others may go first, so that the same code runs at once or in slices.
 */
import type { Slices } from './turns.ts';

/** Work that may stop where it yields, and returns its result. */
export type Steps<T> = Generator<undefined, T, void>;

/** The result of all steps, one after the other. Throws what the steps throw. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * The result, with a pause between steps wherever a slice is due to end. Rejects with what the steps or a pause throw.
 */
export async function inSlices<T>(steps: Steps<T>, slices: Slices): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (slices.due()) await slices.pause();
  }
}
