import type { CatalogueStore } from './catalogue-store.ts';

/**
 * Files and places of all packages that are not forgotten. For readers that show an earlier state of the catalogue than
 * the newest one: they know which packages count, and those that were replaced a moment ago still do.
 */
export function filesOfAnyState(
  store: CatalogueStore,
): Pick<CatalogueStore, 'gmlFiles' | 'listedFiles' | 'placedFiles' | 'places'> {
  return {
    gmlFiles: (query) => store.gmlFiles({ ...query, anyState: true }),
    listedFiles: (query) => store.listedFiles({ ...query, anyState: true }),
    placedFiles: (query) => store.placedFiles({ ...query, anyState: true }),
    places: (names) => store.places(names, { anyState: true }),
  };
}
