/**
 * The inside of features in CityGML 3.0, which has it at the levels of detail of the outside. It goes to the level that
 * 2.0 has it at, so that it is never shown in place of the outside, nor in front of it.
 */
import type { LodGeometry, XmlElement } from '@citymodel/citygml';
import { INTERIOR_LOD } from '../account/written-levels.ts';
import type { ConvertOptions } from '../part-maker.ts';

/** LOD that packages of the inside say, the highest of CityGML 3.0. */
export const HIGHEST_OF_CITYGML3 = 3;

/** True when packages of the inside are wanted: those that ask for LOD 4 know them from 2.0. */
export function isInteriorAsked({ lods }: Pick<ConvertOptions, 'lods'>): boolean {
  return lods === null || lods.includes(HIGHEST_OF_CITYGML3) || lods.includes(INTERIOR_LOD);
}

/**
 * Geometry whose rooms are at `INTERIOR_LOD`, each at the highest of its own levels; null where there are none at lower
 * ones.
 */
export function withInterior(geometries: readonly LodGeometry[]): LodGeometry[] | null {
  const highest = new Map<XmlElement, number>();
  for (const { interior, lod } of geometries) {
    if (interior === undefined || lod === null || lod < 1 || lod >= INTERIOR_LOD) continue;
    highest.set(interior, Math.max(lod, highest.get(interior) ?? 0));
  }
  if (highest.size === 0) return null;
  return geometries.flatMap((geometry) => {
    const { interior, lod } = geometry;
    if (interior === undefined || lod === null || lod < 1 || lod >= INTERIOR_LOD) return [geometry];
    return highest.get(interior) === lod ? [{ ...geometry, lod: INTERIOR_LOD }] : [];
  });
}
