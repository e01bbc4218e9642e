import { useEffect, useState } from 'preact/hooks';

/**
 * What `value` was before, until the frame that answers a click has come: for what need not be in it, such as rows that
 * are out of sight.
 */
export function useLater<T>(value: T): T {
  const [later, setLater] = useState(() => value);
  // Effects come after the frame.
  useEffect(() => setLater(() => value), [value]);
  return later;
}
