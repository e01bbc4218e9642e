/**
 * Where the files of CityGML packages are, by mesh: what a map of the country needs of hundreds of thousands of files.
 * A package never changes once it is published, so that each is read once, and new ones beside those that are known.
 */

import { FEATURE_TYPES } from '@citymodel/citygml';
import type { CatalogueStore, MeasuredFileRow, PackageRow } from '@citymodel/store';

/** Packages that one query reads. */
const PACKAGES_PER_QUERY = 50;

/** Numbers of a mesh of one package in the order of `PackageCoverage.meshes`. */
export const MESH = {
  /** Mesh code as files are named by it, 4 to 11 digits; 0 outside of the meshes of Japan. */
  code: 0,
  /** A bit for each feature type, by its place in the order of the catalogue. */
  types: 1,
  files: 2,
  features: 3,
  /** Types that have LOD 1 or more there, in the same bits; LOD 2, 3 and 4 follow. */
  fromLod1: 4,
  fromLod2: 5,
  fromLod3: 6,
  fromLod4: 7,
} as const;
/** Places of LOD 1 to 4. */
const FROM_LOD = [MESH.fromLod1, MESH.fromLod2, MESH.fromLod3, MESH.fromLod4];
/** Numbers of each mesh. */
export const MESH_NUMBERS = Object.keys(MESH).length;

export interface PackageCoverage {
  /** `MESH_NUMBERS` for each mesh: a country has too many for objects of their own. */
  meshes: Float64Array;
  /** Highest LOD of each feature type. */
  maxLods: ReadonlyMap<string, number>;
  /** Uncompressed bytes of all GML files. */
  bytes: number;
}

/** The bit of a feature type; that of an unknown one is the last. */
export function typeBit(type: string): number {
  const place = FEATURE_TYPES.indexOf(type);
  return 2 ** (place < 0 || place > 30 ? 31 : place);
}

/** Highest LOD of the feature types of `bits` in the mesh that begins at `at`. */
export function maxLodAt(meshes: Float64Array, at: number, bits: number): number {
  return 1 + FROM_LOD.findLastIndex((place) => (meshes[at + place]! & bits) !== 0);
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
   * The coverage of packages, by `no`; of those of `live` that are not asked for, what is known stays. Packages that
   * have gone are forgotten. Throws what the store throws.
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
  /** Numbers of each mesh by its code. */
  readonly #meshes = new Map<number, number[]>();
  readonly #maxLods = new Map<string, number>();
  #bytes = 0;

  add({ mesh, type, maxLod, size, features }: MeasuredFileRow): void {
    this.#bytes += size;
    this.#maxLods.set(type, Math.max(this.#maxLods.get(type) ?? 0, maxLod));
    const code = Number(mesh);
    let content = this.#meshes.get(code);
    if (content === undefined) {
      content = [code, ...new Array<number>(MESH_NUMBERS - 1).fill(0)];
      this.#meshes.set(code, content);
    }
    for (const place of [MESH.types, ...FROM_LOD.slice(0, maxLod)]) {
      content[place] = (content[place]! | typeBit(type)) >>> 0;
    }
    content[MESH.files]!++;
    content[MESH.features]! += features;
  }

  coverage(): PackageCoverage {
    return {
      meshes: Float64Array.from([...this.#meshes.values()].flat()),
      maxLods: this.#maxLods,
      bytes: this.#bytes,
    };
  }
}
