/** The program of a thread that compares texts with XSDs, one at a time, as its parent sends them. */
import { parentPort, workerData } from 'node:worker_threads';
import { loadLibxml2, SchemasRefused, type XsdFile } from '@citymodel/inspect';
import type { SchemaMessage } from '../inspection/schema-judge.ts';

const port = parentPort;
if (port === null) throw new Error('This module runs in a thread of an inspection.');
const tell = (message: SchemaMessage) => port.postMessage(message);
const Schemas = await loadLibxml2();
let schemas: InstanceType<typeof Schemas> | null = null;

port.on('message', (text: Uint8Array) => {
  try {
    schemas ??= new Schemas(workerData as XsdFile[], () => tell({ ready: true }));
    tell({ done: schemas.compare(text) });
  } catch (error) {
    if (!(error instanceof SchemasRefused)) throw error;
    tell({ refused: error.message });
  }
});
