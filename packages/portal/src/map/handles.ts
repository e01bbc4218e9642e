/**
 * Handles at the corners of an area: dragged by mouse, pen or finger, moved by arrow keys.
 *
 *   idle ── drag, arrow key, Delete ──▶ a change, which "Undo" takes back ── "Done", Escape ──▶ ended
 */
import { type Map as GlMap, Marker } from 'maplibre-gl';
import type { Area, Position } from '../core/area.ts';
import { areaOfCorners, type Corners, cornersOf, moveCorner, removeCorner } from './corners.ts';

/** Pixels that an arrow key moves a corner, alone and with Shift. */
const STEP = 8;
const LONG_STEP = 40;

const ARROWS: Record<string, readonly [x: number, y: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export interface Handling {
  /** Name of a corner for those who do not see it. */
  nameOf(index: number, all: number): string;
  help: string;
  /** While a corner is dragged. */
  onSketch(area: Area): void;
  onChange(area: Area): void;
  /** By Escape. */
  onEnd(): void;
}

export class Handles {
  readonly #map: GlMap;
  readonly #handling: Handling;
  #corners: Corners;
  #markers: Marker[] = [];

  constructor(map: GlMap, area: Area, handling: Handling) {
    this.#map = map;
    this.#handling = handling;
    this.#corners = cornersOf(area)!;
    this.#place();
  }

  /** Puts the handles on an area of the same kind. */
  show(area: Area): void {
    this.#corners = cornersOf(area)!;
    this.#place();
  }

  focus(index = 0): void {
    this.#markers[index]?.getElement().focus({ preventScroll: true });
  }

  remove(): void {
    for (const marker of this.#markers) marker.remove();
    this.#markers = [];
  }

  #place(): void {
    const { positions } = this.#corners;
    if (this.#markers.length !== positions.length) {
      this.remove();
      this.#markers = positions.map((position, i) => this.#marker(position, i, positions.length));
    }
    for (const [i, marker] of this.#markers.entries()) marker.setLngLat(asPair(positions[i]!));
  }

  #marker(position: Position, index: number, all: number): Marker {
    const element = document.createElement('button');
    element.type = 'button';
    element.className = 'corner';
    element.setAttribute('aria-label', this.#handling.nameOf(index, all));
    element.setAttribute('aria-description', this.#handling.help);
    element.addEventListener('keydown', (event) => this.#onKey(event, index));
    const marker = new Marker({ element, draggable: true });
    marker.setLngLat(asPair(position)).addTo(this.#map);
    const take = () => {
      const { lng, lat } = marker.getLngLat();
      this.#corners = moveCorner(this.#corners, index, [lng, lat]);
      this.#place();
      return areaOfCorners(this.#corners);
    };
    marker.on('drag', () => {
      const area = take();
      if (area !== null) this.#handling.onSketch(area);
    });
    marker.on('dragend', () => {
      const area = take();
      if (area !== null) this.#handling.onChange(area);
    });
    return marker;
  }

  #onKey(event: KeyboardEvent, index: number): void {
    const arrow = ARROWS[event.key];
    let next = this.#corners;
    if (arrow !== undefined) {
      const step = event.shiftKey ? LONG_STEP : STEP;
      const { x, y } = this.#map.project(asPair(this.#corners.positions[index]!));
      const { lng, lat } = this.#map.unproject([x + arrow[0] * step, y + arrow[1] * step]);
      next = moveCorner(next, index, [lng, lat]);
    } else if (event.key === 'Delete' || event.key === 'Backspace') next = removeCorner(next, index);
    else if (event.key === 'Escape') this.#handling.onEnd();
    else return;
    // The keys are not for the map.
    event.preventDefault();
    event.stopPropagation();
    const area = next === this.#corners ? null : areaOfCorners(next);
    if (area === null) return;
    this.#corners = next;
    this.#place();
    this.focus(Math.min(index, next.positions.length - 1));
    this.#handling.onChange(area);
  }
}

function asPair([lng, lat]: Position): [number, number] {
  return [lng, lat];
}
