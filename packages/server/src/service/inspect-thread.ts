/** The program of a thread that inspects files, one at a time, as its parent names them. */
import { parentPort, workerData } from 'node:worker_threads';
import { type GmlFile, inspectFile, SchemasRefused } from '@citymodel/inspect';
import { openObjectStore, type StoreSettings } from '@citymodel/store';
import {
  type InspectMessage,
  type InspectWork,
  openWork,
  openWorkSource,
} from '../inspection/inspect-work.ts';

/** Bytes of text between two messages of progress. */
const PROGRESS_BYTES = 1 << 20;

const port = parentPort;
if (port === null) throw new Error('This module runs in a thread of an inspection.');
const tell = (message: InspectMessage, moved: ArrayBuffer[] = []) => port.postMessage(message, moved);
const work = workerData as InspectWork;
const objects = work.store === null ? null : await openObjectStore(work.store as StoreSettings);
const source = await openWorkSource(work, objects);
const { context, checks } = await openWork(work, source);
const { signal } = new AbortController();
let text = 0;
const onText = (bytes: number) => {
  text += bytes;
  if (text < PROGRESS_BYTES) return;
  tell({ text });
  text = 0;
};
port.on('message', (file: GmlFile) => {
  inspectFile(file, source, checks, context, { signal, onText }).then(
    (done) => {
      tell({ text });
      text = 0;
      tell({ done }, [...new Set(done.checks.flatMap(({ carry }) => memoryOf(carry)))]);
    },
    (error: unknown) => {
      if (error instanceof SchemasRefused) tell({ refused: error.message });
      else tell({ failed: error instanceof Error ? error.message : String(error) });
    },
  );
});

/** The memory of what is handed on: a message that does not move it takes a copy. */
function memoryOf(carry: unknown): ArrayBuffer[] {
  if (ArrayBuffer.isView(carry)) return carry.buffer instanceof ArrayBuffer ? [carry.buffer] : [];
  return typeof carry === 'object' && carry !== null ? Object.values(carry).flatMap(memoryOf) : [];
}
