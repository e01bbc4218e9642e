/** A comparison in a thread of its own, so that its process goes on to answer and to say that it lives. */
import { on, once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { HostedRow } from '../convert/package-source.ts';
import type { Progress } from './compare-editions.ts';
import type { Difference } from './difference.ts';
import type { ComparisonSummary } from './summary.ts';
import { CHANGES_THREAD } from './thread-module.ts';

/** What the thread begins with: plain values. */
export interface CompareWork {
  from: HostedRow;
  to: HostedRow;
  type: string;
  /** Existing directory for records. */
  directory: string;
  /** How the thread opens the store that has the archives. */
  store: unknown;
}

/** What the thread tells; after a page it waits until it is asked for more. */
export type CompareMessage =
  | { progress: Progress }
  | { page: Difference[] }
  | { done: ComparisonSummary }
  | { failed: string; isRefused: boolean };

/** Two packages cannot be compared, whenever it is tried. */
export class ComparisonRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ComparisonRefused';
  }
}

/** MB for the objects of the thread: ids, boxes and matches of all features. */
const HEAP_MB = 2048;

/**
 * Compares two packages; `onPage` is awaited before the next page is made. Throws ComparisonRefused, the reason of the
 * signal, and what the thread says.
 */
export async function compareInThread(
  work: CompareWork,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
  onPage: (page: Difference[]) => Promise<void>,
): Promise<ComparisonSummary> {
  const thread = new Worker(CHANGES_THREAD, {
    name: 'changes',
    workerData: work,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const ended = new AbortController();
  thread.once('error', (error) => ended.abort(error));
  const exited = once(thread, 'exit');
  exited.then(
    () => ended.abort(new Error('The thread that compares packages has ended.')),
    () => {},
  );
  const either = AbortSignal.any([signal, ended.signal]);
  try {
    for await (const [message] of on(thread, 'message', { signal: either })) {
      const news = message as CompareMessage;
      if ('progress' in news) onProgress(news.progress);
      else if ('page' in news) {
        await onPage(news.page);
        thread.postMessage('more');
      } else if ('done' in news) return news.done;
      else throw news.isRefused ? new ComparisonRefused(news.failed) : new Error(news.failed);
    }
    throw new Error('The thread that compares packages has said nothing more.');
  } catch (error) {
    either.throwIfAborted();
    throw error;
  } finally {
    await thread.terminate();
  }
}
