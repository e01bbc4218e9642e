/** What is kept of a feature of an edition until it is compared. */
import {
  attributesOf,
  type CodeLabels,
  type CoordinateDefaults,
  defaultsWithin,
  geometriesOf,
  gmlIdOf,
  localName,
  repeatAllowance,
  version2Names,
  type XmlElement,
} from '@citymodel/citygml';
import { type NamedValue, valuesByPath } from './attribute-values.ts';
import { type ComparedShape, comparedShape } from './feature-shape.ts';

export interface FeatureRecord {
  /** gml:id; null where the feature has none. */
  id: string | null;
  /** The id that stays over editions (i-UR, `uro:buildingID`); null where the feature states none. */
  stableId: string | null;
  /** Qualified name of the element. */
  type: string;
  /** By path; see `valuesByPath`. */
  attributes: Array<[path: string, value: NamedValue]>;
  shape: ComparedShape | null;
}

/** The property that has the stable id, in whichever object of i-UR it stands. */
const STABLE_ID = 'buildingID';

/** Throws a RangeError for geometry that refers without end. */
export function featureRecord(
  feature: XmlElement,
  defaults: CoordinateDefaults,
  labels: CodeLabels,
): FeatureRecord {
  const attributes = valuesByPath(version2Names(attributesOf(feature, { labels, extent: null })));
  const geometries = geometriesOf(feature, defaultsWithin(feature, defaults), repeatAllowance());
  return {
    id: gmlIdOf(feature),
    stableId: stableIdIn(attributes),
    type: feature.name,
    attributes: [...attributes],
    shape: comparedShape(geometries),
  };
}

function stableIdIn(attributes: ReadonlyMap<string, NamedValue>): string | null {
  for (const [path, { value }] of attributes) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (localName(name) === STABLE_ID && typeof value === 'string' && value.trim() !== '')
      return value.trim();
  }
  return null;
}
