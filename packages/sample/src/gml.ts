/**
 * The frame of a CityGML 2.0 file as PLATEAU packages have it, and its geometry: EPSG:6697, latitude, longitude
 * and altitude in metres, rings closed.
 */
import type { Point3 } from './place.ts';
import { latOf, lngOf } from './place.ts';

/** Version of i-UR, the extension of CityGML that PLATEAU uses. */
export type IurVersion = '2.0' | '3.1';

/** Day on which the data of a version was made, as `core:creationDate` and the metadata have it. */
export const CREATED: Record<IurVersion, string> = { '2.0': '2024-03-22', '3.1': '2025-03-21' };

/** Corners of an envelope: degrees and metres. */
export interface GmlEnvelope {
  lower: [lat: number, lng: number, altitude: number];
  upper: [lat: number, lng: number, altitude: number];
}

const SRS_NAME = 'http://www.opengis.net/def/crs/EPSG/0/6697';
/** Prefix, name of the CityGML 2.0 module in namespaces, name of its schema file. */
export const MODULES = [
  ['app', 'appearance', 'appearance'],
  ['bldg', 'building', 'building'],
  ['dem', 'relief', 'relief'],
  ['gen', 'generics', 'generics'],
  ['luse', 'landuse', 'landUse'],
  ['tran', 'transportation', 'transportation'],
  ['wtr', 'waterbody', 'waterBody'],
] as const;

/** Further modules, of files that need them. */
export const MORE_MODULES = [
  ['brid', 'bridge', 'bridge'],
  ['frn', 'cityfurniture', 'cityFurniture'],
  ['veg', 'vegetation', 'vegetation'],
] as const;

/**
 * Everything before the first member. `up` leads from the file to the package directory, e.g. `../../`; `more` are
 * modules beside those of every file.
 */
export function gmlHead(
  iur: IurVersion,
  up: string,
  envelope: GmlEnvelope,
  more: ReadonlyArray<readonly [prefix: string, name: string, file: string]> = [],
): string {
  const modules = [...MODULES, ...more];
  const namespaces = modules.map(
    ([prefix, name]) => ` xmlns:${prefix}="http://www.opengis.net/citygml/${name}/2.0"`,
  );
  const locations = modules.map(
    ([, name, file]) =>
      `http://www.opengis.net/citygml/${name}/2.0 http://schemas.opengis.net/citygml/${name}/2.0/${file}.xsd`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0"${namespaces.join('')} xmlns:gml="http:/\
/www.opengis.net/gml" xmlns:uro="https://www.geospatial.jp/iur/uro/${iur}" xmlns:urf="https://www.geospatial.jp/iur\
/urf/${iur}" xmlns:xAL="urn:oasis:names:tc:ciq:xsdschema:xAL:2.0" xmlns:xlink="http://www.w3.org/1999/xlink" \
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="https://www.geospatial.jp/iur/uro/${iur} \
${up}schemas/iur/uro/${iur}/urbanObject.xsd https://www.geospatial.jp/iur/urf/${iur} ${up}schemas/iur/urf/${iur}\
/urbanFunction.xsd http://www.opengis.net/citygml/2.0 http://schemas.opengis.net/citygml/2.0/cityGMLBase.xsd \
${locations.join(' ')} http://www.opengis.net/gml http://schemas.opengis.net/gml/3.1.1/base/gml.xsd">
	<gml:boundedBy>
		<gml:Envelope srsName="${SRS_NAME}" srsDimension="3">
			<gml:lowerCorner>${envelope.lower.join(' ')}</gml:lowerCorner>
			<gml:upperCorner>${envelope.upper.join(' ')}</gml:upperCorner>
		</gml:Envelope>
	</gml:boundedBy>
`;
}

export const GML_TAIL = '</core:CityModel>\n';

/** One member around a feature's XML, which begins with its own indentation. */
export function gmlMember(feature: string): string {
  return `\t<core:cityObjectMember>\n${feature}\t</core:cityObjectMember>\n`;
}

/** The smallest envelope of points in metres and altitudes. */
export function envelopeOf(points: Iterable<Point3>): GmlEnvelope {
  const lower: Point3 = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let [west, south, low] = lower;
  let [east, north, high] = lower.map((value) => -value) as [number, number, number];
  for (const [e, n, altitude] of points) {
    west = Math.min(west, e);
    east = Math.max(east, e);
    south = Math.min(south, n);
    north = Math.max(north, n);
    low = Math.min(low, altitude);
    high = Math.max(high, altitude);
  }
  return { lower: [latOf(south), lngOf(west), low], upper: [latOf(north), lngOf(east), high] };
}

/** Content of a `gml:posList`: the ring with its first point again at the end. */
export function posList(ring: readonly Point3[]): string {
  let text = '';
  for (let i = 0; i <= ring.length; i++) {
    const [east, north, altitude] = ring[i === ring.length ? 0 : i]!;
    text += `${i === 0 ? '' : ' '}${latOf(north)} ${lngOf(east)} ${altitude}`;
  }
  return text;
}

/** A `gml:surfaceMember` with a polygon: the first ring is its outside. With an id, its rings have one too. */
export function surfaceMember(rings: readonly (readonly Point3[])[], indent: string, id?: string): string {
  const ids = (i: number) => (id === undefined ? '' : ` gml:id="${ringId(id, i)}"`);
  let text = `${indent}<gml:surfaceMember>\n${indent}\t<gml:Polygon${id === undefined ? '' : ` gml:id="${id}"`}>\n`;
  for (const [i, ring] of rings.entries()) {
    const place = i === 0 ? 'exterior' : 'interior';
    text +=
      `${indent}\t\t<gml:${place}>\n${indent}\t\t\t<gml:LinearRing${ids(i)}>\n${indent}\t\t\t\t<gml:posList>` +
      `${posList(ring)}</gml:posList>\n${indent}\t\t\t</gml:LinearRing>\n${indent}\t\t</gml:${place}>\n`;
  }
  return `${text}${indent}\t</gml:Polygon>\n${indent}</gml:surfaceMember>\n`;
}

/** Id of a polygon's ring, which texture coordinates refer to. */
export function ringId(polygonId: string, ring: number): string {
  return `${polygonId.replace('poly_', 'line_')}${ring === 0 ? '' : `_${ring}`}`;
}

/** A property with a `gml:MultiSurface` of polygons; `id` is for the one polygon of a surface that has one. */
export function multiSurface(
  property: string,
  polygons: readonly (readonly Point3[])[][],
  indent: string,
  id?: string,
): string {
  const members = polygons.map((rings) => surfaceMember(rings, `${indent}\t\t`, id)).join('');
  return (
    `${indent}<${property}>\n${indent}\t<gml:MultiSurface>\n${members}${indent}\t</gml:MultiSurface>\n${indent}` +
    `</${property}>\n`
  );
}

/** A property with a coded value; `up` leads from the file to the package directory. */
export function coded(property: string, list: string, code: string, up: string, indent: string): string {
  return `${indent}<${property} codeSpace="${up}codelists/${list}.xml">${code}</${property}>\n`;
}

/** The public survey that geometry was made from, at levels of detail. */
export function publicSurvey(lods: readonly number[], indent: string): string {
  const list = 'PublicSurveyDataQualityAttribute';
  const atLods = (property: string, code: string) =>
    lods.map((lod) =>
      coded(`uro:${property}Lod${lod}`, `${list}_${property}`, code, '../../', `${indent}\t\t`),
    );
  const inner = [...atLods('srcScale', '1'), ...atLods('publicSurveySrcDesc', '003')].join('');
  return (
    `${indent}<uro:publicSurveyDataQualityAttribute>\n${indent}\t<uro:${list}>\n${inner}${indent}\t</uro:${list}>\n` +
    `${indent}</uro:publicSurveyDataQualityAttribute>\n`
  );
}
