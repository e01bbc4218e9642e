/**
 * Where the files of CityGML packages are, by mesh: what a map of the country needs of hundreds of thousands of files. A package never
 * changes once it is published, so that each is read once, and new ones beside those that are known.
 */
import type { CatalogueStore } from '../../store/catalogue-store.ts';
import type { MeasuredFileRow, PackageRow } from '../../store/rows.ts';
import { FEATURE_TYPES } from '../names/feature-types.ts';

/** Packages that one query reads. */
const PACKAGES_PER_QUERY = 50;

/** One mesh of one package. */
export interface MeshContent {
  /** Mesh code as files are named by it, 4 to 11 digits. */
  mesh: string;
  /** A bit for each feature type, by its place in the order of the catalogue. */
  types: number;
  maxLod: number;
  files: number;
  features: number;
}

export interface PackageCoverage {
  meshes: readonly MeshContent[];
  maxLod: number;
  /** Uncompressed bytes of all GML files. */
  bytes: number;
}

/** The bit of a feature type; that of an unknown one is the last. */
export function typeBit(type: string): number {
  const place = FEATURE_TYPES.indexOf(type);
  return 2 ** (place < 0 || place > 30 ? 31 : place);
}

export class CoverageCache {
  readonly #store: Pick<CatalogueStore, 'placedFiles'>;
  #known = new Map<number, PackageCoverage>();
  /** Requests that come together read each package once. */
  #reading: Promise<void> = Promise.resolve();

  constructor(store: Pick<CatalogueStore, 'placedFiles'>) {
    this.#store = store;
  }

  /**
   * The coverage of packages, by `no`; of those of `live` that are not asked for, what is known stays. Packages that have gone are
   * forgotten. Throws what the store throws.
   */
  async of(packages: readonly PackageRow[], live = packages): Promise<ReadonlyMap<number, PackageCoverage>> {
    const read = this.#reading.then(() => this.#read(packages, live));
    this.#reading = read.then(
      () => undefined,
      () => undefined,
    );
    return read;
  }

  async #read(
    packages: readonly PackageRow[],
    live: readonly PackageRow[],
  ): Promise<ReadonlyMap<number, PackageCoverage>> {
    const kept = new Map<number, PackageCoverage>();
    for (const { no } of live) {
      const known = this.#known.get(no);
      if (known !== undefined) kept.set(no, known);
    }
    const missing = packages.filter(({ no }) => !kept.has(no)).map(({ no }) => no);
    for (let at = 0; at < missing.length; at += PACKAGES_PER_QUERY) {
      const packageNos = missing.slice(at, at + PACKAGES_PER_QUERY);
      const writers = new Map(packageNos.map((no) => [no, new CoverageWriter()]));
      for await (const page of this.#store.placedFiles({ packageNos })) {
        for (const row of page) writers.get(row.packageNo)?.add(row);
      }
      for (const [no, writer] of writers) kept.set(no, writer.coverage());
    }
    this.#known = kept;
    return kept;
  }
}

class CoverageWriter {
  readonly #meshes = new Map<string, MeshContent>();
  #bytes = 0;

  add({ mesh, type, maxLod, size, features }: MeasuredFileRow): void {
    this.#bytes += size;
    let content = this.#meshes.get(mesh);
    if (content === undefined) {
      content = { mesh, types: 0, maxLod: 0, files: 0, features: 0 };
      this.#meshes.set(mesh, content);
    }
    content.types = (content.types | typeBit(type)) >>> 0;
    content.maxLod = Math.max(content.maxLod, maxLod);
    content.files++;
    content.features += features;
  }

  coverage(): PackageCoverage {
    const meshes = [...this.#meshes.values()];
    return {
      meshes,
      maxLod: meshes.reduce((most, { maxLod }) => Math.max(most, maxLod), 0),
      bytes: this.#bytes,
    };
  }
}
