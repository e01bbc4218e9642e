/**
 * Files outside of the meshes of Japan. They have no mesh code, so their extents say where they are: those of their
 * packages are in the snapshot, their own are read once and kept.
 */

import { backgroundSlices } from '@citymodel/base';
import { type Bounds, boundsIntersect, isInGrid } from '@citymodel/geo';
import type { CatalogueStore, MeasuredFileRow, PackageRow } from '@citymodel/store';
import { LRUCache } from 'lru-cache';
import type { RequestBudget } from '../../base/request-budget.ts';
import type { SearchSnapshot } from './gazetteer.ts';

/** What is kept of a file. */
export interface FileAbroad extends MeasuredFileRow {
  path: string;
  bounds: Bounds | null;
}

/** Packages' files that are kept, at about 300 bytes each. */
const MAX_FILES = 50_000;

export class FilesAbroad {
  readonly #store: Pick<CatalogueStore, 'gmlFiles'>;
  readonly #files = new LRUCache<string, FileAbroad[], number>({
    maxSize: MAX_FILES,
    sizeCalculation: (files) => files.length + 1,
    fetchMethod: (_key, _stale, { context: no }) => this.#ofPackage(no),
    ignoreFetchAbort: true,
  });

  constructor(store: Pick<CatalogueStore, 'gmlFiles'>) {
    this.#store = store;
  }

  /**
   * Files whose extent shares a point with one of the boxes. Throws what the store throws, and ServiceError 400 when
   * the files and boxes cost more than the budget has.
   */
  async inBoxes(
    boxes: readonly Bounds[],
    { cityGml }: Pick<SearchSnapshot, 'cityGml'>,
    budget: RequestBudget,
  ): Promise<FileAbroad[]> {
    const slices = backgroundSlices();
    const found: FileAbroad[] = [];
    for (const row of [...cityGml.values()].flat()) {
      if (row.bounds === null || isInGrid(row.bounds)) continue;
      budget.items(boxes.length);
      const near = boxes.filter((box) => boundsIntersect(row.bounds!, box));
      if (near.length === 0) continue;
      for (const file of await this.#files.forceFetch(`${row.no} ${row.id}`, { context: row.no })) {
        budget.items(near.length);
        if (slices.due()) await slices.pause();
        const { bounds } = file;
        if (bounds !== null && near.some((box) => boundsIntersect(bounds, box))) found.push(file);
      }
    }
    return found;
  }

  async #ofPackage(no: number): Promise<FileAbroad[]> {
    const rows = await this.#store.gmlFiles({ packageNos: [no] });
    const abroad = rows.filter(({ mesh }) => mesh === '');
    return abroad.map(({ packageNo, path, type, mesh, areaCodes, size, features, maxLod, bounds }) => ({
      ...{ packageNo, path, type, mesh, size, features, maxLod, bounds },
      areaCodes: areaCodes.join(),
    }));
  }
}

/** Tells files that were found apart from others, by what every list reads of a file. */
export function pathsOf(
  files: readonly FileAbroad[],
): (pkg: PackageRow, path: string | undefined) => boolean {
  const paths = new Map<number, Set<string>>();
  for (const { packageNo, path } of files) {
    const known = paths.get(packageNo);
    if (known === undefined) paths.set(packageNo, new Set([path]));
    else known.add(path);
  }
  return (pkg, path) => path !== undefined && (paths.get(pkg.no)?.has(path) ?? false);
}
