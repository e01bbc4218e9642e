import type { PackageRow, PlacedFileRow } from '@citymodel/store';
import { relatedMeshes } from './mesh-selection.ts';

type WardFile = Pick<PlacedFileRow, 'mesh' | 'areaCodes'>;

/**
 * Learns from all files of a city's package where its wards are, then tells which files are of some of them (interface
 * decisions, section 4): files that name a ward and, in their meshes, those that name none; of a ward that no file
 * names, all files that name none; of a package whose files name no ward, all files.
 */
export class WardFiles {
  readonly #isWard: (code: string) => boolean;
  /** Meshes of the files that name each of the wards that are asked for. */
  readonly #meshes: Map<string, Set<string>>;
  #namesAny = false;

  constructor(pkg: PackageRow, wards: Iterable<string>, cityAround: (code: string) => string | null) {
    const isOfCity = new Map<string, boolean>();
    this.#isWard = (code) => {
      let isWard = isOfCity.get(code);
      if (isWard === undefined) {
        isWard = cityAround(code) === pkg.cityCode;
        isOfCity.set(code, isWard);
      }
      return isWard;
    };
    this.#meshes = new Map(Array.from(wards, (ward) => [ward, new Set()]));
  }

  /** To be called with every file of the package, whatever its type, before `filter`. */
  learn(file: WardFile): void {
    for (const code of this.#wardsOf(file)) {
      this.#namesAny = true;
      this.#meshes.get(code)?.add(file.mesh);
    }
  }

  filter(): (file: WardFile) => boolean {
    if (!this.#namesAny) return () => true;
    const isEverywhere = [...this.#meshes.values()].some((meshes) => meshes.size === 0);
    const isNear = relatedMeshes([...this.#meshes.values()].flatMap((meshes) => [...meshes]));
    return (file) => {
      const wards = this.#wardsOf(file);
      if (wards.length > 0) return wards.some((ward) => this.#meshes.has(ward));
      return isEverywhere || isNear(file.mesh);
    };
  }

  #wardsOf({ areaCodes }: WardFile): string[] {
    return areaCodes === '' ? [] : areaCodes.split(',').filter(this.#isWard);
  }
}
