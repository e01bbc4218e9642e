/** Attributes of buildings that i-UR holds in elements of their own. */
import { localName, type XmlElement } from '@citymodel/citygml';

const BUILDINGS = new Set(['Building', 'BuildingPart']);

/** True for a building or a part of one, of CityGML 2.0 or 3.0. */
export function isBuilding({ name }: Pick<XmlElement, 'name'>): boolean {
  return name.startsWith('bldg:') && BUILDINGS.has(localName(name));
}

/** For visitors of buildings alone. */
export const looksAtBuildings = (name: string): boolean => isBuilding({ name });

/**
 * The elements of a name that are attributes of a feature itself, not of what it contains: the value of one of its
 * properties.
 */
export function attributesOf(feature: XmlElement, name: string): XmlElement[] {
  const found: XmlElement[] = [];
  for (const { children } of feature.children) {
    for (const child of children)
      if (child.name.endsWith(name) && localName(child.name) === name) found.push(child);
  }
  return found;
}

/** Text of the first child of a local name; null when there is none. */
export function textOf(element: XmlElement | undefined, name: string): string | null {
  return (
    element?.children.find((child) => child.name.endsWith(name) && localName(child.name) === name)?.text ??
    null
  );
}
