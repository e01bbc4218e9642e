/**
 * What is at a place of the view. The click is answered by a ring there; looking comes after that frame, since the
 * first look compiles shaders.
 */

import type { Bounds } from '@citymodel/geo';
import { type Cartesian2, Cartographic, Cesium3DTileFeature, Math as CesiumMath, type Scene } from 'cesium';
import { afterFrame } from '../../core/after-frame.ts';

/** Around a click that lies in the mesh beside the one whose file has the building, degrees: some 30 m. */
const AROUND = 0.0003;

export interface Hit {
  feature: Cesium3DTileFeature;
  /** Longitude and latitude in degrees, and what lies around them; null where the machine reads no depth. */
  place: { at: [lng: number, lat: number]; around: Bounds } | null;
}

export class Picking {
  readonly #scene: Scene;
  readonly #ring = document.createElement('div');

  constructor(scene: Scene, container: HTMLElement) {
    this.#scene = scene;
    this.#ring.className = 'ring';
    container.append(this.#ring);
  }

  /** Shows a ring at once, and looks after the next frame. `look` does not run when the scene is gone by then. */
  answer(position: Cartesian2, look: () => void): void {
    const { style, classList } = this.#ring;
    style.left = `${position.x}px`;
    style.top = `${position.y}px`;
    classList.add('shown');
    afterFrame(() => {
      if (this.#scene.isDestroyed()) return;
      look();
      classList.remove('shown');
    });
  }

  /** The feature at a place of the screen, pixels from the upper left; null when none is there. */
  at(position: Cartesian2): Hit | null {
    const scene = this.#scene;
    const feature = scene.pick(position);
    if (!(feature instanceof Cesium3DTileFeature)) return null;
    const place = scene.pickPositionSupported ? scene.pickPosition(position) : undefined;
    if (place === undefined) return { feature, place: null };
    const { longitude, latitude } = Cartographic.fromCartesian(place);
    const lng = CesiumMath.toDegrees(longitude);
    const lat = CesiumMath.toDegrees(latitude);
    const around = { west: lng - AROUND, south: lat - AROUND, east: lng + AROUND, north: lat + AROUND };
    return { feature, place: { at: [lng, lat], around } };
  }

  destroy(): void {
    this.#ring.remove();
  }
}
