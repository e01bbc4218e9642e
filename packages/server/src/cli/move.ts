import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  CopyDiffers,
  MoveJournal,
  type MoveProgress,
  type MoveReport,
  moveStores,
  ObjectMissing,
  TargetInUse,
} from '@citymodel/store';
import type { Command } from 'commander';
import { formatBytes } from '../base/progress.ts';
import { InvalidSettings, readSettings, type Settings } from '../base/settings.ts';
import { plainStoresOf } from './stores.ts';

/** How often progress is written where it cannot rewrite a line, ms. */
const QUIET_MS = 10_000;

interface MoveFlags {
  toDatabase?: string;
  toStore?: string;
  json: boolean;
}

export function addMove(program: Command): void {
  program
    .command('move')
    .description(
      'Copy everything to another database, another object store, or both, while servers run. Print the settings to ' +
        'change. ' +
        'Run the same command again to continue after an interruption, or to catch up.',
    )
    .option(
      '--to-database <url>',
      'where to copy the rows: postgres://{user}@{host}/{database} or sqlite:{path}',
    )
    .option(
      '--to-store <store>',
      'where to copy the objects: a directory, s3://{bucket}/{prefix} or az://{container}/{prefix}',
    )
    .option('--json', 'print the report as JSON', false)
    .action(async (flags: MoveFlags) => {
      const settings = readSettings(process.env);
      const { toDatabase, toStore, json } = flags;
      if (toDatabase === undefined && toStore === undefined) {
        throw new InvalidSettings(['move needs --to-database, --to-store, or both']);
      }
      const target = {
        ...settings,
        DATABASE_URL: toDatabase ?? settings.DATABASE_URL,
        OBJECT_STORE: toStore ?? settings.OBJECT_STORE,
      };
      const stopping = new AbortController();
      const stop = () => stopping.abort(new Interrupted());
      process.once('SIGINT', stop);
      process.once('SIGTERM', stop);
      try {
        const report = await runMove(settings, target, stopping.signal);
        if (json) console.log(JSON.stringify(report, null, 2));
        else printReport(report, flags);
      } catch (error) {
        if (!isExpected(error)) throw error;
        console.error(`citymodel: ${error.message}`);
        process.exitCode = error instanceof Interrupted ? 130 : 1;
      }
    });
}

class Interrupted extends Error {
  constructor() {
    super('the move was interrupted; the same command continues it');
  }
}

async function runMove(settings: Settings, target: Settings, signal: AbortSignal): Promise<MoveReport> {
  await using closing = new AsyncDisposableStack();
  const from = closing.adopt(await plainStoresOf(settings), (stores) => stores.close());
  const to = closing.adopt(await plainStoresOf(target), (stores) => stores.close());
  const directory = resolve(settings.DATA_DIR);
  await mkdir(directory, { recursive: true });
  // One journal for each object store that objects go to.
  const name = createHash('sha256').update(target.OBJECT_STORE).digest('hex').slice(0, 16);
  const path = join(directory, `move-${name}.journal`);
  const journal = closing.adopt(await MoveJournal.open(path), (opened) => opened.close());
  const line = new MoveLine(process.stderr);
  try {
    return await moveStores(from, to, {
      journal,
      moves: {
        database: target.DATABASE_URL !== settings.DATABASE_URL,
        objects: target.OBJECT_STORE !== settings.OBJECT_STORE,
      },
      signal,
      onProgress: (progress) => line.update(progress),
    });
  } finally {
    line.clear();
  }
}

function printReport({ packages, objects, bytes, version }: MoveReport, flags: MoveFlags): void {
  console.log(
    `✓ version ${version} of the catalogue is in the new place; ${packages} packages and ${objects} objects ` +
      `(${formatBytes(bytes)}) were copied this time.\n\nChange the settings of servers and workers:\n`,
  );
  if (flags.toDatabase !== undefined) console.log(`  DATABASE_URL=${withoutPassword(flags.toDatabase)}`);
  if (flags.toStore !== undefined) console.log(`  OBJECT_STORE=${flags.toStore}`);
  console.log(
    '\nWhat is ingested into the old place from now on is not in the new one: stop ingestion, run this command ' +
      'again, ' +
      'which takes seconds, and restart with the new settings. URLs stay the same.',
  );
}

/** The address with `***` in place of the password. */
export function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/[^:@/]*):[^@/]*@/, '$1:***@').replace(/([?&]password=)[^&]*/, '$1***');
}

function isExpected(error: unknown): error is Error {
  return [Interrupted, TargetInUse, CopyDiffers, ObjectMissing].some((kind) => error instanceof kind);
}

/** One line that rewrites itself on a terminal; elsewhere a line now and then. */
export class MoveLine {
  readonly #stream: NodeJS.WriteStream;
  #last = Date.now();

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  update({ what, done, total }: MoveProgress): void {
    const text = `${WORDS[what]}: ${done} of ${total}`;
    if (this.#stream.isTTY) {
      this.#stream.write(`\r\x1b[K${text}`);
      return;
    }
    if (Date.now() - this.#last < QUIET_MS) return;
    this.#last = Date.now();
    this.#stream.write(`${text}\n`);
  }

  clear(): void {
    if (this.#stream.isTTY) this.#stream.write('\r\x1b[K');
  }
}

const WORDS: Record<MoveProgress['what'], string> = {
  objects: 'objects copied and read back',
  packages: 'packages whose rows are copied',
  comparing: 'tables that are the same in both databases',
};
