/** A data directory of its own with packages of houses, for tests of commands. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { PackageRow, Stores } from '@citymodel/store';
import type { Command } from 'commander';
import { readSettings } from '../../base/settings.ts';
import { ingest } from '../../ingest/ingest.ts';
import { findUploads } from '../../ingest/open-upload.ts';
import { storesOf } from '../stores.ts';
import { type CommandRun, runCommand } from './run-command.ts';

export interface HouseStore {
  directory: string;
  env: Record<string, string>;
  run(add: (program: Command) => void, ...words: string[]): Promise<CommandRun>;
  /** Publishes what a path leads to. */
  publish(path: string): Promise<void>;
  /** Works with the stores, which are closed then. */
  use<T>(work: (stores: Stores) => Promise<T>): Promise<T>;
  rows(): Promise<PackageRow[]>;
}

/** A store that goes away with the test. */
export async function houseStore(t: TestContext, more: Record<string, string> = {}): Promise<HouseStore> {
  const directory = await mkdtemp(join(tmpdir(), 'citymodel-cli-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const env = { DATA_DIR: join(directory, 'data'), ...more };
  const use = async <T>(work: (stores: Stores) => Promise<T>) => {
    const stores = await storesOf(readSettings(env));
    try {
      return await work(stores);
    } finally {
      await stores.close();
    }
  };
  return {
    directory,
    env,
    use,
    run: (add, ...words) => runCommand(add, words, env),
    publish: (path) =>
      use(async (stores) => {
        for (const upload of await findUploads([path])) {
          await ingest(upload, {
            ...stores,
            stagingDir: directory,
            now: () => new Date(Date.UTC(2026, 3, 1)),
          });
        }
      }),
    rows: () =>
      use(async (stores) => {
        const rows: PackageRow[] = [];
        for await (const page of stores.catalogue.packages(['live', 'retired', 'removed']))
          rows.push(...page);
        return rows.sort((a, b) => a.no - b.no);
      }),
  };
}
