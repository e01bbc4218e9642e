/** What the portal draws first: the answer to a key or click, then the map. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { options } from 'preact';
import { Frames } from '../portal/src/map/frames.ts';

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

/** As much of a map as draws. */
class FakeMap {
  drawn = 0;
  asked = 0;
  moving = false;
  loaded = true;
  readonly container = new EventTarget();
  #heard: (event: { sourceId: string }) => void = () => {};

  _render(_time: number): this {
    this.drawn++;
    return this;
  }
  triggerRepaint(): void {
    this.asked++;
  }
  isMoving(): boolean {
    return this.moving;
  }
  isSourceLoaded(): boolean {
    return this.loaded;
  }
  getContainer(): EventTarget {
    return this.container;
  }
  on(_name: string, heard: (event: { sourceId: string }) => void): void {
    this.#heard = heard;
  }
  arrive(sourceId: string): void {
    this.#heard({ sourceId });
  }
}

function framesOf(map: FakeMap, page = new EventTarget()): Frames {
  return new Frames(map as never, page);
}

test('the map draws after the frame that answers a key or click', (t) => {
  const browser = useFrames(t);
  const page = new EventTarget();
  const map = new FakeMap();
  const frames = framesOf(map, page);
  page.dispatchEvent(new Event('click'));
  map._render(0);
  assert.equal(map.drawn, 0);
  browser.frame();
  assert.equal(map.asked, 1);
  map._render(1);
  assert.equal(map.drawn, 1);

  // What is done to the map itself it answers at once.
  map.container.addEventListener('click', (event) => {
    page.dispatchEvent(
      Object.defineProperty(new Event('click'), 'composedPath', { value: () => event.composedPath() }),
    );
  });
  map.container.dispatchEvent(new Event('click'));
  map._render(2);
  assert.equal(map.drawn, 2);

  frames.destroy();
  page.dispatchEvent(new Event('keydown'));
  map._render(3);
  assert.equal(map.drawn, 3);
});

test('data that has changed is drawn once, when all of it has come, and never holds a movement up', (t) => {
  useFrames(t);
  const map = new FakeMap();
  const frames = framesOf(map);
  map.loaded = false;
  frames.wait('cities');
  map.arrive('cities');
  map._render(0);
  map.moving = true;
  map._render(1);
  assert.equal(map.drawn, 1);
  map.moving = false;
  map._render(2);
  map.loaded = true;
  map.arrive('names');
  assert.equal(map.asked, 0);
  map.arrive('cities');
  assert.equal(map.asked, 1);
  map._render(3);
  assert.equal(map.drawn, 2);

  // Data that does not come is not waited for.
  frames.wait('cities');
  map._render(4);
  assert.equal(map.drawn, 2);
  t.mock.timers.tick(1_000);
  assert.equal(map.asked, 2);
  map._render(5);
  assert.equal(map.drawn, 3);
});

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
