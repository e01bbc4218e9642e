/** What comes after the frame that answers. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { options } from 'preact';

/** Frames of a browser that come when the test says so, and its timers. */
function useFrames(t: TestContext): { frame(): void } {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const browser = globalThis as { requestAnimationFrame?: unknown; cancelAnimationFrame?: unknown };
  const waiting = new Map<number, () => void>();
  let last = 0;
  browser.requestAnimationFrame = (run: () => void) => {
    waiting.set(++last, run);
    return last;
  };
  browser.cancelAnimationFrame = (id: number) => waiting.delete(id);
  t.after(() => {
    delete browser.requestAnimationFrame;
    delete browser.cancelAnimationFrame;
  });
  return {
    frame() {
      const all = [...waiting.values()];
      waiting.clear();
      for (const run of all) run();
      t.mock.timers.tick(0);
    },
  };
}

test('effects wait for the frame, and for no frame of a page that nobody sees', async (t) => {
  const browser = useFrames(t);
  await import('../portal/src/ui/after-frame.ts');
  let runs = 0;
  options.requestAnimationFrame!(() => runs++);
  t.mock.timers.tick(400);
  assert.equal(runs, 0);
  browser.frame();
  assert.equal(runs, 1);
  options.requestAnimationFrame!(() => runs++);
  t.mock.timers.tick(1_000);
  t.mock.timers.tick(0);
  browser.frame();
  assert.equal(runs, 2);
});
