/**
 * What is inside of a building, bridge or tunnel. CityGML 2.0 has it at LOD 4 only (OGC 12-019, 10.3.6). CityGML 3.0
 * has it at every LOD that the outside has (OGC 20-010, 5.2.2), so that names alone tell one from the other.
 */
import { localName, type XmlElement } from '../xml/xml-element.ts';

/** Surfaces that bound rooms, which may stand on the building itself. */
const SURFACES = new Set(['CeilingSurface', 'FloorSurface', 'InteriorWallSurface']);

const INSIDE = new Set([
  // Rooms, their furniture, and what buildings are divided into: CityGML 2.0, and 3.0 where it has another name.
  ...['Room', 'BuildingRoom', 'BridgeRoom', 'HollowSpace', 'Storey', 'BuildingUnit'],
  ...['BuildingFurniture', 'BridgeFurniture', 'TunnelFurniture'],
  ...['IntBuildingInstallation', 'IntBridgeInstallation', 'IntTunnelInstallation'],
  ...SURFACES,
]);

/** Installations, which in CityGML 3.0 say themselves whether they are inside. */
const INSTALLATIONS = new Set(['BuildingInstallation', 'BridgeInstallation', 'TunnelInstallation']);

/**
 * True for an element that is inside, be it by its name, or an installation of CityGML 3.0 that says so in
 * `con:relationToConstruction` (OGC 20-010, section 7.4). What is `bothInsideAndOutside` is seen from outside.
 */
export function isInside(element: XmlElement): boolean {
  const local = localName(element.name);
  return INSIDE.has(local) || (INSTALLATIONS.has(local) && isStatedInside(element));
}

/** True for the name of what may be inside or outside. */
export function isInstallation(name: string): boolean {
  return INSTALLATIONS.has(localName(name));
}

/** Whether an installation of CityGML 3.0 says that it is inside. */
export function isStatedInside({ children }: XmlElement): boolean {
  return children.some(({ name, text }) => name === 'con:relationToConstruction' && text.trim() === 'inside');
}

/** True for the name of something that is seen from inside only. */
export function isInterior(name: string): boolean {
  return INSIDE.has(localName(name));
}

/** True for the element of a surface that bounds a room. */
export function isInteriorSurface(name: string): boolean {
  return SURFACES.has(localName(name));
}
