/**
 * The GML files of one feature type in an order that stays while data changes: by area, then as editions of an area are
 * listed, then by path. Who stops at a file can go on behind it later, although packages have come and gone meanwhile.
 */
import type { PackageRow } from '@citymodel/store';
import { ServiceError } from '../base/errors.ts';
import { areaOf, compareEditions } from '../catalogue/rows/citygml-rows.ts';
import type { FileFilters } from '../catalogue/search/file-filter.ts';
import type { Snapshot } from '../catalogue/snapshot/snapshot.ts';
import type { FeatureWork } from './feature-work.ts';
import { type GmlFile, type GmlFiles, packagesByArea } from './gml-files.ts';
import type { Region } from './region.ts';

/** A feature in the order of files: who goes on behind it finds the same edition. */
export interface FeaturePlace {
  /** Number and id of the package. */
  readonly packageNo: number;
  readonly packageId: string;
  readonly path: string;
  /** Number of the feature in the file; -1 is before the first. */
  readonly index: number;
}

export interface OrderedFile {
  readonly row: PackageRow;
  readonly file: GmlFile;
  /** Number of the first feature that is wanted. */
  readonly from: number;
}

/** Which files: those of a type that pass the filters and may have features in the region. */
export interface FileQuery {
  readonly snapshot: Snapshot;
  readonly type: string;
  readonly filters: FileFilters;
  readonly region: Region;
  /** Packages of which no file is wanted, told without a look at their files. */
  readonly passesOver?: (row: PackageRow) => boolean;
}

/**
 * Files from behind a place on. The package of the place is read to its end, also where a newer edition has replaced it
 * meanwhile; of its area nothing newer follows. Throws ServiceError 404 where the package is forgotten.
 */
export async function* filesInOrder(
  files: GmlFiles,
  { snapshot, type, filters, region, passesOver = () => false }: FileQuery,
  after: FeaturePlace | null,
  work: FeatureWork,
): AsyncGenerator<OrderedFile, void, void> {
  const begun = after === null ? null : packageOf(snapshot, after);
  const test = await files.testOf(snapshot, filters);
  const { slices, budget } = work;
  const mayMeet = (bounds: GmlFile['bounds']) =>
    region.everything || (bounds !== null && region.mayMeet(bounds));
  if (begun !== null && after !== null) {
    const isLive = begun.state === 'live';
    const list = isLive ? await files.ofPackage(begun) : await files.ofRetired(begun, type);
    const isNewest = isLive && test.mayHave(begun, type);
    for (const file of list) {
      if (file.type !== type || file.path < after.path || !mayMeet(file.bounds)) continue;
      // Of an edition that was the newest when the caller began, all files count.
      if (isNewest && !test.accepts(begun, file)) continue;
      budget.items(1);
      yield { row: begun, file, from: file.path === after.path ? after.index + 1 : 0 };
    }
  }
  for (const row of packagesByArea(snapshot)) {
    if (slices.due()) await slices.pause();
    if (begun !== null && !comesAfter(row, begun)) continue;
    if (!test.mayHave(row, type) || passesOver(row)) continue;
    if (row.bounds !== null && !mayMeet(row.bounds)) continue;
    for (const file of await files.ofPackage(row)) {
      if (file.type !== type || !test.accepts(row, file)) continue;
      budget.items(region.parts);
      if (slices.due()) await slices.pause();
      if (mayMeet(file.bounds)) yield { row, file, from: 0 };
    }
  }
}

function comesAfter(row: PackageRow, begun: PackageRow): boolean {
  const [area, other] = [areaOf(row), areaOf(begun)];
  return area === other ? compareEditions(row, begun) > 0 : area > other;
}

function packageOf({ state }: Snapshot, { packageNo, packageId }: FeaturePlace): PackageRow {
  const row = state.rows.get(packageNo);
  if (row !== undefined && row.id.startsWith(packageId) && row.archiveKey !== '') return row;
  throw new ServiceError(404, 'not found', {
    reason: 'The edition that this page is of has been removed. Begin again with the first page.',
  });
}
