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
  await import('../packages/portal/src/core/after-frame.ts');
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

test('the history is written after the frame, each entry once, and before the page is left', async (t) => {
  const browser = useFrames(t);
  const page = globalThis as Record<string, unknown>;
  const listeners = new Map<string, () => void>();
  const written: string[] = [];
  const location = { pathname: '/', search: '', origin: 'http://portal.example' };
  const write = (how: string) => (_state: unknown, _title: string, address: string) => {
    written.push(`${how} ${address}`);
    location.search = new URL(address, location.origin).search;
  };
  Object.assign(page, {
    location,
    history: { pushState: write('push'), replaceState: write('replace') },
    document: { getElementById: () => null },
    addEventListener: (name: string, listener: () => void) => listeners.set(name, listener),
  });
  t.after(() => {
    for (const name of ['location', 'history', 'document', 'addEventListener']) delete page[name];
  });
  const { current, update } = await import('../packages/portal/src/core/store.ts');
  update({ shown: '3d' });
  assert.equal(current().shown, '3d');
  assert.deepEqual(written, []);
  update({ pref: '13' }, { push: true });
  update({ shown: null });
  browser.frame();
  assert.deepEqual(written, ['replace /?shown=3d', 'push /?pref=13']);

  update({ view: 'datasets' }, { push: true });
  listeners.get('pagehide')!();
  assert.deepEqual(written.slice(2), ['push /?view=datasets&pref=13']);
  browser.frame();
  assert.equal(written.length, 3);

  update({ view: 'basket' }, { push: true });
  listeners.get('popstate')!();
  browser.frame();
  assert.equal(current().view, 'datasets');
  assert.equal(written.length, 3);
});
