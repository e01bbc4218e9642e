/** How the tiles of the view fare: what arrived, what failed, and why. */

/** `offline`: no answer at all. `missing`: the server says that there is no such tile. `broken`: anything else. */
export type TileTrouble = 'offline' | 'missing' | 'broken';

export interface TileState {
  loaded: number;
  failed: number;
  /** The commonest reason; null without failures. */
  trouble: TileTrouble | null;
}

export class TileCount {
  readonly #loaded = new Set<string>();
  readonly #failed = new Map<string, TileTrouble>();

  arrived(url: string): void {
    this.#loaded.add(url);
    this.#failed.delete(url);
  }

  failed(url: string, message: string): void {
    this.#failed.set(url, troubleOf(message));
  }

  clear(): void {
    this.#loaded.clear();
    this.#failed.clear();
  }

  get state(): TileState {
    const counts = { offline: 0, missing: 0, broken: 0 };
    for (const trouble of this.#failed.values()) counts[trouble]++;
    const [first] = (Object.keys(counts) as TileTrouble[]).sort((a, b) => counts[b] - counts[a]);
    return {
      loaded: this.#loaded.size,
      failed: this.#failed.size,
      trouble: this.#failed.size === 0 ? null : first!,
    };
  }
}

/** What a message of CesiumJS means: `Request has failed.`, with the status where there was an answer. */
function troubleOf(message: string): TileTrouble {
  const status = /Status Code: (\d+)/.exec(message)?.[1];
  if (status === '404' || status === '410') return 'missing';
  return status === undefined && /Request has failed/.test(message) ? 'offline' : 'broken';
}
