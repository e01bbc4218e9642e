/** Reference systems that the geometry of a feature names itself (`srsName`), beside that of its file. */
import { crsOf, Remembered, type XmlElement } from '@citymodel/citygml';
import { type HeightKind, heightKindOf } from '../heights/vertical.ts';
import { POLYGONS } from './bodies.ts';
import { TEMPLATES } from './implicit-geometry.ts';

/** Stands in `CRS_UNKNOWN` for the name of a system where there is none. */
export const NO_SYSTEM = 'of a file that names none';

export interface OwnSystems {
  /** Of all positions of its polygons and places of templates; null stands for the system around the feature. */
  names: Set<string | null>;
  /** Names that the program does not know. */
  unknown: string[];
  /** Polygons with positions in these. */
  unplaced: Set<XmlElement>;
}

/**
 * The systems that the geometry of a feature is in. `srsName` holds for everything below it (OGC 03-105r1, 10.1.3.2).
 */
export function systemsOf(feature: XmlElement): OwnSystems {
  const systems: OwnSystems = { names: new Set(), unknown: [], unplaced: new Set() };
  const plain = new NamelessGeometry();
  if (plain.holds(feature)) {
    if (plain.isPlaced) systems.names.add(null);
    return systems;
  }
  const note = (name: string | null, polygon: XmlElement | null) => {
    const isUnknown = name !== null && crsOf(name) === null;
    if (isUnknown && !systems.names.has(name)) systems.unknown.push(name);
    if (isUnknown && polygon !== null) systems.unplaced.add(polygon);
    systems.names.add(name);
  };
  const visit = (element: XmlElement, around: string | null, within: XmlElement | null) => {
    const name = element.attributes.srsName ?? around;
    const polygon = within ?? (POLYGONS.has(element.name) ? element : null);
    if (polygon !== null && element.children.length === 0) note(name, polygon);
    if (element.name === 'core:referencePoint') note(element.children[0]?.attributes.srsName ?? name, null);
    for (const child of element.children) if (!isElsewhere(child)) visit(child, name, polygon);
  };
  visit(feature, null, null);
  return systems;
}

/**
 * The system that says what all heights of the feature are, out of those of its geometry and the one around it; 'mixed'
 * where some are elevations and some are not. Throws VerticalRefused as `heightKindOf` does.
 */
export function heightSystemOf({ names }: OwnSystems, around: string | null): string | null | 'mixed' {
  let found: { name: string | null; kind: HeightKind } | null = null;
  for (const own of names) {
    const name = own ?? around;
    if (name !== null && crsOf(name) === null) continue;
    const kind = heightKindOf(name);
    if (found !== null && found.kind !== kind) return 'mixed';
    found ??= { name, kind };
  }
  return found === null ? around : found.name;
}

/** The envelope says nothing of geometry that names a system; templates are in metres of their own. */
function isElsewhere({ name }: XmlElement): boolean {
  return elsewhere.of(name);
}

const elsewhere = new Remembered(
  (name) => name === 'gml:boundedBy' || TEMPLATES.has(name) || name.startsWith('app:'),
);

/** Looks whether a feature is as nearly all are: without a name of a system in it. */
class NamelessGeometry {
  /** Whether it has a polygon, or a place of a template. */
  isPlaced = false;

  holds(element: XmlElement): boolean {
    if (element.attributes.srsName !== undefined) return false;
    this.isPlaced ||= POLYGONS.has(element.name) || element.name === 'core:referencePoint';
    for (const child of element.children) if (!isElsewhere(child) && !this.holds(child)) return false;
    return true;
  }
}
