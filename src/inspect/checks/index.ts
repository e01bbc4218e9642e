/** All checks, in the order in which reports list them. */
import type { Check } from '../check.ts';
import { BUILDING_CHECKS } from './bldg/index.ts';
import { COMMON_CHECKS } from './common/index.ts';

export const CHECKS: readonly Check[] = [...COMMON_CHECKS, ...BUILDING_CHECKS];
