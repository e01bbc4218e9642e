import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { BlockParts } from './block-parts.ts';

/** The program in this file's language: TypeScript when the sources run, JavaScript when the build does. */
const PROGRAM = new URL(import.meta.url.replace(/parts-thread(\.[jt]s)$/, 'parts-worker$1'));
/** It keeps the data and the text of one block, outside of its heap. */
const LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 };
/** A thread that nobody uses for so long gives its memory back, ms. */
const IDLE_MS = 30_000;
/**
 * A job takes about a millisecond. One that took longer than this was kept from the processor by others, or waited for
 * a disk; for some time one who needs blocks then reads them by itself, which does not wait for two threads to have
 * their turn, ms.
 */
const SLOW_MS = 5;
const REST_MS = 1_000;

/** Who has a job: nobody yet, the thread, or again the one that asked for it. */
const Claim = { free: 0, begun: 1, withdrawn: 2 } as const;

export interface PartsJob {
  id: number;
  /** One number that both threads see, see `Claim`. */
  claim: Int32Array;
  /** Of the file, which must stay open until the answer comes: descriptors are those of the process. */
  descriptor: number;
  blocks: readonly BlockParts[];
}

export interface PartsAnswer {
  id: number;
  output: Uint8Array<ArrayBuffer> | null;
  /** How long the thread was at it, ms. */
  took: number;
}

/** True when the thread may begin the job: who asked for it has not withdrawn it. */
export function mayBegin({ claim }: PartsJob): boolean {
  return Atomics.compareExchange(claim, 0, Claim.free, Claim.begun) === Claim.free;
}

/** A job that the thread has been asked to do. */
export interface PartsPromise {
  /**
   * What `BlockPartsReader.read` gives, where the thread has begun it. Else null, and the job is withdrawn: on a busy
   * machine the one who needs the parts has them sooner by its own work. Null also when the thread ends before it
   * answers.
   */
  take(): Promise<Uint8Array | null>;
}

/**
 * A thread that reads and inflates parts of blocks while the calling one is busy with those before:
 *
 *   absent ──start──▶ starting ──its first message──▶ ready ──error──▶ gone
 *      ▲                                                │
 *      └────────────── nothing to do for 30 s ──────────┘
 *
 * Where it is slow, it rests. It does not keep the process alive, but while a job waits for it.
 */
export class PartsThread {
  #state: 'absent' | 'starting' | 'ready' | 'gone';
  #worker: Worker | null = null;
  readonly #jobs = new Map<number, (output: Uint8Array | null) => void>();
  #lastId = 0;
  /** Time at which it is ready again after a job that was slow, ms. */
  #restsUntil = 0;
  #idle: NodeJS.Timeout | undefined;
  readonly #program: URL;
  readonly #idleMs: number;
  readonly #restMs: number;

  /** With one processor there is nothing to win: such a machine never gets the thread. */
  constructor({
    program = PROGRAM,
    processors = availableParallelism(),
    idleMs = IDLE_MS,
    restMs = REST_MS,
  } = {}) {
    this.#program = program;
    this.#idleMs = idleMs;
    this.#restMs = restMs;
    this.#state = processors > 1 ? 'absent' : 'gone';
  }

  get isReady(): boolean {
    return this.#state === 'ready' && performance.now() >= this.#restsUntil;
  }

  /** Has the thread ready some time later. */
  start(): void {
    if (this.#state !== 'absent') return;
    this.#state = 'starting';
    const worker = new Worker(this.#program, { name: 'parts', execArgv: [], resourceLimits: LIMITS });
    this.#worker = worker;
    worker.on('message', (answer: PartsAnswer | null) => {
      if (answer !== null) {
        if (answer.took > SLOW_MS) this.#restsUntil = performance.now() + this.#restMs;
        return this.#settle(answer.id, answer.output);
      }
      this.#state = 'ready';
      this.#restAfterJobs();
    });
    const fail = () => {
      if (this.#worker !== worker) return;
      this.#state = 'gone';
      for (const id of [...this.#jobs.keys()]) this.#settle(id, null);
    };
    worker.once('error', fail);
    worker.once('exit', fail);
    // After the listeners, since the one for messages holds the process again.
    worker.unref();
  }

  /** Asks for parts of blocks. The thread must be ready. */
  begin(descriptor: number, blocks: readonly BlockParts[]): PartsPromise {
    const claim = new Int32Array(new SharedArrayBuffer(4));
    const id = ++this.#lastId;
    const answered = new Promise<Uint8Array | null>((resolve) => {
      if (!this.isReady) return resolve(null);
      if (this.#jobs.size === 0) this.#worker!.ref();
      clearTimeout(this.#idle);
      this.#jobs.set(id, resolve);
      this.#worker!.postMessage({ id, claim, descriptor, blocks } satisfies PartsJob);
    });
    return {
      async take() {
        const before = Atomics.compareExchange(claim, 0, Claim.free, Claim.withdrawn);
        return before === Claim.begun ? answered : null;
      },
    };
  }

  #settle(id: number, output: Uint8Array | null): void {
    const resolve = this.#jobs.get(id);
    this.#jobs.delete(id);
    this.#restAfterJobs();
    resolve?.(output);
  }

  #restAfterJobs(): void {
    if (this.#jobs.size > 0) return;
    this.#worker!.unref();
    clearTimeout(this.#idle);
    if (this.#state !== 'ready') return;
    this.#idle = setTimeout(() => {
      const worker = this.#worker!;
      this.#worker = null;
      this.#state = 'absent';
      void worker.terminate();
    }, this.#idleMs).unref();
  }
}
