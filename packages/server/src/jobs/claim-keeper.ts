/** Extends the lease of one attempt and writes its progress, regularly, until stopped. */

import { sharedNow } from '@citymodel/base';
import type { JobClaim, JobProgress, JobStore } from '@citymodel/store';
import { Repeated } from '../base/repeated.ts';

export interface ClaimKeeperOptions {
  jobs: JobStore;
  leaseMs: number;
  /** A person cancelled the job, or another worker has it. */
  onEnd(why: 'cancelled' | 'lost'): void;
  onError(error: unknown): void;
}

/** Progress is written so often, ms; a lease that is shorter is extended in time all the same. */
const SIGN_MS = 500;
/** Without progress a cancelled job is noticed after so many ms. */
const LOOK_MS = 2_000;

export class ClaimKeeper {
  readonly #claim: JobClaim;
  readonly #options: ClaimKeeperOptions;
  readonly #writing: Repeated;
  #progress: JobProgress | null = null;
  #isNew = false;
  #writtenAt = performance.now();

  constructor(claim: JobClaim, options: ClaimKeeperOptions) {
    this.#claim = claim;
    this.#options = options;
    this.#writing = new Repeated(Math.min(SIGN_MS, options.leaseMs / 4), () => this.#write());
  }

  readonly onProgress = (progress: JobProgress): void => {
    this.#progress = progress;
    this.#isNew = true;
  };

  /** Resolves when nothing is written any more; the last progress is. */
  async stop(): Promise<void> {
    await this.#writing.stop();
    if (this.#isNew) await this.#write();
  }

  async #write(): Promise<void> {
    const { jobs, leaseMs, onEnd, onError } = this.#options;
    // Not by the clock, which may jump.
    const now = performance.now();
    if (!this.#isNew && now - this.#writtenAt < Math.min(LOOK_MS, leaseMs / 3)) return;
    this.#isNew = false;
    try {
      const state = await jobs.touch(this.#claim, this.#progress, sharedNow() + leaseMs);
      this.#writtenAt = now;
      if (state !== 'held') onEnd(state);
    } catch (error) {
      // The lease has time left for the next attempts.
      onError(error);
    }
  }
}
