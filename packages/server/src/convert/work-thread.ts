/** A thread that does pieces of work, one at a time, as its parent hands them out. */
import { parentPort, workerData } from 'node:worker_threads';
import type { ObjectStore } from '@citymodel/store';
import type { ConvertOptions, HeightGrid } from '@citymodel/tiles';
import { ConversionFailed, systemFailure } from './conversion-failed.ts';
import { openSource, type SourceAddress } from './package-source.ts';
import { partStoreOf } from './part-store.ts';
import { type Task, type TaskResult, work } from './work.ts';

/** What a thread begins with. */
export interface ThreadData {
  address: SourceAddress;
  /** For opening the object store; null when the package is no hosted one. */
  objects: unknown;
  partsDirectory: string;
  /** Whether parts go to the object store, too, for other workers. */
  isShared: boolean;
  options: ConvertOptions;
  grid: HeightGrid | null;
}

/**
 * What a thread tells: bytes of text that were read, or how a piece of work ended. `code`: as ConversionFailed has it.
 */
export type ThreadMessage =
  | { text: number }
  | { done: TaskResult }
  | { failed: string; code: ConversionFailed['code'] | null };

/** The error that a thread told of. */
export function errorOf({ failed, code }: Extract<ThreadMessage, { failed: string }>): Error {
  return code === null ? new Error(failed) : new ConversionFailed(code, failed);
}

/** Bytes of text between two messages of progress. */
const PROGRESS_BYTES = 256 * 1024;

/**
 * Answers tasks until the parent ends the thread. `openObjects` opens the object store that `objects` of the data
 * names.
 */
export async function serveThread(openObjects: (settings: unknown) => Promise<ObjectStore>): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('This module runs in a thread of a conversion.');
  const { address, objects, partsDirectory, isShared, options, grid } = workerData as ThreadData;
  const objectStore = objects === null ? null : await openObjects(objects);
  const source = await openSource(address, objectStore);
  const store = partStoreOf(partsDirectory, source, isShared ? objectStore : null);
  const tell = (message: ThreadMessage) => port.postMessage(message);
  let text = 0;
  const onText = (bytes: number) => {
    text += bytes;
    if (text < PROGRESS_BYTES) return;
    tell({ text });
    text = 0;
  };
  const { signal } = new AbortController();
  port.on('message', (task: Task) => {
    work(task, { source, store, options, grid, signal, onText })
      .then((done) => {
        tell({ text });
        text = 0;
        tell({ done });
      })
      .catch((error: unknown) => {
        const failure = systemFailure(error);
        if (failure !== null) tell({ failed: failure.message, code: failure.code });
        else
          tell({ failed: (error instanceof Error ? error.stack : undefined) ?? String(error), code: null });
      });
  });
}
