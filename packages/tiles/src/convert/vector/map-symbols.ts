/**
 * Map symbols inside of features: shapes and texts of the public survey's map (`DmGeometricAttribute`, `DmAnnotation`
 * of i-UR), which are published as vector tiles of their own. A row has the attributes of the feature, and behind `dm_`
 * those of the symbol.
 */
import {
  type CoordinateDefaults,
  type Footprint,
  footprintOf,
  geometriesOf,
  isFeatureElement,
  localName,
  Remembered,
  type XmlElement,
} from '@citymodel/citygml';
import type { GmlFacts, GmlSource, MapSymbols } from '../part-maker.ts';
import type { Column } from '../read/column.ts';
import { type OnImplausible, Plausibility } from '../read/plausible.ts';
import { namesIn } from './text-names.ts';

/** Both kinds, in the order of names. */
export const MAP_SYMBOLS: readonly MapSymbols[] = ['dm_annotations', 'dm_geometric_attributes'];

const BY_ELEMENT = new Map<string, MapSymbols>([
  ['DmGeometricAttribute', 'dm_geometric_attributes'],
  ['DmAnnotation', 'dm_annotations'],
]);
const MODULE = /^ur[a-z]:/;

/** What the published rows have of a symbol, in this order; of a code also the code itself. */
const PROPERTIES: Readonly<Record<MapSymbols, readonly string[]>> = {
  dm_geometric_attributes: ['dmCode', 'geometryType', 'mapLevel', 'shapeType'],
  dm_annotations: [
    ...['dmCode', 'geometryType', 'shapeType'],
    ...['label', 'isVertical', 'size', 'orientation', 'linewidth', 'spacing'],
  ],
};

/** The packages that an element belongs to, by its qualified name; null for what is no map symbol. */
export function symbolsOf(name: string): MapSymbols | null {
  return byName.of(name);
}

const byName = new Remembered((name) =>
  MODULE.test(name) ? (BY_ELEMENT.get(localName(name)) ?? null) : null,
);

/** A map symbol of a feature. */
export interface MapSymbol {
  symbols: MapSymbols;
  element: XmlElement;
  /** The feature, or the part of one, that has it. */
  owner: XmlElement;
  /** Null for a symbol without a shape of its own. */
  footprint: Footprint | null;
}

/** The map symbols of a feature and of what is in it, in the order of the text. */
export function mapSymbolsOf(
  feature: XmlElement,
  defaults: CoordinateDefaults,
  gml: Pick<GmlFacts, 'type' | 'mesh' | 'path'>,
  onImplausible: OnImplausible,
): MapSymbol[] {
  const found: MapSymbol[] = [];
  const visit = (element: XmlElement, owner: XmlElement): void => {
    for (const child of element.children) {
      const symbols = symbolsOf(child.name);
      if (symbols === null) {
        if (child.children.length > 0 && !child.name.startsWith('gml:'))
          visit(child, isFeatureElement(child.name) ? child : owner);
        continue;
      }
      const all = geometriesOf(child, defaults);
      const { geometries } = new Plausibility(gml, false).filter(all, onImplausible);
      found.push({ symbols, element: child, owner, footprint: footprintOf(geometries) });
    }
  };
  visit(feature, feature);
  return found;
}

/** Whether a feature, or what is in it, has a map symbol. */
export function hasSymbols(element: XmlElement): boolean {
  return element.children.some(
    (child) => symbolsOf(child.name) !== null || (!child.name.startsWith('gml:') && hasSymbols(child)),
  );
}

/**
 * Columns of a symbol out of those of its element as if it were a feature: published ones, under their published names.
 */
export function symbolColumns(
  { symbols, element }: Pick<MapSymbol, 'symbols' | 'element'>,
  all: readonly Column[],
): Column[] {
  // Columns have the module of 2.0, also those of CityGML 3.0.
  const module = 'uro:';
  const named = new Map(all.map((column) => [column.name, column]));
  const found: Column[] = [{ name: 'dm_feature_type', type: 'STRING', value: localName(element.name) }];
  for (const property of PROPERTIES[symbols]) {
    for (const name of [property, `${property}_code`]) {
      const column = named.get(module + name);
      if (column !== undefined) found.push({ ...column, name: `dm_${name}` });
    }
  }
  const text = named.get('attributes');
  if (text !== undefined) found.push({ ...text, name: 'dm_attributes' });
  return found;
}

/** Names of elements of which a text with map symbols has one. */
const SYMBOL_NAMES: readonly string[] = [...BY_ELEMENT.keys()];

/** Whether a text has map symbols at all. */
export async function holdsSymbols(gml: Pick<GmlSource, 'text'>): Promise<boolean> {
  return (await namesIn(gml, SYMBOL_NAMES, ({ size }) => size > 0)).size > 0;
}
