/** Small invented CityGML texts for tests. */

const NAMESPACES = {
  core: 'http://www.opengis.net/citygml/2.0',
  bldg: 'http://www.opengis.net/citygml/building/2.0',
  tran: 'http://www.opengis.net/citygml/transportation/2.0',
  dem: 'http://www.opengis.net/citygml/relief/2.0',
  app: 'http://www.opengis.net/citygml/appearance/2.0',
  gen: 'http://www.opengis.net/citygml/generics/2.0',
  gml: 'http://www.opengis.net/gml',
  xAL: 'urn:oasis:names:tc:ciq:xsdschema:xAL:2.0',
  xlink: 'http://www.w3.org/1999/xlink',
  xsi: 'http://www.w3.org/2001/XMLSchema-instance',
  uro: 'https://www.geospatial.jp/iur/uro/3.1',
};

/** Attributes that declare the usual prefixes. */
export const DECLARATIONS = Object.entries(NAMESPACES)
  .map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`)
  .join(' ');

/** A model with an envelope in EPSG:6697 and the given members. */
export function cityModel(members: string, root = ''): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<core:CityModel ${DECLARATIONS}${root}>
  <gml:boundedBy><gml:Envelope srsName="http://www.opengis.net/def/crs/EPSG/0/6697" srsDimension="3">
    <gml:lowerCorner>35 139 0</gml:lowerCorner><gml:upperCorner>36 140 9</gml:upperCorner>
  </gml:Envelope></gml:boundedBy>
${members}</core:CityModel>
`;
}

/** A feature as a member. */
export function member(feature: string): string {
  return `  <core:cityObjectMember>\n    ${feature}\n  </core:cityObjectMember>\n`;
}

/** A polygon of `[lat, lng, alt]` vertices, closed here. */
export function polygon(vertices: number[][], attributes = ''): string {
  const ring = [...vertices, vertices[0]!].flat().join(' ');
  return (
    `<gml:Polygon${attributes}><gml:exterior><gml:LinearRing><gml:posList>${ring}</gml:posList>` +
    `</gml:LinearRing></gml:exterior></gml:Polygon>`
  );
}

/** The six faces of a block as `gml:Solid`. */
export function block(lat: number, lng: number, size: number, low: number, high: number): string {
  const corners = [
    [lat, lng],
    [lat, lng + size],
    [lat + size, lng + size],
    [lat + size, lng],
  ];
  const faces = [
    corners.map((c) => [...c, low]).reverse(),
    corners.map((c) => [...c, high]),
    ...corners.map((c, i) => {
      const d = corners[(i + 1) % 4]!;
      return [
        [...c, low],
        [...d, low],
        [...d, high],
        [...c, high],
      ];
    }),
  ];
  const members = faces.map((face) => `<gml:surfaceMember>${polygon(face)}</gml:surfaceMember>`).join('');
  return `<gml:Solid><gml:exterior><gml:CompositeSurface>${members}</gml:CompositeSurface></gml:exterior></gml:Solid>`;
}
