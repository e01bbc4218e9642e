import { JOB } from '../sql/job-mapping.ts';
import { FINDING, GML_FILE, ISSUE, PACKAGE, PACKAGE_OBJECT, PLACE, QUALITY_REPORT } from '../sql/mapping.ts';
import { PACK, PACK_SOURCE } from '../sql/pack-mapping.ts';

/** A table whose rows move, with every column. */
export interface MovedTable {
  name: string;
  columns: readonly string[];
  /** The column that says whose a row is, and by which rows are ordered first. */
  owner: string;
  /** The rest of the primary key. */
  order: readonly string[];
}

/** What belongs to a package; the package itself first. */
export const PACKAGE_TABLES: readonly [MovedTable, ...MovedTable[]] = [
  { name: 'package', columns: [...PACKAGE.columns, 'left_at'], owner: 'no', order: [] },
  { name: 'gml_file', columns: GML_FILE.columns, owner: 'package_no', order: ['type', 'path'] },
  { name: 'place', columns: PLACE.columns, owner: 'package_no', order: ['name', 'kind'] },
  { name: 'issue', columns: ISSUE.columns, owner: 'package_no', order: ['position'] },
  { name: 'package_object', columns: PACKAGE_OBJECT.columns, owner: 'package_no', order: ['object_key'] },
  { name: 'quality_report', columns: QUALITY_REPORT.columns, owner: 'package_no', order: [] },
  { name: 'finding', columns: FINDING.columns, owner: 'package_no', order: ['position'] },
];

/** What belongs to a pack. */
export const PACK_TABLES: readonly [MovedTable, ...MovedTable[]] = [
  {
    name: 'pack',
    columns: [...PACK.columns, 'tries', 'content', 'worker', 'lease_until', 'bytes', 'job'],
    owner: 'id',
    order: [],
  },
  { name: 'pack_source', columns: PACK_SOURCE.columns, owner: 'pack', order: ['position'] },
];

export const JOB_TABLES: readonly [MovedTable, ...MovedTable[]] = [
  { name: 'job', columns: [...JOB.columns, 'position', 'lease_until'], owner: 'id', order: [] },
];

/**
 * What stays: of the old place, of moments that are over, or what is made again when somebody asks for it. Objects that
 * are garbage are not copied.
 */
export const UNMOVED_TABLES: readonly string[] = [
  'backup_run',
  'catalogue_change',
  'catalogue_state',
  'catalogue_version',
  'comparison',
  'database_identity',
  'difference',
  'garbage',
  'intent',
  'intent_key',
  'orphan',
  'schema_additive',
  'schema_migration',
];
