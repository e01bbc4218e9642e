import { ServiceError } from '../../base/errors.ts';
import type { Bounds } from '../../geo/bounds.ts';
import { spatialIdBounds } from '../../geo/spatial-id.ts';
import type { CatalogueStore, GmlFileQuery } from '../../store/catalogue-store.ts';
import type { GmlFileRow, ListedFileRow, PackageRow } from '../../store/rows.ts';
import { membersOf } from '../names/areas.ts';
import type { AssetUrls } from '../names/asset-urls.ts';
import type { Conditions } from './conditions.ts';
import { type FoundFiles, fileListPieces, type ListedPackage, listFiles } from './file-list.ts';
import type { Gazetteer, PlaceMatch, SearchSnapshot } from './gazetteer.ts';
import type { Geocoder } from './geocoder.ts';
import { type MeshSelection, selectBoxes, selectMeshes, selectPoint } from './mesh-selection.ts';
import { PackageTexts } from './package-texts.ts';
import type { TextPiece } from './shared-text.ts';
import { filesOfWards } from './ward-files.ts';

export interface FileSearchOptions {
  /** The catalogue as it is now, and as it is once it has caught up with the database. */
  catalogue: { current(): SearchSnapshot; refresh(): Promise<SearchSnapshot> };
  store: Pick<CatalogueStore, 'gmlFiles' | 'listedFiles'>;
  gazetteer: Pick<Gazetteer, 'find'>;
  /** Asked for names that the gazetteer does not fully understand. */
  geocoder: Geocoder | null;
  urls: Pick<AssetUrls, 'member' | 'archive' | 'metadataZip'>;
}

export interface SearchOptions {
  /** Feature-type codes; all types when undefined. */
  types?: readonly string[] | undefined;
  /** Of each municipality the newest year alone in which something is found. */
  latest?: boolean;
  /** Aborted when the caller goes away. */
  signal?: AbortSignal;
}

/** The answer of operation 7. */
export interface FileListAnswer {
  /** A JSON document: a file-list result of the specification, and one for each package under `cities`. */
  json: TextPiece[];
  packages: number;
  files: number;
}

/** Where files are looked for. */
type Target = { meshes: MeshSelection } | { areas: readonly string[] };

/** Files found so far, by package number. */
type Finds = Map<number, FoundFiles>;

/** Packages per query: the database then never holds up other requests for long. */
const PACKAGES_PER_QUERY = 100;

/** How often a search begins anew because packages are being published meanwhile. */
const MAX_ATTEMPTS = 3;

const NEVER = new AbortController().signal;

/** Finds the CityGML files of operation 7's conditions. */
export class FileSearch {
  readonly #options: FileSearchOptions;
  readonly #texts: PackageTexts;

  constructor(options: FileSearchOptions) {
    this.#options = options;
    this.#texts = new PackageTexts({
      urls: options.urls,
      load: (packages) => this.#filesOf(packages, undefined),
    });
  }

  /**
   * The answer of operation 7. Throws ServiceError 404 `not found` when no file is found, 503 `unavailable`
   * when an outside geocoder is needed and away, and what the store throws.
   */
  async search(conditions: Conditions, options: SearchOptions = {}): Promise<FileListAnswer> {
    const { urls } = this.#options;
    const targets = await this.#targets(conditions, options.signal ?? NEVER);
    const listed =
      (await this.#listWholePackages(targets, options)) ??
      (await this.#findFiles(targets, options)).map((found) => listFiles(found, urls));
    if (listed.length === 0) {
      throw new ServiceError(404, 'not found', { reason: await this.#whyNothing(conditions, options) });
    }
    let files = 0;
    for (const { types } of listed) for (const { count } of types.values()) files += count;
    return { json: fileListPieces(listed, urls), packages: listed.length, files };
  }

  /**
   * The files that conditions find, by package: newest year first, then by municipality code; within a package
   * by type and path. An empty list when there are none.
   */
  async searchFiles(conditions: Conditions, options: SearchOptions = {}): Promise<FoundFiles[]> {
    return this.#findFiles(await this.#targets(conditions, options.signal ?? NEVER), options);
  }

  /** Makes the answers for municipalities ready beside other requests; ends early when `signal` aborts. Throws what the store throws. */
  async prepare(signal: AbortSignal): Promise<void> {
    const packages = [...this.#options.catalogue.current().cityGml.values()].flat();
    const newestFirst = packages.filter((of) => of.files > 0).sort((a, b) => b.year - a.year);
    await this.#texts.prepare(newestFirst, signal);
  }

  async #findFiles(targets: readonly Target[], options: SearchOptions): Promise<FoundFiles[]> {
    let snapshot = this.#options.catalogue.current();
    for (let attempts = 1; ; attempts++) {
      const finds: Finds = new Map();
      let isStale = false;
      for (const target of targets) {
        const behind =
          'meshes' in target
            ? await this.#findByMesh(target.meshes, options.types, snapshot, finds)
            : await this.#findByArea(target.areas, options.types, snapshot, finds);
        isStale ||= behind;
      }
      // A package was published or removed since the snapshot was made: the catalogue is asked to catch up.
      const newer = isStale && attempts < MAX_ATTEMPTS ? await this.#options.catalogue.refresh() : snapshot;
      if (newer === snapshot) return arrange(finds, targets.length > 1, options.latest ?? false);
      snapshot = newer;
    }
  }

  /**
   * The same as `#findFiles` where areas are asked for of which there are packages of their own, from the lists of
   * those that are kept. Null for everything else, and when a package has gone since the snapshot was made.
   */
  async #listWholePackages(
    targets: readonly Target[],
    { types, latest = false }: SearchOptions,
  ): Promise<ListedPackage[] | null> {
    const [target] = targets;
    if (target === undefined || targets.length > 1 || !('areas' in target)) return null;
    const { whole, parts } = packagesOf(target.areas, this.#options.catalogue.current());
    if (parts.size > 0) return null;
    const listed: ListedPackage[] = [];
    for (const list of await this.#texts.list(whole.filter((of) => of.files > 0))) {
      if (list === null) return null;
      const chosen = types === undefined ? list : ofTypes(list, types);
      if (chosen.types.size > 0) listed.push(chosen);
    }
    return inOrder(listed, latest);
  }

  async #targets(conditions: Conditions, signal: AbortSignal): Promise<Target[]> {
    switch (conditions.kind) {
      case 'mesh':
        return [{ meshes: selectMeshes(conditions.codes, conditions.exact) }];
      case 'spatial-id':
        return [{ meshes: selectBoxes(conditions.ids.map(spatialIdBounds)) }];
      case 'point':
        return [{ meshes: selectPoint(conditions.lng, conditions.lat) }];
      case 'box':
        return [{ meshes: selectBoxes([conditions.bounds]) }];
      case 'area':
        return [{ areas: conditions.codes }];
      case 'place': {
        const places = await this.#locate(conditions.name, signal);
        const areas = places.flatMap((place) => place.codes);
        const boxes = places.flatMap((place) =>
          place.codes.length > 0 || place.bounds === null ? [] : [place.bounds],
        );
        const targets: Target[] = boxes.map((box) => ({ meshes: selectPlace(box) }));
        return areas.length > 0 ? [{ areas }, ...targets] : targets;
      }
    }
  }

  /** What the gazetteer fully understands, else what the outside geocoder knows, else what was understood in part. */
  async #locate(name: string, signal: AbortSignal): Promise<PlaceMatch[]> {
    const known = await this.#options.gazetteer.find(name);
    if (this.#options.geocoder === null || known.some((place) => place.complete)) return known;
    const asked = await this.#options.geocoder.locate(name, signal);
    return asked.length > 0 ? asked : known;
  }

  /** True when a file is of a package that the snapshot does not know. */
  async #findByMesh(
    selection: MeshSelection,
    types: readonly string[] | undefined,
    snapshot: SearchSnapshot,
    finds: Finds,
  ): Promise<boolean> {
    const { meshPrefixes, meshes } = selection;
    const rows = await this.#listed({ meshPrefixes, meshes, ...(types && { types }) });
    rows.sort((a, b) => a.packageNo - b.packageNo || compare(a.type, b.type) || compare(a.path, b.path));
    let isBehind = false;
    for (const row of rows) {
      if (!selection.accepts(row.mesh)) continue;
      const of = snapshot.packageByNo(row.packageNo);
      if (of === undefined) isBehind = true;
      else note(finds, of, row);
    }
    return isBehind;
  }

  /** True when a package that the snapshot knows has no files any more. */
  async #findByArea(
    codes: readonly string[],
    types: readonly string[] | undefined,
    snapshot: SearchSnapshot,
    finds: Finds,
  ): Promise<boolean> {
    const { whole, parts } = packagesOf(codes, snapshot);
    let isBehind = false;
    const rows = await this.#filesOf(whole, types);
    for (const of of whole) {
      for (const row of rows.get(of.no) ?? []) note(finds, of, row);
      const expected = of.files > 0 && (types === undefined || types.some((type) => of.types.includes(type)));
      isBehind ||= expected && !rows.has(of.no);
    }
    // Files of every type say where a ward is, whichever types are asked for.
    const partRows = await perPackage([...parts.keys()], (packageNos) =>
      this.#options.store.gmlFiles({ packageNos }),
    );
    const listed = await this.#filesOf([...parts.keys()], undefined);
    for (const [of, wards] of parts) {
      const paths = new Set(
        filesOfWards(of, partRows.get(of.no) ?? [], wards, snapshot).map(({ path }) => path),
      );
      for (const row of listed.get(of.no) ?? []) {
        if (paths.has(row.path) && (types === undefined || types.includes(row.type))) note(finds, of, row);
      }
      isBehind ||= of.files > 0 && !(partRows.has(of.no) && listed.has(of.no));
    }
    return isBehind;
  }

  /** The files of packages, by package number. */
  #filesOf(
    packages: readonly PackageRow[],
    types: readonly string[] | undefined,
  ): Promise<Map<number, ListedFileRow[]>> {
    return perPackage(packages, (packageNos) => this.#listed({ packageNos, ...(types && { types }) }));
  }

  async #listed(query: GmlFileQuery): Promise<ListedFileRow[]> {
    const pages: ListedFileRow[][] = [];
    for await (const page of this.#options.store.listedFiles(query)) pages.push(page);
    return pages.flat();
  }

  async #whyNothing(conditions: Conditions, options: SearchOptions): Promise<string> {
    if (options.types !== undefined) {
      const any = await this.searchFiles(conditions, { ...options, types: undefined });
      const types = new Set(any.flatMap((each) => each.files.map((file) => file.type)));
      if (types.size > 0) {
        return `No CityGML file there is of type ${options.types.join(', ')}; there are ${[...types].join(', ')}.`;
      }
    }
    if (conditions.kind === 'place') {
      return `No CityGML file is known for the place ${JSON.stringify(conditions.name)}; prefectures, municipalities, wards, towns and buildings in the published data are known by name.`;
    }
    if (conditions.kind === 'area') return `No CityGML is published for ${conditions.codes.join(', ')}.`;
    return 'No published CityGML file lies there.';
  }
}

/** The rows that `load` has of packages, by package number. */
async function perPackage<T extends Pick<GmlFileRow, 'packageNo'>>(
  packages: readonly PackageRow[],
  load: (packageNos: number[]) => Promise<T[]>,
): Promise<Map<number, T[]>> {
  const rows: T[][] = [];
  for (let at = 0; at < packages.length; at += PACKAGES_PER_QUERY) {
    rows.push(await load(packages.slice(at, at + PACKAGES_PER_QUERY).map((of) => of.no)));
  }
  return Map.groupBy(rows.flat(), (row) => row.packageNo);
}

/** A place that is a point means the files whose mesh contains it. */
function selectPlace(box: Bounds): MeshSelection {
  const isPoint = box.west === box.east && box.south === box.north;
  return isPoint ? selectPoint(box.west, box.south) : selectBoxes([box]);
}

/**
 * CityGML packages of area codes: those that are asked for as a whole, and those of which only wards are. A
 * city's code finds its wards' own packages too, and 13100 those of the special wards.
 */
function packagesOf(
  codes: readonly string[],
  snapshot: SearchSnapshot,
): { whole: PackageRow[]; parts: Map<PackageRow, Set<string>> } {
  const asked = new Set(codes.flatMap(membersOf));
  const wardsByCity = Map.groupBy(codes, (code) => snapshot.cityAround(code));
  const whole: PackageRow[] = [];
  const parts = new Map<PackageRow, Set<string>>();
  for (const of of [...snapshot.cityGml.values()].flat()) {
    if (
      asked.has(of.prefCode) ||
      asked.has(of.cityCode) ||
      (of.wardCode !== null && asked.has(of.wardCode))
    ) {
      whole.push(of);
      continue;
    }
    const wards = of.wardCode === null ? wardsByCity.get(of.cityCode) : undefined;
    if (wards !== undefined) parts.set(of, new Set(wards));
  }
  return { whole, parts };
}

function note(finds: Finds, of: PackageRow, row: ListedFileRow): void {
  const found = finds.get(of.no);
  if (found === undefined) finds.set(of.no, { package: of, files: [row] });
  else found.files.push(row);
}

/** Puts packages and files into their order, and takes out what several targets found alike. */
function arrange(finds: Finds, mayRepeat: boolean, latest: boolean): FoundFiles[] {
  const found = inOrder([...finds.values()], latest);
  if (!mayRepeat) return found;
  return found.map(({ package: of, files }) => {
    const byPath = new Map(files.map((file) => [file.path, file]));
    const sorted = [...byPath.values()].sort((a, b) => compare(a.type, b.type) || compare(a.path, b.path));
    return { package: of, files: sorted };
  });
}

/** Newest year first, then by municipality code; with `latest` of each municipality its newest year alone. */
function inOrder<T extends { package: PackageRow }>(found: T[], latest: boolean): T[] {
  found.sort(
    ({ package: a }, { package: b }) =>
      b.year - a.year ||
      compare(a.cityCode, b.cityCode) ||
      compare(a.wardCode ?? '', b.wardCode ?? '') ||
      Number(b.provider === 'city') - Number(a.provider === 'city') ||
      compare(a.name, b.name),
  );
  if (!latest) return found;
  const newest = new Map<string, number>();
  for (const { package: of } of found) {
    const area = of.wardCode ?? of.cityCode;
    if (!newest.has(area)) newest.set(area, of.year);
  }
  return found.filter(({ package: of }) => newest.get(of.wardCode ?? of.cityCode) === of.year);
}

/** Of a package's lists those of some types. */
function ofTypes({ package: of, types }: ListedPackage, wanted: readonly string[]): ListedPackage {
  return { package: of, types: new Map([...types].filter(([type]) => wanted.includes(type))) };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
