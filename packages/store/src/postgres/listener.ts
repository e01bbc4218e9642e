import pg from 'pg';
import type { SqlChannel } from '../sql/driver.ts';

/** How long the listener waits before it connects again, ms: at first, and at most. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/** All of them: what nobody here listens to wakes nobody. */
const CHANNELS: readonly SqlChannel[] = ['catalogue', 'packs'];

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
    try {
      await client.connect();
      await client.query(CHANNELS.map((channel) => `LISTEN ${channelName(channel)}`).join('; '));
    } catch {
      lost();
      await client.end().catch(() => {});
      return;
    }
    this.#pause = FIRST_PAUSE_MS;
    for (const listeners of this.#heard.values()) for (const heard of listeners) heard();
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
