/** Checks of attributes that an object list asks for. */
import type { Check } from '../../check.ts';
import { GEOMETRY_SOURCES, PUBLIC_SURVEYS } from './quality.ts';
import { REQUIRED, TARGETS } from './required.ts';

export const ATTRIBUTE_CHECKS: readonly Check[] = [REQUIRED, TARGETS, GEOMETRY_SOURCES, PUBLIC_SURVEYS];
