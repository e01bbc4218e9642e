/** Watches the event loop: how late timers come, and which requests were there when one turn took too long. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { loggedUrl } from './logged-url.ts';
import type { Metrics } from './metrics.ts';

/** Time between two looks, ms; a turn is noticed when a look comes late. */
const EVERY_MS = 20;
/**
 * The longest delay is remembered for once to twice so long, ms: asking for it must not change what others are told.
 */
const REMEMBERED_MS = 60_000;
/** Requests that one warning names. */
const MAX_NAMED = 5;

interface Seen {
  method: string;
  url: string;
}

export interface LoopWatchOptions {
  log: Logger;
  metrics: Metrics;
  /** A turn that computes for longer is logged, ms; 0 logs none. */
  warnMs: number;
  /** Milliseconds that only grow. */
  now?: () => number;
  /** Processor time of this thread, ms: a machine that does other things is no fault of a request. */
  cpu?: () => number;
}

/** One for each server; `stop` ends its timer. */
export class LoopWatch {
  readonly #options: Required<LoopWatchOptions>;
  readonly #delay: ReturnType<typeof monitorEventLoopDelay>;
  readonly #timer: NodeJS.Timeout;
  /** Requests without an answer, and those that were answered since the last look. */
  readonly #open = new Set<FastifyRequest>();
  #answered: Seen[] = [];
  /** Longest delay of the time before this one, ns, and when this one began. */
  #longestBefore = 0;
  #rememberedSince: number;
  #lookedAt: number;
  #cpuThen: number;

  constructor(options: LoopWatchOptions) {
    this.#options = { now: () => performance.now(), cpu: threadCpu, ...options };
    this.#delay = monitorEventLoopDelay({ resolution: EVERY_MS });
    this.#delay.enable();
    this.#lookedAt = this.#options.now();
    this.#rememberedSince = this.#lookedAt;
    this.#cpuThen = this.#options.cpu();
    this.#timer = setInterval(() => this.look(), EVERY_MS);
    this.#timer.unref();
    options.metrics.watchLoop(() => this.#longest());
  }

  /** Registers the hooks that note which requests are there. */
  listen(app: FastifyInstance): void {
    app.addHook('onRequest', (request, _reply, done) => {
      this.#open.add(request);
      done();
    });
    const end = (request: FastifyRequest) => {
      // What was answered is not kept with all that belongs to it.
      if (this.#open.delete(request)) this.#answered.push({ method: request.method, url: request.url });
    };
    app.addHook('onResponse', (request, _reply, done) => {
      end(request);
      done();
    });
    app.addHook('onRequestAbort', (request, done) => {
      end(request);
      done();
    });
  }

  /** Looks now; called by the timer. */
  look(): void {
    const { now, cpu, warnMs, metrics, log } = this.#options;
    const lookedAt = now();
    const cpuNow = cpu();
    const late = lookedAt - this.#lookedAt - EVERY_MS;
    const computed = cpuNow - this.#cpuThen;
    metrics.loopDelayed(Math.max(0, late));
    if (lookedAt - this.#rememberedSince >= REMEMBERED_MS) {
      this.#longestBefore = this.#delay.max;
      this.#rememberedSince = lookedAt;
      this.#delay.reset();
    }
    if (warnMs > 0 && late >= warnMs && computed >= warnMs) {
      const requests = [...this.#answered, ...this.#open].slice(0, MAX_NAMED);
      log.warn(
        {
          ms: Math.round(late),
          cpuMs: Math.round(computed),
          open: this.#open.size,
          requests: requests.map(({ method, url }) => `${method} ${loggedUrl(url)}`),
        },
        LONG_TURN,
      );
    }
    this.#answered = [];
    this.#lookedAt = lookedAt;
    this.#cpuThen = cpuNow;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#delay.disable();
  }

  /** Longest delay of the last one to two minutes, seconds. */
  #longest(): number {
    return Math.max(this.#longestBefore, this.#delay.max) / 1e9;
  }
}

/** The message of the warning. */
export const LONG_TURN = 'one turn of the event loop took too long';

function threadCpu(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
