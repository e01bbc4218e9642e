/** Pieces of work over several threads, or in this one. */
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { ObjectStore } from '@citymodel/store';
import { openSource } from './package-source.ts';
import { partStoreOf, sweepThreads } from './part-store.ts';
import { type Task, type TaskResult, work } from './work.ts';
import { errorOf, type ThreadData, type ThreadMessage } from './work-thread.ts';

/** Memory for JavaScript objects of all threads together, and the least that one gets, MB. Buffers come on top. */
const HEAP_MB = 256;
const LEAST_HEAP_MB = 96;
/**
 * Text of a file up to which a thread is tried, MB for each MB of its heap: more features than that make do with
 * seldom.
 */
const TEXT_PER_HEAP = 4;
/**
 * MB of objects that a thread fills before its first full collection. What lives while a file is converted is 15 to 25
 * MB, so that V8 by itself collects for each file and more: 16 to 22 times in the test of this module, 5 or 6 times so.
 */
const FILLED_FIRST = '--initial-old-space-size=64';

/** How tasks are run. */
export interface WorkPool extends AsyncDisposable {
  /**
   * Runs all tasks, the first ones first, and tells each result. Throws what a task throws, and the reason of the
   * signal. A task of much text, and one whose thread ran out of memory, is done at the end, by itself with the memory
   * of all; null when that is not enough.
   */
  run(tasks: readonly Task[], onDone: (task: Task, result: TaskResult | null) => void): Promise<void>;
}

export interface PoolOptions extends ThreadData {
  /** Threads; 0 works in this one. */
  jobs: number;
  /** Module that calls `serveThread`. */
  threadModule: URL;
  /** The store of hosted packages, for work in this thread. */
  objectStore: ObjectStore | null;
  signal: AbortSignal;
  onText(bytes: number): void;
}

/** Opens a pool; threads start with the first task. */
export async function openPool(options: PoolOptions): Promise<WorkPool> {
  return options.jobs === 0 ? hereOnly(options) : new ThreadPool(options);
}

async function hereOnly(options: PoolOptions): Promise<WorkPool> {
  const { address, objectStore, partsDirectory, isShared, signal, onText, grid } = options;
  const source = await openSource(address, objectStore);
  const store = partStoreOf(partsDirectory, source, isShared ? objectStore : null);
  return {
    async run(tasks, onDone) {
      for (const task of tasks) {
        signal.throwIfAborted();
        onDone(task, await work(task, { source, store, options: options.options, grid, signal, onText }));
      }
    },
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}

class ThreadPool implements WorkPool {
  readonly #options: PoolOptions;
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();
  /** Numbers of all threads that were started. */
  readonly #threads = new Set<number>();
  /** MB for objects of each thread that is there. */
  #heap = 0;

  constructor(options: PoolOptions) {
    setFlagsFromString(FILLED_FIRST);
    this.#options = options;
  }

  async run(tasks: readonly Task[], onDone: (task: Task, result: TaskResult | null) => void): Promise<void> {
    const { jobs, signal } = this.#options;
    const threads = Math.min(jobs, tasks.length);
    const share = Math.max(LEAST_HEAP_MB, Math.floor(HEAP_MB / threads));
    // Threads that are there may go on with less than that, but not with more.
    if (this.#heap > share) await this[Symbol.asyncDispose]();
    if (this.#all.size === 0) this.#heap = share;
    const heap = this.#heap;
    const { small = [], large: tooLarge = [] } = Object.groupBy(tasks, (task) =>
      heap < HEAP_MB && textOf(task) > TEXT_PER_HEAP * heap ? 'large' : 'small',
    );
    const queue = [...small];
    const lane = async (): Promise<void> => {
      for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
        signal.throwIfAborted();
        const result = await this.#runOne(task, heap);
        if (result === null && heap < HEAP_MB) tooLarge.push(task);
        else onDone(task, result);
      }
    };
    const lanes = Array.from({ length: threads }, lane);
    try {
      await Promise.all(lanes);
      if (tooLarge.length === 0) return;
      await this[Symbol.asyncDispose]();
      for (const task of tooLarge) {
        signal.throwIfAborted();
        onDone(task, await this.#runOne(task, HEAP_MB));
      }
      await this[Symbol.asyncDispose]();
    } catch (error) {
      queue.length = 0;
      await this[Symbol.asyncDispose]();
      await Promise.allSettled(lanes);
      throw error;
    }
  }

  /** Null when the thread ran out of memory. `heap`: MB for objects of a thread that is started. */
  async #runOne(task: Task, heap: number): Promise<TaskResult | null> {
    const worker = this.#idle.pop() ?? this.#start(heap);
    const { signal, onText } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<TaskResult | null>();
    const onMessage = (message: ThreadMessage) => {
      if ('text' in message) onText(message.text);
      else if ('done' in message) resolve(message.done);
      else reject(errorOf(message));
    };
    const onError = (error: Error & { code?: string }) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve(null);
      else reject(error);
    };
    const onExit = () => reject(new Error('A thread of the conversion ended early.'));
    const onAbort = () => reject(signal.reason);
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    signal.addEventListener('abort', onAbort);
    try {
      worker.postMessage(task);
      return await promise;
    } finally {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      signal.removeEventListener('abort', onAbort);
      if (this.#all.has(worker)) this.#idle.push(worker);
    }
  }

  #start(heap: number): Worker {
    const { address, objects, partsDirectory, isShared, options, grid, threadModule } = this.#options;
    const data: ThreadData = { address, objects, partsDirectory, isShared, options, grid };
    const worker = new Worker(threadModule, {
      name: 'convert',
      workerData: data,
      resourceLimits: {
        maxOldGenerationSizeMb: heap,
        maxYoungGenerationSizeMb: 16,
      },
    });
    this.#all.add(worker);
    // Once it has ended, it no longer tells its number.
    this.#threads.add(worker.threadId);
    const gone = () => {
      this.#all.delete(worker);
      const at = this.#idle.indexOf(worker);
      if (at >= 0) this.#idle.splice(at, 1);
    };
    worker.on('error', gone).on('exit', gone);
    return worker;
  }

  /** Ends all threads; those of a later run are new ones. */
  async [Symbol.asyncDispose](): Promise<void> {
    const workers = [...this.#all];
    this.#all.clear();
    this.#idle.length = 0;
    await Promise.all(workers.map((worker) => worker.terminate()));
    await sweepThreads(this.#options.partsDirectory, this.#threads);
  }
}

/** Text that a task reads, MB. */
function textOf(task: Task): number {
  return task.kind === 'part' ? task.gml.size / 1e6 : 0;
}
