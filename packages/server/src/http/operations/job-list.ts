/** Jobs as the status page and the operator's pages show them, page by page. */
import {
  JOB_STATES,
  type JobFilter,
  type JobProgress,
  type JobRow,
  type JobState,
  type JobStore,
  PACK_KIND,
} from '@citymodel/store';

/** A job that anybody may know of: nothing of where things lie on the machine. */
export interface PublicJob {
  /** The first 8 digits. */
  id: string;
  kind: string;
  label: string;
  state: JobState;
  attempts: number;
  maxAttempts: number;
  progress: JobProgress | null;
  isCancelling: boolean;
  /** ISO 8601, like all times. */
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
}

/** One page of jobs, the newest first. */
export interface JobPage<Job> {
  /** How many jobs are in each state. */
  counts: Record<JobState, number>;
  jobs: Job[];
  /** From 1. */
  page: number;
  /** At least 1. */
  pages: number;
}

/** Packs are many, and the status lists them by themselves. */
const OTHERS: JobFilter = { without: [PACK_KIND] };

/** Reads a page of the jobs, packs left out, in these states, each as `show` makes it. */
export async function jobPage<Job>(
  store: JobStore,
  { states, page, limit }: { states: readonly JobState[]; page: number; limit: number },
  show: (row: JobRow) => Job | Promise<Job>,
): Promise<JobPage<Job>> {
  const filter = states.length === JOB_STATES.length ? OTHERS : { ...OTHERS, states };
  const [counts, rows] = await Promise.all([
    store.counts(OTHERS),
    store.list(filter, { limit, offset: (page - 1) * limit }),
  ]);
  const all = states.reduce((sum, state) => sum + counts[state], 0);
  return {
    counts,
    jobs: await Promise.all(rows.map(show)),
    page,
    pages: Math.max(1, Math.ceil(all / limit)),
  };
}

export function publicJob(row: JobRow): PublicJob {
  const { kind, label, state, attempts, maxAttempts, progress, isCancelling } = row;
  return {
    id: row.id.slice(0, 8),
    kind,
    label,
    state,
    attempts,
    maxAttempts,
    progress,
    isCancelling,
    createdAt: isoTime(row.createdAt)!,
    startedAt: isoTime(row.startedAt),
    finishedAt: isoTime(row.finishedAt),
  };
}

/** A time in ms since 1970 in ISO 8601. */
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
