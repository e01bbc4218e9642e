/** The summary of the catalogue in a component. */
import { loadSummary } from './data.ts';
import { signal, useSignal } from './signal.ts';
import type { Summary } from './summary.ts';
import { type Loaded, useLoaded } from './use-loaded.ts';

const tries = signal(0);

/** A person who asks again asks for all who use it. With `isWanted` false nothing is asked for. */
export function useSummary(isWanted = true): Loaded<Summary> {
  const now = useSignal(tries);
  const loaded = useLoaded(isWanted ? `summary ${now}` : null, loadSummary);
  return { ...loaded, retry };
}

function retry(): void {
  tries.set(tries.get() + 1);
}
