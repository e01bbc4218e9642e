import type { Command } from 'commander';
import { readSettings } from '../base/settings.ts';
import { checkStores } from '../ingest/check.ts';
import { ProgressLine } from '../ingest/progress.ts';
import { storesOf } from './stores.ts';

export function addCheck(program: Command): void {
  program
    .command('check')
    .description(
      'Compare every archive with its index and the database. Exits with 1 when something is wrong.',
    )
    .argument('[name...]', 'only these packages')
    .option('--json', 'print as JSON', false)
    .action(async (names: string[], { json }: { json: boolean }) => {
      const stores = await storesOf(readSettings(process.env));
      const line = new ProgressLine(process.stderr);
      try {
        const report = await checkStores(stores, {
          names: names.length === 0 ? null : names,
          onProgress: (progress) => line.update(progress),
        });
        line.clear();
        if (json) console.log(JSON.stringify(report, null, 2));
        else {
          for (const { place, fault } of report.faults) console.log(`✗ ${place}: ${fault}`);
          console.log(
            `${report.packages} packages with ${report.members} members checked, ${report.faults.length === 0 ? 'all well' : `${report.faults.length} faults`}`,
          );
        }
        if (report.faults.length > 0) process.exitCode = 1;
      } finally {
        line.clear();
        await stores.close();
      }
    });
}
