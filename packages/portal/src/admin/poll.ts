/**
 * Runs `look` at once, and then again so many ms after each came to its end. The returned function ends it.
 * A slow answer is waited for: the next look never overtakes it. While nobody sees the page nothing is asked for.
 */
export function poll(look: () => Promise<void>, every: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  const next = async (isFirst = false) => {
    try {
      if (isFirst || document.visibilityState === 'visible') await look();
    } finally {
      if (!isStopped) timer = setTimeout(next, every);
    }
  };
  void next(true);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
