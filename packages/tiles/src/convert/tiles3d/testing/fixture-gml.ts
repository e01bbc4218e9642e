/** Small GML files to convert. */
import type { GmlSource } from '../../part-maker.ts';
import { gmlSource } from '../../read/testing/gml-source.ts';

export const FIXTURE_PATH = 'udx/bldg/53394525_bldg_6697_op.gml';

/** Degrees to a metre at the place of fixtures. */
const LAT = 1 / 110_950;
const LNG = 1 / 91_290;
const [SOUTH, WEST] = [35.68, 139.77];

/** Metres east and north of a corner of the mesh, and elevation, as a CityGML position. */
export function position([x, y, z]: readonly [number, number, number]): string {
  return `${SOUTH + y * LAT} ${WEST + x * LNG} ${z}`;
}

export type Ring = ReadonlyArray<readonly [number, number, number]>;

/** A `gml:Polygon` of closed rings; `id` names it, and its rings `id-r0`, `id-r1` …. */
export function polygon(rings: readonly Ring[], id?: string): string {
  const text = rings.map((ring, i) => {
    const name = i === 0 ? 'exterior' : 'interior';
    const ringId = id === undefined ? '' : ` gml:id="${id}-r${i}"`;
    const positions = [...ring, ring[0]!].map(position).join(' ');
    return (
      `<gml:${name}><gml:LinearRing${ringId}><gml:posList>${positions}</gml:posList></gml:LinearRing></gml:` +
      `${name}>`
    );
  });
  return (
    `<gml:surfaceMember><gml:Polygon${id === undefined ? '' : ` gml:id="${id}"`}>${text.join('')}` +
    `</gml:Polygon></gml:surfaceMember>`
  );
}

/** The six sides of a box, seen from outside; ids `id-p0` (the bottom) to `id-p5` (the top). */
export function box(
  [x, y, z]: readonly [number, number, number],
  [w, d, h]: readonly [number, number, number],
  id?: string,
): string[] {
  const corner = (i: number, k: number, l: number) => [x + i * w, y + k * d, z + l * h] as const;
  const sides: Ring[] = [
    [corner(0, 0, 0), corner(0, 1, 0), corner(1, 1, 0), corner(1, 0, 0)],
    [corner(0, 0, 0), corner(1, 0, 0), corner(1, 0, 1), corner(0, 0, 1)],
    [corner(1, 0, 0), corner(1, 1, 0), corner(1, 1, 1), corner(1, 0, 1)],
    [corner(1, 1, 0), corner(0, 1, 0), corner(0, 1, 1), corner(1, 1, 1)],
    [corner(0, 1, 0), corner(0, 0, 0), corner(0, 0, 1), corner(0, 1, 1)],
    [corner(0, 0, 1), corner(1, 0, 1), corner(1, 1, 1), corner(0, 1, 1)],
  ];
  return sides.map((ring, i) => polygon([ring], id === undefined ? undefined : `${id}-p${i}`));
}

export function solid(lod: number, polygons: readonly string[]): string {
  return (
    `<bldg:lod${lod}Solid><gml:Solid><gml:exterior><gml:CompositeSurface>${polygons.join('')}` +
    `</gml:CompositeSurface></gml:exterior></gml:Solid></bldg:lod${lod}Solid>`
  );
}

/** A member with a building; `inside` follows its geometry. */
export function building(id: string | null, geometry: string, inside = ''): string {
  const attribute = id === null ? '' : ` gml:id="${id}"`;
  return (
    `<core:cityObjectMember><bldg:Building${attribute}><bldg:measuredHeight uom="m">10</bldg:measuredHeight>` +
    `${geometry}${inside}</bldg:Building></core:cityObjectMember>`
  );
}

/** Path of a file of terrain at the place of fixtures. */
export const RELIEF_PATH = 'udx/dem/53394525_dem_6697_op.gml';

/** Three corners, counter-clockwise from above as a rule. */
export type Corners = readonly [Ring[number], Ring[number], Ring[number]];

/** `gml:Triangle`, whose ring is closed unless `isOpen`. */
export function triangle(corners: Corners, { isOpen = false, comment = '' } = {}): string {
  const positions = (isOpen ? corners : [...corners, corners[0]]).map(position).join(' ');
  return (
    `<gml:Triangle>${comment}<gml:exterior><gml:LinearRing><gml:posList>${positions}</gml:posList>` +
    `</gml:LinearRing></gml:exterior></gml:Triangle>`
  );
}

/** A part of a relief: terrain of triangles; `extent` is where it holds. */
export function tin(lod: number, triangles: readonly string[], extent: Ring | null = null): string {
  const holds =
    extent === null
      ? ''
      : `<dem:extent>${/<gml:Polygon>.*<\/gml:Polygon>/.exec(polygon([extent]))![0]}</dem:extent>`;
  return (
    `<dem:reliefComponent><dem:TINRelief><dem:lod>${lod}</dem:lod>${holds}<dem:tin><gml:TriangulatedSurface>` +
    `<gml:trianglePatches>${triangles.join('')}</gml:trianglePatches></gml:TriangulatedSurface></dem:tin>` +
    `</dem:TINRelief></dem:reliefComponent>`
  );
}

/** A member with terrain of such parts. */
export function relief(id: string, lod: number, components: readonly string[]): string {
  return (
    `<core:cityObjectMember><dem:ReliefFeature gml:id="${id}"><gml:name>${id}</gml:name><dem:lod>${lod}</dem:lod>` +
    `${components.join('')}</dem:ReliefFeature></core:cityObjectMember>`
  );
}

/** Triangles over a grid of `count` by `count` squares of `side` metres from (x, y) on, as high as `height` says. */
export function hills(
  [x, y]: readonly [number, number],
  count: number,
  side: number,
  height: (x: number, y: number) => number,
): Corners[] {
  const corner = (i: number, k: number) => {
    const [east, north] = [x + i * side, y + k * side];
    return [east, north, height(east, north)] as const;
  };
  const all: Corners[] = [];
  for (let k = 0; k < count; k++) {
    for (let i = 0; i < count; i++) {
      all.push([corner(i, k), corner(i + 1, k), corner(i + 1, k + 1)]);
      all.push([corner(i, k), corner(i + 1, k + 1), corner(i, k + 1)]);
    }
  }
  return all;
}

/** A file of members, with other files of the package beside it. */
export function fixture(
  members: readonly string[],
  {
    /** Null: the file names no system. */
    srs = 'http://www.opengis.net/def/crs/EPSG/0/6697' as string | null,
    files = {} as Record<string, Uint8Array>,
    path = FIXTURE_PATH,
  } = {},
): GmlSource {
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:gml="http://www.opengis.net/gml" \
xmlns:dem="http://www.opengis.net/citygml/relief/2.0" \
xmlns:bldg="http://www.opengis.net/citygml/building/2.0" xmlns:app="http://www.opengis.net/citygml/appearance/2.0" \
xmlns:wtr="http://www.opengis.net/citygml/waterbody/2.0" xmlns:frn="http://www.opengis.net/citygml/cityfurniture\
/2.0" xmlns:tran="http://www.opengis.net/citygml/transportation/2.0" xmlns:gen="http://www.opengis.net/citygml\
/generics/2.0" xmlns:uro="https://www.geospatial.jp/iur/uro/3.2" xmlns:xlink="http://www.w3.org/1999/xlink">
<gml:boundedBy><gml:Envelope${srs === null ? '' : ` srsName="${srs}"`} srsDimension="3"><gml:lowerCorner>\
${position([0, 0, 0])}</gml:lowerCorner><gml:upperCorner>${position([900, 900, 100])}</gml:upperCorner>\
</gml:Envelope></gml:boundedBy>
${members.join('\n')}
</core:CityModel>`;
  return gmlSource(path, new Map([[path, Buffer.from(text)], ...Object.entries(files)]), {
    name: '13101_chiyoda-ku_city_2023_citygml_1_op',
  });
}
