/** Where the files of a search are: what is asked of the database, and which of its rows are meant. */

import { type Bounds, spatialIdBounds } from '@citymodel/geo';
import type {
  CatalogueStore,
  GmlFileQuery,
  ListedFileRow,
  MeasuredFileRow,
  PackageRow,
  PlacedFileRow,
} from '@citymodel/store';
import type { RequestBudget } from '../../base/request-budget.ts';
import { membersOf } from '../names/areas.ts';
import type { Conditions } from './conditions.ts';
import { type FileFilters, type FileTest, typesOf } from './file-filter.ts';
import { type FileAbroad, type FilesAbroad, pathsOf } from './files-abroad.ts';
import type { PlaceMatch, SearchSnapshot } from './gazetteer.ts';
import { type MeshSelection, selectBoxes, selectMeshes, selectPoint } from './mesh-selection.ts';
import { WardFiles } from './ward-files.ts';

/**
 * Meshes, or areas that have packages of their own or lie in one. `boxes`: what the meshes stand for, where they stand
 * for it outside of the grid, too.
 */
export type Place = { meshes: MeshSelection; boxes?: readonly Bounds[] } | { areas: readonly string[] };

/** What is looked for in one state of the catalogue. */
export interface Scope {
  snapshot: SearchSnapshot;
  /** What files must pass. */
  filters: FileFilters;
  /** The same in this state of the catalogue. */
  test: FileTest;
}

/** One place in one state of the catalogue. */
export interface Target {
  /** Files that may be meant, in pages. */
  rows(): AsyncIterable<ListedFileRow[]>;
  /** The same files with little of each. */
  placed(): AsyncIterable<MeasuredFileRow[]>;
  /** True for the files that lie in the place. */
  accepts(pkg: PackageRow, row: PlacedFileRow): boolean;
  /** Packages that have files there as far as the snapshot knows. */
  expected: readonly PackageRow[];
  /** True when a package has gone since the snapshot was made. */
  isBehind: boolean;
}

export type FileStore = Pick<CatalogueStore, 'gmlFiles' | 'listedFiles' | 'placedFiles'>;

/** Packages per query. */
const PACKAGES_PER_QUERY = 100;

/** The places that conditions name; `matches` are those of the name of a place. */
export function placesOf(conditions: Exclude<Conditions, { kind: 'place' }>): Place[] {
  switch (conditions.kind) {
    case 'mesh':
      return [{ meshes: selectMeshes(conditions.codes, conditions.exact) }];
    case 'spatial-id': {
      // Cells that differ in altitude alone are the same place.
      const cells = new Map(conditions.ids.map((id) => [`${id.z}/${id.x}/${id.y}`, id]));
      const boxes = Array.from(cells.values(), spatialIdBounds);
      return [{ meshes: selectBoxes(boxes), boxes }];
    }
    case 'point':
      return [placeOf(pointBounds(conditions))];
    case 'box':
      return [placeOf(conditions.bounds)];
    case 'area':
      return [{ areas: conditions.codes }];
  }
}

/** The places that a name means: areas by their codes, else where they are. */
export function placesOfMatches(matches: readonly PlaceMatch[]): Place[] {
  const areas = matches.flatMap((match) => match.codes);
  const boxes = matches.flatMap(({ codes, bounds }) => (codes.length > 0 || bounds === null ? [] : [bounds]));
  const meshes = boxes.map(placeOf);
  return areas.length > 0 ? [{ areas }, ...meshes] : meshes;
}

/** A place that is a point means the files whose mesh contains it. */
function placeOf(box: Bounds): Place {
  const isPoint = box.west === box.east && box.south === box.north;
  return { meshes: isPoint ? selectPoint(box.west, box.south) : selectBoxes([box]), boxes: [box] };
}

function pointBounds({ lng, lat }: { lng: number; lat: number }): Bounds {
  return { west: lng, south: lat, east: lng, north: lat };
}

/**
 * Makes a place ready to be searched. Throws what the store throws, and ServiceError 400 for what costs more than the
 * budget has.
 */
export async function targetsOf(
  place: Place,
  scope: Scope,
  { store, abroad, budget }: { store: FileStore; abroad: FilesAbroad; budget: RequestBudget },
): Promise<Target[]> {
  if ('areas' in place) return [await areaTarget(place.areas, scope, store)];
  const inMeshes = meshTarget(place.meshes, scope, store);
  const types = typesOf(scope.filters);
  const found = (await abroad.inBoxes(place.boxes ?? [], scope.snapshot, budget)).filter(
    ({ type }) => types?.includes(type) ?? true,
  );
  return found.length === 0 ? [inMeshes] : [inMeshes, targetAbroad(found, store)];
}

function targetAbroad(files: readonly FileAbroad[], store: FileStore): Target {
  const isFound = pathsOf(files);
  const packageNos = [...new Set(files.map(({ packageNo }) => packageNo))];
  const types = [...new Set(files.map(({ type }) => type))];
  return {
    rows: () => store.listedFiles({ packageNos, types }),
    async *placed() {
      yield [...files];
    },
    accepts: (pkg, { path }) => isFound(pkg, path),
    expected: [],
    isBehind: false,
  };
}

function meshTarget(selection: MeshSelection, { filters }: Scope, store: FileStore): Target {
  const { meshPrefixes, meshes } = selection;
  const types = typesOf(filters);
  const query = { meshPrefixes, meshes, ...(types && { types }) };
  return {
    rows: () => store.listedFiles(query),
    placed: () => store.placedFiles(query),
    accepts: (_, row) => selection.accepts(row.mesh),
    expected: [],
    isBehind: false,
  };
}

async function areaTarget(codes: readonly string[], scope: Scope, store: FileStore): Promise<Target> {
  const { whole, parts } = packagesOf(codes, scope.snapshot);
  const queries = queriesOf([...whole, ...parts.keys()], scope);
  const expected = queries.flatMap(({ packages }) => packages);
  const filters = new Map<number, (row: PlacedFileRow) => boolean>();
  const queried = new Set(expected);
  let isBehind = false;
  for (const pkg of whole) filters.set(pkg.no, () => true);
  for (const [pkg, wards] of parts) {
    if (!queried.has(pkg)) continue;
    const files = new WardFiles(pkg, wards, scope.snapshot.cityAround);
    let isThere = false;
    // Files of every type say where a ward is, whichever types are asked for.
    for await (const page of store.placedFiles({ packageNos: [pkg.no] })) {
      for (const row of page) files.learn(row);
      isThere = true;
    }
    isBehind ||= !isThere;
    filters.set(pkg.no, files.filter());
  }
  async function* eachQuery<T>(read: (query: GmlFileQuery) => AsyncIterable<T>): AsyncGenerator<T> {
    for (const { packages, types } of queries) {
      for (let at = 0; at < packages.length; at += PACKAGES_PER_QUERY) {
        const packageNos = packages.slice(at, at + PACKAGES_PER_QUERY).map((pkg) => pkg.no);
        yield* read({ packageNos, types });
      }
    }
  }
  return {
    rows: () => eachQuery((query) => store.listedFiles(query)),
    placed: () => eachQuery((query) => store.placedFiles(query)),
    accepts: (pkg, row) => filters.get(pkg.no)?.(row) ?? false,
    expected: expected.filter((pkg) => !parts.has(pkg)),
    isBehind,
  };
}

/** Packages of which the same types are asked for, in which there is anything to be found. */
function queriesOf(
  packages: readonly PackageRow[],
  { test }: Scope,
): Array<{ packages: PackageRow[]; types: string[] }> {
  const queries = new Map<string, { packages: PackageRow[]; types: string[] }>();
  for (const pkg of packages) {
    if (pkg.files === 0) continue;
    const present = pkg.types.filter((type) => test.mayHave(pkg, type));
    if (present.length === 0) continue;
    const key = present.join();
    const query = queries.get(key);
    if (query === undefined) queries.set(key, { packages: [pkg], types: present });
    else query.packages.push(pkg);
  }
  return [...queries.values()];
}

/**
 * CityGML packages of area codes: those that are asked for as a whole, and those of which only wards are. A
 * city's code finds its wards' own packages too, and 13100 those of the special wards.
 */
function packagesOf(
  codes: readonly string[],
  snapshot: SearchSnapshot,
): { whole: PackageRow[]; parts: Map<PackageRow, Set<string>> } {
  const areaCodes = new Set(codes.flatMap(membersOf));
  const wardsByCity = Map.groupBy(codes, (code) => snapshot.cityAround(code));
  const whole: PackageRow[] = [];
  const parts = new Map<PackageRow, Set<string>>();
  for (const pkg of [...snapshot.cityGml.values()].flat()) {
    if (
      areaCodes.has(pkg.prefCode) ||
      areaCodes.has(pkg.cityCode) ||
      (pkg.wardCode !== null && areaCodes.has(pkg.wardCode))
    ) {
      whole.push(pkg);
      continue;
    }
    const wards = pkg.wardCode === null ? wardsByCity.get(pkg.cityCode) : undefined;
    if (wards !== undefined) parts.set(pkg, new Set(wards));
  }
  return { whole, parts };
}
