import { localName, type XmlElement } from '../xml/feature-xml.ts';
import { Remembered } from '../xml/remembered.ts';
import { numberOf } from './attribute-values.ts';

/** A generic attribute (OGC 12-019, section 10.12; CityGML 3.0: OGC 21-006, section 7.6). */
export interface GenericAttribute {
  type: 'string' | 'int' | 'double' | 'date' | 'uri' | 'measure' | 'attributeSet';
  name: string;
  value: string | number | GenericAttribute[] | null;
  uom?: string;
}

/** What the interface calls all generic attributes of an object. */
export const GENERIC = 'gen:genericAttribute';

const TYPES: Record<string, GenericAttribute['type']> = {
  stringAttribute: 'string',
  intAttribute: 'int',
  doubleAttribute: 'double',
  dateAttribute: 'date',
  uriAttribute: 'uri',
  measureAttribute: 'measure',
  genericAttributeSet: 'attributeSet',
  // CityGML 3.0 has them as objects, with the name as an element.
  StringAttribute: 'string',
  IntAttribute: 'int',
  DoubleAttribute: 'double',
  DateAttribute: 'date',
  UriAttribute: 'uri',
  MeasureAttribute: 'measure',
  CodeAttribute: 'string',
  GenericAttributeSet: 'attributeSet',
};

/** True for an element that is a generic attribute, or the property of CityGML 3.0 that holds one. */
export function isGenericAttribute(name: string): boolean {
  return name.startsWith('gen:') ? generic.of(name) : name === 'core:genericAttribute';
}

const generic = new Remembered(
  (name) => name === 'gen:genericAttribute' || Object.hasOwn(TYPES, localName(name)),
);

/**
 * The type that the name of an element says; null for the property of CityGML 3.0 that holds a generic attribute, and
 * for others.
 */
export function genericTypeOf(name: string): GenericAttribute['type'] | null {
  return name.startsWith('gen:') ? (TYPES[localName(name)] ?? null) : null;
}

/** Reads a generic attribute; null when the element holds none. Numbers that are none stay text. */
export function genericAttributeOf(element: XmlElement): GenericAttribute | null {
  const type = TYPES[localName(element.name)];
  if (type === undefined || !element.name.startsWith('gen:')) {
    const inner = element.children.find((child) => isGenericAttribute(child.name));
    return inner === undefined ? null : genericAttributeOf(inner);
  }
  const named = element.children.find((child) => child.name === 'gen:name');
  const name = (element.attributes.name ?? named?.text ?? '').trim();
  if (type === 'attributeSet') {
    const value = element.children.filter((child) => isGenericAttribute(child.name)).map(genericAttributeOf);
    return { type, name, value: value.filter((member) => member !== null) };
  }
  const holder = element.children.find((child) => child.name === 'gen:value');
  const text = (holder?.text ?? '').trim();
  const uom = holder?.attributes.uom;
  return { type, name, value: typedValue(type, text), ...(uom === undefined ? {} : { uom }) };
}

function typedValue(type: GenericAttribute['type'], text: string): string | number | null {
  if (type !== 'int' && type !== 'double' && type !== 'measure') return text;
  return text === '' ? null : numberOf(text);
}
