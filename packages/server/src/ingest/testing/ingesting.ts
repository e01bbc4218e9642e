/** A store of its own to ingest into, without a process. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openStores, type Stores } from '@citymodel/store';
import { type IngestOptions, ingest } from '../ingest.ts';
import { findUploads } from '../open-upload.ts';
import type { IngestReport } from '../report.ts';

export interface Ingesting extends AsyncDisposable {
  /** A temporary directory, for packages too. */
  directory: string;
  stores: Stores;
  /** Ingests what a path leads to, each upload whatever becomes of the others. Throws what nobody foresaw. */
  ingest(path: string, options?: IngestOptions): Promise<IngestReport[]>;
}

/** Opens an empty store, which goes away when this is disposed of. */
export async function openIngesting(objectStore = ''): Promise<Ingesting> {
  const directory = await mkdtemp(join(tmpdir(), 'citymodel-ingest-'));
  const stores = await openStores({ dataDir: join(directory, 'data'), databaseUrl: '', objectStore });
  const stagingDir = join(directory, 'data/staging');
  await mkdir(stagingDir, { recursive: true });
  const context = { ...stores, stagingDir, now: () => new Date(Date.UTC(2026, 0, 1)) };
  return {
    directory,
    stores,
    async ingest(path, options = {}) {
      const reports: IngestReport[] = [];
      for (const upload of await findUploads([path])) {
        reports.push(await ingest(upload, context, options));
      }
      return reports;
    },
    async [Symbol.asyncDispose]() {
      await stores.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Writes files below a directory, whose path is returned. */
export async function writeFiles(root: string, files: Record<string, string | Uint8Array>): Promise<string> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
  return root;
}
