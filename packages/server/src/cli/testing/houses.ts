/** Small CityGML packages of houses, for tests of commands. */
import { join } from 'node:path';
import { writeFiles } from '../../ingest/testing/ingesting.ts';

export const HOUSES = '13101_chiyoda-ku_city_2023_citygml_1_op';
export const GML_PATH = 'udx/bldg/53394509_bldg_6697_op.gml';

/** A file of houses in a row, a box of ten metres each. */
export function housesGml(count: number, note = ''): string {
  let members = '';
  for (let n = 0; n < count; n++) {
    const [south, west] = [35.6751 + n * 2e-4, 139.7401 + n * 2e-4];
    const ring = [
      [south, west],
      [south, west + 1e-4],
      [south + 1e-4, west + 1e-4],
      [south + 1e-4, west],
      [south, west],
    ];
    const face = (height: number) =>
      ring.map(([lat, lng]) => `${lat!.toFixed(7)} ${lng!.toFixed(7)} ${height}`);
    const surface = (points: readonly string[]) =>
      `<gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>${points.join(' ')}` +
      '</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember>';
    members +=
      `<core:cityObjectMember><bldg:Building gml:id="house_${n}">${note}<bldg:lod1Solid><gml:Solid><gml:exterior>` +
      `<gml:CompositeSurface>${surface(face(3))}${surface(face(12).reverse())}</gml:CompositeSurface>` +
      '</gml:exterior></gml:Solid></bldg:lod1Solid></bldg:Building></core:cityObjectMember>\n';
  }
  return `<?xml version="1.0" encoding="UTF-8"?>
<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" \
xmlns:bldg="http://www.opengis.net/citygml/building/2.0" xmlns:gml="http://www.opengis.net/gml">
<gml:boundedBy><gml:Envelope srsName="http://www.opengis.net/def/crs/EPSG/0/6697" srsDimension="3"><gml:lowerCorner>\
35.675 139.74 0</gml:lowerCorner><gml:upperCorner>35.68 139.745 40</gml:upperCorner></gml:Envelope></gml:boundedBy>
${members}</core:CityModel>
`;
}

/** Writes a package as a directory, and gives its path. */
export function writeHouses(
  directory: string,
  { name = HOUSES, count = 3, note = '' }: { name?: string; count?: number; note?: string } = {},
): Promise<string> {
  return writeFiles(join(directory, name), {
    [GML_PATH]: housesGml(count, note),
    'README.md': '# 千代田区\n',
  });
}
