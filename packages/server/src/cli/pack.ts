import { withoutEnd } from '@citymodel/base';
import { openFileSource, readMember, readZipDirectory } from '@citymodel/zip';
import type { Command } from 'commander';
import { formatBytes, ProgressLine } from '../base/progress.ts';
import { readSettings } from '../base/settings.ts';
import type { PackStatusObject } from '../pack/packs.ts';
import { DownloadFailed, download } from './download.ts';

interface PackFlags {
  output: string;
  types?: string;
  latest: boolean;
  server?: string;
  verify: boolean;
}

/** Seconds that one question for the status may take. */
const WAIT_S = 30;

/** The server did not do what was asked. */
class ServerRefused extends Error {}

export function addPack(program: Command): void {
  program
    .command('pack')
    .description(
      'Find files by condition and download them as one zip. The same command continues a download that broke off.',
    )
    .argument(
      '<condition>',
      'as in the file search: m:53394509, 13101, r:139.7,35.6,139.8,35.7, g:千代田区, …',
    )
    .requiredOption('-o, --output <file>', 'path of the zip')
    .option('--types <codes>', 'only these feature types, such as bldg,tran')
    .option('--latest', 'only the newest year of each municipality', false)
    .option('--server <url>', 'address of the service, in place of PUBLIC_URL')
    .option('--no-verify', 'skip the check of every checksum after the download')
    .action(async (condition: string, flags: PackFlags) => {
      const line = new ProgressLine(process.stderr);
      try {
        await packTo(condition, flags, line);
      } catch (error) {
        line.clear();
        if (!(error instanceof ServerRefused || error instanceof DownloadFailed)) throw error;
        console.error(`citymodel: ${error.message}`);
        process.exitCode = 1;
      }
    });
}

async function packTo(condition: string, flags: PackFlags, line: ProgressLine): Promise<void> {
  const server = withoutEnd(flags.server ?? readSettings(process.env).PUBLIC_URL, '/');
  const types = flags.types?.split(',');
  const { id } = await call<{ id: string }>(`${server}/citygml/pack`, {
    conditions: condition,
    latest: flags.latest,
    ...(types && { types }),
  });
  const status = await untilDone(server, id, line);
  const { size = 0, files = 0, missing = [], missingCount = 0 } = status;
  const label = flags.output;
  // The zip is asked for where the status was, which is where this program reaches the service.
  const { bytes, resumedAt } = await download(
    `${server}/citygml/pack/${id}/download/${id}.zip`,
    flags.output,
    ({ done, total }) => line.update({ label, phase: 'reading', done, total, member: null }),
  );
  line.clear();
  if (bytes !== size) {
    throw new DownloadFailed(`${flags.output} has ${bytes} bytes; the pack has ${size}`);
  }
  if (flags.verify) await verify(flags.output, files, line);
  line.clear();
  const resumed = resumedAt > 0 ? `, continued after ${formatBytes(resumedAt)}` : '';
  console.log(
    `${flags.output}: ${files} files, ${formatBytes(bytes)}${flags.verify ? ', verified' : ''}${resumed}`,
  );
  if (missingCount > 0) {
    console.log(`${missingCount} files that these refer to are not in their packages:`);
    for (const path of missing.slice(0, 20)) console.log(`  ${path}`);
    if (missingCount > 20) console.log(`  … and ${missingCount - 20} more`);
  }
}

async function untilDone(server: string, id: string, line: ProgressLine): Promise<PackStatusObject> {
  for (;;) {
    const status = await call<PackStatusObject>(`${server}/citygml/pack/${id}/status?wait=${WAIT_S}`);
    if (status.status === 'succeeded') return status;
    if (status.status === 'failed') throw new ServerRefused(`the pack failed: ${status.reason}`);
    const done = Math.round(status.progress * 100);
    line.update({ label: 'pack', phase: 'reading', done, total: 100, member: null });
  }
}

/** GET, or POST with a body. Throws ServerRefused with the reason that the server gives. */
async function call<T>(url: string, body?: unknown): Promise<T> {
  let response: Response;
  try {
    response = await fetch(url, {
      ...(body === undefined
        ? {}
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
  } catch (error) {
    const { cause, message } = error as Error;
    throw new ServerRefused(
      `${url} cannot be reached: ${cause instanceof Error ? cause.message : message}; --server names the address of ` +
        `the service`,
    );
  }
  const text = await response.text();
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new ServerRefused(`${url} answered ${response.status}, but not with JSON: ${text.slice(0, 200)}`);
  }
  if (response.ok) return answer as T;
  const { error, reason } = answer as { error?: string; reason?: string };
  throw new ServerRefused(`${error ?? response.status}${reason === undefined ? '' : `: ${reason}`}`);
}

/** Reads every member and compares sizes and checksums. Throws DownloadFailed for a zip that is damaged. */
async function verify(path: string, files: number, line: ProgressLine): Promise<void> {
  await using source = await openFileSource(path);
  try {
    const directory = await readZipDirectory(source, { maxMembers: files });
    if (directory.count !== files) {
      throw new Error(`it has ${directory.count} members, where the pack has ${files}`);
    }
    let done = 0;
    for (const entry of directory.entries()) {
      for await (const _ of readMember(source, entry));
      done += entry.compressedSize;
      line.update({ label: path, phase: 'verifying', done, total: source.size, member: entry.name });
    }
  } catch (error) {
    throw new DownloadFailed(`${path} is damaged: ${(error as Error).message}`, { cause: error });
  }
}
