import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { InflateJob, InflateResult, JobMemory, PartRange } from './inflate-job.ts';

/** Jobs that the thread has at once; who has more does them where it is, so that neither waits for the other. */
const MAX_JOBS = 4;
/** Memory of a job that is kept for the next, bytes. */
const MAX_KEPT = 2 << 20;
/** The program in this file's language: TypeScript when the sources run, JavaScript when the build does. */
const PROGRAM = new URL(import.meta.url.replace(/inflate-thread(\.[jt]s)$/, 'inflate-worker$1'));
/** It keeps nothing but what it is working on. */
const LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };

/** Data of a block, and which parts of its text are wanted. */
export interface BlockParts {
  data: Uint8Array;
  ranges: readonly PartRange[];
}

/**
 * A second thread that inflates parts of blocks while the calling one is busy with what it has. It is there from the
 * first `start` on until the process ends, which it does not delay:
 *
 *   absent ──start──▶ starting ──its first message──▶ ready ──error, exit──▶ gone
 *
 * It is given many blocks at a time, as waking a thread costs up to a third of what inflating a block does: jobs of 16
 * blocks made answers a tenth faster than jobs of 8. The streams of node:zlib, which do their work on the pool, took
 * twice the processor time of inflating where one is, and three times as much of the calling thread's as this.
 */
export class InflateThread {
  #state: 'absent' | 'starting' | 'ready' | 'gone' = 'absent';
  #worker: Worker | null = null;
  /** Jobs that it has, by their numbers. */
  readonly #jobs = new Map<number, (result: InflateResult | null) => void>();
  #lastId = 0;
  /** Of jobs that are done, for the next ones. */
  readonly #free: JobMemory[] = [];
  readonly #program: URL;

  constructor(program = PROGRAM) {
    this.#program = program;
  }

  /** True when a job would be begun soon. */
  get isFree(): boolean {
    return this.#state === 'ready' && this.#jobs.size < MAX_JOBS;
  }

  /** Has the thread ready some time later, where there is a processor for it. */
  start(): void {
    if (this.#state !== 'absent') return;
    if (availableParallelism() === 1) {
      this.#state = 'gone';
      return;
    }
    this.#state = 'starting';
    const worker = new Worker(this.#program, { name: 'inflate', execArgv: [], resourceLimits: LIMITS });
    this.#worker = worker;
    worker.on('message', (result: InflateResult | null) => {
      if (result === null) this.#state = 'ready';
      else this.#settle(result.id, result);
    });
    const fail = () => {
      this.#state = 'gone';
      for (const id of this.#jobs.keys()) this.#settle(id, null);
    };
    worker.once('error', fail);
    worker.once('exit', fail);
    // After the listeners, since the one for messages holds the process again.
    worker.unref();
  }

  /**
   * The wanted parts of each block. Null when that did not work: the thread is not there, has enough to do, or found a block
   * that cannot be inflated. The data is copied before this returns.
   */
  async parts(blocks: readonly BlockParts[]): Promise<Uint8Array[][] | null> {
    if (!this.isFree || blocks.length === 0) return null;
    const result = await this.#send({
      id: ++this.#lastId,
      ...this.#memoryOf(blocks),
      blocks: blocks.map(({ data, ranges }) => ({ dataLength: data.length, ranges })),
    });
    if (result === null) return null;
    const { input, output, done } = result;
    if (input.byteLength + output.byteLength <= MAX_KEPT) this.#free.push({ input, output });
    if (!done) return null;
    let at = 0;
    return blocks.map(({ ranges }) =>
      ranges.map(({ start, end }) => {
        at += end - start;
        return Buffer.from(new Uint8Array(output, at - (end - start), end - start));
      }),
    );
  }

  #memoryOf(blocks: readonly BlockParts[]): JobMemory {
    const length = blocks.reduce((sum, { data }) => sum + data.length, 0);
    let { input, output } = this.#free.pop() ?? { input: new ArrayBuffer(0), output: new ArrayBuffer(0) };
    if (input.byteLength < length) input = new ArrayBuffer(Math.ceil(length * 1.25));
    let at = 0;
    for (const { data } of blocks) {
      new Uint8Array(input, at).set(data);
      at += data.length;
    }
    return { input, output };
  }

  #send(job: InflateJob): Promise<InflateResult | null> {
    return new Promise((resolve) => {
      // Who waits for a job wants the process to go on until it is done.
      if (this.#jobs.size === 0) this.#worker!.ref();
      this.#jobs.set(job.id, resolve);
      this.#worker!.postMessage(job, [job.input, job.output]);
    });
  }

  #settle(id: number, result: InflateResult | null): void {
    const resolve = this.#jobs.get(id);
    this.#jobs.delete(id);
    if (this.#jobs.size === 0) this.#worker!.unref();
    resolve?.(result);
  }
}
