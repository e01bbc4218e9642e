/** Whether the window has room for panels over map or model, or for one sheet alone. */
import { useEffect, useState } from 'preact/hooks';

/** As in the style sheets: upright phones, and windows that are low. */
const NARROW = '(max-width: 760px), (max-height: 520px)';

/** True for a window that is narrow or low; follows its size. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const media = matchMedia(NARROW);
    const look = () => setNarrow(media.matches);
    look();
    media.addEventListener('change', look);
    return () => media.removeEventListener('change', look);
  }, []);
  return isNarrow;
}
