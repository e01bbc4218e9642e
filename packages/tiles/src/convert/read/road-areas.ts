/** Roads, whose traffic areas are features of tiles of their own, as published. */
import { type LodGeometry, localName, type XmlElement } from '@citymodel/citygml';

const AREAS = new Set(['TrafficArea', 'AuxiliaryTrafficArea']);
/** Types whose parts are features of tiles: the areas of a road. */
export const SPLIT_TYPES = new Set(['tran', 'rwy', 'trk', 'squr', 'wwy']);

/**
 * The geometries of each traffic area of a road; those of the road itself at levels of detail where it has no areas.
 */
export function byOwner(
  road: XmlElement,
  geometries: readonly LodGeometry[],
): Map<XmlElement, LodGeometry[]> {
  const groups = new Map<XmlElement, LodGeometry[]>();
  const isOfArea = ({ owner }: LodGeometry) => AREAS.has(localName(owner.name));
  const divided = new Set(geometries.filter(isOfArea).map(({ lod }) => lod));
  for (const geometry of geometries) {
    const owner = isOfArea(geometry) ? geometry.owner : road;
    if (owner === road && divided.has(geometry.lod)) continue;
    const group = groups.get(owner);
    if (group === undefined) groups.set(owner, [geometry]);
    else group.push(geometry);
  }
  return groups;
}
