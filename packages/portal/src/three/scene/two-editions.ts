/** Two editions of a model in one scene: as one city, or on two sides of a border across the view. */
import { type Scene, SplitDirection } from 'cesium';
import type { EditionLook } from '../editions.ts';
import type { Painter } from './paint.ts';
import type { SceneModel } from './scene-model.ts';
import type { Tilesets } from './tilesets.ts';

export interface SceneEditions {
  /** Id of the model of the older one. */
  older: string;
  look: EditionLook;
  /** Per cent of the width, from the left, that the older one has; null: both lie in one place. */
  border: number | null;
}

export class TwoEditions {
  readonly #scene: Scene;
  readonly #tilesets: Tilesets;
  readonly #painter: Painter;
  #editions: SceneEditions | null = null;

  constructor(scene: Scene, tilesets: Tilesets, painter: Painter) {
    this.#scene = scene;
    this.#tilesets = tilesets;
    this.#painter = painter;
  }

  get areShown(): boolean {
    return this.#editions !== null;
  }

  /** Takes other editions, null for none; false when there were none before either. */
  set(editions: SceneEditions | null): boolean {
    if (editions === null && this.#editions === null) return false;
    // A border that moves changes no feature.
    if (editions?.look !== this.#editions?.look) this.#painter.look = editions?.look ?? null;
    this.#editions = editions;
    return true;
  }

  /** Puts what is there on its side of the border; anew after models have come. @param main the newer edition */
  split(main: SceneModel | null): void {
    const { older = null, border = null } = this.#editions ?? {};
    this.#painter.older = undefined;
    for (const [model, tileset] of this.#tilesets) {
      const isOlder = model.id === older;
      if (isOlder) this.#painter.older = tileset;
      const side = isOlder
        ? SplitDirection.LEFT
        : model === main
          ? SplitDirection.RIGHT
          : SplitDirection.NONE;
      tileset.splitDirection = border === null ? SplitDirection.NONE : side;
    }
    this.#scene.splitPosition = (border ?? 0) / 100;
  }
}
