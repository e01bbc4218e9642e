import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { AdminFailure, admin } from './admin-api.ts';
import { poll } from './poll.ts';

/**
 * What a path answers, asked for again so many ms after each answer, and at once by `look`. The last answer stays while
 * a newer one is on its way or fails; `onRefused` is told when the token is no longer taken.
 */
export function usePolled<T>(
  path: string,
  every: number,
  onRefused: () => void,
): { value: T | null; failure: string | null; look: () => void } {
  const [value, setValue] = useState<T | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const latest = useRef(0);
  const look = useCallback(async () => {
    const turn = ++latest.current;
    try {
      const answer = await admin<T>(path);
      // An answer that was overtaken says nothing any more.
      if (turn !== latest.current) return;
      setValue(answer);
      setFailure(null);
    } catch (error) {
      if (!(error instanceof AdminFailure)) throw error;
      if (error.status === 401) onRefused();
      else if (turn === latest.current) setFailure(error.message);
    }
  }, [path, onRefused]);
  useEffect(() => poll(look, every), [look, every]);
  return { value, failure, look };
}
