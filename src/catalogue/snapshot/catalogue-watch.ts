/**
 * Keeps a snapshot up to date with a catalogue that this or another process changes.
 *
 *   stopped ──start──▶ waiting ──timer──▶ looking ──same version, or changes go on──▶ waiting
 *                         ▲                  │ other version
 *                         │                  ▼
 *                         │◀─swapped in── building ◀── refresh
 *                         └──failed: reported, old one kept
 *
 * A change after a quiet time is built at once. In a burst of changes the next build waits until nothing has changed for
 * `quietMs`, or until the first of them is `gatherMs` old. Requests read `current()` and never wait: the old snapshot serves
 * until the new one is whole. A store that tells of changes wakes it before its timer does.
 *
 * The snapshot may be of a state that the catalogue has never been in: the database is another one since, a standby that was
 * behind or a copy that was restored. Then nothing is gathered, and everything is read again.
 */
import { ServiceError } from '../../base/errors.ts';
import type { CatalogueState, CatalogueStore } from '../../store/catalogue-store.ts';
import type { AssetUrls } from '../names/asset-urls.ts';
import { buildSnapshot, type Snapshot } from './snapshot.ts';

export interface CatalogueWatchOptions {
  store: CatalogueStore;
  urls: AssetUrls;
  /** Milliseconds between looks at the version. */
  pollMs?: number;
  /** Milliseconds without a change after which a burst of changes is over; 0 gathers nothing. */
  quietMs?: number;
  /** Milliseconds that a change waits at most. */
  gatherMs?: number;
  /** Milliseconds of a clock that never goes back. */
  now?(): number;
  /** Called with each new snapshot and the milliseconds that it took, after it has become current. */
  onSwap?: (snapshot: Snapshot, milliseconds: number) => void;
  /** Called when the snapshot's state is none of the last 1,000 states of the catalogue, which is read whole then. */
  onOtherHistory?: (shown: CatalogueState, now: CatalogueState) => void;
  /** Called with what made looking or building fail. */
  onError?: (error: unknown) => void;
}

export class CatalogueWatch {
  readonly #options: CatalogueWatchOptions;
  #snapshot: Snapshot | null = null;
  #timer: NodeJS.Timeout | null = null;
  #stopListening: (() => void) | null = null;
  #polling = false;
  #woken = false;
  #running: Promise<void> | null = null;
  #again = false;
  /** The version of the last look, and when it was first seen. */
  #seen = { version: Number.NaN, identity: '', at: Number.NEGATIVE_INFINITY };
  /** When the oldest change was seen that the snapshot lacks; null when it lacks none. */
  #waitingSince: number | null = null;
  #comparedAt: number | null = null;

  constructor(options: CatalogueWatchOptions) {
    this.#options = options;
  }

  /** The newest whole snapshot. Throws ServiceError 503 while there has been none yet. */
  current(): Snapshot {
    if (this.#snapshot === null) {
      throw new ServiceError(503, 'unavailable', {
        reason: 'The catalogue has not been read yet; try again in a moment.',
        retryAfter: 1,
      });
    }
    return this.#snapshot;
  }

  /** When the snapshot was last compared with the catalogue, ms of the process's clock; null before. */
  get comparedAt(): number | null {
    return this.#comparedAt;
  }

  /** True once there is a snapshot. */
  get ready(): boolean {
    return this.#snapshot !== null;
  }

  /** Begins to look at the version regularly; the timer does not keep the process alive. */
  start(): void {
    if (this.#timer !== null) return;
    this.#timer = setInterval(() => this.#wake(), this.#options.pollMs ?? 1000);
    this.#timer.unref();
    this.#stopListening = this.#options.store.listen(() => this.#wake());
  }

  /** Looks, and builds unless changes are being gathered; true when the snapshot is the newest afterwards. */
  async poll(): Promise<boolean> {
    const { store, quietMs = 0, gatherMs = 0, now = () => performance.now(), onError } = this.#options;
    let state: CatalogueState;
    let goesOn: boolean;
    try {
      state = await store.state();
      this.#comparedAt = performance.now();
      if (this.#shows(state)) {
        this.#waitingSince = null;
        return true;
      }
      goesOn = this.#snapshot === null || (await store.hasBeen(this.#snapshot));
    } catch (error) {
      onError?.(error);
      throw error;
    }
    const time = now();
    this.#waitingSince ??= time;
    // How long nothing had changed before this look; a change that is new now ends that time.
    const quiet = time - this.#seen.at;
    if (!isSame(state, this.#seen)) this.#seen = { ...state, at: time };
    if (goesOn && quiet < quietMs && time - this.#waitingSince < gatherMs) return false;
    this.#waitingSince = null;
    await this.refresh();
    return true;
  }

  /** Stops looking, and resolves when a build that is under way has ended. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#stopListening?.();
    this.#again = false;
    await this.#running?.catch(() => {});
  }

  /**
   * Looks now; resolves with a snapshot that holds everything published before the call. Throws what made
   * it fail, after reporting it; the old snapshot stays current then.
   */
  async refresh(): Promise<Snapshot> {
    if (this.#running === null) this.#running = this.#run();
    else this.#again = true;
    await this.#running;
    return this.current();
  }

  #wake(): void {
    // One look at a time; what changes after it has begun takes another one.
    this.#woken = this.#polling;
    if (this.#polling) return;
    this.#polling = true;
    void this.poll()
      .catch(() => {})
      .finally(() => {
        this.#polling = false;
        if (this.#woken && this.#timer !== null) this.#wake();
      });
  }

  async #run(): Promise<void> {
    try {
      do {
        this.#again = false;
        await this.#look();
      } while (this.#again);
    } catch (error) {
      this.#options.onError?.(error);
      throw error;
    } finally {
      this.#running = null;
    }
  }

  async #look(): Promise<void> {
    const { store, urls, onSwap, onOtherHistory } = this.#options;
    const state = await store.state();
    this.#comparedAt = performance.now();
    if (this.#shows(state)) return;
    const shown = this.#snapshot;
    // A state without identity tells nothing: programs of an older version are at work beside.
    if (shown !== null && shown.identity !== '' && !(await store.hasBeen(shown))) {
      onOtherHistory?.({ version: shown.version, identity: shown.identity }, state);
    }
    const start = performance.now();
    const snapshot = await buildSnapshot(store, urls, { previous: this.#snapshot });
    this.#snapshot = snapshot;
    onSwap?.(snapshot, performance.now() - start);
  }

  #shows(state: CatalogueState): boolean {
    return this.#snapshot !== null && isSame(state, this.#snapshot);
  }
}

function isSame(a: CatalogueState, b: CatalogueState): boolean {
  return a.version === b.version && a.identity === b.identity;
}
