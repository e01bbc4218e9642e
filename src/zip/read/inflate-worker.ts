/** The program of InflateThread's thread: a null says that it is ready, then each job has one result. */
import { parentPort } from 'node:worker_threads';
import { BlockInflater } from './block-inflater.ts';
import { type InflateJob, inflateJob } from './inflate-job.ts';

const inflater = new BlockInflater();

parentPort!.on('message', (job: InflateJob) => {
  const result = inflateJob(inflater, job);
  parentPort!.postMessage(result, [result.input, result.output]);
});
parentPort!.postMessage(null);
