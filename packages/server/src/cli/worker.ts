import { sharedNow } from '@citymodel/base';
import { Archives, PACK_KIND, watchedObjects } from '@citymodel/store';
import { type Command, InvalidArgumentError } from 'commander';
import pino from 'pino';
import { InvalidSettings, readSettings, type Settings } from '../base/settings.ts';
import { DiskWatch, disksOf } from '../http/observe/disk-checks.ts';
import { Metrics } from '../http/observe/metrics.ts';
import { tellDamage } from '../http/observe/tell-damage.ts';
import { startWorkerServer } from '../http/worker-server.ts';
import { hasWaitingJobs } from '../jobs/job-feed.ts';
import type { JobKind } from '../jobs/job-kind.ts';
import { packKind } from '../jobs/kinds/pack.ts';
import { JOB_KINDS } from '../jobs/registry.ts';
import { createJobWorker } from '../service/job-service.ts';
import { addAdopt, wholeNumber } from './arguments.ts';
import { storesOf } from './stores.ts';
import { tracingOf } from './tracing.ts';

/** Archives that are kept open. */
const MAX_OPEN_ARCHIVES = 64;
/** Jobs that are stopped have so long to end what they ask of the object store, ms. */
const LAST_MS = 2_000;
const KINDS = [PACK_KIND, ...JOB_KINDS.map(({ name }) => name)];

interface WorkerFlags {
  kinds: string[];
  concurrency?: number;
  /** End when there has been nothing to do for so many seconds. */
  untilIdle?: number;
  adopt?: boolean;
}

export function addWorker(program: Command): void {
  const command = program
    .command('worker')
    .description(
      'Do jobs and build packs until SIGTERM or SIGINT. Any number of workers may run, on any machine that reaches ' +
        'the stores.',
    )
    .option(
      '--kinds <list>',
      `only these kinds of work, with commas between: ${KINDS.join(', ')}`,
      kindList,
      KINDS,
    )
    .option(
      '--concurrency <n>',
      'number of jobs at the same time, in place of JOB_WORKERS',
      wholeNumber(1, 64),
    )
    .option('--until-idle <seconds>', 'end after so many seconds without a job', wholeNumber(1, 86_400));
  addAdopt(command).action((flags: WorkerFlags) => runWorker(flags, readSettings(process.env)));
}

/** Works until a signal, until nothing was to do for long enough, or until the process that started it is gone. */
export async function runWorker(flags: WorkerFlags, settings: Settings): Promise<void> {
  const packs = flags.kinds.includes(PACK_KIND) ? settings.PACK_WORKERS : 0;
  const kinds = JOB_KINDS.filter(({ name }) => flags.kinds.includes(name));
  const concurrency = kinds.length === 0 ? 0 : (flags.concurrency ?? settings.JOB_WORKERS);
  if (packs + concurrency === 0) {
    console.error(
      'citymodel: this worker would do nothing; set PACK_WORKERS or JOB_WORKERS to 1 or more, or give other --kinds.',
    );
    process.exitCode = 2;
    return;
  }
  const log = pino({ level: settings.LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime });
  const tracing = await tracingOf(settings);
  const stores = await storesOf(settings, { ...flags, serving: true });
  const metrics = new Metrics();
  const onDamage = tellDamage(metrics, log);
  const archives = new Archives(stores.objects, { maxOpen: MAX_OPEN_ARCHIVES, onDamage });
  metrics.watchStores(stores);
  const watchedStores = { ...stores, objects: watchedObjects(stores.objects, onDamage) };
  const disks = new DiskWatch(disksOf(settings));
  metrics.watchDisks(disks);
  let busyAt = Date.now();
  const workerFor = (some: readonly JobKind[], atOnce: number) =>
    createJobWorker({
      settings,
      stores: watchedStores,
      log,
      kinds: some,
      concurrency: atOnce,
      onEnd(end) {
        metrics.jobEnded(end);
        if (end.kind === PACK_KIND)
          metrics.packEnded(end.outcome === 'refused' ? 'failed' : end.outcome, end.ms);
        if (end.kind !== 'sweep') busyAt = Date.now();
      },
    });
  // Packs have hands of their own: somebody waits for them, and an ingestion may take hours.
  const workers = [
    ...(packs > 0 ? [workerFor([packKind({ archives })], packs)] : []),
    ...(concurrency > 0 ? [workerFor(kinds, concurrency)] : []),
  ];
  let isStopping = false;
  const watched =
    settings.WORKER_PORT < 0
      ? null
      : await startWorkerServer({
          host: settings.HOST,
          port: settings.WORKER_PORT,
          metrics,
          stores,
          disks,
          isStopping: () => isStopping,
        }).catch(async (error: Error) => {
          await stores.close();
          throw new InvalidSettings([
            `HOST ${settings.HOST} and WORKER_PORT ${settings.WORKER_PORT} cannot be listened on: ${error.message}`,
          ]);
        });
  for (const worker of workers) await worker.start();
  const names = [
    ...(packs > 0 ? [PACK_KIND] : []),
    ...(concurrency > 0 ? kinds.map(({ name }) => name) : []),
  ];
  log.info(
    { packs, jobs: concurrency, kinds: names, ...(watched && { address: watched.address }) },
    'working',
  );
  const stop = async (why: string) => {
    if (isStopping) return;
    isStopping = true;
    log.info({ why }, 'stopping');
    clearInterval(alive);
    // A bucket that is silent does not hold up that jobs are given back.
    const impatient = setTimeout(() => stores.objects.giveUp?.(), LAST_MS);
    try {
      await Promise.all(workers.map((worker) => worker.stop()));
      await watched?.close();
      await archives.close();
      await stores.close();
    } catch (error) {
      log.error({ err: error }, 'stopping failed');
      process.exitCode = 1;
    }
    clearTimeout(impatient);
    await tracing?.stop();
    if (process.connected) process.disconnect();
  };
  const endWhenIdle = async (seconds: number) => {
    if (workers.some((worker) => worker.running() > 0)) busyAt = Date.now();
    if (Date.now() - busyAt < seconds * 1_000) return;
    if (await hasWaitingJobs(stores.jobs, names, sharedNow())) busyAt = Date.now();
    else await stop('there is nothing to do');
  };
  // Also what keeps the process alive: the timers of the workers do not.
  const alive = setInterval(() => {
    if (flags.untilIdle === undefined || isStopping) return;
    endWhenIdle(flags.untilIdle).catch((error) =>
      log.error({ err: error }, 'looking for jobs failed; it goes on'),
    );
  }, 500);
  process.once('SIGTERM', () => stop('SIGTERM'));
  process.once('SIGINT', () => stop('SIGINT'));
  // A server that started this process and died cannot stop it.
  process.once('disconnect', () => stop('the server is gone'));
}

function kindList(text: string): string[] {
  const kinds = text.split(',').map((kind) => kind.trim());
  const unknown = kinds.find((kind) => !KINDS.includes(kind));
  if (unknown !== undefined) {
    throw new InvalidArgumentError(
      `There is no kind ${JSON.stringify(unknown)}; known are ${KINDS.join(', ')}.`,
    );
  }
  return kinds;
}
