/** Feature types of city models: codes, names for people, and the order in which catalogues list them. */

import { compareTexts, factsOfType, FEATURE_TYPES as LISTED_TYPES } from '@citymodel/base';

export type { FeatureType } from '@citymodel/base';

/** Codes of the known feature types in catalogue order. */
export const FEATURE_TYPES: readonly string[] = LISTED_TYPES;

/** What the code of a feature type looks like, also of one that is not known: a part of regular expressions. */
export const TYPE_CODE = '[a-z][a-z0-9]*';

const IS_TYPE_CODE = new RegExp(`^${TYPE_CODE}$`);

/** True for what can be the code of a feature type. */
export function isTypeCode(text: string): boolean {
  return IS_TYPE_CODE.test(text);
}

const ORDER = new Map<string, number>(FEATURE_TYPES.map((code, index) => [code, index]));

/** Japanese name of a type; an unknown code stands for itself. */
export function typeName(code: string): string {
  return factsOfType(code)?.name ?? code;
}

/** True for a code of the product specification. */
export function isListedType(code: string): boolean {
  return ORDER.has(code);
}

/** Place of a type in the catalogue's order, from 0; unknown codes come after all others. */
export function typeOrder(code: string): number {
  return ORDER.get(code) ?? ORDER.size;
}

/** For sorting codes: catalogue order, unknown codes last and among themselves by code. */
export function compareTypes(a: string, b: string): number {
  return typeOrder(a) - typeOrder(b) || compareTexts(a, b);
}

/** True for fld, tnm, htd, ifld and rfld. */
export function isDisasterType(code: string): boolean {
  return factsOfType(code)?.nature === 'flood';
}

/** True for types whose 3D Tiles are textured unless their package's name says `_no_texture`; unknown types are. */
export function isTexturedType(code: string): boolean {
  return (factsOfType(code)?.nature ?? 'object') === 'object';
}
