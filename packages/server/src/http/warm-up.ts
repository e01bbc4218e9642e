/**
 * Does work beside requests that makes later answers fast, and without which they are the same: one step after the
 * other until one throws. `stop` aborts the signal of the steps and resolves when nothing runs any more.
 */
export function warmUp(
  steps: ReadonlyArray<(signal: AbortSignal) => Promise<void>>,
  onError: (error: unknown) => void,
): { stop(): Promise<void> } {
  const controller = new AbortController();
  const { signal } = controller;
  const run = async () => {
    for (const step of steps) if (!signal.aborted) await step(signal);
  };
  const running = run().catch(onError);
  return {
    async stop() {
      controller.abort();
      await running;
    },
  };
}
