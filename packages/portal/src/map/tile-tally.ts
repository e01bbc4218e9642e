/**
 * How the vector tiles of the map fare. MapLibre keeps quiet about tiles that are not there and asks for none again, so
 * the map fetches them itself and counts; a tile without content is no failure, the service answers it with 204.
 */

/** Addresses of vector tiles begin with this, so that the page fetches them itself. */
export const COUNTED = 'counted';

/** The addresses of tiles as the map asks for them. */
export function counted(tiles: readonly string[]): string[] {
  return tiles.map((url) => `${COUNTED}://${url}`);
}

export interface TileState {
  loaded: number;
  failed: number;
  /** True when the service did not answer at all. */
  offline: boolean;
}

/** A tile that is to be asked for again. */
export interface LostTile {
  /** Address of the tile. */
  url: string;
  z: number;
  x: number;
  y: number;
}

export class TileTally {
  readonly #loaded = new Set<string>();
  readonly #failed = new Map<string, { offline: boolean }>();
  readonly #tell: (state: TileState) => void;

  constructor(tell: (state: TileState) => void) {
    this.#tell = tell;
  }

  /** Fetches a tile. Throws when it does not come, or when the signal aborts it, which is no failure. */
  async fetch(url: string, signal: AbortSignal): Promise<ArrayBuffer> {
    let response: Response;
    try {
      response = await fetch(url, { signal });
    } catch (error) {
      if (!signal.aborted) this.#note(url, true);
      throw error;
    }
    if (!response.ok) {
      this.#note(url, false);
      throw new Error(`${response.status} for ${url}`);
    }
    const bytes = await response.arrayBuffer();
    this.#failed.delete(url);
    this.#loaded.add(url);
    this.#say();
    return bytes;
  }

  /**
   * Forgets the tiles of sources that are no longer drawn. `templates`: addresses with `{z}/{x}/{y}` of those that are.
   */
  keep(templates: readonly string[]): void {
    const starts = templates.map(startOf);
    const isDrawn = (url: string) => starts.some((start) => url.startsWith(start));
    for (const url of [...this.#loaded, ...this.#failed.keys()]) {
      if (isDrawn(url)) continue;
      this.#loaded.delete(url);
      this.#failed.delete(url);
    }
    this.#say();
  }

  /** The tiles that failed; they count no longer until they have been asked for again. */
  takeFailed(): LostTile[] {
    const lost = [...this.#failed.keys()].flatMap((url) => {
      const found = /\/(\d+)\/(\d+)\/(\d+)\.\w+$/.exec(url);
      if (found === null) return [];
      const [z, x, y] = found.slice(1).map(Number) as [number, number, number];
      return [{ url, z, x, y }];
    });
    this.#failed.clear();
    this.#say();
    return lost;
  }

  #note(url: string, offline: boolean): void {
    this.#loaded.delete(url);
    this.#failed.set(url, { offline });
    this.#say();
  }

  #say(): void {
    const failures = [...this.#failed.values()];
    this.#tell({
      loaded: this.#loaded.size,
      failed: failures.length,
      offline: failures.length > 0 && failures.every(({ offline }) => offline),
    });
  }
}

/** What the addresses of all tiles of a source begin with. */
export function startOf(template: string): string {
  return template.slice(0, template.indexOf('{z}'));
}
