/** Every kind of jobs. */
import type { JobKind } from './job-kind.ts';
import { INGEST } from './kinds/ingest.ts';
import { REINDEX } from './kinds/reindex.ts';
import { SWEEP } from './kinds/sweep.ts';

export const JOB_KINDS: readonly JobKind[] = [INGEST, REINDEX, SWEEP];
