/** The geometry of a feature by level of detail, whichever elements hold it. */
import { localName, type XmlElement } from '@citymodel/citygml';
import type { FileContext, Member } from '../check.ts';
import { askedOnce, elementsOf } from '../elements.ts';
import { isPolygon } from './plane-polygon.ts';

/** A property such as `bldg:lod1Solid` with geometry in it. */
export interface LodGeometry {
  lod: number;
  /** The element whose property it is: a building, a wall, a door. */
  holder: XmlElement;
  /** What holds that one, the feature of the member first. */
  above: readonly XmlElement[];
  property: XmlElement;
}

const PROPERTY = /:lod([0-4])[A-Z]\w*$/;

const ofFeature = askedOnce((feature) => {
  const found: LodGeometry[] = [];
  collect(feature, [], found);
  return found;
});

/**
 * All of a member, in the order of the text; properties that only name levels, such as those of data quality, are none.
 */
export function lodGeometries({ feature }: Member): readonly LodGeometry[] {
  return ofFeature(feature);
}

/** True for a member whose geometry is too large for a check; the report then says that it did not look. */
export function isPassedOver({ isLarge }: Member, file: Pick<FileContext, 'skipped'>, code: string): boolean {
  if (isLarge) file.skipped(`${code}: a feature is too large to be looked at`);
  return isLarge;
}

function collect(holder: XmlElement, above: XmlElement[], found: LodGeometry[]): void {
  for (const child of holder.children) {
    const lod = PROPERTY.exec(child.name)?.[1];
    const holdsGeometry = child.children.some(({ name }) => name.startsWith('gml:'));
    if (lod !== undefined && (holdsGeometry || child.attributes['xlink:href'] !== undefined)) {
      found.push({ lod: Number(lod), holder, above: [...above], property: child });
    } else if (child.children.length > 0 && !child.name.startsWith('gml:')) {
      above.push(holder);
      collect(child, above, found);
      above.pop();
    }
  }
}

const idsBelow = askedOnce((feature): ReadonlyMap<string, XmlElement> => {
  const byId = new Map<string, XmlElement>();
  for (const element of elementsOf(feature)) {
    const id = element.attributes['gml:id'];
    if (id !== undefined && !byId.has(id)) byId.set(id, element);
  }
  return byId;
});

/** Elements of a member by gml:id, the first of each. */
export function elementsById({ feature }: Member): ReadonlyMap<string, XmlElement> {
  return idsBelow(feature);
}

/** References below each other that are followed. */
const MAX_DEPTH = 60;
/** Elements of one geometry that are looked at: references could multiply without end. */
const MAX_ELEMENTS = 1_000_000;

/** The polygons below an element, references within the member resolved; each once. */
export function polygonsBelow(element: XmlElement, member: Member): XmlElement[] {
  return elementsBelow(element, member, isPolygon);
}

/** The `gml:Solid` elements below an element, references resolved. */
export function solidsBelow(element: XmlElement, member: Member): XmlElement[] {
  return elementsBelow(element, member, ({ name }) => name === 'gml:Solid');
}

/** The outermost elements of a kind, each once. */
function elementsBelow(
  element: XmlElement,
  member: Member,
  isWanted: (element: XmlElement) => boolean,
): XmlElement[] {
  const found = new Set<XmlElement>();
  const visit = (at: XmlElement, depth: number) => {
    if (depth > MAX_DEPTH || found.size >= MAX_ELEMENTS) return;
    if (isWanted(at)) {
      found.add(at);
      return;
    }
    const href = at.attributes['xlink:href'];
    if (href?.startsWith('#')) {
      const target = elementsById(member).get(href.slice(1));
      if (target !== undefined) visit(target, depth + 1);
    }
    for (const child of at.children) visit(child, depth + 1);
  };
  visit(element, 0);
  return [...found];
}

/** The geometry elements of a property: its children, or what it refers to. */
export function geometryOf(property: XmlElement, member: Member): XmlElement[] {
  const href = property.attributes['xlink:href'];
  const target = href?.startsWith('#') ? elementsById(member).get(href.slice(1)) : undefined;
  return target === undefined ? property.children.filter(({ name }) => name.startsWith('gml:')) : [target];
}

/** True for a boundary surface by its name: `bldg:WallSurface`, `con:RoofSurface`. */
export function isBoundarySurface({ name }: XmlElement): boolean {
  return /Surface$/.test(localName(name)) && !name.startsWith('gml:');
}
