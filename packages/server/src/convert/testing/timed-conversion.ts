/** Converts a package in processor time that grows with its bytes. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { ConvertReport } from '../convert.ts';
import { convertZip, type ZipChange } from './convert-zip.ts';

/**
 * Seconds of processor time: to begin, for each megabyte of GML, and for each of the zip, which has the images. A busy
 * machine takes twice.
 */
const SECONDS = 3;
const SECONDS_PER_TEXT = 0.25;
const SECONDS_PER_ZIP = 2;

/**
 * As `convertZip`. Throws an AssertionError when it takes too long, or when its account does not close. Nor may a file
 * or a package of tiles be given up.
 */
export async function timedConversion(
  path: string,
  directory: string,
  change: ZipChange = {},
): Promise<ConvertReport> {
  const began = process.cpuUsage();
  const report = await convertZip(path, directory, change);
  const { user, system } = process.cpuUsage(began);
  const seconds = (user + system) / 1e6;
  const most = SECONDS + (SECONDS_PER_TEXT * report.bytes + SECONDS_PER_ZIP * statSync(path).size) / 1e6;
  assert.ok(seconds < most, `${basename(path)} takes ${seconds} s, more than ${most}`);
  const failed = report.issues.filter(({ code }) => /^(?:PART|PACKAGE)_(?:FAILED|TOO_LARGE)$/.test(code));
  assert.deepEqual(failed, [], basename(path));
  const open = report.issues.filter(({ code }) => code === 'UNACCOUNTED');
  assert.equal(report.account?.complete, true, JSON.stringify(open));
  return report;
}
