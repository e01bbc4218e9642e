/** Names of workers, by which others on the same machine see that a process is gone. */
import { randomUUID } from 'node:crypto';
import { THIS_HOST } from '@citymodel/base';

/** Tells this process from others that had, or will have, its number. */
const PROCESS = randomUUID();

/**
 * A name unlike that of any other worker, ever: `{host}:{pid}:{process}.{UUID}`. A restarted process may get the number
 * of the one before, and in a container always does.
 */
export function workerName(): string {
  return `${THIS_HOST}:${process.pid}:${PROCESS}.${randomUUID()}`;
}

/** Whether it is a worker of this host whose process is gone, or whose number this process has now. */
export function isDeadWorker(name: string, pidIsAlive: (pid: number) => boolean): boolean {
  const [, host, pid, rest] = /^(.*):(\d+):([^:]*)$/.exec(name) ?? [];
  if (host !== THIS_HOST) return false;
  if (Number(pid) === process.pid) return !rest!.startsWith(`${PROCESS}.`);
  return !pidIsAlive(Number(pid));
}
