import { setImmediate } from 'node:timers/promises';
import type { Command } from 'commander';
import { InvalidSettings, readSettings, type Settings } from '../base/settings.ts';
import { sweepStores } from '../jobs/kinds/sweep.ts';
import { addAdopt } from './arguments.ts';
import { storesOf } from './stores.ts';
import { tracingOf } from './tracing.ts';
import { WORKER_FOR_ALL, WORKERS_FOR_OPERATORS, WorkerProcess } from './worker-process.ts';

/** How often a running server looks for packages whose time is over. */
const SWEEP_MS = 60_000;
/** A sweep may go on for so long when the server has stopped; what it leaves the next one does, ms. */
const LAST_MS = 1_000;

export function addServe(program: Command): void {
  const command = program.command('serve').description('Serve the catalogue, the searches and the assets.');
  addAdopt(command).action((flags: { adopt: boolean }) => runServe(readSettings(process.env), flags));
}

/** Serves until SIGTERM or SIGINT. Resolves when the server listens. */
export async function runServe(settings: Settings, { adopt = false } = {}): Promise<void> {
  const tracing = await tracingOf(settings);
  const [stores, { startServer }] = await Promise.all([
    storesOf(settings, { adopt, serving: true }),
    // Reading modules holds up the event loop: the threads of the database begin before it, and open the database
    // meanwhile.
    setImmediate().then(() => import('../http/server.ts')),
  ]);
  if (settings.ASSET_REDIRECT === 'presigned' && stores.objects.sign === undefined) {
    await stores.close();
    throw new InvalidSettings([
      'ASSET_REDIRECT is presigned, which needs a bucket: OBJECT_STORE=s3://…, or az://… with AZURE_STORAGE_KEY',
    ]);
  }
  const { RETIRED_GRACE_S, ASSET_MAX_AGE_S } = settings;
  if (ASSET_MAX_AGE_S > 0 && RETIRED_GRACE_S <= ASSET_MAX_AGE_S) {
    await stores.close();
    throw new InvalidSettings([
      `RETIRED_GRACE_S is ${RETIRED_GRACE_S}, but it must be more than ASSET_MAX_AGE_S, which is ` +
        `${ASSET_MAX_AGE_S}: a tileset that somebody keeps would outlive its tiles`,
    ]);
  }
  const starting = startServer(settings, stores);
  let sweeping = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let workers: WorkerProcess[] = [];
  const stop = async (signal: string) => {
    const server = await starting.catch(() => null);
    // A caller who waits for the start tells why there is none.
    if (server === null) return;
    server.log.info({ signal }, 'stopping');
    clearInterval(timer);
    try {
      await Promise.all([server.stop(), ...workers.map((worker) => worker.stop())]);
      const impatient = setTimeout(() => stores.objects.giveUp?.(), LAST_MS);
      await sweeping;
      clearTimeout(impatient);
      await stores.close();
      await tracing?.stop();
      process.exit(0);
    } catch (error) {
      server.log.error({ err: error }, 'stopping failed');
      process.exit(1);
    }
  };
  // Before the server says that it listens: who has read that may stop it at once.
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  const server = await starting.catch(async (error) => {
    await stores.close();
    throw isListenError(error)
      ? new InvalidSettings([
          `HOST ${settings.HOST} and PORT ${settings.PORT} cannot be listened on: ${error.message}`,
        ])
      : error;
  });
  if (settings.JOB_WORKERS > 0) {
    const kinds = [WORKER_FOR_ALL, ...(settings.ADMIN_TOKEN === '' ? [] : WORKERS_FOR_OPERATORS)];
    workers = kinds.map((own) => new WorkerProcess(stores.jobs, settings, own, server.log));
    for (const worker of workers) worker.start();
  }
  const sweepQuietly = async () => {
    try {
      const report = await sweepStores(stores, settings);
      if (Object.values(report).some((count) => count > 0)) server.log.info(report, 'swept the store');
    } catch (error) {
      server.log.error({ err: error }, 'the sweep of the store failed');
    }
  };
  const sweepNext = () => {
    sweeping = sweeping.then(sweepQuietly);
  };
  timer = setInterval(sweepNext, SWEEP_MS);
  timer.unref();
  sweepNext();
  await sweeping;
}

/** Whether the address is in use, not of this machine, or a name that nobody knows. */
function isListenError(error: unknown): error is NodeJS.ErrnoException {
  if (!(error instanceof Error)) return false;
  const { syscall } = error as NodeJS.ErrnoException;
  return syscall === 'listen' || syscall === 'getaddrinfo';
}
