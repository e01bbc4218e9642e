/** The height of a building in CityGML 3.0 that is a column of published tiles. */
import { localName, type XmlElement } from '@citymodel/citygml';

/** Of the heights of a building the one that 2.0 calls measured: over the ground, of several; null where there is none. */
export function measuredHeight(building: Pick<XmlElement, 'name' | 'children'>): XmlElement | null {
  if (!building.name.startsWith('bldg:')) return null;
  const heights = building.children.flatMap(({ name, children }) => (name === 'con:height' ? children : []));
  const is = (height: XmlElement, property: string, pattern: RegExp) =>
    height.children.some(({ name, text }) => localName(name) === property && pattern.test(text));
  const measured = heights.filter((height) => is(height, 'status', /^\s*measured\s*$/));
  const chosen =
    measured.find((height) => is(height, 'lowReference', /ground/i)) ?? measured[0] ?? heights[0];
  return chosen?.children.find(({ name }) => name === 'con:value') ?? null;
}
