/** Makes what live packages lack: those that an earlier program published, or while a setting forbade it. */
import { CatalogueConflict, type CatalogueStore, type PackageRow } from '@citymodel/store';

/** What was not made of a package, or not whole, and why. */
export interface FillInFault {
  place: string;
  fault: string;
}

export interface FillInReport<T> {
  filled: Array<{ name: string; result: T }>;
  faults: FillInFault[];
}

export interface FillInOptions<T> {
  /** Only packages of these names; null for every package. */
  names: readonly string[] | null;
  signal: AbortSignal;
  isWanted(row: PackageRow): boolean;
  /** Throws CatalogueConflict for a package that is replaced or removed meanwhile: it needs nothing. */
  make(row: PackageRow): Promise<T>;
  /** In words, from the message of what `make` threw. */
  faultOf(message: string): string;
}

/**
 * One live package after the other. Never throws for what is wrong with one of them; throws the signal's reason between
 * two.
 */
export async function fillIn<T>(
  catalogue: CatalogueStore,
  { names, signal, isWanted, make, faultOf }: FillInOptions<T>,
): Promise<FillInReport<T>> {
  const report: FillInReport<T> = { filled: [], faults: [] };
  const rows: PackageRow[] = [];
  for await (const page of catalogue.packages(['live'])) {
    for (const row of page) {
      if (isWanted(row) && (names === null || names.includes(row.name))) rows.push(row);
    }
  }
  for (const row of rows) {
    signal.throwIfAborted();
    try {
      report.filled.push({ name: row.name, result: await make(row) });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof CatalogueConflict) continue;
      report.faults.push({ place: row.name, fault: faultOf((error as Error).message) });
    }
  }
  return report;
}
