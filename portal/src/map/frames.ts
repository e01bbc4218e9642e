/**
 * When the map draws. A frame of the map takes longer than all else that the page does. So the page answers a key or click beside the map
 * first, and the map draws in a later frame. Data that has changed is drawn once, when all its tiles have come, not with each.
 */
import type { Map as GlMap } from 'maplibre-gl';

/** Milliseconds that data may hold back what has come of it. */
const PATIENCE = 250;
/** Milliseconds of a frame from which on the map jumps, because it would stutter where it flies. */
const STUTTERS = 24;
/** Share of the newest frame in the mean of all. */
const NEWEST = 0.3;
const INPUTS = ['keydown', 'pointerdown', 'click', 'change'] as const;

export class Frames {
  readonly #map: GlMap;
  /** Changes that are drawn together, by the name of their source. */
  readonly #awaited = new Set<string>();
  readonly #listeners = new AbortController();
  #answers = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isMissing = false;
  #mean = 0;

  /** `page`: where keys and clicks arrive. */
  constructor(map: GlMap, page: EventTarget = window) {
    this.#map = map;
    const draw = map._render.bind(map);
    map._render = (time: number) => {
      if (this.#isHeld) this.#isMissing = true;
      else {
        const start = performance.now();
        draw(time);
        this.#mean += NEWEST * (performance.now() - start - this.#mean);
      }
      return map;
    };
    map.on('sourcedata', ({ sourceId }) => {
      if (this.#awaited.has(sourceId) && map.isSourceLoaded(sourceId)) this.#arrived(sourceId);
    });
    const { signal } = this.#listeners;
    for (const name of INPUTS) {
      page.addEventListener(name, (event) => this.#answer(event), { capture: true, passive: true, signal });
    }
  }

  /** True where a flight would be a row of still pictures. */
  get stutters(): boolean {
    return this.#mean > STUTTERS;
  }

  /** Lets the map wait for all tiles of a source whose data is about to change. */
  wait(source: string): void {
    this.#awaited.add(source);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#awaited.clear();
      this.#catchUp();
    }, PATIENCE);
  }

  destroy(): void {
    this.#listeners.abort();
    clearTimeout(this.#timer);
  }

  get #isHeld(): boolean {
    // A movement is worth more than what is new in it.
    return this.#answers || (this.#awaited.size > 0 && !this.#map.isMoving());
  }

  #arrived(source: string): void {
    this.#awaited.delete(source);
    if (this.#awaited.size === 0) clearTimeout(this.#timer);
    this.#catchUp();
  }

  #answer(event: Event): void {
    // What is done to the map itself, the map answers.
    if (this.#answers || event.composedPath().includes(this.#map.getContainer())) return;
    this.#answers = true;
    // After the frame that shows the answer.
    requestAnimationFrame(() =>
      setTimeout(() => {
        this.#answers = false;
        this.#catchUp();
      }),
    );
  }

  #catchUp(): void {
    if (this.#isHeld || !this.#isMissing) return;
    this.#isMissing = false;
    this.#map.triggerRepaint();
  }
}
