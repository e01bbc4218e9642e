/** Shows jobs until they have ended. */
import { setTimeout } from 'node:timers/promises';
import type { JobRow, JobState, JobStore } from '@citymodel/store';

const POLL_MS = 500;
const ENDED: ReadonlySet<JobState> = new Set(['succeeded', 'dead', 'cancelled']);

/**
 * Waits for the end of the jobs and gives them as they are then; a job that was forgotten meanwhile stays as it was
 * seen last. On a terminal one line shows what runs; elsewhere a line is written whenever a job changes its state.
 */
export async function waitForJobs(
  jobs: JobStore,
  wanted: readonly JobRow[],
  stream: NodeJS.WriteStream,
  pollMs = POLL_MS,
): Promise<JobRow[]> {
  const rows = new Map(wanted.map((row) => [row.id, row]));
  for (;;) {
    for (const row of rows.values()) {
      if (ENDED.has(row.state)) continue;
      const now = await jobs.find(row.id);
      if (now === null) rows.delete(row.id);
      else {
        if (now.state !== row.state && (ENDED.has(now.state) || !stream.isTTY)) {
          clear(stream);
          stream.write(`${now.id}  ${now.label}  ${stateText(now)}\n`);
        }
        rows.set(row.id, now);
      }
    }
    const open = [...rows.values()].filter(({ state }) => !ENDED.has(state));
    if (open.length === 0) {
      clear(stream);
      return wanted.map((row) => rows.get(row.id) ?? row);
    }
    if (stream.isTTY) {
      const running = open.filter(({ state }) => state === 'running');
      const what = running.map((row) => `${row.label} ${percent(row)}`).join(', ');
      const text = `${rows.size - open.length} of ${rows.size} done, ${running.length} running: ${what}`;
      stream.write(`\r\x1b[2K${text.slice(0, Math.max(20, (stream.columns ?? 100) - 1))}`);
    }
    await setTimeout(pollMs);
  }
}

/** A state in a few words, with its reason. */
export function stateText({ state, reason, isCancelling, attempts, maxAttempts }: JobRow): string {
  const words: Record<JobState, string> = {
    queued: 'waits',
    running: isCancelling ? 'is being cancelled' : 'runs',
    failed: `failed, will be retried (${attempts} of ${maxAttempts} attempts)`,
    succeeded: 'succeeded',
    dead: 'given up',
    cancelled: 'cancelled',
  };
  return reason === null ? words[state] : `${words[state]}: ${reason}`;
}

/** How far a job has come, such as `42 %`; empty while nobody knows. */
export function percent({ progress }: JobRow): string {
  if (progress === null || progress.total <= 0) return '';
  return `${Math.floor((100 * progress.done) / progress.total)} %`;
}

function clear(stream: NodeJS.WriteStream): void {
  if (stream.isTTY) stream.write('\r\x1b[2K');
}
