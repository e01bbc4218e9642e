import { sharedNow } from '@citymodel/base';
import { JOB_STATES, type JobFilter, type JobRow, type JobState, type JobStore } from '@citymodel/store';
import { type Command, InvalidArgumentError } from 'commander';
import { readSettings } from '../base/settings.ts';
import { wholeNumber } from './arguments.ts';
import { storesOf } from './stores.ts';
import { renderTable } from './table.ts';
import { percent, stateText } from './wait-for-jobs.ts';

/** States of jobs that have not ended. */
const OPEN: readonly JobState[] = ['queued', 'running', 'failed'];
/** Longest beginning of an id; the whole is 36 characters. */
const SHOWN_ID = 8;

interface ListFlags {
  all: boolean;
  dead: boolean;
  state?: JobState;
  kind?: string;
  limit: number;
  json: boolean;
}

export function addJobs(program: Command): void {
  const jobs = program.command('jobs').description('List jobs, cancel them and retry them.');
  jobs
    .command('list', { isDefault: true })
    .description('List jobs that have not ended, the newest first.')
    .option('--all', 'also jobs that have ended', false)
    .option('--dead', 'only jobs that were given up after their last attempt', false)
    .option('--state <state>', `only jobs of one state: ${JOB_STATES.join(', ')}`, jobState)
    .option('--kind <kind>', 'only jobs of one kind, such as ingest or pack')
    .option('--limit <n>', 'number of jobs at most', wholeNumber(1, 10_000), 100)
    .option('--json', 'print as JSON', false)
    .action((flags: ListFlags) => withJobs((store) => listJobs(store, flags)));
  jobs
    .command('show')
    .description('Show one job with its payload and its result.')
    .argument('<id>', 'the id of the job, or its beginning')
    .action((id: string) =>
      withJobs(async (store) => console.log(JSON.stringify(await findJob(store, id), null, 2))),
    );
  jobs
    .command('cancel')
    .description('Cancel jobs. Running jobs end within seconds.')
    .argument('<id...>', 'ids of jobs, or their beginnings')
    .action((ids: string[]) =>
      withJobs((store) =>
        change(store, ids, async ({ id }) => {
          const row = await store.cancel(id, sharedNow());
          return row !== null && (row.state === 'cancelled' || row.isCancelling)
            ? null
            : `the job has ended already: ${row === null ? 'forgotten' : row.state}`;
        }),
      ),
    );
  jobs
    .command('retry')
    .description('Queue jobs again that were given up or cancelled, or that wait for their next attempt.')
    .argument('[id...]', 'ids of jobs, or their beginnings')
    .option('--dead', 'all jobs that were given up', false)
    .action((ids: string[], { dead }: { dead: boolean }) =>
      withJobs(async (store) => {
        const rows = dead ? await store.list({ states: ['dead'] }, { limit: 10_000, offset: 0 }) : [];
        await change(store, [...ids, ...rows.map(({ id }) => id)], async (row) =>
          (await store.retry(row.id, sharedNow())) ? null : `the job cannot be retried: ${stateText(row)}`,
        );
      }),
    );
}

async function withJobs(work: (jobs: JobStore) => Promise<void>): Promise<void> {
  const stores = await storesOf(readSettings(process.env));
  try {
    await work(stores.jobs);
  } catch (error) {
    if (!(error instanceof NoSuchJob)) throw error;
    console.error(`citymodel: ${error.message}`);
    process.exitCode = 1;
  } finally {
    await stores.close();
  }
}

async function listJobs(store: JobStore, flags: ListFlags): Promise<void> {
  const states: readonly JobState[] | undefined =
    flags.state !== undefined ? [flags.state] : flags.dead ? ['dead'] : flags.all ? undefined : OPEN;
  const filter: JobFilter = {
    ...(states === undefined ? {} : { states }),
    ...(flags.kind === undefined ? {} : { kinds: [flags.kind] }),
  };
  const rows = await store.list(filter, { limit: flags.limit, offset: 0 });
  if (flags.json) {
    console.log(JSON.stringify(rows, null, 2));
    return;
  }
  const { kinds } = filter;
  const counts = await store.counts(kinds === undefined ? {} : { kinds });
  console.log(jobTable(rows));
  console.log(JOB_STATES.map((state) => `${counts[state]} ${state}`).join(', '));
}

function jobTable(rows: readonly JobRow[]): string {
  const time = (ms: number | null) =>
    ms === null ? '' : new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
  return renderTable(
    [
      { title: 'job' },
      { title: 'kind' },
      { title: 'what' },
      { title: 'state' },
      { title: 'done', align: 'right' },
      { title: 'asked for' },
      { title: 'began' },
      { title: 'worker' },
    ],
    rows.map((row) => [
      row.id.slice(0, SHOWN_ID),
      row.kind,
      row.label,
      stateText(row),
      row.state === 'running' ? percent(row) : '',
      time(row.createdAt),
      time(row.startedAt),
      row.worker?.split(':').slice(0, 2).join(':') ?? '',
    ]),
  );
}

class NoSuchJob extends Error {}

/** The job with the id, or with the only id that begins so. Throws NoSuchJob. */
async function findJob(store: JobStore, id: string): Promise<JobRow> {
  const found = await store.findByPrefix(id.toLowerCase(), 2);
  if (found.length === 1) return found[0]!;
  throw new NoSuchJob(
    found.length === 0 ? `there is no job ${id}` : `several jobs begin with ${id}; give more of the id`,
  );
}

/** Does something with each job and says what came of it: null for done, else why not. */
async function change(
  store: JobStore,
  ids: readonly string[],
  act: (row: JobRow) => Promise<string | null>,
): Promise<void> {
  for (const id of ids) {
    const row = await findJob(store, id);
    const fault = await act(row);
    if (fault === null) console.log(`✓ ${row.id}  ${row.label}`);
    else {
      console.error(`✗ ${row.id}  ${row.label}: ${fault}`);
      process.exitCode = 1;
    }
  }
}

function jobState(text: string): JobState {
  const state = JOB_STATES.find((one) => one === text);
  if (state === undefined) throw new InvalidArgumentError(`It must be one of ${JOB_STATES.join(', ')}.`);
  return state;
}
