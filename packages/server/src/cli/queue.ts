/** `citymodel ingest --queue`: asks for jobs in place of doing the work. */
import { basename, resolve } from 'node:path';
import { sharedNow, withoutEnd } from '@citymodel/base';
import type { JobRow, NewJob, Stores } from '@citymodel/store';
import { InvalidSettings, type Settings } from '../base/settings.ts';
import type { Overrides } from '../ingest/identify.ts';
import type { UploadPath } from '../ingest/open-upload.ts';
import { incomingKey, putIncoming } from '../jobs/incoming.ts';
import { type IngestSource, ingestJob } from '../jobs/kinds/ingest.ts';
import { storesOf } from './stores.ts';
import { waitForJobs } from './wait-for-jobs.ts';

export interface QueueFlags {
  /** Show the jobs until all have ended. */
  wait?: boolean;
  /** Put the files into the object store; always when that is not a directory. */
  upload?: boolean;
}

/** What is said of each package, besides where its upload is. */
export interface IngestChoices extends Overrides {
  assetPath?: string;
  replace: boolean;
  dryRun: boolean;
  level: number;
  json: boolean;
}

/** An address of an object of the store: `s3://bucket/key` and the like. */
const REMOTE = /^[a-z][a-z0-9+.-]+:\/\//i;

/**
 * Asks for a job per upload and prints the ids; sets the exit code to 1 when one cannot be asked for, or ends badly.
 */
export async function queueUploads(
  uploads: readonly UploadPath[],
  flags: IngestChoices & QueueFlags,
  settings: Settings,
): Promise<void> {
  const stores = await storesOf(settings);
  try {
    const jobs: JobRow[] = [];
    for (const upload of uploads) {
      const job = await jobFor(upload, flags, { stores, settings });
      if (job === null) continue;
      const [row] = await stores.jobs.enqueue([job], sharedNow());
      jobs.push(row!);
      if (!flags.json) console.log(`${row!.id}  ${row!.label}`);
    }
    const ended = flags.wait === true ? await waitForJobs(stores.jobs, jobs, process.stderr) : jobs;
    if (flags.json) console.log(JSON.stringify(ended, null, 2));
    if (ended.some(({ state }) => state === 'dead' || state === 'cancelled')) process.exitCode = 1;
  } finally {
    await stores.close();
  }
}

/**
 * The job for one upload, which lies where workers reach it then. Null, with a message, for what cannot be asked for.
 */
async function jobFor(
  upload: UploadPath,
  flags: IngestChoices & QueueFlags,
  { stores, settings }: { stores: Stores; settings: Settings },
): Promise<NewJob | null> {
  const refuse = (reason: string) => {
    console.error(`citymodel: ${upload.path}: ${reason}`);
    process.exitCode = 1;
    return null;
  };
  let source: IngestSource;
  let ownsObject = false;
  if (REMOTE.test(upload.path)) {
    const key = keyInStore(upload.path, settings.OBJECT_STORE);
    if (key === null) {
      return refuse('it is not below OBJECT_STORE, the only place that workers read objects from.');
    }
    const there = await stores.objects.head(key);
    if (there === null) return refuse('there is no such object.');
    source = { object: key, name: basename(key), size: there.size };
  } else if (upload.kind === 'missing') {
    return refuse('it does not exist.');
  } else if (flags.upload === true || REMOTE.test(settings.OBJECT_STORE)) {
    if (upload.kind === 'directory') return refuse('it is a directory; put it into a zip first.');
    const key = incomingKey();
    const facts = await putIncoming(stores.objects, key, upload.path);
    source = { object: key, name: basename(upload.path), ...facts };
    ownsObject = true;
  } else {
    source = { path: resolve(upload.path) };
  }
  const { assetPath, replace, dryRun, level } = flags;
  const payload = {
    source,
    overrides: overridesOf(flags),
    ...(assetPath === undefined ? {} : { assetPath }),
    replace,
    dryRun,
    level,
  };
  return ingestJob(payload, { maxAttempts: settings.JOB_ATTEMPTS, ownsObject });
}

/** The key of an object by its address; null when it is none of this store. */
export function keyInStore(address: string, store: string): string | null {
  const root = withoutEnd(store.split('?')[0]!, '/');
  return REMOTE.test(store) && address.startsWith(`${root}/`) ? address.slice(root.length + 1) : null;
}

/** What the options say of a package, without the options that say other things. */
function overridesOf(flags: Overrides): Overrides {
  const names = [
    'name',
    'code',
    'year',
    'registrationYear',
    'provider',
    'revision',
    'spec',
    'license',
    'pref',
    'city',
    'ward',
    'wardCode',
    'type',
    'lod',
    'texture',
    'interior',
  ] as const satisfies ReadonlyArray<keyof Overrides>;
  return Object.fromEntries(
    names.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]])),
  ) as Overrides;
}

/**
 * Whether the paths of a command line name objects, which only jobs read. Throws InvalidSettings for those without
 * `--queue`.
 */
export function refuseRemote(paths: readonly string[]): void {
  const remote = paths.find((path) => REMOTE.test(path));
  if (remote !== undefined) {
    throw new InvalidSettings([`${remote} is an object of a store; give --queue to have a worker ingest it`]);
  }
}
