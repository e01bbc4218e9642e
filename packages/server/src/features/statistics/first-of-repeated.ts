/** Which of several features with one gml:id counts, where only a part of their table is looked at. */
import type { Slices } from '@citymodel/base';
import type { RangedSource } from '@citymodel/zip';
import { ServiceError } from '../../base/errors.ts';
import { readColumns, type TableFoot } from '../tables/table-reader.ts';

/** Repeated features of one table whose places are compared. */
const MAX_REPEATED = 300_000;

/** Files and elements; null for all of them. */
export interface Wanted {
  readonly paths: ReadonlySet<string> | null;
  readonly elements: ReadonlySet<string> | null;
}

/** Where a feature stands in its package. */
interface Place {
  readonly path: string;
  readonly start: bigint;
}

export type IsFirst = (id: unknown, path: unknown, start: unknown) => boolean;

/** Columns that the answer is about. */
export const PLACE_COLUMNS = ['gml:id', 'gml_file', 'gml_start'] as const;

/**
 * Tells the first feature of each gml:id among those of a part; searches go by files, then by their text, and rows do
 * not. Throws ServiceError 413 for more repeated features than are compared, and what reading throws.
 */
export async function firstOfRepeated(
  source: RangedSource,
  foot: TableFoot,
  isWanted: (path: unknown, element: unknown) => boolean,
  slices: Slices,
): Promise<IsFirst> {
  if (foot.facts.repeated > MAX_REPEATED) {
    throw new ServiceError(413, 'request too large', {
      reason: `A table has more than ${MAX_REPEATED} repeated gml:ids. Ask for a whole municipality and feature type.`,
    });
  }
  const repeated = new Set<unknown>();
  for await (const { size, columns } of readColumns(source, foot, ['gml:id', 'repeated'], slices)) {
    const [ids, marks] = [columns.get('gml:id'), columns.get('repeated')];
    for (let n = 0; n < size; n++) if (marks?.[n] === true) repeated.add(ids?.[n]);
  }
  const first = new Map<unknown, Place>();
  const names = [...PLACE_COLUMNS, '_type'];
  for await (const { size, columns } of readColumns(source, foot, names, slices)) {
    const [ids, paths, starts, elements] = names.map((name) => columns.get(name));
    for (let n = 0; n < size; n++) {
      const id = ids?.[n];
      if (!repeated.has(id) || !isWanted(paths?.[n], elements?.[n])) continue;
      const place = placeOf(paths?.[n], starts?.[n]);
      const known = first.get(id);
      if (known === undefined || isBefore(place, known)) first.set(id, place);
    }
  }
  return (id, path, start) => {
    const known = first.get(id);
    return known === undefined || !isBefore(known, placeOf(path, start));
  };
}

/** The part of a table that is looked at. */
export function wantedIn({ paths, elements }: Wanted): (path: unknown, element: unknown) => boolean {
  return (path, element) =>
    (paths === null || paths.has(String(path))) && (elements === null || elements.has(String(element)));
}

function placeOf(path: unknown, start: unknown): Place {
  return { path: String(path), start: BigInt(start as bigint | number) };
}

function isBefore(one: Place, two: Place): boolean {
  return one.path < two.path || (one.path === two.path && one.start < two.start);
}
