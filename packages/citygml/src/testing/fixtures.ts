import { namespaceContext, parseFeature, type SkipRule } from '../xml/feature-xml.ts';
import type { XmlElement } from '../xml/xml-element.ts';

/** Root start tag with the usual prefixes. */
export const ROOT_TAG = `<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0"
  xmlns:gml="http://www.opengis.net/gml" xmlns:xlink="http://www.w3.org/1999/xlink"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xmlns:app="http://www.opengis.net/citygml/appearance/2.0"
  xmlns:bldg="http://www.opengis.net/citygml/building/2.0" xmlns:gen="http://www.opengis.net/citygml/generics/2.0"
  xmlns:tran="http://www.opengis.net/citygml/transportation/2.0" xmlns:dem="http://www.opengis.net/citygml/relief/2.0"
  xmlns:frn="http://www.opengis.net/citygml/cityfurniture/2.0" xmlns:luse="http://www.opengis.net/citygml/landuse/2.0"
  xmlns:veg="http://www.opengis.net/citygml/vegetation/2.0" xmlns:wtr="http://www.opengis.net/citygml/waterbody/2.0"
  xmlns:grp="http://www.opengis.net/citygml/cityobjectgroup/2.0"
  xmlns:xAL="urn:oasis:names:tc:ciq:xsdschema:xAL:2.0" xmlns:uro="https://www.geospatial.jp/iur/uro/3.1"
  xmlns:urf="https://www.geospatial.jp/iur/urf/3.1">`;

/** One invented feature as a tree. */
export function feature(xml: string, skip?: SkipRule, rootTag = ROOT_TAG): XmlElement {
  return parseFeature(Buffer.from(xml), namespaceContext(Buffer.from(rootTag)), skip);
}

/** `gml:Polygon` of rings given as `[lng, lat, alt]` positions that are closed here. */
export function polygon(rings: Array<Array<[number, number, number]>>, id?: string): string {
  const [exterior, ...interiors] = rings.map((ring) => {
    const list = [...ring, ring[0]!].map(([lng, lat, alt]) => `${lat} ${lng} ${alt}`).join(' ');
    return `<gml:LinearRing><gml:posList>${list}</gml:posList></gml:LinearRing>`;
  });
  return `<gml:Polygon${id === undefined ? '' : ` gml:id="${id}"`}><gml:exterior>${exterior}</gml:exterior>${interiors
    .map((ring) => `<gml:interior>${ring}</gml:interior>`)
    .join('')}</gml:Polygon>`;
}

/** Rings of a box, all six sides looking outwards: floor, roof, south, east, north, west. */
export function boxSides(
  [west, south, low]: [number, number, number],
  [east, north, high]: [number, number, number],
): Array<Array<[number, number, number]>> {
  const at = (lng: number, lat: number, alt: number): [number, number, number] => [lng, lat, alt];
  return [
    [at(west, south, low), at(west, north, low), at(east, north, low), at(east, south, low)],
    [at(west, south, high), at(east, south, high), at(east, north, high), at(west, north, high)],
    [at(west, south, low), at(east, south, low), at(east, south, high), at(west, south, high)],
    [at(east, south, low), at(east, north, low), at(east, north, high), at(east, south, high)],
    [at(east, north, low), at(west, north, low), at(west, north, high), at(east, north, high)],
    [at(west, north, low), at(west, south, low), at(west, south, high), at(west, north, high)],
  ];
}

/** `gml:Solid` whose shell has these surfaces, each a polygon's XML or a reference. */
export function solid(members: string[]): string {
  const list = members.map((member) =>
    member.startsWith('#')
      ? `<gml:surfaceMember xlink:href="${member}"/>`
      : `<gml:surfaceMember>${member}</gml:surfaceMember>`,
  );
  return (
    `<gml:Solid><gml:exterior><gml:CompositeSurface>${list.join('')}</gml:CompositeSurface></gml:exterior>` +
    `</gml:Solid>`
  );
}

export function multiSurface(members: string[]): string {
  return `<gml:MultiSurface>${members
    .map((member) =>
      member.startsWith('#')
        ? `<gml:surfaceMember xlink:href="${member}"/>`
        : `<gml:surfaceMember>${member}</gml:surfaceMember>`,
    )
    .join('')}</gml:MultiSurface>`;
}
