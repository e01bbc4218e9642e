import type { Extent } from '@citymodel/geo';
import { isFeatureElement, type PropertyKind, propertyOf } from '../schema/property-table.ts';
import { Remembered } from '../xml/remembered.ts';
import type { XmlElement } from '../xml/xml-element.ts';
import { interned } from '../xml/xml-names.ts';
import { addressText } from './address.ts';
import { simpleValue } from './attribute-values.ts';
import type { CodeLabels } from './code-list.ts';
import {
  GENERIC,
  type GenericAttribute,
  genericAttributeOf,
  isGenericAttribute,
} from './generic-attributes.ts';

/** A position in the answer: degrees, and metres above sea level. */
export interface Corner {
  lng: number;
  lat: number;
  alt: number;
}

export interface BoundingBox {
  min: Corner;
  max: Corner;
  center: Corner;
}

export interface AttributesOptions {
  /** Where codes are looked up; null leaves the code itself in both `<k>` and `<k>_code`. */
  labels: CodeLabels | null;
  /** Extent of the feature's geometry for `_bbox`; null when it has none. */
  extent: Extent | null;
  /**
   * Told how many values the answer has of a property: the names of the object that has it, and its own. Those of
   * generic attributes by type.
   */
  told?: ((owner: string, property: string, count: number) => void) | undefined;
}

/**
 * For `parseFeature`: leaves out what attributes do not need (geometry, appearance, child features), so that
 * reading the attributes of a feature does not depend on how detailed its geometry is.
 */
export function skipAllButAttributes(name: string, parent: string): boolean {
  const { kind } = propertyOf(parent, name);
  return kind === 'geometry' || kind === 'child' || name === 'core:ImplicitGeometry';
}

/**
 * The attributes of a feature as the interface answers them: `gml:id`, `_type`, `_bbox`, then the properties in
 * their order in the file under their qualified names (interface decisions, section 6).
 *
 * - A property that the schema lets repeat is an array, also when it occurs once; so is any that occurs twice.
 * - `gml:name` is one string, the first where there are several.
 * - A coded value `k` gives `k` (the description) and `k_code`; for one that repeats, parallel arrays in which a
 *   code without a description stands for it, and no `k` when none has one.
 * - A unit gives `k_uom`, parallel to `k` when that is an array.
 * - Attribute objects nest as plain objects, without the name of their type. An element that only refers
 *   (`xlink:href`) is left out: what it refers to is another feature or geometry.
 * - What an extension adds to a class of CityGML 3.0 (`core:adeOfAbstractCityObject`) stands under the name of its
 *   type, an array.
 * - An empty element is an empty string, or null where a number or a boolean is expected or `xsi:nil` is set.
 */
export function attributesOf(feature: XmlElement, options: AttributesOptions): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const id = gmlIdOf(feature);
  if (id !== null) result['gml:id'] = id;
  result._type = feature.name;
  if (options.extent !== null) result._bbox = boundingBox(options.extent);
  addProperties(result, feature, options);
  return result;
}

/**
 * The `gml:id` of an element, without the blanks around it that XML Schema takes from an ID; null when nothing is left.
 */
export function gmlIdOf(element: XmlElement): string | null {
  return element.attributes['gml:id']?.trim() || null;
}

/** Every `codeSpace` that the attributes of the feature name, as written, each once; without those that are known. */
export function codeSpacesOf(
  feature: XmlElement,
  labels: Pick<ReadonlyMap<string, unknown>, 'has'> = new Map(),
): Set<string> {
  const found = new Set<string>();
  const visit = (element: XmlElement): void => {
    const codeSpace = element.attributes.codeSpace;
    if (codeSpace !== undefined && codeSpace !== '' && !labels.has(codeSpace)) found.add(codeSpace);
    for (const child of element.children) visit(child);
  };
  visit(feature);
  return found;
}

/** `_bbox` of an extent. */
export function boundingBox(extent: Extent): BoundingBox {
  const { west, south, east, north, minAlt, maxAlt } = extent;
  return {
    min: { lng: west, lat: south, alt: minAlt },
    max: { lng: east, lat: north, alt: maxAlt },
    center: { lng: (west + east) / 2, lat: (south + north) / 2, alt: (minAlt + maxAlt) / 2 },
  };
}

/** `<k>_code` and `<k>_uom`: joined anew each time, they would have to be looked up as keys each time. */
const codeKeys = new Remembered((key) => interned(`${key}_code`));
const unitKeys = new Remembered((key) => interned(`${key}_uom`));

/** A hook of CityGML 3.0, by which an extension adds objects of any type to a class (OGC 20-010, section 10). */
export const HOOK = /:adeOf[A-Z]/;
const hooks = new Remembered((name) => HOOK.test(name));

/** How values are told. */
type Telling = Pick<AttributesOptions, 'labels' | 'told'>;

function addProperties(result: Record<string, unknown>, owner: XmlElement, options: Telling): void {
  const { children } = owner;
  if (children.length === 1 && !isGenericAttribute(children[0]!.name) && !hooks.of(children[0]!.name)) {
    addProperty(result, owner.name, children[0]!.name, children, options);
    return;
  }
  const groups = new Map<string, XmlElement[]>();
  let hooked: Set<string> | null = null;
  for (const child of children) {
    if (!hooks.of(child.name)) {
      keep(groups, isGenericAttribute(child.name) ? GENERIC : child.name, child);
      continue;
    }
    // Objects of a hook stand under their own types: they may be of several, and nothing else tells which.
    for (const object of child.children) {
      if (!isAttributeObject(object)) continue;
      hooked ??= new Set();
      hooked.add(object.name);
      keep(groups, object.name, object);
    }
  }
  for (const [key, elements] of groups) {
    if (hooked?.has(key)) result[key] = elements.map((object) => nestedIn(object, options));
    else if (key === GENERIC) {
      const list: GenericAttribute[] = elements
        .map((element) => genericAttributeOf(element, options.labels))
        .filter((one) => one !== null);
      if (list.length > 0) result[key] = list;
      if (options.told !== undefined) tellGeneric(list, options.told);
    } else {
      // The schema lets a name repeat, the interface has one string (interface decisions, section 6).
      const used = key === 'gml:name' ? elements.slice(0, 1) : elements;
      addProperty(result, owner.name, key, used, options);
    }
  }
}

function keep(groups: Map<string, XmlElement[]>, key: string, element: XmlElement): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [element]);
  else group.push(element);
}

/** Tells generic attributes by their types, those of sets one by one. */
function tellGeneric(list: readonly GenericAttribute[], report: NonNullable<Telling['told']>): void {
  for (const { type, value } of list) {
    if (Array.isArray(value)) tellGeneric(value, report);
    else report(GENERIC, type, 1);
  }
}

/** The properties of an attribute object. */
function nestedIn(object: XmlElement, options: Telling): Record<string, unknown> {
  const nested: Record<string, unknown> = {};
  addProperties(nested, object, options);
  return nested;
}

function addProperty(
  result: Record<string, unknown>,
  owner: string,
  key: string,
  elements: XmlElement[],
  options: Telling,
): void {
  const { kind, repeats } = propertyOf(owner, key);
  const { told: report } = options;
  if (kind === 'geometry') return;
  if (kind === 'address') {
    const texts = elements.map(addressText).filter((text) => text !== '');
    if (texts.length > 0) result[key] = texts;
    report?.(owner, key, texts.length);
    return;
  }
  const asArray = repeats || elements.length > 1;
  const only = elements[0]!;
  if (!asArray && only.children.length === 0) {
    addSimple(result, owner, key, only, kind, options);
    return;
  }
  if (elements.some((element) => isCoded(key, element))) {
    addCodes(result, key, elements, options.labels);
    report?.(owner, key, elements.length);
    return;
  }
  const values: unknown[] = [];
  const units: Array<string | null> = [];
  let simple = 0;
  for (const element of elements) {
    const found = valuesOf(element, kind, options);
    if (found.length > 0 && element.children.length === 0) simple++;
    for (const value of found) {
      values.push(value);
      units.push(element.attributes.uom ?? null);
    }
  }
  if (values.length === 0) return;
  if (simple > 0) report?.(owner, key, simple);
  const several = asArray || values.length > 1;
  result[key] = several ? values : values[0];
  if (units.some((unit) => unit !== null)) result[unitKeys.of(key)] = several ? units : units[0];
}

/** A property that has one text, of those that hold one value: most of all properties. */
function addSimple(
  result: Record<string, unknown>,
  owner: string,
  key: string,
  element: XmlElement,
  kind: PropertyKind,
  { labels, told: report }: Telling,
): void {
  if (isCoded(key, element)) {
    addCode(result, key, element, labels);
    report?.(owner, key, 1);
    return;
  }
  const value = textValue(element, kind);
  if (value === undefined) return;
  report?.(owner, key, 1);
  result[key] = value;
  if (element.attributes.uom !== undefined) result[unitKeys.of(key)] = element.attributes.uom;
}

/** Properties whose `codeSpace` is an authority: names, and identifiers of GML 3.2 (OGC 07-036, 7.2.4.11). */
const NAMED_BY_AUTHORITIES = new Set(['gml:name', 'gml:identifier']);

/**
 * GML lets a name state the authority that gave it in `codeSpace` (OGC 03-105r1, 7.2.2.9); only where that is a
 * file, as with the names of rivers, the name is a code.
 */
function isCoded(key: string, element: XmlElement): boolean {
  const codeSpace = element.attributes.codeSpace;
  if (codeSpace === undefined || codeSpace === '' || element.children.length > 0) return false;
  return !NAMED_BY_AUTHORITIES.has(key) || /\.xml\s*(?:#|$)/i.test(codeSpace);
}

function addCode(
  result: Record<string, unknown>,
  key: string,
  element: XmlElement,
  labels: CodeLabels | null,
): void {
  const code = element.text.trim();
  const label = labels === null ? code : labels(element.attributes.codeSpace ?? '', code);
  if (label !== undefined) result[key] = label;
  result[codeKeys.of(key)] = code;
}

/** Codes of a property that is an array. */
function addCodes(
  result: Record<string, unknown>,
  key: string,
  elements: XmlElement[],
  labels: CodeLabels | null,
): void {
  const codes = elements.map((element) => element.text.trim());
  const found = elements.map((element, i) =>
    labels === null ? codes[i] : labels(element.attributes.codeSpace ?? '', codes[i]!),
  );
  if (found.some((label) => label !== undefined)) {
    result[key] = found.map((label, i) => label ?? codes[i]);
  }
  result[codeKeys.of(key)] = codes;
}

/** The values of one property element: one, or several for a property that holds several objects, or none. */
function valuesOf(element: XmlElement, kind: PropertyKind, options: Telling): unknown[] {
  if (element.children.length === 0) {
    const value = textValue(element, kind);
    return value === undefined ? [] : [value];
  }
  if (kind === 'child') return [];
  const objects = element.children.filter(isTyped);
  // By GML's pattern a property holds typed objects, whose names begin with a capital; one that does not follow
  // it (`core:externalReference`) has the properties itself.
  const holders = objects.length > 0 ? objects.filter(isAttributeObject) : [element];
  return holders.map((holder) => nestedIn(holder, options));
}

/** The value of an element without children; undefined for none. */
function textValue(element: XmlElement, kind: PropertyKind): unknown {
  if (kind === 'child') return undefined;
  const { text, attributes } = element;
  if (text.trim() === '') {
    if (attributes['xlink:href'] !== undefined || kind === 'object') return undefined;
    if (attributes['xsi:nil'] === 'true') return null;
  }
  return simpleValue(kind, text, attributes.uom !== undefined);
}

/** True for the name of a type: it begins with a capital. */
function isTyped({ name }: XmlElement): boolean {
  const first = name.charCodeAt(name.indexOf(':') + 1);
  return (first >= 0x41 && first <= 0x5a) || first === 0x5f;
}

function isAttributeObject(element: XmlElement): boolean {
  return (
    !isFeatureElement(element.name) &&
    !element.name.startsWith('gml:') &&
    element.name !== 'core:ImplicitGeometry'
  );
}
