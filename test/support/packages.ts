/** Small packages for tests, all invented. */
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';

export type Members = Record<string, string | Uint8Array>;

/** The name of the package that most tests use. */
export const PACKAGE = '47201_naha-shi_city_2023_citygml_1_op';
/** The only third mesh of it. */
export const MESH = '39272554';
export const GML = `udx/bldg/${MESH}_bldg_6697_op.gml`;

/** South-west corner of `MESH`, degrees. */
const SOUTH = 26 + 2 / 12 + 5 / 120;
const WEST = 127 + 5 / 8 + 4 / 80;

/** A building as a box of ten metres or so, `n` steps north-east of the corner of its mesh. */
function building(n: number, { attributes = '' }: { attributes?: string } = {}): string {
  const south = SOUTH + 0.0001 + n * 0.0002;
  const west = WEST + 0.0001 + n * 0.0002;
  const ring = [
    [south, west],
    [south, west + 0.0001],
    [south + 0.0001, west + 0.0001],
    [south + 0.0001, west],
    [south, west],
  ];
  const face = (altitude: number) =>
    ring.map(([lat, lng]) => `${lat!.toFixed(7)} ${lng!.toFixed(7)} ${altitude}`);
  const surface = (points: string[]) =>
    `<gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>${points.join(' ')}</gml:posList>` +
    `</gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember>`;
  return `<core:cityObjectMember><bldg:Building gml:id="bldg_${n}">${attributes}
<bldg:lod1Solid><gml:Solid><gml:exterior><gml:CompositeSurface>${surface(face(3))}${surface(face(12).reverse())}\
</gml:CompositeSurface></gml:exterior></gml:Solid></bldg:lod1Solid>
</bldg:Building></core:cityObjectMember>\n`;
}

/** A CityGML file of that many buildings, of which the first is the one that `from` counts. */
export function gml(
  count: number,
  options: { attributes?: string; head?: string; tail?: string; from?: number } = {},
): string {
  const { from = 0 } = options;
  let members = '';
  for (let n = from; n < from + count; n++) members += building(n, options);
  return `<?xml version="1.0" encoding="UTF-8"?>
<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:bldg="http://www.opengis.net/citygml/building\
/2.0" xmlns:gml="http://www.opengis.net/gml" xmlns:uro="https://www.geospatial.jp/iur/uro/3.1">
<gml:boundedBy><gml:Envelope srsName="http://www.opengis.net/def/crs/EPSG/0/6697" srsDimension="3"><gml:lowerCorner>\
${SOUTH} ${WEST} 0</gml:lowerCorner><gml:upperCorner>${SOUTH + 0.005} ${WEST + 0.005} 40</gml:upperCorner>\
</gml:Envelope></gml:boundedBy>
${options.head ?? ''}${members}${options.tail ?? ''}</core:CityModel>
`;
}

/** A package that nothing is wrong with. */
export function goodPackage(count = 3): Members {
  return {
    [GML]: gml(count),
    'codelists/Building_class.xml':
      '<?xml version="1.0"?><gml:Dictionary xmlns:gml="http://www.opengis.net/gml"/>',
    'README.md': '# 那覇市\n',
  };
}

/** Writes the members as a zip. */
export async function writeZip(path: string, members: Members, root = ''): Promise<string> {
  const zip = new yazl.ZipFile();
  for (const [name, content] of Object.entries(members)) {
    zip.addBuffer(Buffer.from(content as string), root + name, { mtime: new Date(Date.UTC(2024, 3, 1)) });
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
  return path;
}

/** Writes the members as files below a directory. */
export async function writeDirectory(directory: string, members: Members): Promise<string> {
  for (const [name, content] of Object.entries(members)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), content);
  }
  return directory;
}
