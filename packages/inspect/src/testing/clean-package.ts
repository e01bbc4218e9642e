/**
 * A small package of specification 4 that every check passes, for tests that break it in one way: two buildings and one
 * of two parts, relief, a flood, land use, a road and a bench. Shapes can be changed before they are written, texts
 * afterwards.
 */
import { Readable } from 'node:stream';
import type { ObjectList } from '../check.ts';
import type { InspectSource } from '../run/inspect-package.ts';

/** East, north and up in metres from the south-west corner of the package. */
export type Point = [east: number, north: number, up: number];
/** Positions of a ring, of which the last repeats the first. */
export type Ring = Point[];

/** Changes shapes of the first building, or those of others by name. */
export interface Shapes {
  lod0?: (ring: Ring) => Ring;
  lod1?: (faces: Ring[]) => Ring[];
  lod2?: (faces: Ring[]) => Ring[];
  /** The second part of the third building. */
  part?: (faces: Ring[]) => Ring[];
  triangle?: (ring: Ring) => Ring;
  flood?: (ring: Ring) => Ring;
  field?: (ring: Ring) => Ring;
  road?: (ring: Ring) => Ring;
  bench?: (faces: Ring[]) => Ring[];
}

export const BUILDINGS = 'udx/bldg/53394525_bldg_6697_op.gml';
export const RELIEF = 'udx/dem/53394525_dem_6697_op.gml';
export const FLOOD = 'udx/fld/natl/river/53394525_fld_6697_l2_op.gml';
export const FIELDS = 'udx/luse/53394525_luse_6668_op.gml';
export const ROADS = 'udx/tran/53394525_tran_6697_op.gml';
export const FURNITURE = 'udx/frn/53394525_frn_6697_op.gml';

/** What an object list would ask of the buildings. */
export const OBJECTS: ObjectList = {
  types: (folder) =>
    new Map(
      folder === 'bldg'
        ? [['bldg:Building', { required: ['bldg:measuredHeight'], target: ['bldg:usage'], conditional: [] }]]
        : [],
    ),
};

/** South-west corner: in the middle of the mesh 53394525. */
const [SOUTH, WEST] = [35.687, 139.692];
/** Metres of a degree there. */
const [NORTHWARD, EASTWARD] = [110_950, 90_480];

const posList = (ring: Ring) =>
  `<gml:posList>${ring
    .map(([east, north, up]) =>
      [(SOUTH + north / NORTHWARD).toFixed(12), (WEST + east / EASTWARD).toFixed(12), up].join(' '),
    )
    .join(' ')}</gml:posList>`;
const polygon = (ring: Ring, id = '') =>
  `<gml:Polygon${id === '' ? '' : ` gml:id="${id}"`}><gml:exterior><gml:LinearRing>${posList(ring)}` +
  `</gml:LinearRing></gml:exterior></gml:Polygon>`;
const surfaceMembers = (polygons: string[]) =>
  polygons.map((one) => `<gml:surfaceMember>${one}</gml:surfaceMember>`).join('\n');
const multiSurface = (polygons: string[]) =>
  `<gml:MultiSurface>${surfaceMembers(polygons)}</gml:MultiSurface>`;
const solid = (members: string) =>
  `<gml:Solid><gml:exterior><gml:CompositeSurface>${members}</gml:CompositeSurface></gml:exterior></gml:Solid>`;
const referring = (ids: string[]) => ids.map((id) => `<gml:surfaceMember xlink:href="#${id}"/>`).join('\n');
const code = (element: string, list: string, value: string) =>
  `<${element} codeSpace="../../codelists/${list}.xml">${value}</${element}>`;

/** A gml:id of a folder by a number. */
export const idOf = (folder: string, number: number) =>
  `${folder}_00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** A rectangle, counter-clockwise seen from above. */
export function rectangle([east, north, up]: Point, width: number, depth: number): Ring {
  return [
    [east, north, up],
    [east + width, north, up],
    [east + width, north + depth, up],
    [east, north + depth, up],
    [east, north, up],
  ];
}

/** The six faces of a box, which look outwards: ground, roof, south, east, north, west. */
export function box(corner: Point, width: number, depth: number, height: number): Ring[] {
  const low = rectangle(corner, width, depth);
  const high = low.map(([east, north, up]): Point => [east, north, up + height]);
  const walls = [0, 1, 2, 3].map(
    (i): Ring => [low[i]!, low[i + 1]!, high[i + 1]!, high[i]!, low[i]!].map((point): Point => [...point]),
  );
  return [low.toReversed(), high, ...walls];
}

const SURFACES = ['Ground', 'Roof', 'Wall', 'Wall', 'Wall', 'Wall'];

/** A solid of LOD 2 that refers to the polygons of its boundary surfaces. */
function boundedSolid(faces: readonly Ring[], number: number): string {
  const ids = faces.map((_, i) => `poly_${number}_${i}`);
  const surfaces = faces.map(
    (ring, i) =>
      `<bldg:boundedBy><bldg:${SURFACES[i] ?? 'Wall'}Surface gml:id="${idOf('surface', 100 * number + i)}">` +
      `<bldg:lod2MultiSurface>${multiSurface([polygon(ring, ids[i])])}</bldg:lod2MultiSurface></bldg:` +
      `${SURFACES[i] ?? 'Wall'}Surface></bldg:boundedBy>`,
  );
  return `<bldg:lod2Solid>${solid(referring(ids))}</bldg:lod2Solid>\n${surfaces.join('\n')}`;
}

interface BuildingShape {
  number: number;
  lod0: Ring;
  lod1: Ring[];
  /** LOD 2, or what stands for it. */
  rest: string;
}

function building({ number, lod0, lod1, rest }: BuildingShape): string {
  const source = 'DataQualityAttribute_geometrySrcDesc';
  const lod1Faces = surfaceMembers(lod1.map((ring, i) => polygon(ring, `lod1_${number}_${i}`)));
  return `<core:cityObjectMember>
<bldg:Building gml:id="${idOf('bldg', number)}">
<core:creationDate>2024-03-01</core:creationDate>
${code('bldg:class', 'Building_class', '3001')}
${code('bldg:usage', 'Building_usage', '411')}
<bldg:measuredHeight uom="m">6</bldg:measuredHeight>
<bldg:lod0RoofEdge>${multiSurface([polygon(lod0)])}</bldg:lod0RoofEdge>
<bldg:lod1Solid>${solid(lod1Faces)}</bldg:lod1Solid>
${rest}
<uro:buildingIDAttribute><uro:BuildingIDAttribute><uro:buildingID>13104-bldg-${number}</uro:buildingID>\
${code('uro:city', 'Common_localPublicAuthorities', '13104')}</uro:BuildingIDAttribute></uro:buildingIDAttribute>
<uro:buildingDetailAttribute><uro:BuildingDetailAttribute>${code('uro:detailedUsage', 'Building_usage', '411')}\
${code('uro:detailedUsage2', 'Building_usage', '411')}<uro:surveyYear>2023</uro:surveyYear>\
</uro:BuildingDetailAttribute></uro:buildingDetailAttribute>
<uro:bldgDataQualityAttribute><uro:DataQualityAttribute>
${[0, 1, 2].map((lod) => code(`uro:geometrySrcDescLod${lod}`, source, '001')).join('\n')}
${code('uro:thematicSrcDesc', source, '001')}
</uro:DataQualityAttribute></uro:bldgDataQualityAttribute>
</bldg:Building>
</core:cityObjectMember>`;
}

function buildingsFile({ lod0, lod1, lod2, part }: Shapes): string {
  const same = <T>(shape: T) => shape;
  const shapeOf = (number: number, corner: Point) => ({
    number,
    lod0: rectangle([corner[0], corner[1], 0], 10, 8),
    lod1: box(corner, 10, 8, 6),
  });
  const [first, second, third] = [
    shapeOf(1, [0, 0, 20]),
    shapeOf(2, [30, 0, 20]),
    { ...shapeOf(3, [60, 0, 20]), lod0: rectangle([60, 0, 0], 20, 8), lod1: box([60, 0, 20], 20, 8, 6) },
  ];
  const partOf = (number: number, faces: Ring[]) =>
    `<bldg:consistsOfBuildingPart><bldg:BuildingPart gml:id="${idOf('part', number)}">\n` +
    `${boundedSolid(faces, number)}\n</bldg:BuildingPart></bldg:consistsOfBuildingPart>`;
  const parts = [
    partOf(31, box([60, 0, 20], 10, 8, 6)),
    partOf(32, (part ?? same)(box([70, 0, 20], 10, 8, 6))),
  ];
  return cityModel(
    [
      building({
        number: 1,
        lod0: (lod0 ?? same)(first.lod0),
        lod1: (lod1 ?? same)(first.lod1),
        rest: boundedSolid((lod2 ?? same)(first.lod1), 1),
      }),
      building({ ...second, rest: boundedSolid(second.lod1, 2) }),
      building({ ...third, rest: parts.join('\n') }),
    ].join('\n'),
  );
}

const member = (text: string) => `<core:cityObjectMember>\n${text}\n</core:cityObjectMember>`;

function reliefFile({ triangle }: Shapes): string {
  const corners: Ring = [
    [0, 0, 3],
    [40, 0, 3],
    [40, 40, 4],
    [0, 40, 4],
    [0, 0, 3],
  ];
  const [one, other] = [
    [corners[0]!, corners[1]!, corners[2]!, corners[0]!],
    [corners[0]!, corners[2]!, corners[3]!, corners[0]!],
  ].map((ring): Ring => ring.map((point): Point => [...point])) as [Ring, Ring];
  const patches = [(triangle ?? ((ring: Ring) => ring))(one), other]
    .map(
      (ring) =>
        `<gml:Triangle><gml:exterior><gml:LinearRing>${posList(ring)}</gml:LinearRing></gml:exterior></gml:Triangle>`,
    )
    .join('\n');
  return cityModel(
    member(
      `<dem:ReliefFeature gml:id="${idOf('dem', 1)}"><dem:lod>1</dem:lod><dem:reliefComponent>` +
        `<dem:TINRelief gml:id="${idOf('dem', 2)}"><dem:lod>1</dem:lod><dem:tin><gml:TriangulatedSurface>` +
        `<gml:trianglePatches>\n${patches}\n</gml:trianglePatches></gml:TriangulatedSurface></dem:tin>` +
        `</dem:TINRelief></dem:reliefComponent></dem:ReliefFeature>`,
    ),
  );
}

function floodFile({ flood }: Shapes): string {
  const ring: Ring = [
    [0, 0, 3],
    [10, 0, 3],
    [10, 10, 3],
    [0, 0, 3],
  ];
  const water = polygon((flood ?? ((same: Ring) => same))(ring));
  return cityModel(
    member(
      `<wtr:WaterBody gml:id="${idOf('fld', 1)}"><wtr:lod1MultiSurface>${multiSurface([water])}` +
        `</wtr:lod1MultiSurface></wtr:WaterBody>`,
    ),
  );
}

function fieldsFile({ field }: Shapes): string {
  const ring = (field ?? ((same: Ring) => same))(rectangle([0, 0, 0], 30, 30));
  return cityModel(
    member(
      `<luse:LandUse gml:id="${idOf('luse', 1)}"><luse:lod1MultiSurface>${multiSurface([polygon(ring)])}` +
        `</luse:lod1MultiSurface></luse:LandUse>`,
    ),
  );
}

function roadsFile({ road }: Shapes): string {
  const road1 = (road ?? ((same: Ring) => same))(rectangle([0, 40, 0], 30, 6));
  const own = (number: number, ring: Ring) =>
    member(
      `<tran:Road gml:id="${idOf('tran', number)}"><tran:trafficArea><tran:TrafficArea gml:id="` +
        `${idOf('area', number)}"><tran:lod2MultiSurface>${multiSurface([polygon(ring, `lane_${number}`)])}` +
        `</tran:lod2MultiSurface></tran:TrafficArea></tran:trafficArea><tran:lod1MultiSurface>` +
        `${multiSurface([polygon(ring)])}</tran:lod1MultiSurface><tran:lod2MultiSurface><gml:MultiSurface>` +
        `${referring([`lane_${number}`])}</gml:MultiSurface></tran:lod2MultiSurface></tran:Road>`,
    );
  return cityModel([own(1, road1), own(2, rectangle([30, 40, 0], 30, 6))].join('\n'));
}

function furnitureFile({ bench }: Shapes): string {
  const faces = (bench ?? ((same: Ring[]) => same))(box([0, 50, 0], 2, 0.5, 0.5));
  return cityModel(
    member(
      `<frn:CityFurniture gml:id="${idOf('frn', 1)}"><frn:lod1Geometry>` +
        `${solid(surfaceMembers(faces.map((ring) => polygon(ring))))}</frn:lod1Geometry></frn:CityFurniture>`,
    ),
  );
}

const NAMESPACES = [
  'core="http://www.opengis.net/citygml/2.0"',
  'gml="http://www.opengis.net/gml"',
  'xlink="http://www.w3.org/1999/xlink"',
  'app="http://www.opengis.net/citygml/appearance/2.0"',
  'uro="https://www.geospatial.jp/iur/uro/3.1"',
  ...['bldg/building', 'dem/relief', 'wtr/waterbody', 'luse/landuse', 'tran/transportation']
    .concat('frn/cityfurniture')
    .map((one) => `${one.split('/')[0]}="http://www.opengis.net/citygml/${one.split('/')[1]}/2.0"`),
];

function cityModel(members: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<core:CityModel ${NAMESPACES.map((one) => `xmlns:${one}`).join(' ')}>
<gml:boundedBy><gml:Envelope srsName="http://www.opengis.net/def/crs/EPSG/0/6697" srsDimension="3">\
<gml:lowerCorner>35.686 139.69 0</gml:lowerCorner><gml:upperCorner>35.69 139.695 60</gml:upperCorner>\
</gml:Envelope></gml:boundedBy>
${members}
</core:CityModel>
`;
}

function codeList(codes: string[]): string {
  const entries = codes.map(
    (value, i) =>
      `<gml:dictionaryEntry><gml:Definition gml:id="id${i}"><gml:description>words</gml:description><gml:name>` +
      `${value}</gml:name></gml:Definition></gml:dictionaryEntry>`,
  );
  return (
    `<gml:Dictionary xmlns:gml="http://www.opengis.net/gml" gml:id="list"><gml:name>list</gml:name>` +
    `${entries.join('')}</gml:Dictionary>`
  );
}

/** Members of the package by path. */
export function cleanPackage(shapes: Shapes = {}): Map<string, string> {
  return new Map([
    [BUILDINGS, buildingsFile(shapes)],
    [RELIEF, reliefFile(shapes)],
    [FLOOD, floodFile(shapes)],
    [FIELDS, fieldsFile(shapes)],
    [ROADS, roadsFile(shapes)],
    [FURNITURE, furnitureFile(shapes)],
    ['codelists/Building_class.xml', codeList(['3001', '3003'])],
    ['codelists/Building_usage.xml', codeList(['411', '412'])],
    ['codelists/Common_localPublicAuthorities.xml', codeList(['13104', '13100'])],
    ['codelists/DataQualityAttribute_geometrySrcDesc.xml', codeList(['000', '001'])],
  ]);
}

export function sourceOf(members: ReadonlyMap<string, string>): InspectSource {
  const files = [...members].filter(([path]) => path.endsWith('.gml'));
  return {
    name: '13104_shinjuku-ku_city_2024_citygml_1_op',
    files: files
      .map(([path, text]) => ({ path, bytes: Buffer.byteLength(text) }))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
    text: (path) => Readable.from([Buffer.from(members.get(path)!)]),
    has: (path) => members.has(path),
    member: async (path) => (members.has(path) ? Buffer.from(members.get(path)!) : null),
  };
}
