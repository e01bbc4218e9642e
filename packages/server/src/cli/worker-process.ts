/**
 * A worker in a process of its own beside a server, so that its jobs take neither its memory nor its time:
 *
 *   none ──a job waits──▶ running ──nothing to do for IDLE_S──▶ none
 *
 * It notices when the server dies, and gives its jobs back.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { sharedNow } from '@citymodel/base';
import { type JobStore, pidIsAlive } from '@citymodel/store';
import type { Logger } from 'pino';
import type { Settings } from '../base/settings.ts';
import { hasWaitingJobs, recoverJobs } from '../jobs/job-feed.ts';

/**
 * Kinds of jobs that operators ask a server for. It lets them be done beside it, those of each list by a process of
 * their own: an upload does not wait for hours until a city is converted. The server sweeps and builds packs itself.
 */
export const WORKERS_FOR_OPERATORS: ReadonlyArray<readonly string[]> = [
  ['ingest', 'reindex'],
  ['convert', 'convert-parts'],
];
/** Kinds of jobs on what is served, which anybody may cause. */
export const WORKER_FOR_ALL: readonly string[] = ['inspect', 'compare', 'tables', 'pictures'];
/** What bin/citymodel.js has for workers: set here, it need not go on as another process, which knows no server. */
const POOLS = { MALLOC_ARENA_MAX: '2' };
/** Seconds without a job after which the process ends. */
const IDLE_S = 30;

export class WorkerProcess {
  readonly #jobs: JobStore;
  readonly #settings: Settings;
  readonly #kinds: readonly string[];
  readonly #log: Logger;
  #child: ChildProcess | null = null;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | null = null;
  #isStopped = false;

  constructor(jobs: JobStore, settings: Settings, kinds: readonly string[], log: Logger) {
    this.#jobs = jobs;
    this.#settings = settings;
    this.#kinds = kinds;
    this.#log = log;
  }

  /** Begins to look for jobs. */
  start(): void {
    this.#timer = setInterval(() => {
      this.#looking ??= this.#look()
        .catch((error: unknown) => this.#log.error({ err: error }, 'looking for jobs failed; it goes on'))
        .finally(() => {
          this.#looking = null;
        });
    }, this.#settings.JOB_POLL_MS);
    this.#timer.unref();
  }

  /** Ends the process, which gives its jobs back. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#looking;
    const child = this.#child;
    if (child === null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }

  async #look(): Promise<void> {
    if (this.#child !== null) return;
    await recoverJobs({ jobs: this.#jobs, pidIsAlive });
    if (!(await hasWaitingJobs(this.#jobs, this.#kinds, sharedNow())) || this.#isStopped) return;
    const args = ['worker', '--kinds', this.#kinds.join(','), '--until-idle', String(IDLE_S)];
    const { DATA_DIR, LOG_LEVEL } = this.#settings;
    const child = spawn(process.execPath, [...process.execArgv, process.argv[1]!, ...args], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...POOLS, ...process.env, DATA_DIR, LOG_LEVEL },
    });
    this.#child = child;
    this.#log.info({ pid: child.pid }, 'a worker begins');
    child.once('error', (error) => {
      this.#child = null;
      this.#log.error({ err: error }, 'starting a worker failed');
    });
    child.once('exit', (code, signal) => {
      this.#child = null;
      const isQuiet = code === 0 || this.#isStopped;
      this.#log[isQuiet ? 'info' : 'error']({ code, signal }, 'the worker has ended');
    });
  }
}
