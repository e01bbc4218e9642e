/** The program of SqliteThread's threads. */
import { parentPort, workerData } from 'node:worker_threads';
import { SqliteDriver } from './sqlite-driver.ts';
import { ThreadBody } from './thread-body.ts';
import { type Answer, type NumberedCall, type ThreadData, toFault } from './thread-messages.ts';

const { path, options } = workerData as ThreadData;
const body = new ThreadBody(() => SqliteDriver.open(path, options));
const port = parentPort!;

port.on('message', ({ id, call }: NumberedCall) => {
  body.answer(call).then(
    (value) => port.postMessage({ id, value } satisfies Answer),
    (error: unknown) => port.postMessage({ id, fault: toFault(error) } satisfies Answer),
  );
});
