/** Checks of all files (section "common" of the official report). */
import type { Check } from '../../check.ts';
import { CODE_SPACES, CODE_VALUES } from './code-values.ts';
import { CRS } from './crs.ts';
import { ENVELOPE } from './envelope.ts';
import { FEATURE_TYPES } from './feature-types.ts';
import { GEOMETRY_TYPES } from './geometry-types.ts';
import { ID_FORMAT, UNIQUE_IDS } from './ids.ts';
import { REFERENCE_TARGETS, REFERENCED_TYPES } from './references.ts';
import { SCHEMA_ORDER, SCHEMAS } from './schemas.ts';
import { WELL_FORMED } from './well-formed.ts';

export const COMMON_CHECKS: readonly Check[] = [
  WELL_FORMED,
  SCHEMAS,
  SCHEMA_ORDER,
  FEATURE_TYPES,
  CODE_VALUES,
  CODE_SPACES,
  CRS,
  ENVELOPE,
  REFERENCED_TYPES,
  REFERENCE_TARGETS,
  UNIQUE_IDS,
  ID_FORMAT,
  GEOMETRY_TYPES,
];
