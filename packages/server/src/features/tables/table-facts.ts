/** What a table says of itself beside its columns: the entry `citymodel` of a Parquet file's metadata. */
import type { AttributeColumn } from './attribute-columns.ts';

export const FACTS_KEY = 'citymodel';
/** Form of tables; a reader leaves alone what it does not know. */
export const TABLE_VERSION = 2;

/** A column of flat answers (`flatten-attributes.ts`) that some feature has a value in. */
export interface FlatColumn {
  /** The attribute that it is of, a key of the answer of operation 11. */
  readonly key: string;
  readonly name: string;
  /** What all values have in common. */
  readonly type: 'number' | 'boolean' | 'string';
}

export interface TableFacts {
  readonly version: number;
  /** Name and id of the package. */
  readonly package: string;
  readonly id: string;
  /** Feature-type code. */
  readonly type: string;
  readonly features: number;
  /** Features that have the gml:id of an earlier one; the column `repeated` marks them. */
  readonly repeated: number;
  /** Features that cannot be read as XML, or whose attributes are too large, and that no answer has. */
  readonly leftOut: number;
  /** Features whose geometry is too large for an answer. */
  readonly withoutGeometry: number;
  /** Kinds of footprints, as GeoJSON has them. */
  readonly geometryTypes: readonly string[];
  readonly columns: readonly AttributeColumn[];
  /** In the order in which features have them; null for more than a table of answers may have. */
  readonly flat: readonly FlatColumn[] | null;
}
