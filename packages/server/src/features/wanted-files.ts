/** Which files a search for features looks at. */

import type { PackageRow } from '@citymodel/store';
import { Filters } from '../base/filter.ts';
import {
  type FileFilter,
  type FileFilters,
  type FilteredFile,
  yearsFilter,
} from '../catalogue/search/file-filter.ts';
import type { Years } from '../catalogue/search/years.ts';
import { elementsIn, type TypeFilter } from './feature-query.ts';

/** Files of these years with elements of these types, in these municipalities and wards; null for all of them. */
export function wantedFiles(
  types: TypeFilter,
  years: Years,
  areas: readonly string[] | null = null,
): FileFilters {
  return new Filters([elementsFilter(types), yearsFilter(years), areas === null ? null : areasFilter(areas)]);
}

function elementsFilter(types: TypeFilter): FileFilter {
  const [codes, elements] = [[...(types.codes ?? [])].sort(), [...(types.elements ?? [])].sort()];
  const accepts = (type: string) => elementsIn(types, type)?.size !== 0;
  return {
    name: 'types',
    key: JSON.stringify(['elements', codes, elements]),
    words: `of type ${[...codes, ...elements].join(', ')}`,
    at: () => ({
      accepts: (_, { type }) => accepts(type),
      mayHave: (_, type) => accepts(type),
      hasAll: (_, type) => accepts(type),
    }),
  };
}

/** Files of municipalities and wards. A file of a city is of the wards that its features name. */
function areasFilter(codes: readonly string[]): FileFilter {
  const areas = new Set(codes);
  return {
    name: 'areas',
    key: JSON.stringify(['areas', ...[...areas].sort()]),
    words: `of ${codes.join(', ')}`,
    at({ snapshot: { cityAround } }) {
      const cities = new Set(codes.map((code) => cityAround(code)));
      const hasAll = ({ cityCode, wardCode }: PackageRow) =>
        areas.has(cityCode) ||
        (wardCode !== null && areas.has(wardCode)) ||
        areas.has(cityAround(cityCode) ?? '');
      /** Without a file: whether one of the package may be meant. */
      const isOf = (pkg: PackageRow, file: FilteredFile | null) =>
        hasAll(pkg) ||
        (pkg.wardCode === null &&
          cities.has(pkg.cityCode) &&
          (file === null || file.areaCodes.split(',').some((code) => areas.has(code))));
      return { accepts: isOf, mayHave: (pkg) => isOf(pkg, null), hasAll };
    },
  };
}
