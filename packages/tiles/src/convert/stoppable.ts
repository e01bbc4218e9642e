/**
 * Work that blocks its thread, in slices, so that it can be stopped there: a conversion without threads of its own, or
 * one in a worker.
 */
import { setImmediate } from 'node:timers/promises';
import { Slices } from '@citymodel/base';

/** Milliseconds of work between two looks at the signal. */
const SLICE_MS = 100;

/**
 * Slices of long work; a pause throws the reason of the signal once it is stopped. What the work gives does not depend
 * on them.
 */
export function stoppable(signal: AbortSignal): Slices {
  const pause = async () => {
    signal.throwIfAborted();
    await setImmediate();
    signal.throwIfAborted();
  };
  return new Slices(pause, SLICE_MS);
}
