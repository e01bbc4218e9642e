/** Callers who ask servers to which everything happens, and judge every answer. */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Member } from './member.ts';

/** How long after a kill broken connections are its doing, ms. */
const KILL_SHADOW_MS = 3_000;
/** An answer takes 15 s at most by promise; twice as long is allowed to a busy machine, ms. */
const MAX_ANSWER_MS = 30_000;

export interface LoadCounts {
  answered: number;
  /** 503 with Retry-After. */
  unavailable: number;
  /** When the last answer came that was no success, ms since 1970. */
  unavailableAt: number;
  /** Connections that a kill broke, or that a server broke since it could not go on. */
  cut: number;
  /** Longest time that an answer took, ms. */
  longestMs: number;
  /** Whatever must not be. */
  wrong: string[];
}

/** A request whose whole answer is known. */
export interface Known {
  path: string;
  headers?: Record<string, string>;
  sha256: string;
}

/** Asks for it once. Throws for an answer that is no success. */
async function knownOf(url: string, path: string, headers: Record<string, string> = {}): Promise<Known> {
  const reply = await fetch(url + path, { headers });
  const bytes = Buffer.from(await reply.arrayBuffer());
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${bytes.toString().slice(0, 200)}`);
  return { path, headers, sha256: sha256(bytes) };
}

/** Requests of every kind whose answers do not change while other packages are ingested: of a city by its code. */
export async function knownAnswers(url: string, city: string): Promise<Known[]> {
  const reply = await fetch(`${url}/datacatalog/citygml/${city}`);
  const list = (await reply.json()) as { files?: Record<string, { url: string }[]> };
  const files = Object.values(list.files ?? {})
    .flat()
    .slice(0, 6);
  if (files.length === 0) throw new Error(`no files of ${city}`);
  const known: Known[] = [];
  known.push(await knownOf(url, `/datacatalog/citygml/${city}`));
  for (const file of files) {
    const path = new URL(file.url).pathname;
    known.push(await knownOf(url, path));
    known.push(await knownOf(url, path, { range: 'bytes=1000-20000' }));
    const query = `url=${encodeURIComponent(file.url)}`;
    known.push(await knownOf(url, `/citygml/features?${query}&sid=0/0/0/0`));
    const listed = await fetch(`${url}/citygml/features?${query}&sid=0/0/0/0`);
    const { featureIds = [] } = (await listed.json()) as { featureIds?: string[] };
    for (const id of featureIds.slice(0, 3)) {
      known.push(await knownOf(url, `/citygml/attributes?${query}&id=${encodeURIComponent(id)}`));
    }
  }
  const zip = await fetch(`${url}/datacatalog/citygml/${city}-latest/citygml.zip`, { redirect: 'manual' });
  const path = new URL(zip.headers.get('location')!).pathname;
  known.push(await knownOf(url, path));
  known.push(await knownOf(url, path, { range: 'bytes=40000-200000' }));
  known.push(await knownOf(url, await packOf(url, files)));
  return known;
}

/** The zip of a pack of these files. */
async function packOf(url: string, files: readonly { url: string }[]): Promise<string> {
  const asked = await fetch(`${url}/citygml/pack`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ urls: files.map((file) => file.url) }),
  });
  const { id } = (await asked.json()) as { id: string };
  for (;;) {
    const status = (await (await fetch(`${url}/citygml/pack/${id}/status?wait=10`)).json()) as {
      status: string;
    };
    if (status.status === 'succeeded') return `/citygml/pack/${id}/download/${id}.zip`;
    if (status.status === 'failed') throw new Error(`the pack failed: ${JSON.stringify(status)}`);
  }
}

export class Load {
  readonly counts: LoadCounts = {
    answered: 0,
    unavailable: 0,
    unavailableAt: 0,
    cut: 0,
    longestMs: 0,
    wrong: [],
  };
  /** What happens now, for the account of what is wrong. */
  during = 'none';
  readonly #servers: readonly Member[];
  readonly #known: readonly Known[];
  readonly #callers: Promise<void>[];
  #isOver = false;

  constructor(servers: readonly Member[], known: readonly Known[], callers: number) {
    this.#servers = servers;
    this.#known = known;
    this.#callers = Array.from({ length: callers }, (_, i) => this.#ask(i));
  }

  wrong(what: string): void {
    this.counts.wrong.push(`${new Date().toISOString().slice(11, 19)} ${this.during}: ${what}`);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#callers);
  }

  async #ask(caller: number): Promise<void> {
    for (let i = caller; !this.#isOver; i++) {
      const server = this.#servers[i % this.#servers.length]!;
      const one = this.#known[Math.floor(Math.random() * this.#known.length)]!;
      if (server.url === null) await pause(20);
      else if (!(await this.#isAnswered(server, server.url, one))) await pause(100);
    }
  }

  async #isAnswered(server: Member, url: string, one: Known): Promise<boolean> {
    const { counts } = this;
    const begun = Date.now();
    try {
      const signal = AbortSignal.timeout(4 * MAX_ANSWER_MS);
      const reply = await fetch(url + one.path, { headers: one.headers ?? {}, signal });
      const bytes = Buffer.from(await reply.arrayBuffer());
      const took = Date.now() - begun;
      counts.longestMs = Math.max(counts.longestMs, took);
      if (took > MAX_ANSWER_MS) this.wrong(`${one.path}: ${reply.status} after ${took} ms`);
      if (reply.ok) {
        if (sha256(bytes) === one.sha256) counts.answered++;
        else this.wrong(`${server.name} ${one.path}: other bytes (${bytes.length})`);
        return true;
      }
      if (reply.status === 503 && /^\d+$/.test(reply.headers.get('retry-after') ?? '')) counts.unavailable++;
      else this.wrong(`${server.name} ${one.path}: ${reply.status} ${bytes.toString().slice(0, 200)}`);
    } catch (error) {
      // A stream that had begun ends with the connection when the store goes away; nobody takes it for the whole.
      if (server.killedAt >= begun - KILL_SHADOW_MS || isBroken(error)) counts.cut++;
      else this.wrong(`${server.name} ${one.path}: ${error} ${(error as Error).cause ?? ''}`);
    }
    counts.unavailableAt = Date.now();
    return false;
  }
}

/** Whether an answer was cut off visibly: its length, or its last chunk, is missing. */
function isBroken(error: unknown): boolean {
  const { message, cause } = error as Error & { cause?: { code?: string } };
  return message === 'terminated' || cause?.code === 'UND_ERR_SOCKET' || cause?.code === 'ECONNRESET';
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
