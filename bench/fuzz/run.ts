/** Gives one kind of input to the code under test, again and again, and looks at time and memory in between. */
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Random } from '../../packages/sample/src/random.ts';
import { peakOf } from '../support/processes.ts';
import type { FuzzKind } from './kind.ts';

/** Processor time that one turn of the event loop may take, ms. */
const MAX_TURN_MS = 200;
/** Memory that inputs may leave behind, and by which one batch may raise the peak, bytes. */
const MAX_GROWTH = 200e6;
/** Inputs before the first look, in which code is compiled and caches fill. */
const WARM_UP = 200;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

export interface Tally {
  kind: string;
  inputs: number;
  accepted: number;
  refused: number;
  /** Longest turn, ms of processor time. */
  longestMs: number;
  /** Processor time of all threads, ms. */
  processorMs: number;
  fault: Fault | null;
}

export interface Fault {
  kind: string;
  /** Gives the input again: `--kinds KIND --seed SEED --from NUMBER --count 1`. */
  seed: number;
  number: number;
  reason: unknown;
  input: Uint8Array | string;
}

export interface RunOptions {
  seed: number;
  /** Number of the first input. */
  from: number;
  /** Inputs after which it ends; Infinity for none. */
  count: number;
  /** Processor time of the whole process after which it ends, ms: the same work is done however busy the machine is. */
  processorMs: number;
  /** Called after each batch. */
  onProgress?: (tally: Tally) => void;
  /** Asked after each batch: true ends the run. */
  isStopped?: () => boolean;
}

/** Runs inputs of one kind until the first fault, the count or the processor time. */
export async function runKind(
  kind: FuzzKind,
  { seed, from, count, processorMs, onProgress, isStopped = () => false }: RunOptions,
): Promise<Tally> {
  const begun = processMs();
  const tally: Tally = {
    kind: kind.name,
    inputs: 0,
    accepted: 0,
    refused: 0,
    longestMs: 0,
    processorMs: 0,
    fault: null,
  };
  let input: () => Uint8Array | string = () => '';
  const keep = (candidate: typeof input) => {
    input = candidate;
  };
  const one = (number: number) => kind.run(new Random(`${kind.name} ${seed} ${number}`), keep);
  const found = (number: number, reason: unknown): Fault => ({
    kind: kind.name,
    seed,
    number,
    reason,
    input: input(),
  });
  const mostTurnMs = kind.mostTurnMs ?? MAX_TURN_MS;
  let baseline: number | null = null;
  let number = from;
  while (tally.inputs < count && processMs() - begun < processorMs && !isStopped()) {
    await setImmediate();
    tally.processorMs = processMs() - begun;
    const first = number;
    const end = Math.min(from + count, number + kind.batch);
    const peak = peakBytes();
    const watch = new TurnWatch();
    try {
      for (; number < end; number++) {
        const verdict = one(number);
        tally[verdict instanceof Promise ? await verdict : verdict]++;
        tally.inputs++;
      }
    } catch (reason) {
      watch.end();
      tally.fault = found(number, reason);
      return tally;
    }
    const turn = watch.end();
    // A batch of many is looked at again one by one, for compiling and collecting fall on any of them.
    const slowest = turn <= mostTurnMs ? null : await slowestOf(first, end, one, mostTurnMs);
    tally.longestMs = Math.max(tally.longestMs, slowest?.ms ?? Math.min(turn, mostTurnMs));
    if (slowest !== null && slowest.ms > mostTurnMs) {
      await one(slowest.number);
      tally.fault = found(
        slowest.number,
        new Error(`one turn took ${Math.round(slowest.ms)} ms of processor time`),
      );
      return tally;
    }
    const risen = peakBytes() - peak;
    if (tally.inputs > WARM_UP && risen > MAX_GROWTH) {
      tally.fault = found(first, new Error(`inputs ${first} to ${end - 1} raise the peak by ${risen} bytes`));
      return tally;
    }
    if (baseline === null && tally.inputs >= WARM_UP) baseline = liveBytes();
    onProgress?.(tally);
  }
  tally.processorMs = processMs() - begun;
  const left = baseline === null ? 0 : liveBytes() - baseline;
  if (left > MAX_GROWTH) tally.fault = found(number, new Error(`the inputs leave ${left} bytes behind`));
  return tally;
}

/** Runs inputs of a batch once more, each in a turn of its own, and says which of them takes longest. */
async function slowestOf(
  from: number,
  end: number,
  one: (number: number) => unknown,
  mostTurnMs: number,
): Promise<{ number: number; ms: number }> {
  const slowest = { number: from, ms: 0 };
  for (let number = from; number < end; number++) {
    // The least of three: a collection of garbage is no fault of the input that it falls on. It takes longer than most
    // inputs, so that it comes first only where one looked slow.
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 3 && least > mostTurnMs; attempt++) {
      if (attempt > 0) collect();
      const watch = new TurnWatch();
      await one(number);
      least = Math.min(least, watch.end());
    }
    if (least > slowest.ms) Object.assign(slowest, { number, ms: least });
  }
  return slowest;
}

/** Longest turn of the event loop in processor time of this thread. */
class TurnWatch {
  readonly #timer: NodeJS.Timeout;
  #then = cpuMs();
  #longest = 0;

  constructor() {
    this.#timer = setInterval(() => this.#look(), 5);
  }

  #look(): void {
    const now = cpuMs();
    this.#longest = Math.max(this.#longest, now - this.#then);
    this.#then = now;
  }

  end(): number {
    clearInterval(this.#timer);
    this.#look();
    return this.#longest;
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Of all threads: what reads an upload or inflates a member works on others. */
function processMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/**
 * Highest memory of this process; 0 where the system does not tell. `maxRSS` has that of the process which started this
 * one.
 */
function peakBytes(): number {
  return (peakOf(process.pid) ?? 0) * 2 ** 20;
}

function liveBytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
