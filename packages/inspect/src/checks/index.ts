/** All checks, in the order in which reports list them. */
import type { Check } from '../check.ts';
import { ATTRIBUTE_CHECKS } from './attributes/index.ts';
import { BUILDING_CHECKS } from './bldg/index.ts';
import { COMMON_CHECKS } from './common/index.ts';
import { OWN_CHECKS } from './own/index.ts';
import { AREA_CHECKS } from './types/areas.ts';
import { CONSTRUCTION_CHECKS } from './types/constructions.ts';
import { EDGE_CHECKS } from './types/edges.ts';
import { FURNITURE_CHECKS } from './types/furniture.ts';
import { TRANSPORT_CHECKS } from './types/transport.ts';
import { TRIANGLE_CHECKS } from './types/triangles.ts';

export const CHECKS: readonly Check[] = [
  ...COMMON_CHECKS,
  ...ATTRIBUTE_CHECKS,
  ...BUILDING_CHECKS,
  ...TRANSPORT_CHECKS,
  ...FURNITURE_CHECKS,
  ...AREA_CHECKS,
  ...TRIANGLE_CHECKS,
  ...EDGE_CHECKS,
  ...CONSTRUCTION_CHECKS,
  ...OWN_CHECKS,
];
