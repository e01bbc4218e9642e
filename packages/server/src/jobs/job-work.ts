/**
 * Works on jobs that it is given, within the limits of one worker:
 *
 *   given ──▶ running ──▶ made ──▶ succeed
 *                │  refused ──▶ fail for good        claim lost ──▶ nothing: another worker has it
 *                │  failed, time over ──▶ fail, to be tried again after a pause that doubles
 *                │  store away ──▶ release, to be tried again after a pause; the attempt does not count
 *                │  cancelled ──▶ endCancelled
 *                └  stopping ──▶ release at once; the attempt does not count
 */

import { sharedNow, tracedAlone, withoutPatience } from '@citymodel/base';
import {
  type JobClaim,
  type JobProgress,
  type JobStore,
  type ObjectStore,
  StoreUnavailable,
} from '@citymodel/store';
import type { Logger } from 'pino';
import { failureOf } from '../ingest/failure.ts';
import { ClaimKeeper } from './claim-keeper.ts';
import { type JobContext, JobFailed, type JobKind, JobRefused, refusedAs } from './job-kind.ts';

export interface JobWorkOptions {
  jobs: JobStore;
  objects: ObjectStore;
  kinds: readonly JobKind[];
  /** Jobs that run at once. */
  concurrency: number;
  /** Memory that they take together by the estimates of their kinds, MB; one runs in any case. */
  memoryMb: number;
  leaseMs: number;
  timeoutMs: number;
  /** Pause before the second attempt; it doubles with every attempt. */
  retryMs: number;
  contextOf(claim: JobClaim, signal: AbortSignal, progress: (progress: JobProgress) => void): JobContext;
  log: Logger;
  /** Called when an attempt has ended, and there is room for another. */
  onEnd?(end: JobEnd): void;
}

export interface JobEnd {
  id: string;
  kind: string;
  label: string;
  outcome: 'succeeded' | 'failed' | 'refused' | 'cancelled' | 'released' | 'lost';
  reason?: string;
  /** Milliseconds since it was claimed. */
  ms: number;
}

const LONGEST_PAUSE_MS = 3_600_000;
/** How long a job waits when a store was away. */
const AWAY_PAUSE_MS = 5_000;

/** Why an attempt was cut short. */
class Cut extends Error {
  readonly why: 'lost' | 'cancelled' | 'stopping' | 'timeout';
  constructor(why: Cut['why']) {
    super(why);
    this.why = why;
  }
}

export class JobWork {
  readonly #options: JobWorkOptions;
  readonly #kinds: ReadonlyMap<string, JobKind>;
  readonly #running = new Map<Promise<void>, { kind: JobKind; controller: AbortController }>();

  constructor(options: JobWorkOptions) {
    this.#options = options;
    this.#kinds = new Map(options.kinds.map((kind) => [kind.name, kind]));
  }

  /** Names of all kinds. */
  kinds(): string[] {
    return [...this.#kinds.keys()];
  }

  /** Names of the kinds of which another job may begin now. */
  open(): string[] {
    if (this.#running.size >= this.#options.concurrency) return [];
    const running = [...this.#running.values()].map(({ kind }) => kind);
    const taken = running.reduce((sum, { memoryMb }) => sum + memoryMb, 0);
    return this.#options.kinds
      .filter(
        (kind) =>
          running.filter((one) => one === kind).length < kind.atOnce &&
          (running.length === 0 || taken + kind.memoryMb <= this.#options.memoryMb),
      )
      .map(({ name }) => name);
  }

  /** Those of some kinds whose jobs somebody waits for. */
  awaited(names: readonly string[]): string[] {
    return names.filter((name) => this.#kinds.get(name)?.isPatient !== true);
  }

  /** How many jobs run now. */
  running(): number {
    return this.#running.size;
  }

  /** Begins to work on a claimed job of a known kind; resolves when the attempt has ended, and never rejects. */
  begin(claim: JobClaim): Promise<void> {
    const kind = this.#kinds.get(claim.kind)!;
    const controller = new AbortController();
    const begun = performance.now();
    // A request may have given the news of the job: how long that waits is not the job's affair.
    const done = withoutPatience(() =>
      tracedAlone(
        `job ${claim.kind}`,
        () => ({ 'citymodel.job.id': claim.id, 'citymodel.job.attempt': claim.attempts }),
        () => this.#attempt(kind, claim, controller),
      ),
    )
      .catch((error: unknown): Pick<JobEnd, 'outcome' | 'reason'> => {
        // What became of the attempt could not be written: its lease ends, and others take the job.
        this.#options.log.error({ err: error, job: claim.id }, 'writing the outcome of a job failed');
        return { outcome: 'lost' };
      })
      .then((end) => {
        this.#running.delete(done);
        const ms = performance.now() - begun;
        this.#options.onEnd?.({ id: claim.id, kind: claim.kind, label: claim.label, ms, ...end });
      });
    this.#running.set(done, { kind, controller });
    return done;
  }

  /** Ends all attempts, gives their jobs back and resolves when nothing runs any more. */
  async stop(): Promise<void> {
    for (const { controller } of this.#running.values()) controller.abort(new Cut('stopping'));
    await Promise.all(this.#running.keys());
  }

  async #attempt(
    kind: JobKind,
    claim: JobClaim,
    controller: AbortController,
  ): Promise<Pick<JobEnd, 'outcome' | 'reason'>> {
    const { jobs, leaseMs, timeoutMs, contextOf, log } = this.#options;
    const timeout =
      kind.retention?.attempt === 'own'
        ? undefined
        : setTimeout(() => controller.abort(new Cut('timeout')), timeoutMs);
    const keeper = new ClaimKeeper(claim, {
      jobs,
      leaseMs,
      onEnd: (why) => controller.abort(new Cut(why)),
      onError: (error) => log.warn({ err: error, job: claim.id }, 'writing that a job is alive failed'),
    });
    try {
      const payload = kind.readPayload(claim.payload);
      const result = await kind.run(payload, contextOf(claim, controller.signal, keeper.onProgress));
      await keeper.stop();
      if (!(await jobs.succeed(claim, result, sharedNow()))) return { outcome: 'lost' };
      await this.#tidy(kind, payload, claim);
      return { outcome: 'succeeded' };
    } catch (error) {
      await keeper.stop();
      return await this.#giveUp(claim, controller.signal.aborted ? controller.signal.reason : error);
    } finally {
      clearTimeout(timeout);
      await keeper.stop();
    }
  }

  /** After success. What is not done because the process dies here, the sweep does later. */
  async #tidy(kind: JobKind, payload: unknown, claim: JobClaim): Promise<void> {
    const { jobs, objects, log } = this.#options;
    try {
      const { object, succeeded } = kind.retention ?? {};
      if (claim.objectKey !== null && object?.(payload) !== 'kept') await objects.delete(claim.objectKey);
      if (succeeded === 'forgotten') await jobs.forget(claim.id, claim.run);
    } catch (error) {
      log.warn({ err: error, job: claim.id }, 'deleting what a job left failed; the sweep tries again');
    }
  }

  /** What is done about an attempt that threw. */
  async #giveUp(claim: JobClaim, error: unknown): Promise<Pick<JobEnd, 'outcome' | 'reason'>> {
    const { jobs, timeoutMs, log } = this.#options;
    const now = sharedNow();
    if (error instanceof Cut && error.why === 'lost') return { outcome: 'lost' };
    if (error instanceof Cut && error.why === 'cancelled') {
      return { outcome: (await jobs.endCancelled(claim, now)) ? 'cancelled' : 'lost' };
    }
    if (error instanceof Cut && error.why === 'stopping') {
      return this.#release(claim, 'Its worker was stopped.', now);
    }
    if (error instanceof StoreUnavailable) {
      log.warn({ err: error, job: claim.id }, 'a store does not answer; the job waits');
      return this.#release(claim, `A store did not answer: ${error.message}`, now + AWAY_PAUSE_MS);
    }
    const isFinal = error instanceof JobRefused;
    const known = isFinal || error instanceof JobFailed;
    if (!known && !(error instanceof Cut)) log.error({ err: error, job: claim.id }, 'a job failed');
    const reason =
      error instanceof Cut
        ? `It was not done within ${timeoutMs / 1_000} s (JOB_TIMEOUT_S).`
        : known
          ? error.message
          : `Something went wrong inside the program: ${(error as Error)?.message ?? error}`;
    const retryAt = isFinal ? null : now + this.#pause(claim.attempts);
    const result = known
      ? error.result
      : refusedAs(error instanceof Cut ? 'TIMED_OUT' : failureOf(error).code);
    if (!(await jobs.fail(claim, { reason, result, now, retryAt }))) return { outcome: 'lost' };
    return { outcome: isFinal ? 'refused' : 'failed', reason };
  }

  async #release(
    claim: JobClaim,
    reason: string,
    availableAt: number,
  ): Promise<Pick<JobEnd, 'outcome' | 'reason'>> {
    const held = await this.#options.jobs.release(claim, reason, { now: sharedNow(), availableAt });
    return held ? { outcome: 'released', reason } : { outcome: 'lost' };
  }

  #pause(attempts: number): number {
    return Math.min(this.#options.retryMs * 2 ** Math.min(attempts - 1, 20), LONGEST_PAUSE_MS);
  }
}
