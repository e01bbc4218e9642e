/**
 * Gets jobs by messages, where the database carries them. Each message is held while its job runs:
 *
 *   stopped ──start──▶ receiving ──message──▶ claiming ──claimed──▶ running ──ended──▶ message done with
 *                       │   ▲                     └── not to be had: the store has sent the message again, for later
 *        carrier ended  ▼   │
 *                      pausing
 *
 * The table is the record: dead workers and lost messages are found by looking into it.
 */

import { sharedNow } from '@citymodel/base';
import type { JobMessageQueue, JobReceiver } from '@citymodel/store';
import { type JobFeed, type JobFeedOptions, recoverJobs } from './job-feed.ts';

export interface MessageFeedOptions extends JobFeedOptions {
  messages: JobMessageQueue;
  /** Jobs that run at once. */
  concurrency: number;
}

/** How long the feed waits before it begins again to receive, ms. */
const PAUSE_MS = 5_000;

export class MessageFeed implements JobFeed {
  readonly #options: MessageFeedOptions;
  readonly #claims = new Set<Promise<unknown>>();
  #receiver: Promise<JobReceiver | null> = Promise.resolve(null);
  #pause: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;
  #recovering: Promise<void> | null = null;
  #stopped = true;

  constructor(options: MessageFeedOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#stopped = false;
    this.#receiver = this.#receive();
    await this.#receiver;
    this.#looking = setInterval(() => this.#recover(), this.#options.pollMs);
    this.#recover();
  }

  /** Messages tell. */
  wake(): void {}

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#looking);
    clearTimeout(this.#pause);
    await Promise.all(this.#claims);
    await this.#recovering;
  }

  async close(): Promise<void> {
    await (await this.#receiver)?.stop();
  }

  async #receive(): Promise<JobReceiver | null> {
    const { messages, work, concurrency, pollMs, onError } = this.#options;
    const kinds = work.kinds();
    try {
      return await messages.receive({
        kinds,
        concurrency,
        pollMs,
        take: (id) => this.#take(id),
        blocked: () => {
          const open = this.#stopped ? [] : work.open();
          return kinds.filter((kind) => !open.includes(kind));
        },
        onEnd: (error) => {
          onError(error);
          this.#receiveLater();
        },
        onWarning: (message) => onError(new Error(message)),
      });
    } catch (error) {
      onError(error);
      this.#receiveLater();
      return null;
    }
  }

  #receiveLater(): void {
    if (this.#stopped) return;
    this.#pause = setTimeout(() => {
      this.#receiver = this.#receive();
    }, PAUSE_MS);
  }

  /** Claims the job and works on it, unless it cannot be had. */
  async #take(id: string): Promise<void> {
    const { jobs, work, worker, leaseMs, onError } = this.#options;
    // Nobody else gets this message: a job that is not taken here is found by looking.
    if (this.#stopped) return;
    const now = sharedNow();
    const claiming = jobs
      .claim({ worker, now, leaseUntil: now + leaseMs, kinds: work.open(), id })
      .then((claim) => (claim === null ? null : { running: work.begin(claim) }))
      .catch((error: unknown) => {
        onError(error);
        return null;
      });
    this.#claims.add(claiming);
    const begun = await claiming;
    this.#claims.delete(claiming);
    await begun?.running;
  }

  #recover(): void {
    this.#recovering ??= recoverJobs(this.#options)
      .catch((error: unknown) => this.#options.onError(error))
      .finally(() => {
        this.#recovering = null;
      });
  }
}
