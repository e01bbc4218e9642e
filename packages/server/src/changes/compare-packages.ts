/**
 * Compares two packages that are served, and keeps what they differ in.
 *
 *   rows ─▶ both read in a thread, differences as they are found ─▶ a list that nobody sees ─▶ seen, one transaction
 */
import { randomUUID } from 'node:crypto';
import type {
  CatalogueStore,
  ComparisonStore,
  DifferenceRow,
  ObjectStore,
  PackageRow,
} from '@citymodel/store';
import { type LongTask, over, runTask } from '../base/long-task.ts';
import type { ProgressSink } from '../base/progress.ts';
import { Staging } from '../ingest/staging.ts';
import { compareInThread } from './compare-in-thread.ts';
import type { Difference } from './difference.ts';
import type { ComparisonSummary } from './summary.ts';

export interface ComparisonContext {
  catalogue: Pick<CatalogueStore, 'findPackages' | 'beginIntent' | 'touchIntent' | 'endIntent'>;
  objects: Pick<ObjectStore, 'delete'>;
  comparisons: ComparisonStore;
  /** How the thread opens the object store. */
  storeSettings: unknown;
  /** Existing directory for unfinished work. */
  stagingDir: string;
  signal: AbortSignal;
  onProgress: ProgressSink;
}

/** Two editions and the feature type in which they are compared; ids of packages. */
export interface Editions {
  from: string;
  to: string;
  type: string;
}

interface Compared {
  list: string;
  summary: ComparisonSummary;
}

/** Null when one of the packages is gone. Throws ComparisonRefused, MemberDamaged and what stores throw. */
export function comparePackages(
  editions: Editions,
  context: ComparisonContext,
): Promise<ComparisonSummary | null> {
  const { signal, onProgress } = context;
  return runTask(comparison(editions, context), { signal, onProgress });
}

function comparison(
  editions: Editions,
  { catalogue, objects, comparisons, storeSettings, stagingDir }: ComparisonContext,
): LongTask<{ from: PackageRow; to: PackageRow }, Compared, Compared, ComparisonSummary | null> {
  const { type } = editions;
  let label = type;
  return {
    label: () => label,
    async plan() {
      const [[from], [to]] = await Promise.all([
        catalogue.findPackages({ id: editions.from }),
        catalogue.findPackages({ id: editions.to }),
      ]);
      if (from === undefined || to === undefined) return over(null);
      label = `${from.name}, ${to.name}: ${type}`;
      return { from, to };
    },
    async parts({ from, to }, run) {
      const list = randomUUID();
      if (!(await comparisons.begin({ from: from.no, to: to.no, type }, list))) return over(null);
      // Of a process that is killed, the sweep deletes the records.
      const { directory } = run.keep(await Staging.open({ catalogue, objects, stagingDir }));
      let position = 0;
      const summary = await compareInThread(
        { from, to, type, directory, store: storeSettings },
        run.signal,
        ({ done, total }) => run.tell({ phase: 'reading', done, total, member: null }),
        async (page) => {
          await comparisons.add(
            list,
            page.map((difference) => rowOf(difference, position++)),
          );
        },
      );
      return { list, summary };
    },
    join: async (compared) => compared,
    async publish({ list, summary }) {
      return (await comparisons.finish(list, JSON.stringify(summary))) ? summary : null;
    },
  };
}

function rowOf(difference: Difference, position: number): DifferenceRow {
  const { change, bounds } = difference;
  return { position, change, bounds, text: JSON.stringify(difference) };
}
