/** Every kind of jobs that needs nothing but stores; `kinds/pack.ts` has the other one. */
import type { JobKind } from './job-kind.ts';
import { COMPARE } from './kinds/compare.ts';
import { CONVERT, CONVERT_PARTS } from './kinds/convert.ts';
import { INGEST } from './kinds/ingest.ts';
import { INSPECT } from './kinds/inspect.ts';
import { PICTURES } from './kinds/pictures.ts';
import { REINDEX } from './kinds/reindex.ts';
import { SWEEP } from './kinds/sweep.ts';
import { TABLES } from './kinds/tables.ts';

export const JOB_KINDS: readonly JobKind[] = [
  INGEST,
  REINDEX,
  SWEEP,
  CONVERT,
  CONVERT_PARTS,
  INSPECT,
  COMPARE,
  TABLES,
  PICTURES,
];
