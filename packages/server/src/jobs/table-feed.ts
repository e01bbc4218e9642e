/**
 * Finds jobs by looking into the table, every so often and when woken:
 *
 *   stopped ──start──▶ idle ──woken, poll──▶ claiming ──claimed──▶ running ──ended──▶ claiming
 *                       ▲                       │ nothing there, or no room
 *                       └───────────────────────┘
 */

import { sharedNow } from '@citymodel/base';
import { type JobFeed, type JobFeedOptions, recoverJobs } from './job-feed.ts';

export class TableFeed implements JobFeed {
  readonly #options: JobFeedOptions;
  #timer: NodeJS.Timeout | null = null;
  #claiming: Promise<void> | null = null;
  #again = false;
  #stopped = true;

  constructor(options: JobFeedOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#stopped = false;
    this.#timer = setInterval(() => this.wake(), this.#options.pollMs);
    this.wake();
  }

  /** Looks for jobs now. */
  wake(): void {
    if (this.#stopped) return;
    this.#again = true;
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = null;
      // Woken between the last look and now.
      if (this.#again && this.#options.work.open().length > 0) this.wake();
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    await this.#claiming;
  }

  async close(): Promise<void> {}

  async #claim(): Promise<void> {
    const { jobs, work, worker, leaseMs, onError } = this.#options;
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false;
        await recoverJobs(this.#options);
        for (;;) {
          const kinds = work.open();
          if (kinds.length === 0 || this.#stopped) break;
          const now = sharedNow();
          const claimOf = (some: string[]) =>
            jobs.claim({ worker, now, leaseUntil: now + leaseMs, kinds: some });
          const awaited = work.awaited(kinds);
          const isMixed = awaited.length > 0 && awaited.length < kinds.length;
          const claim = (isMixed ? await claimOf(awaited) : null) ?? (await claimOf(kinds));
          if (claim === null) break;
          void work.begin(claim).then(() => this.wake());
        }
      }
    } catch (error) {
      // The timer tries again.
      this.#again = false;
      onError(error);
    }
  }
}
