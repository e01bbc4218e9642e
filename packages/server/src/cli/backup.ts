import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  type BackupFault,
  backUp,
  backupIds,
  claimObjects,
  noteBackup,
  type ObjectStore,
  readDescription,
  verifyBackups,
} from '@citymodel/store';
import type { Command } from 'commander';
import { formatBytes } from '../base/progress.ts';
import { readSettings, type Settings } from '../base/settings.ts';
import { VERSION } from '../base/version.ts';
import { wholeNumber } from './arguments.ts';
import { CountLine, openPlace, runStoppable } from './backup-place.ts';
import { plainStoresOf } from './stores.ts';

const DAY_MS = 86_400_000;
/** Faults that are printed; the rest is counted. */
const PRINTED = 20;

interface BackupFlags {
  keepDays?: number;
  verify: boolean;
  list: boolean;
  json: boolean;
}

export function addBackup(program: Command): void {
  program
    .command('backup')
    .description(
      'Back up the database and all objects that it refers to, while servers run. Copies what the place has not, ' +
        'and compares each copy. ' +
        'Exits with 1 when a package cannot be backed up.',
    )
    .argument(
      '<place>',
      'a directory, s3://{bucket}/{prefix} or az://{container}/{prefix}, that has nothing but backups',
    )
    .option(
      '--keep-days <n>',
      'then delete backups that are older, but never the newest',
      wholeNumber(1, 36_500),
    )
    .option('--verify', 'make no backup: read all that lie there, and compare every byte', false)
    .option('--list', 'make no backup: list those that lie there', false)
    .option('--json', 'print the report as JSON', false)
    .action(async (place: string, flags: BackupFlags) => {
      const settings = readSettings(process.env);
      const stagingDir = join(resolve(settings.DATA_DIR), 'staging');
      await using closing = new AsyncDisposableStack();
      const target = closing.adopt(await openPlace(settings, place), (opened) => opened.close());
      await runStoppable(async (signal) => {
        if (flags.list) return listBackups(target, flags);
        await mkdir(stagingDir, { recursive: true });
        if (flags.verify) return verify(target, stagingDir, flags);
        await makeBackup(settings, { target, name: place, stagingDir }, flags, signal);
      });
    });
}

async function makeBackup(
  settings: Settings,
  { target, name, stagingDir }: { target: ObjectStore; name: string; stagingDir: string },
  { keepDays, json }: BackupFlags,
  signal: AbortSignal,
): Promise<void> {
  await using closing = new AsyncDisposableStack();
  const stores = closing.adopt(await plainStoresOf(settings), (opened) => opened.close());
  await claimObjects(stores);
  const line = new CountLine('objects that are in the backup');
  const report = await backUp(stores, target, {
    program: VERSION,
    stagingDir,
    signal,
    onProgress: line.update,
    ...(keepDays !== undefined && { deleteBefore: new Date(Date.now() - keepDays * DAY_MS) }),
  }).finally(() => line.clear());
  const { backup, copied, copiedBytes, deleted } = report;
  await noteBackup(stores.database, {
    place: name,
    cutAt: Date.parse(backup.cutAt),
    faults: backup.faults.length,
  });
  if (json) console.log(JSON.stringify(report, null, 2));
  else {
    console.log(
      `✓ ${backup.cutAt}: version ${backup.catalogueVersion} of the catalogue, ${backup.tables.package!.rows} ` +
        `packages, ` +
        `${backup.objectCount} objects (${formatBytes(backup.objectBytes)}); ${copied} of them ` +
        `(${formatBytes(copiedBytes)}) were copied.`,
    );
    if (backup.unreferred > 0)
      console.log(`• ${backup.unreferred} objects that nothing refers to were left out.`);
    if (backup.ended.length > 0) {
      console.log(`• ${backup.ended.length} packs and uploads ended meanwhile; a restore has none of them.`);
    }
    if (deleted.backups > 0)
      console.log(`• ${deleted.backups} old backups and ${deleted.objects} objects were deleted.`);
    printFaults(backup.faults);
  }
  if (backup.faults.length > 0) process.exitCode = 1;
}

async function listBackups(place: ObjectStore, { json }: BackupFlags): Promise<void> {
  const backups = [];
  for (const id of await backupIds(place)) backups.push(await readDescription(place, id));
  if (json) {
    console.log(JSON.stringify(backups, null, 2));
    return;
  }
  for (const { cutAt, catalogueVersion, tables, objectBytes, faults } of backups) {
    const lacks = faults.length > 0 ? `, ${faults.length} objects missing` : '';
    console.log(
      `${cutAt}  version ${catalogueVersion}, ${tables.package!.rows} packages, ${formatBytes(objectBytes)}${lacks}`,
    );
  }
}

async function verify(place: ObjectStore, stagingDir: string, { json }: BackupFlags): Promise<void> {
  const line = new CountLine('objects compared');
  const report = await verifyBackups(place, { stagingDir, onProgress: line.update }).finally(() =>
    line.clear(),
  );
  if (json) console.log(JSON.stringify(report, null, 2));
  else {
    const { backups, objects, bytes, faults } = report;
    console.log(
      `${backups} backups with ${objects} objects (${formatBytes(bytes)}) compared, ${faults.length} faults`,
    );
    printFaults(faults);
  }
  if (report.faults.length > 0) process.exitCode = 1;
}

export function printFaults(faults: readonly BackupFault[]): void {
  for (const { key, fault } of faults.slice(0, PRINTED)) console.log(`✗ ${key}: ${fault}`);
  if (faults.length > PRINTED) console.log(`✗ and ${faults.length - PRINTED} more`);
}
