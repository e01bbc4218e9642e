/** `citymodel inspect --served` and `citymodel ingest --inspect`: inspections of packages of the catalogue. */
import { join, resolve } from 'node:path';
import { sharedNow } from '@citymodel/base';
import type { PackageRow } from '@citymodel/store';
import { ProgressLine } from '../base/progress.ts';
import { readSettings, type Settings } from '../base/settings.ts';
import { type InspectionResult, inspectHosted } from '../inspection/inspection.ts';
import { inspectJob } from '../jobs/kinds/inspect.ts';
import { storesOf } from './stores.ts';

export interface ServedFlags {
  queue: boolean;
  json: boolean;
  threads: number;
}

/** By names. Sets the exit code to 1 where there are errors, to 2 for a name that no live CityGML package has. */
export async function inspectServed(names: readonly string[], flags: ServedFlags): Promise<void> {
  const settings = readSettings(process.env);
  const stores = await storesOf(settings);
  try {
    const rows: PackageRow[] = [];
    for await (const page of stores.catalogue.packages(['live'])) {
      rows.push(...page.filter(({ kind, name }) => kind === 'citygml' && names.includes(name)));
    }
    const unknown = names.filter((name) => !rows.some((row) => row.name === name));
    if (unknown.length > 0) {
      console.error(`citymodel: no live CityGML package is called ${unknown.join(', ')}.`);
      process.exitCode = 2;
      return;
    }
    if (flags.queue) {
      const jobs = rows.map((row) => inspectJob(row, settings.JOB_ATTEMPTS));
      const queued = await stores.jobs.enqueue(jobs, sharedNow());
      if (flags.json) console.log(JSON.stringify(queued, null, 2));
      else for (const { id, label } of queued) console.log(`${id}  ${label}`);
      return;
    }
    await inspectRows(rows, stores, settings, { out: flags.json ? 'json' : 'text', threads: flags.threads });
  } finally {
    await stores.close();
  }
}

/** By ids: packages that were published a moment ago. */
export async function inspectPublished(
  ids: readonly string[],
  settings: Settings,
  { quiet, threads }: { quiet: boolean; threads: number },
): Promise<void> {
  const stores = await storesOf(settings);
  try {
    const rows: PackageRow[] = [];
    for (const id of ids) rows.push(...(await stores.catalogue.findPackages({ id })));
    await inspectRows(
      rows.filter(({ state }) => state === 'live'),
      stores,
      settings,
      { out: quiet ? 'none' : 'text', threads },
    );
  } finally {
    await stores.close();
  }
}

async function inspectRows(
  rows: readonly PackageRow[],
  stores: Awaited<ReturnType<typeof storesOf>>,
  settings: Settings,
  { out, threads }: { out: 'json' | 'text' | 'none'; threads: number },
): Promise<void> {
  const line = new ProgressLine(process.stderr);
  const results: InspectionResult[] = [];
  try {
    for (const row of rows) {
      const result = await inspectHosted(row, {
        ...stores,
        resultsDir: join(resolve(settings.DATA_DIR), 'inspect'),
        storeSettings: {
          dataDir: resolve(settings.DATA_DIR),
          databaseUrl: '',
          objectStore: settings.OBJECT_STORE,
        },
        threads: threads < 2 ? 0 : threads,
        now: () => new Date(),
        signal: new AbortController().signal,
        onProgress: (now) => line.update(now),
      });
      line.clear();
      if (result === null) continue;
      results.push(result);
      if (!result.ok) process.exitCode = 1;
      if (out !== 'text') continue;
      const found = Object.entries(result.found).map(([code, errors]) => `${code} ${errors}`);
      console.log(`${result.package}: ${result.errors} errors, ${result.warnings} warnings`);
      if (found.length > 0) console.log(`  ${found.join(', ')}`);
    }
  } finally {
    line.clear();
    if (out === 'json') console.log(JSON.stringify(results, null, 2));
  }
}
