/**
 * Packs while the server is killed (SIGKILL) at random moments, over and over. Whatever the moment: no accepted pack is
 * lost, none is shown that is not whole, and in the end every one can be downloaded.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { PackStatusObject } from '../../packages/server/src/pack/packs.ts';
import { bufferSource } from '../../packages/zip/src/source.ts';
import { strictZip } from '../../packages/zip/src/testing/strict-zip.ts';

export interface FaultServer {
  url: string;
  child: import('node:child_process').ChildProcess;
}

export interface FaultOptions {
  packs: number;
  kills: number;
  /** URLs of files, at least two. */
  urls: readonly string[];
  /** Starts a server over the same store each time. */
  start(): Promise<FaultServer>;
  /** A number from 0 to 1, below it. */
  random(): number;
}

export interface FaultReport {
  packs: number;
  kills: number;
  seconds: number;
}

/** Longest life of a server, ms. */
const MAX_LIFE_MS = 400;
/** Between two looks at all packs, ms: the server is to make them meanwhile. */
const LOOK_MS = 5;

/** Throws when a pack is lost, fails, or is not a flawless zip. */
export async function faultRun(options: FaultOptions): Promise<FaultReport> {
  const begun = performance.now();
  const sets = Array.from({ length: options.packs }, (_, i) => subset(options.urls, i + 1));
  /** Those whose POST was answered: they must never be lost. */
  const accepted = new Map<string, { urls: string[]; progress: number; wasDone: boolean }>();
  let next = 0;
  for (let kill = 0; kill < options.kills; kill++) {
    const server = await options.start();
    let isAlive = true;
    const life = setTimeout(options.random() * MAX_LIFE_MS).then(() => {
      isAlive = false;
      server.child.kill('SIGKILL');
    });
    const ended = once(server.child, 'close');
    try {
      const share = Math.ceil((options.packs * (kill + 1)) / options.kills);
      while (isAlive && next < share) {
        const urls = sets[next]!;
        accepted.set(await ask(server.url, urls), { urls, progress: 0, wasDone: false });
        next++;
      }
      while (isAlive) {
        for (const [id, pack] of accepted) await look(server.url, id, pack);
        await setTimeout(LOOK_MS);
      }
    } catch (error) {
      // What was being asked when the server died has no answer.
      if (isAlive || !isBroken(error)) throw error;
    }
    await life;
    await ended;
  }

  const server = await options.start();
  for (const urls of sets) accepted.set(await ask(server.url, urls), { urls, progress: 0, wasDone: false });
  await makeAll(server.url, accepted.keys());
  if (accepted.size !== options.packs)
    throw new Error(`${accepted.size} packs where ${options.packs} were asked for`);
  const ended = once(server.child, 'close');
  server.child.kill('SIGTERM');
  await ended;
  return {
    packs: accepted.size,
    kills: options.kills,
    seconds: (performance.now() - begun) / 1_000,
  };
}

/** A set of URLs unlike those of other numbers. */
function subset(urls: readonly string[], n: number): string[] {
  const chosen = urls.filter((_, i) => (n >> (i % 30)) & 1);
  return chosen.length > 0 ? chosen : [urls[0]!];
}

/** Asks for a pack and gives its id; null when a file of it has gone from the catalogue. */
export async function postPack(url: string, urls: readonly string[]): Promise<string | null> {
  const reply = await fetch(`${url}/citygml/pack`, { method: 'POST', body: JSON.stringify({ urls }) });
  if (reply.status === 400 || reply.status === 404) return null;
  if (reply.status !== 200) throw new Error(`a pack was answered ${reply.status}: ${await reply.text()}`);
  return ((await reply.json()) as { id: string }).id;
}

/** Waits until every pack has succeeded, and reads each zip. Throws when one fails or is not a flawless zip. */
export async function makeAll(url: string, ids: Iterable<string>): Promise<void> {
  for (const id of ids) {
    let status: PackStatusObject;
    do {
      status = await json(`${url}/citygml/pack/${id}/status?wait=30`);
    } while (status.status === 'accepted' || status.status === 'processing');
    if (status.status !== 'succeeded') throw new Error(`pack ${id} ${status.status}: ${status.reason}`);
    await verify(url, status);
  }
}

async function ask(url: string, urls: readonly string[]): Promise<string> {
  const id = await postPack(url, urls);
  const expected = createHash('sha256')
    .update([...urls].sort().join(','))
    .digest('hex');
  if (id !== expected) throw new Error(`the id ${id} was given where ${expected} was expected`);
  return id;
}

/** One look at a pack: progress never goes back, and what was done stays done. */
async function look(url: string, id: string, known: { progress: number; wasDone: boolean }): Promise<void> {
  const status = await json<PackStatusObject>(`${url}/citygml/pack/${id}/status`);
  if (!['accepted', 'processing', 'succeeded'].includes(status.status)) {
    throw new Error(`pack ${id} is ${status.status}: ${status.reason}`);
  }
  if (status.progress < known.progress)
    throw new Error(`pack ${id} fell from ${known.progress} to ${status.progress}`);
  const isDone = status.status === 'succeeded';
  if (known.wasDone && !isDone) throw new Error(`pack ${id} was done and is ${status.status} now`);
  known.progress = status.progress;
  if (isDone && !known.wasDone) await verify(url, status);
  known.wasDone = isDone;
}

async function verify(url: string, { id, size, files }: PackStatusObject): Promise<void> {
  const reply = await fetch(`${url}/citygml/pack/${id}/download/${id}.zip`);
  if (reply.status !== 200) throw new Error(`the zip of ${id} answered ${reply.status}`);
  const zip = Buffer.from(await reply.arrayBuffer());
  if (zip.length !== size)
    throw new Error(`the zip of ${id} has ${zip.length} bytes, its status says ${size}`);
  const { members } = await strictZip(bufferSource(zip), { crc: true });
  if (members.length !== files)
    throw new Error(`the zip of ${id} has ${members.length} members, not ${files}`);
}

async function json<T>(url: string): Promise<T> {
  const reply = await fetch(url);
  if (reply.status !== 200) throw new Error(`${url} answered ${reply.status}: ${await reply.text()}`);
  return (await reply.json()) as T;
}

/** True for what `fetch` throws when the other side dies. */
function isBroken(error: unknown): boolean {
  return error instanceof TypeError || (error as Error).name === 'AbortError';
}
