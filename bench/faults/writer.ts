/** One who removes and ingests packages by jobs, and asks for packs, and remembers what was acknowledged. */
import { basename, extname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { RunResult } from '../../test/support/program.ts';
import type { Load } from './load.ts';
import type { Member } from './member.ts';

/** Longest time in which jobs and packs may take to end after the last fault, ms. */
const SETTLE_MS = 300_000;

export interface WriterOptions {
  /** Runs the program while everything goes wrong. */
  cliOnWays: (args: string[]) => Promise<RunResult>;
  /** Runs it with lines of its own to the stores. */
  cli: (args: string[]) => Promise<RunResult>;
  servers: readonly Member[];
  load: Load;
  /** Uploads that come and go. */
  uploads: readonly string[];
  /** Paths of GML files of which packs are made. */
  gmlPaths: readonly string[];
}

export class Writer {
  readonly jobs: string[] = [];
  readonly packs = new Set<string>();
  /** Packages whose ingestion was the last thing that was acknowledged about them. */
  readonly acknowledged = new Set<string>();
  readonly #options: WriterOptions;
  readonly #work: Promise<void>;
  #isOver = false;
  #isPaused = false;
  #isIdle = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#work = this.#run();
  }

  /** Resolves when it writes nothing and everything acknowledged has ended. Counts what has not as wrong. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    while (!this.#isIdle) await pause(50);
    for (const open of await this.settle()) this.#options.load.wrong(open);
  }

  resume(): void {
    this.#isPaused = false;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#work;
  }

  async #run(): Promise<void> {
    const { cliOnWays, uploads } = this.#options;
    for (let i = 0; !this.#isOver; i++) {
      while (this.#isPaused && !this.#isOver) {
        this.#isIdle = true;
        await pause(50);
      }
      this.#isIdle = false;
      const path = uploads[i % uploads.length]!;
      const name = basename(path, extname(path));
      this.acknowledged.delete(name);
      if (i >= uploads.length) await cliOnWays(['remove', name]);
      const asked = await cliOnWays(['ingest', '--queue', '--upload', '--json', path]);
      if (asked.code === 0) {
        this.jobs.push(...(JSON.parse(asked.stdout) as { id: string }[]).map(({ id }) => id));
        this.acknowledged.add(name);
      }
      await this.#askForPack();
    }
  }

  /** Asks a server for a pack of some files; notes it when it was accepted. */
  async #askForPack(): Promise<void> {
    const { servers, gmlPaths, load } = this.#options;
    const url = servers[Math.floor(Math.random() * servers.length)]!.url;
    const chosen = gmlPaths.filter(() => Math.random() < 0.5);
    if (url === null || chosen.length === 0) return;
    try {
      const urls = chosen.map((path) => `http://localhost:8080${path}`);
      const reply = await fetch(`${url}/citygml/pack`, {
        method: 'POST',
        body: JSON.stringify({ urls }),
        signal: AbortSignal.timeout(60_000),
      });
      const text = await reply.text();
      if (reply.ok) this.packs.add((JSON.parse(text) as { id: string }).id);
      else if (reply.status !== 503) load.wrong(`pack: ${reply.status} ${text.slice(0, 200)}`);
    } catch {
      // Not acknowledged.
    }
  }

  /** Waits until jobs and packs have ended; says which have not, or not well. */
  async settle(): Promise<string[]> {
    const { cli, servers } = this.#options;
    const until = Date.now() + SETTLE_MS;
    for (;;) {
      const open: string[] = [];
      const shown = await cli(['jobs', '--all', '--limit', '1000', '--json']);
      const rows = shown.code === 0 ? (JSON.parse(shown.stdout) as JobRow[]) : [];
      for (const id of this.jobs) {
        const row = rows.find((job) => job.id === id);
        if (row?.state !== 'succeeded')
          open.push(`job ${id}: ${row?.state ?? 'gone'} ${row?.reason ?? ''} ${shown.stderr.slice(0, 200)}`);
      }
      for (const id of this.packs) {
        const reply = await fetch(`${servers[0]!.url}/citygml/pack/${id}/status`).catch(() => null);
        const status = ((await reply?.json().catch(() => null)) ?? {}) as {
          status?: string;
          reason?: string;
        };
        if (status.status !== 'succeeded')
          open.push(`pack ${id}: ${status.status ?? reply?.status} ${status.reason ?? ''}`);
      }
      if (open.length === 0 || Date.now() > until) return open;
      console.error(`  ${open.length} have not ended well yet, such as ${open[0]}`);
      await pause(2_000);
    }
  }
}

interface JobRow {
  id: string;
  state: string;
  reason: string | null;
}
