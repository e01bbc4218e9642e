/**
 * Makes the tables of a package, one GeoParquet file for each feature type. They take the place of those that it has:
 *
 *   begin intent ─▶ of each type: read features ─▶ rows in staging ─▶ table in staging ─▶ put
 *                ─▶ one transaction: the package has these tables
 *
 * A process that dies before the last step leaves an intent, and perhaps objects, which the sweep deletes.
 */
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  Archives,
  type CatalogueStore,
  type NewTable,
  type ObjectStore,
  type PackageRow,
  tableKey,
} from '@citymodel/store';
import { openFileSource } from '@citymodel/zip';
import type { ProgressSink } from '../base/progress.ts';
import { PackageReader } from '../features/tables/read-package.ts';
import { TABLE_VERSION, type TableFacts } from '../features/tables/table-facts.ts';
import { TableMaker } from '../features/tables/table-maker.ts';
import { archiveFacts } from '../ingest/archive-sums.ts';
import { Staging } from '../ingest/staging.ts';

export interface TablesContext {
  catalogue: CatalogueStore;
  objects: ObjectStore;
  /** Local directory for rows that wait and tables that are not whole yet. */
  stagingDir: string;
}

export interface TablesOptions {
  /** Text of a feature up to which its geometry is read, bytes; as for answers. */
  maxGeometryBytes: number;
  onProgress: ProgressSink;
  /** Ends the work; it throws the signal's reason. */
  signal: AbortSignal;
}

/** What was made, and what the tables lack. */
export interface TableReport {
  type: string;
  features: number;
  /** Features that cannot be read, and that no answer has. */
  leftOut: number;
  /** Features whose geometry is too large for an answer. */
  withoutGeometry: number;
  bytes: number;
}

/** True when the package has tables, of the form that this program writes. */
export function hasTables({ kind, archiveKey, tables }: PackageRow): boolean {
  if (kind !== 'citygml' || archiveKey === '') return true;
  return tables?.every(({ version }) => version === TABLE_VERSION) ?? false;
}

/**
 * Makes the tables of a live package. Throws CatalogueConflict when the package is gone meanwhile, MemberDamaged, what
 * stores and disk throw, and the signal's reason.
 */
export async function makeTables(
  row: PackageRow,
  { catalogue, objects, stagingDir }: TablesContext,
  { maxGeometryBytes, onProgress, signal }: TablesOptions,
): Promise<TableReport[]> {
  const files = await catalogue.gmlFiles({ packageNos: [row.no] });
  const byType = [...Map.groupBy(files, ({ type }) => type)];
  const context = { catalogue, objects, stagingDir };
  await using staging = await Staging.open(context, (id) => byType.map(([type]) => tableKey(id, type, row)));
  const archives = new Archives(objects, { maxOpen: 1 });
  const reader = new PackageReader({ archives, maxGeometryBytes });
  const work = reader.begin(signal);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const sizes = new Map(files.map(({ path, size }) => [path, size]));
  let done = 0;
  const onFile = (member: string) => {
    signal.throwIfAborted();
    done += sizes.get(member)!;
    onProgress({ label: row.name, phase: 'tables', done, total, member });
  };
  const tables: NewTable[] = [];
  const reports: TableReport[] = [];
  try {
    for (const [type, list] of byType) {
      const path = join(staging.directory, 'table.parquet');
      const paths = list.map((file) => file.path);
      const facts = await makeTable(row, type, path, staging.directory, (table) =>
        reader.readInto(table, row, paths, work, onFile),
      );
      const key = tableKey(staging.id, type, row);
      const { sha256, sums, size } = await factsOf(path);
      await objects.put(key, path, { once: true });
      const { features, leftOut, withoutGeometry } = facts;
      tables.push({ type, key, size, sha256, features, version: TABLE_VERSION, sums });
      reports.push({ type, features, leftOut, withoutGeometry, bytes: size });
    }
  } finally {
    await archives.close();
  }
  signal.throwIfAborted();
  await staging.commit(() => catalogue.setTables({ no: row.no, tables, intent: staging.id }));
  return reports;

  async function makeTable(
    { name, id, bounds }: PackageRow,
    type: string,
    path: string,
    directory: string,
    fill: (table: TableMaker) => Promise<void>,
  ): Promise<TableFacts> {
    const rows = join(directory, 'rows');
    try {
      await using table = await TableMaker.create({ package: name, id, type, bounds }, rows);
      await fill(table);
      const file = await open(path, 'wx', 0o600);
      try {
        const facts = await table.finish(file, work.slices);
        await file.sync();
        return facts;
      } finally {
        await file.close();
      }
    } finally {
      await rm(rows, { force: true });
    }
  }
}

async function factsOf(path: string): Promise<{ sha256: string; sums: string; size: number }> {
  await using source = await openFileSource(path);
  const { sha256, pageSums } = await archiveFacts(source);
  return { sha256, sums: pageSums.toString('base64'), size: source.size };
}
