/**
 * Compares texts with XSDs in a thread of its own, one after the other. XSDs may be such that reading them, or
 * comparing with them, does not end: the thread is ended then.
 */
import { Worker } from 'node:worker_threads';
import { type OwnComparison, type OwnSchemas, SchemasRefused, type XsdFile } from '@citymodel/inspect';
import { SCHEMA_THREAD } from './thread-module.ts';

/** What the thread tells: that the schemas stand, and then what came of its text. */
export type SchemaMessage = { ready: true } | { done: OwnComparison } | { refused: string };

export interface JudgeLimits {
  /** Bytes of a text, which is read whole, and as a tree in about eight times its size. */
  bytes: number;
  /** Until the XSDs are read, ms. */
  compileMs: number;
  /** Until a text is compared, ms. */
  compareMs: number;
}

const LIMITS: JudgeLimits = { bytes: 128 << 20, compileMs: 120_000, compareMs: 600_000 };
/** MB for the objects of the thread: faults of one text. */
const HEAP_MB = 1024;

export class SchemaJudge implements OwnSchemas {
  readonly #files: readonly XsdFile[];
  readonly #limits: JudgeLimits;
  #worker: Worker | null = null;
  /** The comparison before. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(files: readonly XsdFile[], limits = LIMITS) {
    this.#files = files;
    this.#limits = limits;
  }

  async compare(bytes: number, text: AsyncIterable<Uint8Array>): Promise<OwnComparison> {
    const turn = this.#last.then(() => this.#compare(bytes, text));
    this.#last = turn.catch(() => {});
    return turn;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = null;
  }

  async #compare(bytes: number, text: AsyncIterable<Uint8Array>): Promise<OwnComparison> {
    const { bytes: most } = this.#limits;
    const tooLarge = `A file of more than ${most} bytes was not compared with the XSDs.`;
    if (bytes > most) return skip(tooLarge);
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of text) {
      length += chunk.length;
      if (length > most) return skip(tooLarge);
      // Streams use their buffers again.
      chunks.push(Uint8Array.from(chunk));
    }
    const whole = new Uint8Array(length);
    let at = 0;
    for (const chunk of chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return this.#ask(whole);
  }

  async #ask(text: Uint8Array<ArrayBuffer>): Promise<OwnComparison> {
    const worker = this.#started();
    const { compileMs, compareMs } = this.#limits;
    const { promise, resolve, reject } = Promise.withResolvers<OwnComparison>();
    let isReady = false;
    const end = (reason: string) => {
      this.#drop(worker);
      if (isReady) resolve(skip(`The file was not compared with the XSDs: ${reason}.`));
      else reject(new SchemasRefused(`The XSDs cannot be used: ${reason}.`));
    };
    let timer = setTimeout(() => end(`reading them took more than ${compileMs} ms`), compileMs);
    const onMessage = (message: SchemaMessage) => {
      if ('ready' in message) {
        isReady = true;
        clearTimeout(timer);
        timer = setTimeout(() => end(`it took more than ${compareMs} ms`), compareMs);
      } else if ('done' in message) resolve(message.done);
      else {
        this.#drop(worker);
        reject(new SchemasRefused(message.refused));
      }
    };
    const onFault = (error: Error) => end(`the thread failed (${error.message})`);
    const onExit = () => end('the thread ended');
    worker.on('message', onMessage).on('error', onFault).on('exit', onExit);
    worker.ref();
    worker.postMessage(text, [text.buffer]);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onFault).off('exit', onExit);
      worker.unref();
    }
  }

  #started(): Worker {
    if (this.#worker === null) {
      this.#worker = new Worker(SCHEMA_THREAD, {
        name: 'schemas',
        workerData: this.#files,
        resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      });
      // One that fails between texts is noticed with the next one.
      this.#worker.on('error', () => {});
    }
    return this.#worker;
  }

  #drop(worker: Worker): void {
    this.#worker = null;
    void worker.terminate();
  }
}

function skip(skipped: string): OwnComparison {
  return { faults: [], left: 0, skipped };
}
