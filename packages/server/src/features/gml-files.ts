/** Which hosted GML files may hold features of a region. */

import type { Bounds } from '@citymodel/geo';
import type { CatalogueStore, GmlFileRow, PackageRow } from '@citymodel/store';
import { LRUCache } from 'lru-cache';
import { type FileFilters, type FileTest, fileTestOf } from '../catalogue/search/file-filter.ts';
import { meshFilter } from '../catalogue/search/mesh-selection.ts';
import { YearFilters } from '../catalogue/search/years.ts';
import type { Snapshot } from '../catalogue/snapshot/snapshot.ts';
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
  /** Municipality or ward codes that its features name, with commas between. */
  areaCodes: string;
  /** Extent of the features; null when none has geometry. */
  bounds: Bounds | null;
  /** Top-level features. */
  features: number;
  /** False when the file has a fault, behind which there may be more features than are known. */
  wellFormed: boolean;
}

export class GmlFiles {
  readonly #store: Pick<CatalogueStore, 'gmlFiles'>;
  readonly #years = new YearFilters((row) => this.ofPackage(row));
  readonly #files = new LRUCache<string, GmlFile[], number>({
    max: MAX_PACKAGES,
    maxSize: MAX_FILES,
    sizeCalculation: (files) => files.length + 1,
    fetchMethod: (_key, _stale, { context: no }) => this.#ofPackage(no),
    ignoreFetchAbort: true,
  });

  constructor(store: Pick<CatalogueStore, 'gmlFiles'>) {
    this.#store = store;
  }

  /** The files of a live package by type and path; none for another. */
  ofPackage(row: PackageRow): Promise<GmlFile[]> {
    return this.#files.forceFetch(`${row.no} ${row.id}`, { context: row.no });
  }

  async #ofPackage(no: number): Promise<GmlFile[]> {
    const rows = await this.#store.gmlFiles({ packageNos: [no] });
    return rows.map(gmlFileOf);
  }

  /** The files of one type of a package that has been replaced, until it is forgotten; nothing of them is kept. */
  async ofRetired(row: PackageRow, type: string): Promise<GmlFile[]> {
    const rows = await this.#store.gmlFiles({ packageNos: [row.no], types: [type], anyState: true });
    return rows.map(gmlFileOf);
  }

  /** Tells which files a search looks at. Throws what the store throws. */
  testOf(snapshot: Snapshot, filters: FileFilters): Promise<FileTest> {
    return fileTestOf(filters, { snapshot, years: this.#years });
  }

  /**
   * Files that may hold features of the region, package by package, with those whose mesh meets it although none of
   * their features may meet it (`mayMeet` false). Buildings stand out over the edge of their mesh, so it is the files'
   * extents that count. Each type has its own years, so the answer for several types is the union of the answers for
   * each.
   */
  async *inRegion(
    snapshot: Snapshot,
    region: Region,
    filters: FileFilters,
    { slices, budget }: FeatureWork,
  ): AsyncGenerator<{ row: PackageRow; file: GmlFile; mayMeet: boolean }> {
    const meshMeets = region.everything ? () => true : meshFilter(region.searchBoxes);
    const test = await this.testOf(snapshot, filters);
    for (const row of packagesByArea(snapshot)) {
      budget.items(region.parts);
      if (slices.due()) await slices.pause();
      if (!row.types.some((type) => test.mayHave(row, type))) continue;
      if (row.bounds !== null && !region.everything && !region.mayMeet(row.bounds)) continue;
      for (const file of await this.ofPackage(row)) {
        if (!test.accepts(row, file)) continue;
        budget.items(region.parts);
        if (slices.due()) await slices.pause();
        const mayMeet = region.everything || (file.bounds !== null && region.mayMeet(file.bounds));
        if (mayMeet || meshMeets(file.mesh)) yield { row, file, mayMeet };
      }
    }
  }
}

function gmlFileOf({ path, type, mesh, areaCodes, bounds, features, wellFormed }: GmlFileRow): GmlFile {
  return { path, type, mesh, areaCodes: areaCodes.join(), bounds, features, wellFormed };
}

/** Packages with bytes behind them, by the code of their ward, municipality or prefecture, the newest first. */
export function packagesByArea({ cityGml }: Pick<Snapshot, 'cityGml'>): PackageRow[] {
  const areas = [...cityGml.keys()].sort();
  return areas.flatMap((area) => cityGml.get(area)!.filter((row) => row.archiveKey !== ''));
}
