/** The program of the thread that compares two packages; it goes on when its parent asks for more. */
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { openObjectStore, type StoreSettings } from '@citymodel/store';
import { compareEditions, TooManyFeatures } from '../changes/compare-editions.ts';
import type { CompareMessage, CompareWork } from '../changes/compare-in-thread.ts';
import { openSource } from '../convert/package-source.ts';

/** Bytes of text between two messages of progress. */
const PROGRESS_BYTES = 4 << 20;

const port = parentPort;
if (port === null) throw new Error('This module runs in a thread of a comparison.');
const work = workerData as CompareWork;

const tell = (message: CompareMessage): void => port.postMessage(message);

async function compare(): Promise<void> {
  const objects = await openObjectStore(work.store as StoreSettings);
  await using before = await openSource({ kind: 'hosted', row: work.from }, objects);
  await using after = await openSource({ kind: 'hosted', row: work.to }, objects);
  let saidAt = 0;
  const pages = compareEditions(before, after, work.type, work.directory, (progress) => {
    if (progress.done < progress.total && progress.done - saidAt < PROGRESS_BYTES) return;
    saidAt = progress.done;
    tell({ progress });
  });
  for (;;) {
    const { value, done } = await pages.next();
    if (done === true) {
      tell({ done: value });
      return;
    }
    const asked = once(port!, 'message');
    tell({ page: value });
    await asked;
  }
}

try {
  await compare();
} catch (error) {
  const failed = error instanceof Error ? error.message : String(error);
  tell({ failed, isRefused: error instanceof TooManyFeatures });
}
