/** Callers who ask servers that crash, and judge every answer. */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Member } from './fault-cluster.ts';

/** How long after a kill broken connections are its doing, ms. */
const KILL_SHADOW_MS = 3_000;

export interface LoadCounts {
  answered: number;
  /** 503 with Retry-After. */
  unavailable: number;
  /** When the last of them came, ms since 1970. */
  unavailableAt: number;
  /** Connections that a kill broke. */
  cut: number;
  /** Whatever must not be. */
  wrong: string[];
}

/** A request whose whole answer is known. */
export interface Known {
  path: string;
  headers?: Record<string, string>;
  sha256: string;
}

export async function knownOf(
  url: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<Known> {
  const reply = await fetch(url + path, { headers });
  const bytes = Buffer.from(await reply.arrayBuffer());
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${bytes.toString().slice(0, 200)}`);
  return { path, headers, sha256: sha256(bytes) };
}

/** Asks for what is known, over and over, until `isOver`. */
export async function askKnown(
  servers: readonly Member[],
  known: readonly Known[],
  isOver: () => boolean,
  counts: LoadCounts,
): Promise<void> {
  for (let i = 0; !isOver(); i++) {
    const server = servers[i % servers.length]!;
    const one = known[Math.floor(Math.random() * known.length)]!;
    if (server.url === null) {
      await pause(20);
      continue;
    }
    const begun = Date.now();
    try {
      const reply = await fetch(server.url + one.path, {
        headers: one.headers ?? {},
        signal: AbortSignal.timeout(120_000),
      });
      const bytes = Buffer.from(await reply.arrayBuffer());
      if (reply.ok) {
        if (sha256(bytes) === one.sha256) counts.answered++;
        else counts.wrong.push(`${one.path}: other bytes (${bytes.length})`);
      } else if (reply.status === 503 && /^\d+$/.test(reply.headers.get('retry-after') ?? '')) {
        counts.unavailable++;
        counts.unavailableAt = Date.now();
        await pause(100);
      } else {
        counts.wrong.push(`${one.path}: ${reply.status} ${bytes.toString().slice(0, 200)}`);
      }
    } catch (error) {
      // A stream that had begun ends with the connection when the store goes away; nobody takes it for the whole.
      if (server.killedAt >= begun - KILL_SHADOW_MS || isBroken(error)) counts.cut++;
      else counts.wrong.push(`${one.path}: ${error} ${(error as Error).cause ?? ''}`);
      await pause(20);
    }
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
