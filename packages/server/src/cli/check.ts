import { checkBucket, parseS3Address, type S3Address } from '@citymodel/store';
import type { Command } from 'commander';
import { formatBytes, ProgressLine } from '../base/progress.ts';
import { InvalidSettings, readSettings, type Settings } from '../base/settings.ts';
import { checkStores } from '../ingest/check.ts';
import { storesOf } from './stores.ts';

interface CheckFlags {
  bucket: boolean;
  repair: boolean;
  json: boolean;
}

export function addCheck(program: Command): void {
  program
    .command('check')
    .description(
      'Compare every archive with its index and the database. Exits with 1 when something is wrong. Objects that ' +
        'nothing refers to, and ' +
        'indexes without sums of pages, are named and are not wrong.',
    )
    .argument('[name...]', 'only these packages')
    .option(
      '--bucket',
      'check instead whether the bucket of OBJECT_STORE can do all that the program needs',
      false,
    )
    .option('--repair', 'let the sweep delete objects that nothing refers to, after RETIRED_GRACE_S', false)
    .option('--json', 'print as JSON', false)
    .action(async (names: string[], { bucket, repair, json }: CheckFlags) => {
      const settings = readSettings(process.env);
      if (bucket) return checkBucketOf(settings, json);
      const stores = await storesOf(settings, { cached: false });
      const line = new ProgressLine(process.stderr);
      try {
        const report = await checkStores(stores, {
          names: names.length === 0 ? null : names,
          repair,
          onProgress: (progress) => line.update(progress),
        });
        line.clear();
        if (json) console.log(JSON.stringify(report, null, 2));
        else {
          for (const { place, fault } of report.faults) console.log(`✗ ${place}: ${fault}`);
          for (const name of report.passing) {
            console.log(
              `• ${name}: What was wrong at a first look was right at a second one. The way from the store has a ` +
                `fault.`,
            );
          }
          for (const name of report.withoutSums) {
            console.log(`• ${name}: Its index has no sums of pages.`);
          }
          if (report.withoutSums.length > 0) {
            console.log(
              '  Bytes of such packages that come damaged from the store go out in zips, packs and parts of files. ' +
                '`citymodel reindex` adds the sums.',
            );
          }
          for (const { key, size } of report.orphans) {
            console.log(`• ${key}: Nothing refers to this object of ${formatBytes(size)}.`);
          }
          if (report.orphans.length > 0) {
            const what = repair
              ? 'The sweep deletes these objects'
              : '--repair lets the sweep delete such objects';
            console.log(`  ${what} after RETIRED_GRACE_S (${settings.RETIRED_GRACE_S} s).`);
          }
          console.log(
            `${report.packages} packages with ${report.members} members checked, ` +
              `${report.faults.length === 0 ? 'no faults' : `${report.faults.length} faults`}` +
              (report.withoutSums.length === 0 ? '' : `, ${report.withoutSums.length} indexes without sums`),
          );
        }
        if (report.faults.length > 0) process.exitCode = 1;
      } finally {
        line.clear();
        await stores.close();
      }
    });
}

/** Prints what the bucket can do; sets the exit code to 1 when something does not work. */
async function checkBucketOf(settings: Settings, json: boolean): Promise<void> {
  if (!settings.OBJECT_STORE.startsWith('s3:')) {
    throw new InvalidSettings(['OBJECT_STORE names no bucket of S3; --bucket is for s3://bucket/prefix']);
  }
  let address: S3Address;
  try {
    address = parseS3Address(settings.OBJECT_STORE);
  } catch (error) {
    throw new InvalidSettings([(error as Error).message]);
  }
  const findings = await checkBucket(address, {
    redirect: settings.ASSET_REDIRECT,
    origin: new URL(settings.PUBLIC_URL).origin,
  });
  if (json) console.log(JSON.stringify(findings, null, 2));
  else {
    const signs = { ok: '✓', fault: '✗', hint: '•' };
    for (const { what, state, advice } of findings) {
      console.log(`${signs[state]} ${what}${advice === '' ? '' : `: ${advice}`}`);
    }
  }
  if (findings.some(({ state }) => state === 'fault')) process.exitCode = 1;
}
