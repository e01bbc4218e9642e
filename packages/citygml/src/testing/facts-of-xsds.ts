/**
 * Reads what XML schemas of application domain extensions (OGC 12-019, section 10.13) say about names: which elements
 * are features, and which properties each type has, of what kind and whether they repeat. Types inherit along
 * `xs:extension`.
 */
import { compareTexts } from '@citymodel/base';
import { SaxesParser } from 'saxes';
import { canonicalPrefix } from '../xml/namespaces.ts';

export interface XsdFacts {
  /** Qualified names of elements that stand for features, sorted. */
  features: string[];
  /** Owners (separated by blanks) and the facts that they share, such as `urf:cost=integer`. */
  groups: Map<string, string[]>;
}

interface Type {
  base: string | null;
  /** Own properties: name, type, whether it repeats. */
  properties: Array<[name: string, type: string, repeats: boolean]>;
  /** Elements that it refers to: what a property type holds. */
  refs: string[];
}

interface Element {
  type: string | null;
  substitutes: string | null;
  abstract: boolean;
}

const KINDS: Record<string, string> = {
  'gml:CodeType': 'code',
  'gml:MeasureType': 'measure',
  'gml:LengthType': 'measure',
  'gml:AreaType': 'measure',
  'gml:VolumeType': 'measure',
  'gml:MeasureOrNullListType': 'numbers',
  'gml:doubleList': 'numbers',
  'gml:MeasureOrNilReasonListType': 'numbers',
  'gml:DirectPositionType': 'numbers',
  'core:DoubleBetween0and1Type': 'number',
  'core:IntegerBetween0and3Type': 'integer',
  'xs:anyURI': 'uri',
  'xs:boolean': 'boolean',
  'xs:date': 'date',
  'xs:dateTime': 'date',
  'xs:double': 'number',
  'xs:gYear': 'year',
  'xs:gYearMonth': 'date',
  'xs:integer': 'integer',
  'xs:nonNegativeInteger': 'integer',
};
const GEOMETRY = /^gml:(?:Multi)?(?:Point|Curve|Surface|Solid|Polygon|Geometry)PropertyType$/;
/** What every feature stands in for, in CityGML 2.0 and 3.0. */
const FEATURES = new Set(['core:_CityObject', 'gml:_Feature', 'core:AbstractCityObject']);
/** Features that an abstract feature of CityGML 2.0 stands for, where application properties are hooked to it. */
const CONCRETE: Record<string, string[]> = {
  'bldg:AbstractBuilding': ['bldg:Building', 'bldg:BuildingPart'],
  'tran:TransportationComplex': ['tran:Road', 'tran:Railway', 'tran:Track', 'tran:Square'],
  'veg:VegetationObject': ['veg:PlantCover', 'veg:SolitaryVegetationObject'],
  'wtr:WaterObject': ['wtr:WaterBody'],
};

/** The facts of schemas that belong together. Throws when one is not well-formed. */
export function factsOfXsds(texts: readonly string[]): XsdFacts {
  const types = new Map<string, Type>();
  const elements = new Map<string, Element>();
  for (const text of texts) readXsd(text, types, elements);

  const isFeature = (name: string): boolean => {
    const head = elements.get(name)?.substitutes ?? null;
    return FEATURES.has(name) || (head !== null && isFeature(head));
  };
  const kindOf = (type: string): string => {
    if (KINDS[type] !== undefined) return KINDS[type];
    if (GEOMETRY.test(type)) return 'geometry';
    if (!type.endsWith('PropertyType')) return 'string';
    const refs = types.get(type)?.refs ?? [];
    if (type.startsWith('inner:') && refs.length === 0) return 'string';
    return refs.length > 0 && refs.every(isFeature) ? 'child' : 'object';
  };
  const byFact = new Map<string, Set<string>>();
  const add = (owner: string, name: string, type: string, repeats: boolean) => {
    const fact = `${name}=${kindOf(type)}${repeats ? '*' : ''}`;
    byFact.set(fact, (byFact.get(fact) ?? new Set()).add(owner));
  };
  for (const [name, { type, substitutes, abstract }] of elements) {
    const hook = /^([a-z]+):_GenericApplicationPropertyOf(.+)$/.exec(substitutes ?? '');
    if (hook !== null) {
      const owner = `${hook[1]}:${hook[2]}`;
      const owners = owner === 'core:CityObject' ? ['*'] : (CONCRETE[owner] ?? [owner]);
      for (const one of owners) add(one, name, type ?? 'xs:string', true);
    }
    if (abstract) continue;
    for (let at = type; at !== null; at = types.get(at)?.base ?? null) {
      for (const [property, typeName, repeats] of types.get(at)?.properties ?? [])
        add(name, property, typeName, repeats);
    }
  }
  const groups = new Map<string, string[]>();
  for (const fact of [...byFact.keys()].sort()) {
    const owners = [...byFact.get(fact)!].sort().join(' ');
    groups.set(owners, [...(groups.get(owners) ?? []), fact]);
  }
  const features = [...elements].filter(([name, { abstract }]) => !abstract && isFeature(name));
  return {
    features: features.map(([name]) => name).sort(),
    groups: new Map([...groups].sort(([a], [b]) => compareTexts(a, b))),
  };
}

/** Adds the types and elements of one schema. */
function readXsd(text: string, types: Map<string, Type>, elements: Map<string, Element>): void {
  const parser = new SaxesParser({ xmlns: true });
  let prefix = '';
  let depth = 0;
  let type: Type | null = null;
  /** A property whose type stands in its element, and how deep that is. */
  let inner: { type: Type; depth: number } | null = null;
  const qualified = (name: string): string => {
    const [written, local] = name.includes(':') ? (name.split(':') as [string, string]) : ['', name];
    const uri = parser.resolve(written);
    // A name without a prefix is of the default namespace; where there is none, of the schema's own.
    if (written === '' && !uri) return `${prefix}:${local}`;
    return `${uri?.endsWith('/XMLSchema') ? 'xs' : (canonicalPrefix(uri ?? '')?.prefix ?? written)}:${local}`;
  };
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', (tag) => {
    depth++;
    const at = (name: string): string | null => tag.attributes[name]?.value ?? null;
    if (tag.local === 'schema') prefix = canonicalPrefix(at('targetNamespace') ?? '')?.prefix ?? '';
    if (depth === 2 && tag.local === 'complexType') {
      type = { base: null, properties: [], refs: [] };
      types.set(`${prefix}:${at('name')}`, type);
    }
    if (tag.local === 'extension' && type !== null) (inner?.type ?? type).base = qualified(at('base')!);
    if (tag.local !== 'element') return;
    const [name, typeName, ref] = [at('name'), at('type'), at('ref')];
    if (depth === 2) {
      const substitutes = at('substitutionGroup');
      elements.set(`${prefix}:${name}`, {
        type: typeName === null ? null : qualified(typeName),
        substitutes: substitutes === null ? null : qualified(substitutes),
        abstract: at('abstract') === 'true',
      });
    } else if (ref !== null) (inner?.type ?? type)?.refs.push(qualified(ref));
    else if (name !== null) {
      let of = typeName === null ? 'xs:string' : qualified(typeName);
      if (typeName === null && type !== null && !tag.isSelfClosing) {
        of = `inner:${types.size}PropertyType`;
        inner = { type: { base: null, properties: [], refs: [] }, depth };
        types.set(of, inner.type);
      }
      type?.properties.push([`${prefix}:${name}`, of, (at('maxOccurs') ?? '1') !== '1']);
    }
  });
  parser.on('closetag', () => {
    if (inner?.depth === depth) inner = null;
    if (depth-- === 2) type = null;
  });
  parser.write(text).close();
}
