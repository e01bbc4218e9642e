/** Checks of buildings, and of bridges, tunnels and underground buildings, which are alike. */
import type { Check } from '../../check.ts';
import { BUILDING_ID_FORMAT, UNIQUE_BUILDING_IDS } from './building-ids.ts';
import { CITY_CODES } from './city-code.ts';
import { BUILDING_GEOMETRY } from './geometry.ts';
import { INSTALLATIONS } from './installations.ts';
import { MESH } from './mesh.ts';
import { SOLID_OVERLAPS, SURFACE_OVERLAPS } from './overlaps.ts';
import { JOINED_PARTS, LOW_PARTS } from './parts.ts';
import { SOLID_REFERENCES } from './solid-references.ts';
import { USAGE } from './usage.ts';

export const BUILDING_CHECKS: readonly Check[] = [
  UNIQUE_BUILDING_IDS,
  BUILDING_ID_FORMAT,
  CITY_CODES,
  JOINED_PARTS,
  USAGE,
  SOLID_REFERENCES,
  INSTALLATIONS,
  LOW_PARTS,
  MESH,
  ...BUILDING_GEOMETRY,
  ...SURFACE_OVERLAPS,
  ...SOLID_OVERLAPS,
];
