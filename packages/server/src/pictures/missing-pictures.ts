/** Pictures of packages that have none: those published by an earlier program, or while a setting forbade it. */
import { CatalogueConflict, type PackageRow } from '@citymodel/store';
import {
  hasPictures,
  isDrawn,
  makePictures,
  type PicturesContext,
  type PicturesOptions,
} from './draw-package.ts';

export interface MissingPicturesReport {
  /** Names of packages that were drawn. */
  made: string[];
  faults: Array<{ place: string; fault: string }>;
}

/**
 * Draws what is missing, one live package after the other; all packages where `all`. Never throws for what is wrong
 * with one of them; throws the signal's reason between two.
 */
export async function makeMissingPictures(
  context: PicturesContext,
  { names, all, ...options }: PicturesOptions & { names: readonly string[] | null; all: boolean },
): Promise<MissingPicturesReport> {
  const report: MissingPicturesReport = { made: [], faults: [] };
  const rows: PackageRow[] = [];
  for await (const page of context.catalogue.packages(['live'])) {
    for (const row of page) {
      if (!isDrawn(row) || (!all && hasPictures(row))) continue;
      if (names === null || names.includes(row.name)) rows.push(row);
    }
  }
  for (const row of rows) {
    options.signal.throwIfAborted();
    try {
      await makePictures(row, context, options);
      report.made.push(row.name);
    } catch (error) {
      options.signal.throwIfAborted();
      // What is replaced or removed needs none.
      if (error instanceof CatalogueConflict) continue;
      report.faults.push({
        place: row.name,
        fault: `Its pictures cannot be drawn: ${(error as Error).message}; the package is served without them.`,
      });
    }
  }
  return report;
}
