/**
 * Files of the sample in CityGML 3.0 with i-UR 4.0, out of those in 2.0 with i-UR 3.1: the same objects with the same
 * ids, shapes and values, in the order and under the names of the later schemas (OGC 20-010, OGC 21-006).
 */

/** An element of a file that has one tag, or one element with text, on each line. */
interface Node {
  name: string;
  /** As written, with a blank before it. */
  attributes: string;
  /** Null for an element with children. */
  text: string | null;
  children: Node[];
}

const LINE = /^\s*<(\/)?([\w:]+)((?: [\w:]+="[^"]*")*)(\/)?>(?:([^<]*)<\/[\w:]+>)?$/;

/** The whole file, its prologue aside, in CityGML 3.0. */
export function asCityGml3(text: string): string {
  const start = text.indexOf('\t<');
  const end = text.lastIndexOf('</core:CityModel>');
  const members = parse(text.slice(start, end)).map(upgraded);
  return HEAD + members.map((member) => printed(member, '\t')).join('') + text.slice(end);
}

const MODULES = [
  ...['appearance app', 'building bldg', 'construction con', 'relief dem', 'generics gen'],
  ...['landuse luse', 'transportation tran', 'waterbody wtr'],
].map((pair) => pair.split(' ') as [module: string, prefix: string]);
const DECLARED = MODULES.map(
  ([module, prefix]) => ` xmlns:${prefix}="http://www.opengis.net/citygml/${module}/3.0"`,
);
const HEAD =
  '<?xml version="1.0" encoding="UTF-8"?>\n<core:CityModel xmlns:core="http://www.opengis.net/citygml/3.0"' +
  `${DECLARED.join('')} xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:uro="https://www.geospatial.jp/iur/uro/4.0"` +
  ' xmlns:urc="https://www.geospatial.jp/iur/urc/4.0" xmlns:xAL="urn:oasis:names:tc:ciq:xal:3"' +
  ' xmlns:xlink="http://www.w3.org/1999/xlink">\n';

function parse(text: string): Node[] {
  const roots: Node[] = [];
  const open: Node[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const match = LINE.exec(line);
    if (match === null) throw new Error(`a line of the sample is not one tag: ${line.slice(0, 100)}`);
    const [, isEnd, name, attributes, isEmpty, content] = match;
    if (isEnd !== undefined) {
      open.pop();
      continue;
    }
    const isLeaf = isEmpty !== undefined || content !== undefined;
    const node: Node = {
      name: name!,
      attributes: attributes!,
      text: isLeaf ? (content ?? '') : null,
      children: [],
    };
    (open.at(-1)?.children ?? roots).push(node);
    if (!isLeaf) open.push(node);
  }
  return roots;
}

function printed({ name, attributes, text, children }: Node, indent: string): string {
  if (text === '') return `${indent}<${name}${attributes}/>\n`;
  if (text !== null) return `${indent}<${name}${attributes}>${text}</${name}>\n`;
  const inner = children.map((child) => printed(child, `${indent}\t`)).join('');
  return `${indent}<${name}${attributes}>\n${inner}${indent}</${name}>\n`;
}

const leaf = (name: string, text: string, attributes = ''): Node => ({
  name,
  attributes,
  text,
  children: [],
});
const parent = (name: string, children: Node[], attributes = ''): Node => ({
  ...{ name, attributes, text: null, children },
});
const inside = (node: Node, name: string): Node => ({ ...node, name, children: node.children.map(upgraded) });

/** Extension objects of the common module, which any feature may have. */
const COMMON =
  /^uro:(?:bldg|tran|luse)?(?:DataQuality|DisasterRisk|KeyValuePair)Attribute$|^uro:floodingRiskAttribute$/;
/** Those of one class, by the property of i-UR 3.1. */
const OF_CLASS: Readonly<Record<string, string>> = {
  'uro:buildingDetailAttribute': 'bldg:adeOfAbstractBuilding',
  'uro:buildingIDAttribute': 'bldg:adeOfAbstractBuilding',
  'uro:landUseDetailAttribute': 'luse:adeOfLandUse',
  'uro:roadStructureAttribute': 'tran:adeOfRoad',
};
const NAMES: Readonly<Record<string, string>> = {
  'app:appearanceMember': 'core:appearanceMember',
  'app:surfaceDataMember': 'app:surfaceData',
  'bldg:boundedBy': 'core:boundary',
  'bldg:consistsOfBuildingPart': 'bldg:buildingPart',
  'bldg:lod0RoofEdge': 'core:lod0MultiSurface',
  'bldg:lod2Geometry': 'core:lod2MultiSurface',
  'bldg:outerBuildingInstallation': 'bldg:buildingInstallation',
  'gml:CompositeSurface': 'gml:Shell',
  'gml:trianglePatches': 'gml:patches',
};
/** Properties of features in the order of the schemas: what all have, then that of their module; others keep theirs. */
const ORDER = [
  ...[
    'gml:name',
    'core:creationDate',
    'core:genericAttribute',
    'core:adeOfAbstractCityObject',
    'core:boundary',
  ],
  ...[
    'core:lod0MultiSurface',
    'core:lod1Solid',
    'core:lod1MultiSurface',
    'core:lod2Solid',
    'core:lod2MultiSurface',
  ],
  ...['con:dateOfConstruction', 'con:height', 'bldg:class', 'bldg:function', 'bldg:usage', 'bldg:roofType'],
  ...['bldg:storeysAboveGround', 'bldg:storeysBelowGround', 'bldg:buildingInstallation', 'bldg:address'],
  ...['bldg:adeOfAbstractBuilding', 'bldg:buildingPart', 'tran:granularity', 'tran:trafficSpace'],
  ...['tran:auxiliaryTrafficSpace', 'tran:class', 'tran:function', 'tran:adeOfRoad', 'luse:class'],
  ...['luse:adeOfLandUse', 'wtr:class', 'wtr:function'],
];
const FEATURE = /^(?:bldg|con|tran|luse|wtr):[A-Z]/;

function upgraded(node: Node): Node {
  const { name, attributes, text, children } = node;
  if (COMMON.test(name)) return parent('core:adeOfAbstractCityObject', children.map(common));
  const hook = OF_CLASS[name];
  if (hook !== undefined) return parent(hook, children.map(dated));
  if (/^gen:\w+(?:Attribute|AttributeSet)$/.test(name))
    return parent('core:genericAttribute', [generic(node)]);
  if (name === 'core:creationDate') return leaf(name, `${text}T00:00:00`);
  if (name === 'bldg:yearOfConstruction') return leaf('con:dateOfConstruction', `${text}-01-01`);
  if (name === 'bldg:measuredHeight') return height(text!, attributes);
  if (name === 'bldg:address') return parent(name, [address(node)]);
  if (name === 'app:target') return association(node);
  if (name === 'tran:trafficArea') return trafficSpace('tran:trafficSpace', 'tran:TrafficSpace', children);
  if (name === 'tran:auxiliaryTrafficArea') {
    return trafficSpace('tran:auxiliaryTrafficSpace', 'tran:AuxiliaryTrafficSpace', children);
  }
  if (name === 'tran:Road' || name === 'wtr:WaterBody') return ordered(withSurface(node));
  if (/^bldg:[A-Z]\w+Surface$/.test(name)) return inside(node, name.replace('bldg:', 'con:'));
  if (FEATURE.test(name)) return ordered(node);
  return inside(node, NAMES[name] ?? name.replace(/^(?:bldg|tran|luse|wtr):(?=lod\d)/, 'core:'));
}

/** A feature with its properties in order. */
function ordered(node: Node): Node {
  const place = ({ name }: Node) => {
    const at = ORDER.indexOf(name);
    return at < 0 ? ORDER.length : at;
  };
  return { ...node, children: node.children.map(upgraded).sort((a, b) => place(a) - place(b)) };
}

/** Spaces have no surface of LOD 1 of their own: it bounds them. */
function withSurface(node: Node): Node {
  const id = /gml:id="([^"]*)"/.exec(node.attributes)![1]!;
  const surface = ` gml:id="surface_${id}"`;
  const children = node.children.map((child) => {
    if (!/:lod1MultiSurface$/.test(child.name)) return child;
    return node.name === 'wtr:WaterBody'
      ? parent('core:boundary', [parent('wtr:WaterSurface', [child], surface)])
      : parent('tran:trafficArea', [parent('tran:TrafficArea', [child], surface)]);
  });
  return { ...node, children };
}

function trafficSpace(property: string, element: string, [area]: Node[]): Node {
  const id = area!.attributes.replace('gml:id="', 'gml:id="space_');
  const boundary = parent('core:boundary', [ordered(area!)]);
  return parent(property, [parent(element, [boundary, leaf('tran:granularity', 'way')], id)]);
}

function common(node: Node): Node {
  return { ...node, name: node.name.replace('uro:', 'urc:'), children: node.children.map(common) };
}

/** Years of surveys became dates. */
function dated(node: Node): Node {
  if (node.name === 'uro:surveyYear') return leaf(node.name, `${node.text}-01-01`);
  return { ...node, children: node.children.map(dated) };
}

/** `gen:stringAttribute` with its name as an attribute became `gen:StringAttribute` with an element. */
function generic({ name, attributes, children }: Node): Node {
  const local = name.slice('gen:'.length);
  const element = `gen:${local.charAt(0).toUpperCase()}${local.slice(1)}`;
  const label = leaf('gen:name', /name="([^"]*)"/.exec(attributes)![1]!);
  const values = children.map((child) =>
    child.name === 'gen:value' ? child : parent('gen:genericAttribute', [generic(child)]),
  );
  return parent(element, [label, ...values]);
}

function height(metres: string, uom: string): Node {
  return parent('con:height', [
    parent('con:Height', [
      leaf('con:highReference', 'highestRoofEdge'),
      leaf('con:lowReference', 'lowestGroundPoint'),
      leaf('con:status', 'measured'),
      leaf('con:value', metres, uom),
    ]),
  ]);
}

/** An address of xAL 3. */
function address(node: Node): Node {
  const find = (name: string, { children }: Node): Node | undefined =>
    children.find((child) => child.name === name) ??
    children.map((child) => find(name, child)).find((found) => found !== undefined);
  const element = (name: string, wanted: string) =>
    parent(name, [leaf('xAL:NameElement', find(wanted, node)!.text!)]);
  const parts = [element('xAL:Country', 'xAL:CountryName'), element('xAL:Locality', 'xAL:LocalityName')];
  return parent('core:Address', [parent('core:xalAddress', [parent('xAL:Address', parts)])]);
}

/** Texture coordinates of a polygon's rings. */
function association({ attributes, children }: Node): Node {
  const polygon = /uri="([^"]*)"/.exec(attributes)![1]!;
  const lists = children[0]!.children;
  // All lists of coordinates come first, then the rings that they are for.
  const rings = [
    ...lists.map(({ text }) => leaf('app:textureCoordinates', text!)),
    ...lists.map((list) => leaf('app:ring', /ring="([^"]*)"/.exec(list.attributes)![1]!)),
  ];
  return parent('app:textureParameterization', [
    parent('app:TextureAssociation', [
      leaf('app:target', polygon),
      parent('app:textureParameterization', [parent('app:TexCoordList', rings)]),
    ]),
  ]);
}
