import { useEffect, useState } from 'preact/hooks';
import { api } from '../core/api.ts';
import type { Changes } from '../core/interface-types.ts';
import { type Loaded, useLoaded } from '../core/use-loaded.ts';
import { type Compared, type Comparison, loadChanges, textOfComparison } from './comparison.ts';

/** Milliseconds until a comparison that runs is asked for again. */
const AGAIN = 2_000;

/** What two editions differ in; asks again while the service still compares them. Nothing without a comparison. */
export function useChanges(comparison: Comparison | null): Loaded<Compared> {
  const [tries, setTries] = useState(0);
  const key = comparison === null ? null : `${textOfComparison(comparison)} ${tries}`;
  const loaded = useLoaded(key, (signal) =>
    loadChanges(comparison!, (path) => api<Changes>(path, { signal })),
  );
  const isRunning = loaded.value?.state === 'comparing';
  useEffect(() => {
    if (!isRunning) return;
    const timer = setTimeout(() => setTries(tries + 1), AGAIN);
    return () => clearTimeout(timer);
  }, [isRunning, tries]);
  return loaded;
}
