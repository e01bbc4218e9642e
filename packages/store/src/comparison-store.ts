/** What two editions of a city differ in, by feature. */

/** The packages that are compared, by `no`, and the feature type. */
export interface ComparisonKey {
  from: number;
  to: number;
  /** Feature-type code. */
  type: string;
}

/** What became of a feature. */
export type DifferenceKind = 'added' | 'removed' | 'changed';

export interface DifferenceRow {
  /** From 0, in the order of the list. */
  position: number;
  change: DifferenceKind;
  /** Degrees: west, south, east, north; null for a feature without geometry. */
  bounds: readonly [number, number, number, number] | null;
  /** JSON: all that is told of it. */
  text: string;
}

export interface Comparison {
  /** A UUID, another one whenever the packages are compared anew. */
  list: string;
  /** JSON. */
  summary: string;
}

export interface DifferenceQuery {
  list: string;
  /** Only these; null for all. */
  change: DifferenceKind | null;
  /** Only those whose bounds meet these; null for all. */
  bounds: readonly [number, number, number, number] | null;
  /** Position of the last one before; -1 for the first page. */
  after: number;
  limit: number;
}

/**
 * Comparisons in the database of the catalogue. They go with the packages. Every method is one transaction; a database
 * that cannot answer throws `StoreUnavailable`.
 *
 *   begin ──▶ list that nobody sees ──add …──▶ finish: seen, in the place of the one before
 *                    └── killed here: it goes with the next one that is finished
 */
export interface ComparisonStore {
  /** Begins a list. False when one of the packages is gone. */
  begin(key: ComparisonKey, list: string): Promise<boolean>;
  /** Adds to a list that is begun; what is added to another one is lost. */
  add(list: string, rows: readonly DifferenceRow[]): Promise<void>;
  /** Lets a list be seen, and forgets all others of its packages and type. False when it is gone. */
  finish(list: string, summary: string): Promise<boolean>;
  /** Null for packages that were not compared. */
  find(key: ComparisonKey): Promise<Comparison | null>;
  /** Rows by position. */
  rows(query: DifferenceQuery): Promise<DifferenceRow[]>;
}
