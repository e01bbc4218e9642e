import { readFileSync } from 'node:fs';
import { Remembered } from '../xml/remembered.ts';
import { localName, prefixOf } from '../xml/xml-element.ts';
import { interned } from '../xml/xml-names.ts';

/**
 * Which properties the schemas of CityGML 2.0 and 3.0 and of i-UR 1.4 to 4.0 know, what they hold and which repeat.
 * What 3.0 has in common with 2.0 keeps the shape of 2.0. The facts stand in `property-table.tsv`, one line per name: a
 * feature type (`bldg:Building`, `feature`), or a property, what it holds, and the types in which it differs
 * (`uro:note`, `string`, `uro:HarborFacility=string*`). An asterisk marks what may repeat.
 * `scripts/make-property-table.ts` makes the file from `facts/`.
 */

/** What a property holds. */
export type PropertyKind =
  | 'string'
  | 'number'
  | 'integer'
  | 'boolean'
  /** A code, to be looked up in the list that `codeSpace` names. */
  | 'code'
  | 'date'
  | 'year'
  | 'uri'
  /** A number with a unit (`uom`). */
  | 'measure'
  /** White-space separated numbers. */
  | 'numbers'
  | 'geometry'
  /** A feature of its own: a boundary surface, an installation, a part. */
  | 'child'
  /** An attribute object. */
  | 'object'
  | 'address'
  /** Not in the table: its text says what it is. */
  | 'unknown';

export interface Property {
  kind: PropertyKind;
  repeats: boolean;
}

interface Row {
  usual: Property;
  byOwner: Map<string, Property> | null;
}

const features = new Set<string>();
const rows = new Map<string, Row>();

for (const line of readFileSync(new URL('property-table.tsv', import.meta.url), 'utf8').split('\n')) {
  const [name, usual, ...others] = line.split('\t');
  if (name === undefined || usual === undefined) continue;
  if (usual === 'feature') {
    features.add(interned(name));
    continue;
  }
  const byOwner = new Map<string, Property>();
  for (const other of others) {
    const [owner, kind] = other.split('=') as [string, string];
    byOwner.set(interned(owner), readKind(kind));
  }
  rows.set(interned(name), { usual: readKind(usual), byOwner: byOwner.size === 0 ? null : byOwner });
}

function readKind(text: string): Property {
  const repeats = text.endsWith('*');
  return { kind: (repeats ? text.slice(0, -1) : text) as PropertyKind, repeats };
}

const GEOMETRY: Property = { kind: 'geometry', repeats: false };
const UNKNOWN: Property = { kind: 'unknown', repeats: false };
const UNKNOWN_REPEATING: Property = { kind: 'unknown', repeats: true };
/** Names that stand for geometry in every version: `lod1Solid`, `lod-2MultiPoint`, `lod4ImplicitRepresentation`. */
const LOD_GEOMETRY =
  /^lod-?\d(?:Multi|Implicit|Terrain|Generic)?(?:Solid|Surface|Curve|Point|Geometry|Network|Representation|Intersection|TerrainIntersection|TerrainIntersectionCurve|FootPrint|RoofEdge)(?:Property)?$/;
const lodGeometry = new Remembered((name) => LOD_GEOMETRY.test(localName(name)));
/** Modules whose properties may stand on features of others without being application properties. */
const COMMON_PREFIXES = new Set(['core', 'gml', 'app', 'gen', 'con', 'pcl', '']);

/**
 * The property `name` of the element `owner` (both qualified). One that is not in the table is geometry when its
 * name says so; otherwise it is `unknown`, and repeats when it is an application property of a feature, that is
 * of another module than the feature's own: the schemas let those repeat without exception (OGC 12-019, 6.12).
 */
export function propertyOf(owner: string, name: string): Property {
  const row = rows.get(name);
  if (row !== undefined) return row.byOwner?.get(owner) ?? row.usual;
  if (lodGeometry.of(name)) return GEOMETRY;
  const prefix = prefixOf(name);
  const applies = features.has(owner) && prefix !== prefixOf(owner) && !COMMON_PREFIXES.has(prefix);
  return applies ? UNKNOWN_REPEATING : UNKNOWN;
}

/** True for the qualified name of a feature type. */
export function isFeatureElement(name: string): boolean {
  return features.has(name);
}
