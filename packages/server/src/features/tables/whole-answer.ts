/** What answers about whole packages are made of. */
import { chosenAttributes } from '../formats/format.ts';
import type { FlatColumn } from './table-facts.ts';
import type { TableFeature } from './table-features.ts';

/** What an answer is made of. */
export interface WholeAnswer {
  /** Columns that the features of the tables have. */
  readonly columns: readonly FlatColumn[];
  readonly fields: ReadonlySet<string> | null;
  readonly flatten: boolean;
  /** Features that the tables have: at least as many as the answer. */
  readonly most: number;
  /** The features, the same each time. */
  features(): AsyncGenerator<TableFeature[], void, void>;
}

/** The bytes of an answer. */
export type Pieces = AsyncGenerator<Uint8Array, void, void>;

/** Attributes that are wanted, and what is said of the footprint. */
export function propertiesOf(
  { attributes, drawn }: TableFeature,
  fields: WholeAnswer['fields'],
): Record<string, unknown> {
  return { ...chosenAttributes(attributes, fields), ...drawn };
}

/** Columns of the attributes that are wanted; what the program adds has no colon, and stays. */
export function wanted(
  columns: readonly FlatColumn[],
  fields: WholeAnswer['fields'],
): Array<{ key: string; name: string; type: FlatColumn['type'] }> {
  const added = new Set(['height', 'minAlt', 'maxAlt', 'footprintDissolved', 'footprintPolygonsLeftOut']);
  return columns.filter(
    ({ key }) => added.has(key) || Object.keys(chosenAttributes({ [key]: 1 }, fields)).length > 0,
  );
}
