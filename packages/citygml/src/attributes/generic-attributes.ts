import { Remembered } from '../xml/remembered.ts';
import { localName, type XmlElement } from '../xml/xml-element.ts';
import { numberOf } from './attribute-values.ts';
import type { CodeLabels } from './code-list.ts';

/** A generic attribute (OGC 12-019, section 10.12; CityGML 3.0: OGC 21-006, section 7.6). */
export interface GenericAttribute {
  type: 'string' | 'int' | 'double' | 'date' | 'uri' | 'measure' | 'attributeSet';
  name: string;
  /** Of a code its description, or the code itself where no list has it. */
  value: string | number | GenericAttribute[] | null;
  /** The code, of an attribute whose value has a code list (`gen:CodeAttribute` of CityGML 3.0). */
  code?: string;
  uom?: string;
}

/** What the interface calls all generic attributes of an object. */
export const GENERIC = 'gen:genericAttribute';

const TYPES: ReadonlyMap<string, GenericAttribute['type']> = new Map(
  Object.entries({
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
  }),
);

/** True for an element that is a generic attribute, or the property of CityGML 3.0 that holds one. */
export function isGenericAttribute(name: string): boolean {
  return name.startsWith('gen:') ? generic.of(name) : name === 'core:genericAttribute';
}

const generic = new Remembered((name) => name === 'gen:genericAttribute' || TYPES.has(localName(name)));

/**
 * The type that the name of an element says; null for the property of CityGML 3.0 that holds a generic attribute, and
 * for others.
 */
export function genericTypeOf(name: string): GenericAttribute['type'] | null {
  return name.startsWith('gen:') ? (TYPES.get(localName(name)) ?? null) : null;
}

/**
 * Reads a generic attribute; null when the element holds none. Numbers that are none stay text. Codes are looked up in
 * `labels`; without it they are their own descriptions.
 */
export function genericAttributeOf(element: XmlElement, labels: CodeLabels | null): GenericAttribute | null {
  const type = TYPES.get(localName(element.name));
  if (type === undefined || !element.name.startsWith('gen:')) {
    const inner = element.children.find((child) => isGenericAttribute(child.name));
    return inner === undefined ? null : genericAttributeOf(inner, labels);
  }
  const named = element.children.find((child) => child.name === 'gen:name');
  const name = (element.attributes.name ?? named?.text ?? '').trim();
  if (type === 'attributeSet') {
    const members = element.children.filter((child) => isGenericAttribute(child.name));
    const value = members.map((member) => genericAttributeOf(member, labels));
    return { type, name, value: value.filter((member) => member !== null) };
  }
  const holder = element.children.find((child) => child.name === 'gen:value');
  const text = (holder?.text ?? '').trim();
  const { codeSpace, uom } = holder?.attributes ?? {};
  if (codeSpace) return { type, name, value: labels?.(codeSpace, text) ?? text, code: text };
  return { type, name, value: typedValue(type, text), ...(uom === undefined ? {} : { uom }) };
}

function typedValue(type: GenericAttribute['type'], text: string): string | number | null {
  if (type !== 'int' && type !== 'double' && type !== 'measure') return text;
  return text === '' ? null : numberOf(text);
}
