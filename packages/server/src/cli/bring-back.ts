import type { Command } from 'commander';
import { readSettings } from '../base/settings.ts';
import { bringBackPackage, CannotBringBack } from '../catalogue/bring-back.ts';
import { storesOf } from './stores.ts';

export function addBringBack(program: Command): void {
  program
    .command('bring-back')
    .description(
      'Make packages live again that were replaced or removed, as long as they are kept (RETIRED_GRACE_S). ' +
        'What took their place is replaced in turn.',
    )
    .argument('<name...>', 'package names as `list --all` shows them, or their ids')
    .action(async (names: string[]) => {
      const settings = readSettings(process.env);
      const stores = await storesOf(settings);
      try {
        for (const name of names) {
          try {
            const { row, retired } = await bringBackPackage(stores, name);
            const instead = retired.map((other) => ` in place of ${other.name}`).join('');
            console.log(`live again: ${row.name}${instead}`);
          } catch (error) {
            if (!(error instanceof CannotBringBack)) throw error;
            console.error(`citymodel: ${error.message}`);
            process.exitCode = 1;
          }
        }
      } finally {
        await stores.close();
      }
    });
}
