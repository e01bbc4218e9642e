/** Which land the map draws: from afar all of it, near by the fine coasts around the view. */
import type { Bounds } from '@citymodel/geo';
import type { FeatureCollection } from 'geojson';
import { around, COAST_ZOOM, reachesBeyond, type Shores } from './shores.ts';

/** How many zooms earlier than they are drawn the two lands are there. */
const AHEAD = 0.5;

/** What draws them. */
export interface LandMap {
  drawLand(address: string): void;
  drawCoast(coast: FeatureCollection): void;
  /** There are no fine coasts: the land that is drawn from afar has to do near by, too. */
  doWithoutCoast(): void;
}

/** Each land is fetched, and cut into tiles, when the first view needs it. */
export class Land {
  readonly #address: string;
  readonly #load: () => Promise<Shores>;
  readonly #map: LandMap;
  #isFarDrawn = false;
  /** Undefined before somebody has looked closely, null where the coasts could not be fetched. */
  #shores: Shores | 'loading' | null | undefined;
  /** Where the coasts that are drawn end. */
  #drawn: Bounds | null = null;
  /** What draws the newest view; null before there is one, and after the end. */
  #again: (() => void) | null = null;

  /** The address of the land from afar, what fetches the fine coasts, and the map. */
  constructor(address: string, load: () => Promise<Shores>, map: LandMap) {
    this.#address = address;
    this.#load = load;
    this.#map = map;
  }

  /** Whether the coasts of the view are on their way. */
  get isLoading(): boolean {
    return this.#shores === 'loading';
  }

  /** Draws what a view needs that is not drawn yet. */
  follow(view: Bounds, zoom: number): void {
    this.#again = () => this.follow(view, zoom);
    if (zoom < COAST_ZOOM + AHEAD || this.#shores === null) this.#drawFar();
    if (zoom < COAST_ZOOM - AHEAD || this.#shores === 'loading' || this.#shores === null) return;
    if (this.#shores === undefined) {
      this.#fetch();
      return;
    }
    if (this.#drawn !== null && !reachesBeyond(view, this.#drawn)) return;
    this.#drawn = around(view);
    this.#map.drawCoast(this.#shores.within(this.#drawn));
  }

  /** Draws nothing any more. */
  end(): void {
    this.#again = null;
  }

  #drawFar(): void {
    if (this.#isFarDrawn) return;
    this.#isFarDrawn = true;
    this.#map.drawLand(this.#address);
  }

  #fetch(): void {
    this.#shores = 'loading';
    this.#load().then(
      (shores) => {
        this.#shores = shores;
        this.#again?.();
      },
      () => {
        this.#shores = null;
        if (this.#again === null) return;
        this.#map.doWithoutCoast();
        this.#again();
      },
    );
  }
}
