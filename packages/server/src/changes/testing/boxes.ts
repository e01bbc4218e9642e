/** Editions of a city of boxes, for tests of comparisons. */
import type { PackageSource } from '../../convert/package-source.ts';

export interface Box {
  id: string;
  buildingId: string | null;
  /** Metres east and north of a corner of the city, and sizes in metres. */
  x: number;
  y: number;
  width: number;
  depth: number;
  height: number;
  usage: string;
}

const [LAT, LNG] = [35.6, 139.7];
/** Metres of a degree, near enough for boxes to be apart as they are meant to be. */
const [NORTH, EAST] = [110_950, 90_500];

export function boxAt(x: number, y: number, changes: Partial<Box> = {}): Box {
  const id = `bldg_${x}_${y}`;
  return { id, buildingId: null, x, y, width: 10, depth: 8, height: 6, usage: '401', ...changes };
}

/** A package with one file of buildings. */
export function editionOf(boxes: readonly Box[], year: number): PackageSource {
  const path = 'udx/bldg/53393599_bldg_6697_op.gml';
  const text = Buffer.from(gmlOf(boxes));
  return {
    package: { name: `13101_${year}`, cityCode: '13101', cityName: '見本区', wards: [], year },
    provider: 'city',
    said: {},
    members: () => [{ path, size: text.length }],
    has: (name) => name === path,
    stampOf: async () => null,
    async *read() {
      yield text;
    },
    member: async () => null,
    [Symbol.asyncDispose]: async () => {},
  };
}

function gmlOf(boxes: readonly Box[]): string {
  const members = boxes.map((box) => `<core:cityObjectMember>${buildingOf(box)}</core:cityObjectMember>`);
  return (
    '<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:gml="http://www.opengis.net/gml" ' +
    'xmlns:bldg="http://www.opengis.net/citygml/building/2.0" ' +
    'xmlns:uro="https://www.geospatial.jp/iur/uro/3.1"><gml:boundedBy>' +
    '<gml:Envelope srsName="http://www.opengis.net/def/crs/EPSG/0/6697" srsDimension="3">' +
    '<gml:lowerCorner>35 139 0</gml:lowerCorner><gml:upperCorner>36 140 9</gml:upperCorner></gml:Envelope>' +
    `</gml:boundedBy>${members.join('')}</core:CityModel>`
  );
}

function buildingOf({ id, buildingId, usage, ...box }: Box): string {
  const stable =
    buildingId === null
      ? ''
      : '<uro:buildingIDAttribute><uro:BuildingIDAttribute>' +
        `<uro:buildingID>${buildingId}</uro:buildingID></uro:BuildingIDAttribute></uro:buildingIDAttribute>`;
  return (
    `<bldg:Building gml:id="${id}"><bldg:usage codeSpace="../../codelists/Building_usage.xml">${usage}</bldg:usage>` +
    `<bldg:lod1Solid><gml:Solid><gml:exterior><gml:CompositeSurface>${facesOf(box).join('')}` +
    `</gml:CompositeSurface></gml:exterior></gml:Solid></bldg:lod1Solid>${stable}</bldg:Building>`
  );
}

function facesOf({ x, y, width, depth, height }: Omit<Box, 'id' | 'buildingId' | 'usage'>): string[] {
  const corners = [
    [x, y],
    [x + width, y],
    [x + width, y + depth],
    [x, y + depth],
  ] as const;
  const at = (i: number, z: number) => {
    const [east, north] = corners[i % 4]!;
    return `${LAT + north / NORTH} ${LNG + east / EAST} ${z}`;
  };
  const ring = (...points: string[]) =>
    '<gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>' +
    `${[...points, points[0]].join(' ')}</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon>` +
    '</gml:surfaceMember>';
  return [
    ring(at(3, 0), at(2, 0), at(1, 0), at(0, 0)),
    ring(at(0, height), at(1, height), at(2, height), at(3, height)),
    ...[0, 1, 2, 3].map((i) => ring(at(i, 0), at(i + 1, 0), at(i + 1, height), at(i, height))),
  ];
}
