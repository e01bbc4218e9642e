import { Worker } from 'node:worker_threads';
import { StoreUnavailable } from '../catalogue-store.ts';
import { type Answer, type Call, fromFault, type NumberedCall, type ThreadData } from './thread-messages.ts';

/** The program in this file's language: TypeScript when the sources run, JavaScript when the build does. */
const PROGRAM = new URL(import.meta.url.replace(/thread-link(\.[jt]s)$/, 'sqlite-worker$1'));
/** Rows are in it for a moment only; a small young generation saves memory. */
const LIMITS = { maxYoungGenerationSizeMb: 8 };

interface Pending {
  resolve(value: never): void;
  reject(error: unknown): void;
}

/** A thread with a driver of its own. It keeps the process alive only while calls wait for answers. */
export class ThreadLink {
  readonly #worker: Worker;
  readonly #path: string;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #isOver = false;
  /** Resolves when its driver is open. Throws what opening throws; the thread has ended then. */
  readonly opened: Promise<void>;

  constructor(data: ThreadData) {
    this.#path = data.path;
    this.#worker = new Worker(PROGRAM, {
      name: 'sqlite',
      workerData: data,
      execArgv: [],
      resourceLimits: LIMITS,
    });
    this.#worker.on('message', (answer: Answer) => this.#settle(answer));
    this.#worker.once('error', (error) => this.#fail(error));
    this.#worker.once('exit', () => this.#fail(undefined));
    // After the listeners, since the one for messages holds the process again.
    this.#worker.unref();
    this.opened = this.call<void>({ op: 'open' }).catch(async (error: unknown) => {
      await this.end();
      throw error;
    });
    this.opened.catch(() => {});
  }

  /** True when the thread has ended: its cursors and transactions are gone, and another has to take its place. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Asks the thread. Throws what its driver throws, StoreUnavailable when it ends before it answers. */
  call<T>(call: Call): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#isOver) return reject(this.#gone(undefined));
      if (this.#pending.size === 0) this.#worker.ref();
      const id = ++this.#lastId;
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage({ id, call } satisfies NumberedCall);
    });
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#worker.terminate();
  }

  #settle(answer: Answer): void {
    const pending = this.#pending.get(answer.id)!;
    this.#pending.delete(answer.id);
    if (this.#pending.size === 0) this.#worker.unref();
    if ('fault' in answer) pending.reject(fromFault(answer.fault));
    else pending.resolve(answer.value as never);
  }

  #fail(cause: unknown): void {
    this.#isOver = true;
    for (const { reject } of this.#pending.values()) reject(this.#gone(cause));
    this.#pending.clear();
  }

  #gone(cause: unknown): StoreUnavailable {
    return new StoreUnavailable(`the database ${this.#path} cannot answer: its thread has ended`, { cause });
  }
}
