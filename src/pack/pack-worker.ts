/**
 * Works on packs that the database has waiting, several at once:
 *
 *   stopped ──start──▶ idle ──woken, poll──▶ claiming ──claimed──▶ working (≤ concurrency) ──ended──▶ claiming
 *                       ▲                       │ nothing there, or all hands full
 *                       └───────────────────────┘
 *
 * and how work on one pack ends:
 *
 *   made ──▶ succeed                      claim lost ──▶ nothing but its object deleted: another worker has it
 *   cannot be made, time over ──▶ fail    stopping ──▶ release at once, without counting the try
 *   store away ──▶ release, to be tried again after a pause that grows with the tries
 *
 * Any number of workers, in any number of processes, may share one database.
 */
import { isDeadWorker, workerName } from '../base/worker-name.ts';
import { StoreUnavailable } from '../store/catalogue-store.ts';
import { ObjectMissing } from '../store/object-store.ts';
import type { PackClaim, PackStore } from '../store/pack-store.ts';
import { InvalidMemberName } from '../zip/member-name.ts';
import { type MakePackOptions, makePack, PackRefused, packKey } from './make-pack.ts';
import { deleteRuns, keepWithin } from './pack-retention.ts';

export interface PackWorkerOptions extends Omit<MakePackOptions, 'signal' | 'onProgress'> {
  packs: PackStore;
  /** Packs worked on at once. */
  concurrency: number;
  /** How often to look for packs that others accepted, ms. */
  pollMs: number;
  /** After this many ms without a sign of life the packs of this worker are taken over. */
  leaseMs: number;
  timeoutMs: number;
  retentionMs: number;
  /** Bytes that all packs together may take of the stores; unlimited when absent. */
  quotaBytes?: number;
  /** Whether a process of this host exists. */
  pidIsAlive(pid: number): boolean;
  /** Called when work on a pack has ended. */
  onEnd?(end: PackEnd): void;
  /** Called with faults that are nobody's request: a database that is away, an error that nobody foresaw. */
  onError?(error: unknown): void;
}

export interface PackEnd {
  id: string;
  outcome: 'succeeded' | 'failed' | 'released' | 'lost';
  reason?: string;
  /** Milliseconds since it was claimed. */
  ms: number;
}

/** A pack is given up when work on it was begun so often and its worker died each time. */
const MAX_TRIES = 10;
/** Progress and the lease are written so often, ms; a lease that is shorter is extended in time all the same. */
const SIGN_MS = 500;
/** Pause before a pack is tried again while a store is away, ms. */
const AWAY_PAUSE_MS = 1_000;

/** Why work was cut short. */
type Cut = 'lost' | 'stopping' | 'timeout';

class WorkCut extends Error {
  readonly why: Cut;
  constructor(why: Cut) {
    super(why);
    this.why = why;
  }
}

export class PackWorker {
  readonly #options: PackWorkerOptions;
  readonly #name = workerName();
  readonly #running = new Map<Promise<void>, AbortController>();
  #timer: NodeJS.Timeout | null = null;
  #stopListening: (() => void) | null = null;
  #claiming: Promise<void> | null = null;
  #again = false;
  #stopped = true;

  constructor(options: PackWorkerOptions) {
    this.#options = options;
  }

  /** Begins to look for work; the timer does not keep the process alive. */
  start(): void {
    if (!this.#stopped) return;
    this.#stopped = false;
    this.#timer = setInterval(() => this.wake(), this.#options.pollMs);
    this.#timer.unref();
    this.#stopListening = this.#options.packs.listen(() => this.wake());
    this.wake();
  }

  /** Looks for work now. */
  wake(): void {
    if (this.#stopped) return;
    this.#again = true;
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = null;
      // Woken between the last look and now.
      if (this.#again && !this.#stopped && this.#running.size < this.#options.concurrency) this.wake();
    });
  }

  /** Gives its packs back and resolves when nothing of it runs any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#stopListening?.();
    await this.#claiming;
    for (const controller of this.#running.values()) controller.abort(new WorkCut('stopping'));
    await Promise.all(this.#running.keys());
  }

  async #claim(): Promise<void> {
    const { packs, concurrency, leaseMs, retentionMs, pidIsAlive, onError } = this.#options;
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false;
        while (!this.#stopped && this.#running.size < concurrency) {
          const dead = (await packs.holders()).filter((holder) => isDeadWorker(holder, pidIsAlive));
          const now = Date.now();
          const claim = await packs.claim({
            worker: this.#name,
            now,
            leaseUntil: now + leaseMs,
            dead,
            maxTries: MAX_TRIES,
            expiresAt: now + retentionMs,
          });
          if (claim === null) break;
          this.#begin(claim);
        }
      }
    } catch (error) {
      onError?.(error);
    }
  }

  #begin(claim: PackClaim): void {
    const controller = new AbortController();
    const done = this.#work(claim, controller)
      .catch((error: unknown) => this.#options.onError?.(error))
      .finally(() => {
        this.#running.delete(done);
        this.wake();
      });
    this.#running.set(done, controller);
  }

  async #work(claim: PackClaim, controller: AbortController): Promise<void> {
    const { packs, objects, materialise, leaseMs, timeoutMs, retentionMs, onError } = this.#options;
    const { signal } = controller;
    const begun = performance.now();
    const timeout = setTimeout(() => controller.abort(new WorkCut('timeout')), timeoutMs);
    const sign = new SignOfLife(packs, claim, leaseMs, () => controller.abort(new WorkCut('lost')), onError);
    const making = makePack(claim, { ...this.#options, signal, onProgress: sign.onProgress });
    /** Whether the object is, or may be, the pack's. */
    let isKept = false;
    try {
      // A store that does not answer must not hold up the news that time is over.
      const result = await Promise.race([making, rejectedBy(signal)]);
      isKept = true;
      const now = Date.now();
      isKept = await packs.succeed(claim, { ...result, now, expiresAt: now + retentionMs });
      this.#tell(claim, begun, isKept ? 'succeeded' : 'lost');
      // The first run has nothing behind it.
      if (isKept && claim.run > 1) await deleteRuns(objects, claim.id, claim.run - 1);
      const { quotaBytes } = this.#options;
      if (isKept && quotaBytes !== undefined) await keepWithin(quotaBytes, this.#options, now);
    } catch (error) {
      await this.#giveUp(claim, begun, error);
    } finally {
      clearTimeout(timeout);
      await sign.stop();
      await making.catch(() => {});
      if (!isKept) await objects.delete(packKey(claim, materialise));
    }
  }

  /** What is done about work that threw. */
  async #giveUp(claim: PackClaim, begun: number, error: unknown): Promise<void> {
    const { packs, retentionMs, onError } = this.#options;
    if (error instanceof WorkCut && error.why === 'lost') return this.#tell(claim, begun, 'lost');
    if (error instanceof WorkCut && error.why === 'stopping') {
      await packs.release(claim, 0, false);
      return this.#tell(claim, begun, 'released', 'the worker stops');
    }
    if (error instanceof StoreUnavailable) {
      onError?.(error);
      await packs.release(claim, Date.now() + AWAY_PAUSE_MS, false);
      return this.#tell(claim, begun, 'released', 'a store is away');
    }
    const known = this.#reasonFor(error);
    if (known === null) onError?.(error);
    const reason = known ?? 'Something went wrong inside the service; it has been logged.';
    const now = Date.now();
    if (await packs.fail(claim, reason, { now, expiresAt: now + retentionMs })) {
      this.#tell(claim, begun, 'failed', reason);
    }
  }

  #tell(claim: PackClaim, begun: number, outcome: PackEnd['outcome'], reason?: string): void {
    const ms = performance.now() - begun;
    this.#options.onEnd?.({ id: claim.id, outcome, ms, ...(reason === undefined ? {} : { reason }) });
  }

  /** What a caller is told about work that failed; null for what nobody foresaw. */
  #reasonFor(error: unknown): string | null {
    if (error instanceof WorkCut) {
      return `It was not done within ${this.#options.timeoutMs / 1000} s. Ask for fewer files, or again later.`;
    }
    if (error instanceof PackRefused) return error.message;
    if (error instanceof ObjectMissing) {
      return 'The bytes of a package cannot be reached; the operator can run `citymodel check`.';
    }
    if (error instanceof InvalidMemberName) return `No zip can hold it: ${error.message}.`;
    return null;
  }
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Extends the lease of a claim and writes its progress, regularly, until stopped. */
class SignOfLife {
  readonly #timer: NodeJS.Timeout;
  #writing: Promise<void> = Promise.resolve();
  #progress = 0;
  #written = 0;
  #writtenAt = Date.now();

  constructor(
    packs: PackStore,
    claim: PackClaim,
    leaseMs: number,
    onLost: () => void,
    onError: ((error: unknown) => void) | undefined,
  ) {
    let busy = false;
    const give = async () => {
      const due = Date.now() - this.#writtenAt >= leaseMs / 3;
      if (busy || (!due && this.#progress - this.#written < 0.01)) return;
      busy = true;
      try {
        this.#writtenAt = Date.now();
        this.#written = this.#progress;
        if (!(await packs.touch(claim, this.#progress, Date.now() + leaseMs))) onLost();
      } catch (error) {
        // The lease has time left for the next attempts.
        onError?.(error);
      } finally {
        busy = false;
      }
    };
    this.#timer = setInterval(
      () => {
        this.#writing = give();
      },
      Math.min(SIGN_MS, leaseMs / 4),
    );
  }

  readonly onProgress = (progress: number): void => {
    this.#progress = Math.max(this.#progress, progress);
  };

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
  }
}
