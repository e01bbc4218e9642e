import { join, resolve } from 'node:path';
import { sharedNow } from '@citymodel/base';
import type { Command } from 'commander';
import { type Progress, ProgressLine } from '../base/progress.ts';
import { readSettings } from '../base/settings.ts';
import { keepHeapSmall } from '../base/small-heap.ts';
import { reindex } from '../ingest/reindex.ts';
import { reindexJob } from '../jobs/kinds/reindex.ts';
import { makeMissingPictures } from '../pictures/missing-pictures.ts';
import { makeMissingTables } from '../tables/missing-tables.ts';
import { storesOf } from './stores.ts';

interface ReindexFlags {
  all: boolean;
  json: boolean;
  queue: boolean;
}

export function addReindex(program: Command): void {
  program
    .command('reindex')
    .description(
      'Rebuild indexes that this version cannot read, and make tables of features and pictures that are missing. ' +
        'Servers may run meanwhile. Exits with 1 when one could not be made.',
    )
    .argument('[name...]', 'only these packages')
    .option('--all', 'rebuild every index, and all tables and pictures', false)
    .option('--queue', 'queue a job, which a `citymodel worker` does, and print its id', false)
    .option('--json', 'print as JSON', false)
    .action(async (names: string[], { all, json, queue }: ReindexFlags) => {
      const settings = readSettings(process.env);
      const stores = await storesOf(settings, { cached: false });
      if (queue) {
        const job = reindexJob({ names: names.length === 0 ? null : names, all }, settings.JOB_ATTEMPTS);
        const [row] = await stores.jobs.enqueue([job], sharedNow());
        console.log(json ? JSON.stringify(row, null, 2) : `${row!.id}  ${row!.label}`);
        await stores.close();
        return;
      }
      keepHeapSmall();
      const line = new ProgressLine(process.stderr);
      try {
        const context = { ...stores, stagingDir: join(resolve(settings.DATA_DIR), 'staging') };
        const options = {
          names: names.length === 0 ? null : names,
          all,
          onProgress: (progress: Progress) => line.update(progress),
        };
        const indexes = await reindex(context, options);
        const tables =
          settings.TABLES === 'off'
            ? { made: [], faults: [] }
            : await makeMissingTables(context, {
                ...options,
                maxGeometryBytes: settings.FEATURE_GEOMETRY_MB * 1_000_000,
                signal: new AbortController().signal,
              });
        const pictures =
          settings.PICTURES === 'off'
            ? { made: [], lacks: [], faults: [] }
            : await makeMissingPictures(context, { ...options, signal: new AbortController().signal });
        const report = {
          ...indexes,
          tables: tables.made,
          pictures: pictures.made,
          picturesLack: pictures.lacks,
          faults: [...indexes.faults, ...tables.faults, ...pictures.faults],
        };
        line.clear();
        if (json) console.log(JSON.stringify(report, null, 2));
        else {
          for (const name of report.tables) console.log(`✓ ${name}: tables`);
          for (const name of report.pictures) console.log(`✓ ${name}: pictures`);
          for (const { place, leftOut, firstReason } of report.picturesLack) {
            console.log(`! ${place}: the pictures lack ${leftOut} files, tiles or images; ${firstReason}`);
          }
          for (const name of report.rebuilt) console.log(`✓ ${name}`);
          for (const { place, fault } of report.faults) console.log(`✗ ${place}: ${fault}`);
          console.log(`${report.rebuilt.length} indexes rebuilt, ${report.current} were current`);
        }
        if (report.faults.length > 0) process.exitCode = 1;
      } finally {
        line.clear();
        await stores.close();
      }
    });
}
