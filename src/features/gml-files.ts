/** Which hosted GML files may hold features of a region. */
import { PromiseLru } from '../base/lru.ts';
import { meshFilter } from '../catalogue/search/mesh-selection.ts';
import type { Snapshot } from '../catalogue/snapshot/snapshot.ts';
import type { Bounds } from '../geo/bounds.ts';
import type { CatalogueStore } from '../store/catalogue-store.ts';
import type { PackageRow } from '../store/rows.ts';
import { elementsIn, type TypeFilter } from './feature-query.ts';
import type { FeatureWork } from './feature-work.ts';
import type { Region } from './region.ts';

/** Files whose places are kept in memory, at about 250 bytes each. */
const MAX_FILES = 100_000;
/** Packages whose files are kept. */
const MAX_PACKAGES = 5_000;

/** What a search has to know of a GML file before it opens it. */
export interface GmlFile {
  /** Path in the package. */
  path: string;
  /** Feature-type code. */
  type: string;
  mesh: string;
  /** Extent of the features; null when none has geometry. */
  bounds: Bounds | null;
  /** False when the file has a fault, behind which there may be more features than are known. */
  wellFormed: boolean;
}

export class GmlFiles {
  readonly #store: Pick<CatalogueStore, 'gmlFiles'>;
  readonly #files = new PromiseLru<GmlFile[]>({
    max: MAX_PACKAGES,
    maxWeight: MAX_FILES,
    weigh: (files) => files.length,
  });

  constructor(store: Pick<CatalogueStore, 'gmlFiles'>) {
    this.#store = store;
  }

  /** The files of a live package by type and path; none for another. */
  ofPackage(row: PackageRow): Promise<GmlFile[]> {
    return this.#files.get(`${row.no} ${row.id}`, async () => {
      const rows = await this.#store.gmlFiles({ packageNos: [row.no] });
      return rows.map(({ path, type, mesh, bounds, wellFormed }) => ({
        path,
        type,
        mesh,
        bounds,
        wellFormed,
      }));
    });
  }

  /**
   * Files that may hold features of the region, package by package, with those whose mesh meets it although none of their
   * features is near (`near` false). Buildings stand out over the edge of their mesh, so it is the files' extents that
   * count. Of each municipality the newest year in which it has any of the types.
   */
  async *inRegion(
    snapshot: Snapshot,
    region: Region,
    types: TypeFilter,
    { slices, budget }: FeatureWork,
  ): AsyncGenerator<{ row: PackageRow; file: GmlFile; near: boolean }> {
    const meshMeets = region.everything ? () => true : meshFilter(region.searchBoxes);
    for (const row of newestPackages(snapshot, types)) {
      budget.items(region.parts);
      if (slices.due()) await slices.pause();
      if (row.bounds !== null && !region.everything && !region.mayMeet(row.bounds)) continue;
      for (const file of await this.ofPackage(row)) {
        if (elementsIn(types, file.type)?.size === 0) continue;
        budget.items(region.parts);
        if (slices.due()) await slices.pause();
        const near = region.everything || (file.bounds !== null && region.mayMeet(file.bounds));
        if (near || meshMeets(file.mesh)) yield { row, file, near };
      }
    }
  }
}

/**
 * Of each municipality, ward or prefecture the packages of the newest year in which it has any of the types, by area code. Any
 * package may have an element.
 */
export function newestPackages(snapshot: Snapshot, { codes, elements }: TypeFilter): PackageRow[] {
  const found: PackageRow[] = [];
  for (const area of [...snapshot.cityGml.keys()].sort()) {
    const withTypes = snapshot.cityGml
      .get(area)!
      .filter(
        (row) =>
          row.archiveKey !== '' &&
          (codes === null || elements !== null || row.types.some((type) => codes.has(type))),
      );
    found.push(...withTypes.filter((row) => row.year === withTypes[0]!.year));
  }
  return found;
}
