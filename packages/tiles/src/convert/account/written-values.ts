/**
 * The values of a feature as its file has them: elements without children among its properties, whatever any output
 * makes of them. Geometry has none, nor has a reference to another feature; an address is one value, and so is a
 * generic attribute.
 */
import {
  addressText,
  GENERIC,
  genericTypeOf,
  isFeatureElement,
  isGenericAttribute,
  localName,
  propertyOf,
  Remembered,
  type XmlElement,
} from '@citymodel/citygml';

/**
 * Told of each value: the qualified names of the object that has the property, and of the property, then its element;
 * generic attributes count by type.
 */
export type OnValue = (owner: string, property: string, element: XmlElement) => void;
/** What a value is: without a text it may refer to something, or be empty. */
export type Content = 'text' | 'reference' | 'empty';

/** Told of each feature inside of another: a part, a surface, an installation. */
export type OnInner = (feature: XmlElement) => void;

const IGNORE = () => {};

/** Types of objects, and properties of each, whose handling is kept. */
const MOST_KEPT = 1_000;

/** What is done with a property of an object of a type. */
type Handling = 'generic' | 'nothing' | 'child' | 'address' | 'value';

/** By type, then by property. */
const handlings = new Remembered(
  (owner) => new Remembered((name) => handlingOf(owner, name), MOST_KEPT),
  MOST_KEPT,
);

function handlingOf(owner: string, name: string): Handling {
  if (isGenericAttribute(name)) return 'generic';
  if (name === 'gml:boundedBy' || name.startsWith('app:')) return 'nothing';
  const { kind } = propertyOf(owner, name);
  if (kind === 'geometry') return 'nothing';
  return kind === 'child' || kind === 'address' ? kind : 'value';
}

/** Values of a feature or an attribute object, without those of features in it. */
export function eachValue(object: XmlElement, onValue: OnValue, onInner: OnInner = IGNORE): void {
  const handled = handlings.of(object.name);
  for (const property of object.children) {
    handle(handled.of(property.name), object.name, property, onValue, onInner);
  }
}

/** Values of one property. */
export function eachValueOf(
  owner: string,
  property: XmlElement,
  onValue: OnValue,
  onInner: OnInner = IGNORE,
): void {
  handle(handlings.of(owner).of(property.name), owner, property, onValue, onInner);
}

function handle(
  handling: Handling,
  owner: string,
  property: XmlElement,
  onValue: OnValue,
  onInner: OnInner,
): void {
  const { name, children } = property;
  if (handling === 'nothing') return;
  if (handling === 'generic') eachGeneric(property, onValue);
  else if (handling === 'child') {
    for (const child of children) onInner(child);
  } else if (handling === 'address' || children.length === 0) onValue(owner, name, property);
  else {
    for (const child of children) {
      if (isFeatureElement(child.name)) onInner(child);
      else if (!isGeometryObject(child.name)) {
        if (isObject(child.name)) eachValue(child, onValue, onInner);
        else eachValueOf(name, child, onValue, onInner);
      }
    }
  }
}

function eachGeneric(element: XmlElement, onValue: OnValue): void {
  const type = genericTypeOf(element.name);
  if (type !== null && type !== 'attributeSet') onValue(GENERIC, type, element);
  else for (const child of element.children) if (isGenericAttribute(child.name)) eachGeneric(child, onValue);
}

/** What a value is, of which `eachValue` told. */
export function contentOf(owner: string, element: XmlElement): Content {
  if (owner === GENERIC) return 'text';
  if (handlings.of(owner).of(element.name) === 'address')
    return addressText(element) === '' ? 'empty' : 'text';
  if (element.text.trim() !== '') return 'text';
  return element.attributes['xlink:href'] === undefined ? 'empty' : 'reference';
}

/** By GML's pattern names of objects begin with a capital, those of properties do not. */
export function isObject(name: string): boolean {
  return objects.of(name);
}

const objects = new Remembered((name) => /^[A-Z_]/.test(localName(name)));

function isGeometryObject(name: string): boolean {
  return name === 'core:ImplicitGeometry' || (name.startsWith('gml:') && isObject(name));
}
