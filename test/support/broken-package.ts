/** A package with findings of several checks of quality. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A building whose roof has one corner too high, and a road of codes that nobody has. */
export async function writeBroken(directory: string): Promise<string> {
  const root = join(directory, '13101_chiyoda-ku_city_2024_citygml_1_op');
  await mkdir(join(root, 'udx/bldg'), { recursive: true });
  const list = '35.6 139.7 0 35.6 139.701 0 35.601 139.701 9 35.601 139.7 0 35.6 139.7 0';
  const around = (names: string, content: string) =>
    names.split(' ').reduceRight((inner, name) => `<${name}>${inner}</${name}>`, content);
  const polygon = around('gml:Polygon gml:exterior gml:LinearRing gml:posList', list);
  const solid = around(
    'bldg:lod1Solid gml:Solid gml:exterior gml:CompositeSurface gml:surfaceMember',
    polygon,
  );
  const buildings = [1, 2, 3].map((n) => {
    const id = `bldg_0a8b7c6d-0000-4000-8000-00000000000${n}`;
    const coded = '<bldg:class codeSpace="../../codelists/x.xml">=1</bldg:class>';
    const facts =
      '<bldg:usage>住宅</bldg:usage>' +
      `<bldg:yearOfConstruction>${1980 + n}</bldg:yearOfConstruction>` +
      `<bldg:measuredHeight uom="m">${n * 4}</bldg:measuredHeight>`;
    const building = `<bldg:Building gml:id="${id}">${coded}${facts}${solid}</bldg:Building>`;
    return around('core:cityObjectMember', building);
  });
  const corners =
    '<gml:lowerCorner>35.6 139.7 0</gml:lowerCorner><gml:upperCorner>35.61 139.71 30</gml:upperCorner>';
  const crs = 'http://www.opengis.net/def/crs/EPSG/0/6697';
  const envelope = `<gml:Envelope srsName="${crs}" srsDimension="3">${corners}</gml:Envelope>`;
  const citygml = 'http://www.opengis.net/citygml';
  const gml = 'http://www.opengis.net/gml';
  const bound = `xmlns:core="${citygml}/2.0" xmlns:bldg="${citygml}/building/2.0" xmlns:gml="${gml}"`;
  await writeFile(
    join(root, 'udx/bldg/53393599_bldg_6697_op.gml'),
    `<core:CityModel ${bound}>${around('gml:boundedBy', envelope)}${buildings.join('')}</core:CityModel>`,
  );
  return root;
}
