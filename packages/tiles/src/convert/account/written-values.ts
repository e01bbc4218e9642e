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
  type XmlElement,
} from '@citymodel/citygml';

/**
 * Told of each value: the qualified names of the object that has the property, and of the property; generic attributes
 * count by type.
 */
export type OnValue = (owner: string, property: string, content: Content) => void;
/** What a value is: without a text it may refer to something, or be empty. */
export type Content = 'text' | 'reference' | 'empty';

/** Told of each feature inside of another: a part, a surface, an installation. */
export type OnInner = (feature: XmlElement) => void;

const IGNORE = () => {};

/** Values of a feature or an attribute object, without those of features in it. */
export function eachValue(object: XmlElement, onValue: OnValue, onInner: OnInner = IGNORE): void {
  for (const property of object.children) eachValueOf(object.name, property, onValue, onInner);
}

/** Values of one property. */
export function eachValueOf(
  owner: string,
  property: XmlElement,
  onValue: OnValue,
  onInner: OnInner = IGNORE,
): void {
  const { name, children } = property;
  if (isGenericAttribute(name)) {
    eachGeneric(property, onValue);
    return;
  }
  if (name === 'gml:boundedBy' || name.startsWith('app:')) return;
  const { kind } = propertyOf(owner, name);
  if (kind === 'geometry') return;
  if (kind === 'child') {
    for (const child of children) onInner(child);
  } else if (kind === 'address') onValue(owner, name, addressText(property) === '' ? 'empty' : 'text');
  else if (children.length === 0) onValue(owner, name, contentOf(property));
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
  if (type !== null && type !== 'attributeSet') onValue(GENERIC, type, 'text');
  else for (const child of element.children) if (isGenericAttribute(child.name)) eachGeneric(child, onValue);
}

function contentOf({ text, attributes }: XmlElement): Content {
  if (text.trim() !== '') return 'text';
  return attributes['xlink:href'] === undefined ? 'empty' : 'reference';
}

/** By GML's pattern names of objects begin with a capital, those of properties do not. */
export function isObject(name: string): boolean {
  return /^[A-Z_]/.test(localName(name));
}

function isGeometryObject(name: string): boolean {
  return name === 'core:ImplicitGeometry' || (name.startsWith('gml:') && isObject(name));
}
