import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { readSettings } from '../base/settings.ts';
import { ProgressLine } from '../ingest/progress.ts';
import { reindex } from '../ingest/reindex.ts';
import { storesOf } from './stores.ts';

export function addReindex(program: Command): void {
  program
    .command('reindex')
    .description(
      'Rebuild indexes that this version cannot read. Servers may run meanwhile. Exits with 1 when an index could not be built.',
    )
    .argument('[name...]', 'only these packages')
    .option('--all', 'rebuild every index', false)
    .option('--json', 'print as JSON', false)
    .action(async (names: string[], { all, json }: { all: boolean; json: boolean }) => {
      const settings = readSettings(process.env);
      const stores = await storesOf(settings);
      const line = new ProgressLine(process.stderr);
      try {
        const report = await reindex(
          { ...stores, stagingDir: join(resolve(settings.DATA_DIR), 'staging') },
          {
            names: names.length === 0 ? null : names,
            all,
            onProgress: (progress) => line.update(progress),
          },
        );
        line.clear();
        if (json) console.log(JSON.stringify(report, null, 2));
        else {
          for (const name of report.rebuilt) console.log(`✓ ${name}`);
          for (const { place, fault } of report.faults) console.log(`✗ ${place}: ${fault}`);
          console.log(`${report.rebuilt.length} indexes made again, ${report.current} were current`);
        }
        if (report.faults.length > 0) process.exitCode = 1;
      } finally {
        line.clear();
        await stores.close();
      }
    });
}
