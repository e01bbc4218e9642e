/** One value of a feature in a table. */

/** Types of EXT_structural_metadata that columns have. */
export type ColumnType = 'STRING' | 'INT32' | 'FLOAT64';

export interface Column {
  /** Published name. */
  name: string;
  type: ColumnType;
  value: string | number;
}
