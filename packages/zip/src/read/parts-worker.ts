/** The thread of `parts-thread.ts`. */
import { parentPort } from 'node:worker_threads';
import { BlockPartsReader } from './block-parts.ts';
import { mayBegin, type PartsAnswer, type PartsJob } from './parts-thread.ts';

const reader = new BlockPartsReader();
parentPort!.on('message', (job: PartsJob) => {
  const { id, descriptor, blocks } = job;
  const start = performance.now();
  const output = mayBegin(job) ? reader.read(descriptor, blocks) : null;
  parentPort!.postMessage(
    { id, output, took: performance.now() - start } satisfies PartsAnswer,
    output === null ? [] : [output.buffer],
  );
});
parentPort!.postMessage(null);
