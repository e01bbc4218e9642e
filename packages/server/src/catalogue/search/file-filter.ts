/** Which of the files that lie in a place a caller wants. */

import type { PackageRow, PlacedFileRow } from '@citymodel/store';
import { type Filter, Filters } from '../../base/filter.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { YearFilters, Years } from './years.ts';

/** What filters see of a GML file. */
export type FilteredFile = Pick<PlacedFileRow, 'type' | 'areaCodes' | 'mesh'>;

/** What files are tested against: one state of the catalogue, and what is known of it. */
export interface FilterState {
  snapshot: Pick<Snapshot, 'cityGml' | 'cityAround'>;
  years: YearFilters;
}

/** The test of a filter in one state of the catalogue. */
export interface FileTest {
  accepts(pkg: PackageRow, file: FilteredFile): boolean;
  /** False when no file of the type in the package passes, whatever its place. */
  mayHave(pkg: PackageRow, type: string): boolean;
  /** True only where every file of the type in the package passes. Absent where only a look at the files tells. */
  hasAll?(pkg: PackageRow, type: string): boolean;
}

/** Something that is asked of files. */
export interface FileFilter extends Filter {
  /** The test. Throws what the store throws. */
  at(state: FilterState): FileTest | Promise<FileTest>;
  /** Feature types, where no file of another type passes: the database then reads these alone. */
  readonly types?: readonly string[];
}

export type FileFilters = Filters<FileFilter>;

/** Files of these feature types; null for all. */
export function typesFilter(types: readonly string[] | null): FileFilter | null {
  if (types === null) return null;
  const wanted = new Set(types);
  return {
    name: 'types',
    key: JSON.stringify(['types', ...[...wanted].sort()]),
    words: `of type ${types.join(', ')}`,
    types,
    at: () => ({
      accepts: (_, { type }) => wanted.has(type),
      mayHave: (_, type) => wanted.has(type),
      hasAll: (_, type) => wanted.has(type),
    }),
  };
}

/** Files of these years. */
export function yearsFilter(years: Years): FileFilter | null {
  if (years === 'all') return null;
  const sorted = years === 'newest' ? [years] : [...years].sort();
  return {
    name: 'years',
    key: JSON.stringify(['years', ...sorted]),
    words: years === 'newest' ? 'of the newest year' : `of ${sorted.join(', ')}`,
    async at({ snapshot, years: filters }) {
      const accepts = await filters.filter(snapshot, years);
      const hasAll = await filters.wholes(snapshot, years);
      // A file of which neither place nor areas are known is of the package's own years.
      return { accepts, mayHave: (pkg, type) => accepts(pkg, { type, areaCodes: '', mesh: '' }), hasAll };
    },
  };
}

/** What is asked where nothing else is: of each municipality and type the newest year; of these types, null for all. */
export function newestFiles(types: readonly string[] | null): FileFilters {
  return new Filters([typesFilter(types), yearsFilter('newest')]);
}

/** Filters in one state of the catalogue: a file must pass all of them. Throws what the store throws. */
export async function fileTestOf({ all }: FileFilters, state: FilterState): Promise<FileTest> {
  const tests: FileTest[] = [];
  for (const filter of all) tests.push(await filter.at(state));
  return {
    accepts(pkg, file) {
      for (const test of tests) if (!test.accepts(pkg, file)) return false;
      return true;
    },
    mayHave: (pkg, type) => pkg.types.includes(type) && tests.every((test) => test.mayHave(pkg, type)),
    hasAll: (pkg, type) => tests.every((test) => test.hasAll?.(pkg, type) === true),
  };
}

/** Feature types, where no file of another type passes all filters; undefined where any may. */
export function typesOf({ all }: FileFilters): readonly string[] | undefined {
  let types: readonly string[] | undefined;
  for (const filter of all) {
    if (filter.types === undefined) continue;
    types = types === undefined ? filter.types : types.filter((type) => filter.types!.includes(type));
  }
  return types;
}
