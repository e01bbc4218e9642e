import { hasSums, type PackageRow } from '@citymodel/store';
import type { Logger } from 'pino';

/** Writes into the log how many packages there are of which damage would go out unseen, if there are any. */
export function tellUnchecked(packages: readonly PackageRow[], log: Logger): void {
  const unchecked = packages.filter((row) => !hasSums(row)).length;
  if (unchecked === 0) return;
  log.warn(
    { packages: unchecked },
    'indexes of packages have no sums of pages: damage on the way from the store goes out in zips, packs and ' +
      'parts of files; run citymodel reindex',
  );
}
