/**
 * Keeps a snapshot up to date with a catalogue that this or another process changes.
 *
 *   stopped ──start──▶ waiting ──timer──▶ looking ──same version, or changes go on──▶ waiting
 *                         ▲                  │ other version
 *                         │                  ▼
 *                         │◀─swapped in── building ◀── refresh
 *                         └──failed: reported, old one kept
 *
 * A change after a quiet time is built at once. In a burst of changes the next build waits until nothing has changed
 * for `quietMs`, or until the first of them is `gatherMs` old. Requests read `current()` and never wait: the old
 * snapshot serves until the new one is whole. A store that tells of changes wakes it before its timer does.
 *
 * Several servers agree on when they show a state, without talking to each other (`agreed-switch.ts`): each prepares
 * it, and shows it at that time by the clock of the database.
 *
 * The snapshot may be of a state that the catalogue has never been in: the database is another one since, a standby
 * that was behind or a copy that was restored. Then nothing is gathered, and everything is read again.
 */

import type { CatalogueState, CatalogueStore } from '@citymodel/store';
import { ServiceError } from '../../base/errors.ts';
import type { AssetUrls } from '../names/asset-urls.ts';
import { lastMoment, type Moment, nextMoment } from './agreed-switch.ts';
import { DatabaseClock } from './database-clock.ts';
import { buildSnapshot, type Snapshot } from './snapshot.ts';

/** A state counts as shown in time up to so many milliseconds after its time. */
const LATE_MS = 20;
/** States that wait to be shown; they share most of their memory. */
const MAX_PREPARED = 8;

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
  /**
   * Milliseconds from a change to when all servers show it, by the clock of the database; they have to prepare it
   * within. 0: each shows it when it has it, by its own clock.
   */
  leadMs?: number;
  /** Called when a state is shown after its time, with the milliseconds between. */
  onLate?: (snapshot: Snapshot, milliseconds: number) => void;
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
  /** The look that the timer or the store asked for. */
  #polling: Promise<void> | null = null;
  #woken = false;
  #isStopped = false;
  #running: Promise<void> | null = null;
  #again = false;
  /** The version of the last look, and when it was first seen. */
  #seen = { version: Number.NaN, identity: '', at: Number.NEGATIVE_INFINITY };
  /** When the oldest change was seen that the snapshot lacks; null when it lacks none. */
  #waitingSince: number | null = null;
  #comparedAt: number | null = null;
  /** The next states, and when they are shown, ms of the process's clock. */
  #prepared: Array<{ snapshot: Snapshot; due: number; took: number }> = [];
  #showTimer: NodeJS.Timeout | null = null;
  /** When that timer ends. */
  #showAt = 0;
  #following: Promise<boolean> | null = null;
  readonly #clock = new DatabaseClock();

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
    // Timers may be late, and a request that comes after the time must not see the state before.
    while (this.#prepared.length > 0 && performance.now() >= this.#prepared[0]!.due) this.#showPrepared();
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
    if (this.#isAgreed()) return this.#follow();
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
      if (this.#isStopped) return false;
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

  /** Stops looking, and resolves when a look or a build that is under way has ended: the store may close then. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#stopListening?.();
    this.#again = false;
    if (this.#showTimer !== null) clearTimeout(this.#showTimer);
    this.#showTimer = null;
    await this.#polling;
    await this.#following?.catch(() => {});
    await this.#running?.catch(() => {});
  }

  /**
   * Looks now; resolves with a snapshot that holds everything published before the call. Where servers agree when they
   * show it, with what may be shown now. Throws what made it fail, after reporting it; the old snapshot stays current
   * then.
   */
  async refresh(): Promise<Snapshot> {
    if (this.#isAgreed()) {
      await this.#follow();
      return this.current();
    }
    return this.#catchUp();
  }

  async #catchUp(): Promise<Snapshot> {
    if (this.#running === null) this.#running = this.#run();
    else this.#again = true;
    await this.#running;
    return this.current();
  }

  #wake(): void {
    // One look at a time; what changes after it has begun takes another one.
    this.#woken = this.#polling !== null;
    if (this.#polling !== null) return;
    this.#polling = this.poll().then(
      () => this.#looked(),
      () => this.#looked(),
    );
  }

  #looked(): void {
    this.#polling = null;
    if (this.#woken && this.#timer !== null) this.#wake();
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
    let snapshot = await buildSnapshot(store, urls, { previous: this.#snapshot });
    if (shown === null) snapshot = await this.#asOthersShow(snapshot);
    this.#prepared = [];
    this.#snapshot = snapshot;
    onSwap?.(snapshot, performance.now() - start);
  }

  /** The state that servers show which have agreed on it, where that is an earlier one. */
  async #asOthersShow(newest: Snapshot): Promise<Snapshot> {
    const { store, urls } = this.#options;
    if ((this.#options.leadMs ?? 0) === 0) return newest;
    const { states, clock } = await this.#clock.ask(() => store.statesFrom(0));
    const { state } = lastMoment(states, clock, this.#gathering()) ?? { state: states[0] };
    if (state === undefined || state.version >= newest.version) return newest;
    return buildSnapshot(store, urls, { previous: newest, until: state });
  }

  #isAgreed(): boolean {
    return (this.#options.leadMs ?? 0) > 0 && this.#snapshot !== null;
  }

  #gathering() {
    const { quietMs = 0, gatherMs = 0, leadMs = 0 } = this.#options;
    return { quietMs, gatherMs, leadMs, settleMs: leadMs / 3 };
  }

  /** Prepares what comes next, as a server has to before callers find it: the time to show it may be near. */
  async prepare(): Promise<void> {
    if (this.#isAgreed()) await this.#follow();
  }

  /** Looks, and prepares what all servers show next; true when nothing newer is known. One look at a time. */
  #follow(): Promise<boolean> {
    this.#following ??= this.#prepareNext()
      .catch((error: unknown) => {
        this.#options.onError?.(error);
        throw error;
      })
      .finally(() => {
        this.#following = null;
      });
    return this.#following;
  }

  async #prepareNext(): Promise<boolean> {
    const { store } = this.#options;
    const gathering = this.#gathering();
    for (;;) {
      const last = this.#prepared.at(-1)?.snapshot ?? this.current();
      const { states, version, clock } = await this.#clock.ask(() => store.statesFrom(last.version));
      this.#comparedAt = performance.now();
      const [first] = states;
      // Another history, or an older program beside, which tells no times: all of it at once.
      if (first === undefined || !isSame(first, last) || states.at(-1)!.version !== version) {
        this.#prepared = [];
        await this.#catchUp();
        return true;
      }
      // Where several were missed, the last of them.
      const moment = lastMoment(states, clock, gathering) ?? nextMoment(states, clock, gathering);
      // The end of a burst is known a moment after it, which timers of seconds would miss.
      if (moment === null && states.length > 1) this.#wakeIn(gathering.settleMs / 2);
      if (moment === null || this.#prepared.length === MAX_PREPARED) {
        return states.length === 1 && this.#prepared.length === 0;
      }
      await this.#prepareOne(last, moment);
    }
  }

  async #prepareOne(last: Snapshot, { state, at }: Moment): Promise<void> {
    const { store, urls, onLate } = this.#options;
    const start = performance.now();
    const snapshot = await buildSnapshot(store, urls, { previous: last, until: state });
    const took = performance.now() - start;
    await this.#clock.settle(() => store.clock());
    const due = this.#clock.toLocal(at + this.#gathering().leadMs);
    this.#prepared.push({ snapshot, due, took });
    const late = performance.now() - due;
    this.current();
    if (late > LATE_MS && Number.isFinite(late)) onLate?.(snapshot, late);
    else this.#wakeIn(-late);
  }

  #showPrepared(): void {
    const { snapshot, took } = this.#prepared.shift()!;
    this.#snapshot = snapshot;
    this.#options.onSwap?.(snapshot, took);
  }

  /** Shows what is due by then, and looks again. */
  #wakeIn(milliseconds: number): void {
    if (this.#timer === null) return;
    const at = performance.now() + milliseconds;
    if (this.#showTimer !== null && this.#showAt <= at) return;
    if (this.#showTimer !== null) clearTimeout(this.#showTimer);
    this.#showAt = at;
    this.#showTimer = setTimeout(
      () => {
        this.#showTimer = null;
        this.current();
        this.#wake();
        const [next] = this.#prepared;
        if (next !== undefined) this.#wakeIn(next.due - performance.now());
      },
      Math.max(0, Math.ceil(milliseconds)),
    );
    this.#showTimer.unref();
  }

  #shows(state: CatalogueState): boolean {
    return this.#snapshot !== null && isSame(state, this.#snapshot);
  }
}

function isSame(a: CatalogueState, b: CatalogueState): boolean {
  return a.version === b.version && a.identity === b.identity;
}
