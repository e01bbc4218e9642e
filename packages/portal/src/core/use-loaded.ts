import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** What a request has come to. `value` stays while it is asked for again, so that nothing jumps. */
export interface Loaded<T> {
  value: T | null;
  error: unknown;
  loading: boolean;
  retry(): void;
}

/**
 * Runs `load` whenever `key` changes and aborts what ran before; with a null key nothing is asked for and there is
 * no value.
 */
export function useLoaded<T>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<T>,
  { keep = true }: { keep?: boolean } = {},
): Loaded<T> {
  const [value, setValue] = useState<T | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [loading, setLoading] = useState(key !== null);
  const [tries, setTries] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  // The key stands for what is loaded, tries for asking again
  useEffect(() => {
    setError(null);
    setLoading(key !== null);
    if (key === null || !keep) setValue(null);
    if (key === null) return;
    const abort = new AbortController();
    latest.current(abort.signal).then(
      (loaded) => {
        if (abort.signal.aborted) return;
        setValue(loaded);
        setLoading(false);
      },
      (failure) => {
        if (abort.signal.aborted) return;
        setValue(null);
        setError(failure);
        setLoading(false);
      },
    );
    return () => abort.abort();
  }, [key, tries]);
  const retry = useCallback(() => setTries((n) => n + 1), []);
  return { value, error, loading, retry };
}
