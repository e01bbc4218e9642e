import type { Bounds, Extent } from '@citymodel/geo';
import earcut from 'earcut';
import { SaxesParser } from 'saxes';

/**
 * The slow way to a file's features. A general XML parser makes a tree of the whole document. Properties come by the
 * schemas' facts as they are given, not by the program's own table. Geometry comes from every position list, and
 * spatial tests use triangles. It shares no code with the program; where the two agree, both are likely right.
 */

export interface SlowElement {
  /** Namespace name and local name. */
  uri: string;
  local: string;
  /** Qualified with the usual prefix. */
  name: string;
  attributes: Map<string, string>;
  children: SlowElement[];
  text: string;
  parent: SlowElement | null;
}

/** Facts of the schemas: type → properties. */
export interface SchemaFacts {
  features: Record<string, SchemaFact[]>;
  complexTypes: Record<string, SchemaFact[]>;
}
interface SchemaFact {
  name: string;
  type: string;
  maxOccurs: string;
  flag?: string;
}

const MODULES: Array<[RegExp, string]> = [
  [/\/gml(\/3\.2)?$/, 'gml'],
  [/xlink$/, 'xlink'],
  [/xAL:2\.0$/, 'xAL'],
  [/citygml\/[23]\.0$/, 'core'],
  [/appearance/, 'app'],
  [/bridge/, 'brid'],
  [/building/, 'bldg'],
  [/cityfurniture/, 'frn'],
  [/cityobjectgroup/, 'grp'],
  [/generics/, 'gen'],
  [/landuse/, 'luse'],
  [/relief/, 'dem'],
  [/transportation/, 'tran'],
  [/tunnel/, 'tun'],
  [/vegetation/, 'veg'],
  [/waterbody/, 'wtr'],
  [/\/uro\//, 'uro'],
  [/\/urf\//, 'urf'],
  [/\/urg\//, 'urg'],
  [/\/urt\//, 'urt'],
];

const prefixes = new Map<string, string>();

function qualified(uri: string, local: string): string {
  let prefix = prefixes.get(uri);
  if (prefix === undefined) {
    const module = MODULES.find(([pattern]) => pattern.test(uri.replace(/\/$/, '')));
    prefix = module === undefined ? '' : `${module[1]}:`;
    prefixes.set(uri, prefix);
  }
  return prefix + local;
}

/** Top-level features of a document, in its order. Throws what the parser throws when it is not well formed. */
export function slowFeatures(text: string): SlowElement[] {
  const features: SlowElement[] = [];
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw error;
  });
  let current: SlowElement | null = null;
  parser.on('opentag', (tag) => {
    const element: SlowElement = {
      uri: tag.uri,
      local: tag.local,
      name: qualified(tag.uri, tag.local),
      attributes: new Map(
        Object.values(tag.attributes).map((one) => [
          one.prefix === '' ? one.local : qualified(one.uri, one.local),
          one.value,
        ]),
      ),
      children: [],
      text: '',
      parent: current,
    };
    const parent = current?.name;
    if (parent === 'core:cityObjectMember' || parent === 'gml:featureMember') features.push(element);
    // The document itself is not kept, only what is inside a member.
    else if (parent !== 'core:CityModel') current?.children.push(element);
    current = element;
  });
  parser.on('text', (part) => {
    if (current !== null) current.text += part;
  });
  parser.on('cdata', (part) => {
    if (current !== null) current.text += part;
  });
  parser.on('closetag', () => {
    current = current?.parent ?? null;
  });
  parser.write(text.replace(/^\uFEFF/, '')).close();
  return features;
}

const NUMERIC = new Set([
  'gml:MeasureType',
  'gml:LengthType',
  'xs:double',
  'xs:integer',
  'xs:nonNegativeInteger',
  'core:integerBetween0and4',
]);
const GENERIC: Record<string, string> = {
  stringAttribute: 'string',
  intAttribute: 'int',
  doubleAttribute: 'double',
  dateAttribute: 'date',
  uriAttribute: 'uri',
  measureAttribute: 'measure',
  genericAttributeSet: 'attributeSet',
};

/** Attributes of a feature without `_bbox`, with raw codes in place of descriptions. */
export function slowAttributes(feature: SlowElement, facts: SchemaFacts): Record<string, unknown> {
  const id = feature.attributes.get('gml:id');
  return {
    ...(id === undefined ? {} : { 'gml:id': id }),
    _type: feature.name,
    ...slowObject(feature, facts),
  };
}

function slowObject(owner: SlowElement, facts: SchemaFacts): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const known = facts.features[owner.name] ?? facts.complexTypes[owner.name] ?? [];
  const generic = owner.children.filter((child) => child.name.startsWith('gen:') && child.local in GENERIC);
  for (const key of new Set(
    owner.children.map((child) => (generic.includes(child) ? 'gen:genericAttribute' : child.name)),
  )) {
    if (/:adeOf[A-Z]/.test(key)) {
      for (const object of owner.children
        .filter((child) => child.name === key)
        .flatMap(({ children }) => children)) {
        result[object.name] = [
          ...((result[object.name] as unknown[] | undefined) ?? []),
          slowObject(object, facts),
        ];
      }
      continue;
    }
    if (key === 'gen:genericAttribute') {
      result[key] = generic.map(slowGeneric);
      continue;
    }
    const found = owner.children.filter((child) => child.name === key);
    const all = key === 'gml:name' ? found.slice(0, 1) : found;
    const fact = known.find((one) => one.name === key);
    if (isGeometryProperty(key, fact) || fact?.flag === 'feature' || key.startsWith('app:')) continue;
    if (fact?.type === 'core:AddressPropertyType') {
      result[key] = all.map((one) =>
        descendants(one, 'xAL:LocalityName')
          .concat(descendants(one, 'xAL:DependentLocalityName'))
          .map((e) => e.text.trim())
          .join(''),
      );
      continue;
    }
    const repeats =
      all.length > 1 || (fact === undefined ? repeatsWithoutFact(owner, key, facts) : fact.maxOccurs !== '1');
    const one = <T>(list: T[]): T | T[] => (repeats ? list : list[0]!);
    const leaves = all.every((element) => element.children.length === 0);
    if (!leaves) {
      result[key] = one(
        all.flatMap((element) =>
          element.children
            .filter((child) => !(child.name in facts.features))
            .map((child) => slowObject(child, facts)),
        ),
      );
      if (Array.isArray(result[key]) && result[key].length === 0) delete result[key];
    } else if (all.some((element) => element.attributes.has('codeSpace'))) {
      result[key] = one(all.map((element) => element.text.trim()));
      result[`${key}_code`] = result[key];
    } else {
      const reported = all.filter(
        ({ text, attributes }) => text.trim() !== '' || !attributes.has('xlink:href'),
      );
      if (reported.length === 0) continue;
      const values = reported.map((element) => {
        const text = element.text.trim();
        if (fact?.type === 'xs:boolean') return text === 'true';
        if (!NUMERIC.has(fact?.type ?? '')) return text;
        if (text === '') return null;
        return Number.isNaN(Number(text)) ? text : Number(text);
      });
      result[key] = one(values);
      const units = reported.map((element) => element.attributes.get('uom') ?? null);
      if (units.some((unit) => unit !== null)) result[`${key}_uom`] = one(units);
    }
  }
  return result;
}

function isGeometryProperty(key: string, fact: SchemaFact | undefined): boolean {
  return (
    (fact?.flag === 'geometry' && !NUMERIC.has(fact.type)) ||
    /^gml:.*(Point|Curve|Surface|Solid|Geometry|Polygon)PropertyType$/.test(fact?.type ?? '') ||
    /:lod\d(?!HeightType)[A-Z]/.test(key) ||
    key === 'gml:boundedBy'
  );
}

/** The facts are those of CityGML 2.0 and i-UR 3.0: without GML's own properties, and without what 3.1 added. */
function repeatsWithoutFact(owner: SlowElement, key: string, facts: SchemaFacts): boolean {
  if (/^(gml|core):|^urf:dataQualityAttribute$/.test(key)) return false;
  if (owner.name in facts.features) return true;
  return /SrcDesc(Lod\d)?$|^uro:lodType$/.test(key);
}

function slowGeneric(element: SlowElement): Record<string, unknown> {
  const type = GENERIC[element.local]!;
  const name = element.attributes.get('name') ?? '';
  if (type === 'attributeSet') return { type, name, value: element.children.map(slowGeneric) };
  const holder = element.children[0]!;
  const text = holder.text.trim();
  const numeric = type === 'int' || type === 'double' || type === 'measure';
  const uom = holder.attributes.get('uom');
  const value = !numeric ? text : text === '' ? null : Number.isNaN(Number(text)) ? text : Number(text);
  return { type, name, value, ...(uom === undefined ? {} : { uom }) };
}

function descendants(element: SlowElement, name: string): SlowElement[] {
  return element.children.flatMap((child) => (child.name === name ? [child] : descendants(child, name)));
}

/** A polygon of longitudes, latitudes and altitudes: rings of positions, or a line or point when `areal` is false. */
export interface SlowPiece {
  rings: Array<Array<[number, number, number]>>;
  areal: boolean;
}

/**
 * The pieces of the geometry that stands for the feature: `lod1Solid`, else the lowest level that is there, first
 * of its own, then beside it, then inside attribute objects. For latitude-longitude-height data only.
 */
export function slowPieces(feature: SlowElement, facts: SchemaFacts): SlowPiece[] {
  const byId = new Map<string, SlowElement>();
  const index = (element: SlowElement): void => {
    const id = element.attributes.get('gml:id');
    if (id !== undefined && !byId.has(id)) byId.set(id, element);
    element.children.forEach(index);
  };
  index(feature);

  const found: Array<{ rank: number; pieces: SlowPiece[] }> = [];
  const visit = (element: SlowElement, inAttribute: boolean): void => {
    for (const property of element.children) {
      const lod =
        /^lod(\d)(?!HeightType)/.exec(property.local)?.[1] ?? (property.local === 'tin' ? '1' : undefined);
      if (lod !== undefined && property.name !== 'gml:boundedBy') {
        const pieces = piecesOf(property, byId, new Set());
        const aside = property.local.includes('TerrainIntersection');
        const best = property.local === 'lod1Solid' && !inAttribute;
        const rank = best ? -1 : Number(lod) + (inAttribute ? 200 : aside ? 100 : 0);
        if (pieces.length > 0) found.push({ rank, pieces });
        continue;
      }
      for (const child of property.children) {
        if (/^[A-Z_]/.test(child.local)) visit(child, inAttribute || !(child.name in facts.features));
      }
    }
  };
  visit(feature, false);
  const lowest = Math.min(...found.map((one) => one.rank));
  return found.filter((one) => one.rank === lowest).flatMap((one) => one.pieces);
}

function piecesOf(element: SlowElement, byId: Map<string, SlowElement>, seen: Set<SlowElement>): SlowPiece[] {
  const href = element.attributes.get('xlink:href');
  if (href !== undefined) {
    const target = byId.get(href.slice(1));
    return target === undefined || seen.has(target) ? [] : piecesOf(target, byId, new Set([...seen, target]));
  }
  if (['Polygon', 'Triangle', 'PolygonPatch'].includes(element.local)) {
    const rings = element.children.map((ring) => descendants(ring, 'gml:posList').flatMap(positions));
    return [{ rings, areal: true }];
  }
  if (element.local === 'LineString' || element.local === 'LineStringSegment' || element.local === 'Point') {
    const list = [...descendants(element, 'gml:posList'), ...descendants(element, 'gml:pos')].flatMap(
      positions,
    );
    return list.length === 0 ? [] : [{ rings: [list], areal: false }];
  }
  return element.children.flatMap((child) => piecesOf(child, byId, seen));
}

function positions(list: SlowElement): Array<[number, number, number]> {
  const numbers = list.text.trim().split(/\s+/).map(Number);
  const result: Array<[number, number, number]> = [];
  for (let i = 0; i + 2 < numbers.length; i += 3)
    result.push([numbers[i + 1]!, numbers[i]!, numbers[i + 2]!]);
  return result;
}

export function slowExtent(pieces: SlowPiece[]): Extent | null {
  const all = pieces.flatMap((piece) => piece.rings.flat());
  if (all.length === 0) return null;
  const low = (axis: 0 | 1 | 2) => all.reduce((least, position) => Math.min(least, position[axis]), Infinity);
  const high = (axis: 0 | 1 | 2) => all.reduce((most, position) => Math.max(most, position[axis]), -Infinity);
  return { west: low(0), south: low(1), east: high(0), north: high(1), minAlt: low(2), maxAlt: high(2) };
}

/** Whether any piece meets the box on the ground, by triangles and separating axes; edges are not told apart. */
export function slowlyMeets(pieces: SlowPiece[], box: Bounds): boolean {
  return pieces.some((piece) => {
    let parts = partsOfPieces.get(piece);
    if (parts === undefined) {
      parts = partsOf(piece);
      partsOfPieces.set(piece, parts);
    }
    return parts.some((part) => convexMeetsBox(part, box));
  });
}

/** Edges and triangles of a piece. */
type Part = Array<[number, number]>;

/** A piece meets many boxes. */
const partsOfPieces = new WeakMap<SlowPiece, Part[]>();

function partsOf({ rings, areal }: SlowPiece): Part[] {
  const parts: Part[] = [];
  for (const ring of rings) {
    for (let i = 0; i < ring.length; i++) {
      const [a, b] = [ring[i]!, ring[i + 1] ?? ring[i]!];
      parts.push([
        [a[0], a[1]],
        [b[0], b[1]],
      ]);
    }
  }
  if (!areal) return parts;
  const [x0, y0] = rings[0]![0]!;
  const flat = rings.flatMap((ring) => ring.flatMap(([x, y]) => [(x - x0) * 1e5, (y - y0) * 1e5]));
  const holes = rings
    .slice(1)
    .map((_, i) => rings.slice(0, i + 1).reduce((sum, ring) => sum + ring.length, 0));
  const corners = rings.flat();
  const triangles = earcut(flat, holes);
  for (let i = 0; i < triangles.length; i += 3) {
    parts.push(triangles.slice(i, i + 3).map((n): [number, number] => [corners[n]![0], corners[n]![1]]));
  }
  return parts;
}

function convexMeetsBox(part: Part, box: Bounds): boolean {
  // Most parts lie far from the box: these two sides decide, and need no axes.
  if (part.every(([x]) => x < box.west) || part.every(([x]) => x > box.east)) return false;
  const corners: Array<[number, number]> = [
    [box.west, box.south],
    [box.east, box.south],
    [box.east, box.north],
    [box.west, box.north],
  ];
  const normals: Array<[number, number]> = [
    [1, 0],
    [0, 1],
  ];
  part.forEach(([x, y], i) => {
    const [u, v] = part[(i + 1) % part.length]!;
    normals.push([v - y, x - u]);
  });
  const [ox, oy] = corners[0]!;
  return normals.every(([nx, ny]) => {
    const along = (list: Array<[number, number]>) => list.map(([x, y]) => (x - ox) * nx + (y - oy) * ny);
    const mine = along(part);
    const other = along(corners);
    return Math.max(...mine) >= Math.min(...other) && Math.max(...other) >= Math.min(...mine);
  });
}
