/**
 * The one shape of long work: conversions, packs, ingestions, new indexes.
 *
 *   plan ─────▶ parts ─────────────▶ join ────────▶ publish ──────────┐
 *   what is     each that is         together,      one step, which    ├─▶ sweep: what was open or written is let go
 *   to do       missing is made      unseen         others see or not  │
 *     └───────────┴────────────────────┴──▶ failed: told at once ──────┘
 *
 * Nobody sees anything of it before `publish`, so that it may be killed at any moment, and run again. Parts that
 * outlive the process are found again (`missingParts`). What a killed process cannot sweep, the sweep of all stores
 * does: it knows from an intent, a run or a name which process it belonged to.
 */
import type { Progress, ProgressSink } from './progress.ts';
import { Repeated } from './repeated.ts';

/** The steps, in their order; a run may end after any. */
export type Step = 'plan' | 'parts' | 'join' | 'publish';

/** What a step may use. */
export interface TaskRun {
  /** Aborted when the run has to end; its reason is thrown then. */
  readonly signal: AbortSignal;
  /** Keeps something open until the run has ended, however it ends; what came last goes first. */
  keep<T extends AsyncDisposable>(resource: T): T;
  /** Tells how far the work has come; cheap. */
  tell(progress: Omit<Progress, 'label'>): void;
}

/** Long work. Each step gets what the one before found; one that finds that nothing is left to do returns `over`. */
export interface LongTask<Plan, Parts, Joined, Result> {
  /** What the work is on, for progress; asked for each time. */
  label(): string;
  /** Finds out what is to do; cheap beside the rest, and the same for the same input. */
  plan(run: TaskRun): Promise<Plan | Over<Result>>;
  /** Makes the parts, or finds those of a run before. */
  parts(plan: Plan, run: TaskRun): Promise<Parts | Over<Result>>;
  /** Puts the parts together, where nobody sees it yet. */
  join(parts: Parts, run: TaskRun): Promise<Joined | Over<Result>>;
  /** Lets others see it, in one step. It is never cut short. */
  publish(joined: Joined, run: TaskRun): Promise<Result>;
  /**
   * Called at once when a step failed or the run has to end, while something of it may still wait for a store: says
   * what that means, or throws. Absent, the error is thrown.
   */
  failed?(error: unknown): Promise<Result>;
}

/** The end of a task before its last step. */
export class Over<Result> {
  readonly result: Result;
  constructor(result: Result) {
    this.result = result;
  }
}

/** A task whose result is there already. */
export function over<Result>(result: Result): Over<Result> {
  return new Over(result);
}

/** The step that a run ended with, and what it found; `publish` also where a step before had the result. */
export type TaskEnd<Plan, Parts, Joined, Result> =
  | { step: 'plan'; found: Plan }
  | { step: 'parts'; found: Parts }
  | { step: 'join'; found: Joined }
  | { step: 'publish'; found: Result };

export interface TaskOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ProgressSink | undefined;
  lease?: Lease;
  /** Longest time before `publish`, ms, and what is thrown when it is over. */
  limit?: { ms: number; error: () => Error };
}

/** What others see of a run that goes on. */
export interface Lease {
  everyMs: number;
  /**
   * Says that the run goes on; false when it is another's by now. What it throws is passed over: there is time for
   * another try.
   */
  renew(): Promise<boolean>;
}

/** Another run of the same work has followed. */
export class LeaseLost extends Error {
  constructor() {
    super('Another run has followed.');
    this.name = 'LeaseLost';
  }
}

/**
 * Runs a task to its end. Throws what its steps throw, LeaseLost, the error of the limit and the reason of the signal.
 */
export async function runTask<Plan, Parts, Joined, Result>(
  task: LongTask<Plan, Parts, Joined, Result>,
  options: TaskOptions = {},
): Promise<Result> {
  const { found } = await runUntil(task, 'publish', options);
  return found as Result;
}

/** Runs a task up to a step, and says what that found. What the run kept open is let go then. Throws as `runTask`. */
export async function runUntil<Plan, Parts, Joined, Result>(
  task: LongTask<Plan, Parts, Joined, Result>,
  until: Step,
  { signal, onProgress = () => {}, lease, limit }: TaskOptions = {},
): Promise<TaskEnd<Plan, Parts, Joined, Result>> {
  const own = new AbortController();
  const ends = signal === undefined ? own.signal : AbortSignal.any([signal, own.signal]);
  const kept = new AsyncDisposableStack();
  const run: TaskRun = {
    signal: ends,
    keep: (resource) => kept.use(resource),
    tell: (progress) => onProgress({ label: task.label(), ...progress }),
  };
  const time = limit && setTimeout(() => own.abort(limit.error()), limit.ms);
  const renewing =
    lease &&
    new Repeated(lease.everyMs, async () => {
      if (!(await lease.renew().catch(() => true))) own.abort(new LeaseLost());
    });
  let working: Promise<unknown> = Promise.resolve();
  const cut = rejectedBy(ends);
  /** A step that waits for a silent store must not hold up the news that the run is over. */
  const step = <T>(begin: () => Promise<T>): Promise<T> => {
    ends.throwIfAborted();
    const done = begin();
    working = done;
    return Promise.race([done, cut]);
  };
  try {
    const plan = await step(() => task.plan(run));
    if (plan instanceof Over) return { step: 'publish', found: plan.result };
    if (until === 'plan') return { step: 'plan', found: plan };
    const parts = await step(() => task.parts(plan, run));
    if (parts instanceof Over) return { step: 'publish', found: parts.result };
    if (until === 'parts') return { step: 'parts', found: parts };
    const joined = await step(() => task.join(parts, run));
    if (joined instanceof Over) return { step: 'publish', found: joined.result };
    if (until === 'join') return { step: 'join', found: joined };
    ends.throwIfAborted();
    clearTimeout(time);
    return { step: 'publish', found: await task.publish(joined, run) };
  } catch (error) {
    if (task.failed === undefined) throw error;
    return { step: 'publish', found: await task.failed(error) };
  } finally {
    clearTimeout(time);
    await renewing?.stop();
    await working.catch(() => {});
    await kept.disposeAsync();
  }
}

/** Never resolves. The rejection counts as seen, also where nobody waits for it. */
function rejectedBy(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  if (signal.aborted) reject(signal.reason);
  else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise;
}

/**
 * Looks which parts a run before has completed; `onFound` gets each. Returns those that are missing, in their order.
 */
export async function missingParts<Part, Made>(
  parts: Iterable<Part>,
  find: (part: Part) => Promise<Made | null>,
  onFound: (part: Part, result: Made) => void,
): Promise<Part[]> {
  const missing: Part[] = [];
  for (const part of parts) {
    const result = await find(part);
    if (result === null) missing.push(part);
    else onFound(part, result);
  }
  return missing;
}

/** A worker among several that make parts of the same task: number `index` of `count`. Number 0 joins them. */
export interface Share {
  index: number;
  count: number;
}

/**
 * The parts in the order of one worker among several: those of its own share, the largest first, then those of the
 * others, the smallest first, which these come to last. So two rarely make the same part, and nobody waits for one that
 * was killed.
 */
export function ownFirst<Part>(parts: readonly Part[], { index, count }: Share): Part[] {
  const isOwn = (_: Part, i: number) => i % count === index;
  const others = parts.filter((part, i) => !isOwn(part, i)).reverse();
  return [...parts.filter(isOwn), ...others];
}
