import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { restore } from '@citymodel/store';
import { type Command, InvalidArgumentError } from 'commander';
import { formatBytes } from '../base/progress.ts';
import { readSettings } from '../base/settings.ts';
import { addAdopt } from './arguments.ts';
import { printFaults } from './backup.ts';
import { CountLine, openPlace, runStoppable } from './backup-place.ts';
import { plainStoresOf } from './stores.ts';

interface RestoreFlags {
  to?: Date;
  adopt: boolean;
  partial: boolean;
  json: boolean;
}

export function addRestore(program: Command): void {
  const command = program
    .command('restore')
    .description(
      'Bring a backup into the empty database and the object store of the settings. The store may be the old one: ' +
        'what is there and ' +
        'right stays. Exits with 1 when something cannot be restored.',
    )
    .argument(
      '<place>',
      'where the backups lie: a directory, s3://{bucket}/{prefix} or az://{container}/{prefix}',
    )
    .option(
      '--to <time>',
      'the newest backup of this time or before it, such as 2026-11-24T09:00:00+09:00',
      time,
    )
    .option('--partial', 'restore everything else when the backup lacks objects', false)
    .option('--json', 'print the report as JSON', false);
  addAdopt(command).action(async (place: string, flags: RestoreFlags) => {
    const settings = readSettings(process.env);
    const stagingDir = join(resolve(settings.DATA_DIR), 'staging');
    await using closing = new AsyncDisposableStack();
    const source = closing.adopt(await openPlace(settings, place), (opened) => opened.close());
    await runStoppable(async (signal) => {
      const stores = closing.adopt(await plainStoresOf(settings), (opened) => opened.close());
      await mkdir(stagingDir, { recursive: true });
      const line = new CountLine('objects restored');
      const { to, adopt, partial, json } = flags;
      const report = await restore(source, stores, {
        stagingDir,
        adopt,
        partial,
        signal,
        onProgress: line.update,
        ...(to !== undefined && { to }),
      }).finally(() => line.clear());
      const { backup, objects, leftOut, identity } = report;
      if (json) console.log(JSON.stringify(report, null, 2));
      else {
        console.log(
          `✓ The state of ${backup.cutAt}, version ${backup.catalogueVersion} of the catalogue with ` +
            `${backup.tables.package!.rows} packages, ` +
            `is restored; ${objects.copied} objects (${formatBytes(objects.copiedBytes)}) were copied, ` +
            `${objects.same} were there.`,
        );
        console.log(
          identity === backup.database
            ? '• The database goes on as the one that was backed up: that one must not run any more.'
            : '• The database has an identity of its own: it and the one that was backed up may both run.',
        );
        if (leftOut > 0) console.log(`• ${leftOut} rows of packs and jobs that had ended were left out.`);
        if (backup.faults.length > 0) {
          console.log(`• ${backup.faults.length} objects were missing or damaged when the backup was made:`);
          printFaults(backup.faults);
        }
        printFaults(objects.faults);
        console.log('  Run citymodel check, then start servers and workers.');
      }
      if (objects.faults.length + backup.faults.length > 0) process.exitCode = 1;
    });
  });
}

/** A moment with its zone: the machine's own would be guessed. */
function time(text: string): Date {
  const isWhole = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text);
  const value = new Date(text);
  if (!isWhole || Number.isNaN(value.getTime())) {
    throw new InvalidArgumentError(
      'It must be a time with its zone, such as 2026-11-24T09:00:00+09:00 or …Z.',
    );
  }
  return value;
}
