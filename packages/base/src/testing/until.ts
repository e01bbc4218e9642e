import { setTimeout } from 'node:timers/promises';

/** Far longer than anything takes that a test waits for, on a machine that is busy, too. */
const PATIENCE_MS = 60_000;

/** Waits until something is so, and leaves the processor to what it waits for. Throws after a minute. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const begun = performance.now(); !(await isSo()); await setTimeout(2)) {
    if (performance.now() - begun > PATIENCE_MS) throw new Error(`This never became true: ${isSo}`);
  }
}
