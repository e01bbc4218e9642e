/** Tables of packages that have none: those that were published by an earlier program, or while a setting forbade it. */
import { CatalogueConflict, type PackageRow } from '@citymodel/store';
import { hasTables, makeTables, type TablesContext, type TablesOptions } from './make-tables.ts';

export interface MissingTablesReport {
  /** Names of packages whose tables were made. */
  made: string[];
  faults: Array<{ place: string; fault: string }>;
}

/**
 * Makes what is missing, one live package after the other; of all packages where `all`. Never throws for what is wrong
 * with one of them; throws the signal's reason between two.
 */
export async function makeMissingTables(
  context: TablesContext,
  { names, all, ...options }: TablesOptions & { names: readonly string[] | null; all: boolean },
): Promise<MissingTablesReport> {
  const report: MissingTablesReport = { made: [], faults: [] };
  const rows: PackageRow[] = [];
  for await (const page of context.catalogue.packages(['live'])) {
    for (const row of page) {
      if (row.kind !== 'citygml' || row.archiveKey === '' || (!all && hasTables(row))) continue;
      if (names === null || names.includes(row.name)) rows.push(row);
    }
  }
  for (const row of rows) {
    options.signal.throwIfAborted();
    try {
      await makeTables(row, context, options);
      report.made.push(row.name);
    } catch (error) {
      options.signal.throwIfAborted();
      // What is replaced or removed needs none.
      if (error instanceof CatalogueConflict) continue;
      report.faults.push({
        place: row.name,
        fault: `Its tables cannot be made: ${(error as Error).message}; the package is served without them.`,
      });
    }
  }
  return report;
}
