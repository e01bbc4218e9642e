/** Clicks and keys on the view. */
import { Cartesian2, type Scene, ScreenSpaceEventHandler, ScreenSpaceEventType } from 'cesium';
import { type Move, moveOfKey } from './camera-control.ts';
import { type Hit, Picking } from './picking.ts';

export interface PointerEvents {
  /** A place was clicked, or asked for by a key, pixels from the upper left. */
  onPlace(position: Cartesian2): void;
  onMove(move: Move): void;
}

export class Pointer {
  readonly #canvas: HTMLCanvasElement;
  readonly #events: PointerEvents;
  readonly #handler: ScreenSpaceEventHandler;
  readonly #picking: Picking;

  constructor(scene: Scene, container: HTMLElement, events: PointerEvents) {
    this.#canvas = scene.canvas;
    this.#events = events;
    this.#picking = new Picking(scene, container);
    this.#handler = new ScreenSpaceEventHandler(scene.canvas);
    this.#handler.setInputAction(
      ({ position }: { position: Cartesian2 }) => this.#ask(position),
      ScreenSpaceEventType.LEFT_CLICK,
    );
    scene.canvas.addEventListener('keydown', (event) => this.#onKey(event));
  }

  /** Asks what is in the middle of the view, for those who have no pointer. */
  askMiddle(): void {
    const { clientWidth, clientHeight } = this.#canvas;
    this.#ask(new Cartesian2(clientWidth / 2, clientHeight / 2));
  }

  /** The feature at a place of the screen; null when none is there. */
  at(position: Cartesian2): Hit | null {
    return this.#picking.at(position);
  }

  destroy(): void {
    this.#handler.destroy();
    this.#picking.destroy();
  }

  #ask(position: Cartesian2): void {
    // CesiumJS uses its position again.
    const place = Cartesian2.clone(position);
    this.#picking.answer(place, () => this.#events.onPlace(place));
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      this.askMiddle();
      return;
    }
    const move = moveOfKey(event.key, event.shiftKey);
    if (move === null) return;
    event.preventDefault();
    this.#events.onMove(move);
  }
}
