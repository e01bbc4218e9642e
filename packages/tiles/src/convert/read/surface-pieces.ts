/** Surfaces of a large feature in pieces of bounded size. */
import type { Surface } from '@citymodel/citygml';

/** Positions of a piece. */
const MOST_POSITIONS = 30_000;

export class SurfacePieces {
  readonly #take: (lod: number, surfaces: readonly Surface[]) => void;
  #lod = 0;
  #surfaces: Surface[] = [];
  #positions = 0;

  /** `take` gets each piece, whose surfaces are of one level of detail. */
  constructor(take: (lod: number, surfaces: readonly Surface[]) => void) {
    this.#take = take;
  }

  add(lod: number, surfaces: readonly Surface[]): void {
    if (lod !== this.#lod) this.flush();
    this.#lod = lod;
    for (const surface of surfaces) {
      this.#surfaces.push(surface);
      for (const { length } of surface.rings) this.#positions += length / 3;
    }
    if (this.#positions > MOST_POSITIONS) this.flush();
  }

  /** Hands the last piece on. */
  flush(): void {
    if (this.#surfaces.length > 0) this.#take(this.#lod, this.#surfaces);
    this.#surfaces = [];
    this.#positions = 0;
  }
}
