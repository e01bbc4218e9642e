/** Tables of packages that have none. */
import { type FillInFault, fillIn } from '../ingest/fill-in.ts';
import { hasTables, makeTables, type TablesContext, type TablesOptions } from './make-tables.ts';

export interface MissingTablesReport {
  /** Names of packages whose tables were made. */
  made: string[];
  faults: FillInFault[];
}

/** Makes what is missing; of all packages where `all`. Throws the signal's reason, and nothing for a bad package. */
export async function makeMissingTables(
  context: TablesContext,
  { names, all, ...options }: TablesOptions & { names: readonly string[] | null; all: boolean },
): Promise<MissingTablesReport> {
  const { filled, faults } = await fillIn(context.catalogue, {
    names,
    signal: options.signal,
    isWanted: (row) => row.kind === 'citygml' && row.archiveKey !== '' && (all || !hasTables(row)),
    make: (row) => makeTables(row, context, options),
    faultOf: (message) => `Its tables cannot be made: ${message}; the package is served without them.`,
  });
  return { made: filled.map(({ name }) => name), faults };
}
