import type { Command } from 'commander';
import { readSettings } from '../base/settings.ts';
import { sweepStores } from '../jobs/kinds/sweep.ts';
import { storesOf } from './stores.ts';

export function addRemove(program: Command): void {
  program
    .command('remove')
    .description(
      'Remove packages from the catalogue. Their URLs stop answering; their archives are deleted after ' +
        'RETIRED_GRACE_S.',
    )
    .argument('<name...>', 'package names as `list` shows them, or their ids')
    .action(async (names: string[]) => {
      const settings = readSettings(process.env);
      const stores = await storesOf(settings);
      try {
        for (const name of names) {
          const rows = [
            ...(await stores.catalogue.findPackages({ name })),
            ...(await stores.catalogue.findPackages({ id: name })),
          ].filter((row) => row.state !== 'removed');
          if (rows.length === 0) {
            console.error(`citymodel: there is no package ${name}; \`citymodel list\` shows what there is.`);
            process.exitCode = 1;
          }
          for (const row of rows) {
            await stores.catalogue.setState(row.no, 'removed');
            console.log(`removed ${row.name}`);
          }
        }
        await sweepStores(stores, settings);
      } finally {
        await stores.close();
      }
    });
}
