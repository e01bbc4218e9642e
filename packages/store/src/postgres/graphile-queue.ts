/** Receives messages about jobs with Graphile Worker; see `postgres-messages.ts`. */
import { Logger, run } from 'graphile-worker';
import pg from 'pg';
import { StoreUnavailable } from '../catalogue-store.ts';
import type { JobMessageQueue, JobReceiver, JobReceiverOptions } from '../job-messages.ts';
import { type ConnectionSettings, connectionSettings } from './connection-settings.ts';
import { MESSAGE_SCHEMA, taskOf } from './postgres-messages.ts';

/** Connections beside those that take messages: one listens, one is for what the library does now and then. */
const OTHER_CONNECTIONS = 2;
/** How long the library waits for held messages before it gives them up, ms. The worker ends its jobs much sooner. */
const STOP_MS = 3_600_000;

/**
 * How long the library gathers messages that are done, ms. Only with a number here it waits for the statement that
 * deletes them and ends the receiver when that fails; otherwise a database that goes away at that moment ends the
 * process by a rejection that nobody handles.
 */
const BATCH_MS = 0;

export class GraphileQueue implements JobMessageQueue {
  readonly #settings: ConnectionSettings;

  /** Throws a RangeError for a URL that is none. */
  constructor(url: string) {
    this.#settings = connectionSettings(url);
  }

  async receive(options: JobReceiverOptions): Promise<JobReceiver> {
    const { kinds, concurrency, pollMs, take, blocked, onEnd, onWarning } = options;
    const { config, name } = this.#settings;
    const pool = new pg.Pool({ ...config, max: concurrency + OTHER_CONNECTIONS });
    // A connection that dies leaves the pool, and that is all; its user is told by the query.
    pool.on('error', () => {});
    pool.on('connect', (client) => client.on('error', () => {}));
    const task = async (payload: unknown) => take((payload as { id: string }).id);
    try {
      const runner = await run({
        pgPool: pool,
        schema: MESSAGE_SCHEMA,
        concurrency,
        pollInterval: pollMs,
        noHandleSignals: true,
        gracefulShutdownAbortTimeout: STOP_MS,
        taskList: Object.fromEntries(kinds.map((kind) => [taskOf(kind), task])),
        forbiddenFlags: () => [...blocked()],
        crontab: '',
        preset: { worker: { completeJobBatchDelay: BATCH_MS, failJobBatchDelay: BATCH_MS } },
        logger: new Logger(() => (level, message) => {
          if (level === 'error' || level === 'warning') onWarning(message);
        }),
      });
      let isStopping = false;
      const ended = runner.promise.then(
        () => null,
        (error: unknown) => error,
      );
      const closed = ended.then(async (error) => {
        await pool.end();
        if (!isStopping) onEnd(error ?? new StoreUnavailable(`messages about jobs from ${name} have ended`));
      });
      return {
        async stop() {
          if (isStopping) return;
          isStopping = true;
          await runner.stop().catch(() => {});
          await closed;
        },
      };
    } catch (error) {
      await pool.end();
      throw new StoreUnavailable(`messages about jobs cannot be received from ${name}`, { cause: error });
    }
  }
}
