import pg from 'pg';
import type { SqlChannel } from '../sql/driver.ts';

/** How long the listener waits before it connects again, ms: at first, and at most. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/** The name of a channel in the database. */
export function channelName(channel: SqlChannel): string {
  return `citymodel_${channel}`;
}

/**
 * Hears what other processes announce (LISTEN), over a connection of its own that is opened for the first who listens.
 *
 *   off ──listen──▶ connecting ──▶ listening ──connection lost──▶ pausing ──▶ connecting …
 *
 * What was announced while it was not listening is unknown, so everybody is woken whenever it begins to.
 */
export class Listener {
  readonly #config: pg.ClientConfig;
  readonly #heard = new Map<SqlChannel, Set<() => void>>();
  #client: pg.Client | null = null;
  #timer: NodeJS.Timeout | null = null;
  #pause = FIRST_PAUSE_MS;
  /** Statements on the connection follow each other. */
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(config: pg.ClientConfig) {
    this.#config = config;
  }

  /** Calls `heard` after each announcement, until the function that it gives is called. */
  listen(channel: SqlChannel, heard: () => void): () => void {
    const listeners = this.#heard.get(channel) ?? new Set();
    this.#heard.set(channel, listeners);
    listeners.add(heard);
    if (this.#client === null && this.#timer === null && !this.#isClosed) void this.#connect();
    else this.#subscribe(channel);
    return () => listeners.delete(heard);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const client = new pg.Client(this.#config);
    this.#client = client;
    const lost = () => {
      if (this.#client !== client) return;
      this.#client = null;
      this.#connectLater();
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ channel }) => {
      for (const [known, listeners] of this.#heard) {
        if (channelName(known) === channel) for (const heard of listeners) heard();
      }
    });
    const begun = (async () => {
      await client.connect();
      for (const channel of this.#heard.keys()) await client.query(`LISTEN ${channelName(channel)}`);
    })();
    this.#turn = begun.catch(() => {});
    try {
      await begun;
    } catch {
      lost();
      await client.end().catch(() => {});
      return;
    }
    this.#pause = FIRST_PAUSE_MS;
    for (const listeners of this.#heard.values()) for (const heard of listeners) heard();
  }

  /** For a channel that somebody begins to listen to later than others. */
  #subscribe(channel: SqlChannel): void {
    // When the connection fails, the next one subscribes to every channel.
    this.#turn = this.#turn.then(() => this.#client?.query(`LISTEN ${channelName(channel)}`)).catch(() => {});
  }

  #connectLater(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#connect();
    }, this.#pause);
    this.#timer.unref();
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE_MS);
  }
}
