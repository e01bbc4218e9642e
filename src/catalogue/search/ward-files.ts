import type { GmlFileRow, PackageRow } from '../../store/rows.ts';
import type { SearchSnapshot } from './gazetteer.ts';
import { meshFilter, relatedMeshes } from './mesh-selection.ts';

/**
 * The files of a city's package that are of some of its wards (interface decisions, section 4). Where features
 * name their wards: files that name one of these, and files that name no ward (terrain, land use, floods) in the
 * meshes of those. Else files whose mesh meets the extent of the wards' tile packages. Else, when nothing tells
 * where a ward is, all.
 */
export function filesOfWards(
  of: PackageRow,
  files: readonly GmlFileRow[],
  wards: ReadonlySet<string>,
  snapshot: Pick<SearchSnapshot, 'boundsOf' | 'cityAround'>,
): GmlFileRow[] {
  const cities = new Map<string, string | null>();
  const isWardOfCity = (code: string): boolean => {
    let city = cities.get(code);
    if (city === undefined) {
      city = snapshot.cityAround(code);
      cities.set(code, city);
    }
    return city === of.cityCode;
  };
  const naming = files.filter((file) => file.areaCodes.some(isWardOfCity));
  if (naming.length > 0) {
    const own = new Set(naming.filter((file) => file.areaCodes.some((code) => wards.has(code))));
    const others = new Set(naming);
    const isNear = relatedMeshes([...own].map((file) => file.mesh));
    return files.filter((file) => own.has(file) || (!others.has(file) && isNear(file.mesh)));
  }
  const extents = [...wards].map((ward) => snapshot.boundsOf(ward));
  const known = extents.filter((extent) => extent !== null);
  if (known.length < extents.length) return [...files];
  const meets = meshFilter(known);
  return files.filter((file) => meets(file.mesh));
}
