/**
 * Keys by which caches before the service find what they keep (`Surrogate-Key`, `Cache-Tag`). A key says on what an
 * answer depends, not all that it names: so an answer has few of them, however much of the country is in it.
 *
 *   citymodel          every answer
 *   area-47900         answers of one city: its documents, and the files of its packages
 *   catalogue-47900    documents that change with the packages of a city; catalogue-47 of a prefecture
 *   catalogue          documents that change with any package
 *   package-12         the files of one package, by its number
 *
 * A city stands for its wards, and 13100 for the special wards of Tokyo.
 */
import type { PackageRow } from '@citymodel/store';
import { cityAreaOf } from '../rows/snapshot-dataset.ts';

/** Of every answer. */
export const EVERYTHING = 'citymodel';
/** Of documents that any package may change. */
export const CATALOGUE = 'catalogue';

/** Of what belongs to a city or prefecture, by its code. */
export function areaKey(code: string): string {
  return `area-${code}`;
}

/** Of documents that the packages of a city or prefecture change. */
export function catalogueKey(code: string): string {
  return `${CATALOGUE}-${code}`;
}

/** Of the files of a package. */
export function packageKey(no: number): string {
  return `package-${no}`;
}

/** Keys of an answer with bytes of a package. */
export function keysOfPackage(row: Pick<PackageRow, 'no' | 'cityCode' | 'wardCode'>): string[] {
  return [EVERYTHING, packageKey(row.no), areaKey(cityAreaOf(row))];
}

/** Keys of a document that tells of one city or prefecture alone. */
export function keysOfArea(code: string): string[] {
  return [EVERYTHING, areaKey(code), catalogueKey(code)];
}
