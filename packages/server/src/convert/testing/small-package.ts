/** A small CityGML package on disk, for tests of conversions: land use and roads in a few meshes. */
import { createZip } from '@citymodel/tiles';

export const PACKAGE = '22203_numazu-shi_city_2023_citygml_1_op';

/** South-west corners of third meshes, as their names. */
const MESHES = ['52385500', '52385501', '52385510', '52385511'];

/** Writes the package as a zip; `note` stands in the features of the last mesh. */
export async function writeSmallPackage(path: string, note = 'a', perMesh = 20): Promise<void> {
  const zip = await createZip(path, Date.UTC(2023, 0, 1));
  for (const [i, mesh] of MESHES.entries()) {
    const text = i === MESHES.length - 1 ? note : 'same';
    for (const type of ['luse', 'tran'] as const) {
      await zip.add(`udx/${type}/${mesh}_${type}_6697_op.gml`, Buffer.from(gml(type, mesh, perMesh, text)));
    }
  }
  await zip.add(
    'codelists/Common_landUseType.xml',
    Buffer.from(
      '<gml:Dictionary xmlns:gml="http://www.opengis.net/gml" gml:id="l"><gml:name>l</gml:name><gml:dictionaryEntry>' +
        '<gml:Definition gml:id="d"><gml:description>宅地</gml:description><gml:name>211</gml:name></gml:Definition>' +
        '</gml:dictionaryEntry></gml:Dictionary>',
    ),
  );
  await zip.finish();
}

/** One member by its path, and its text or bytes. */
export interface Member {
  path: string;
  text: string | Uint8Array;
}

/** Writes a package of any members. */
export async function writePackage(path: string, members: readonly Member[]): Promise<void> {
  const zip = await createZip(path, Date.UTC(2023, 0, 1));
  for (const { path: member, text } of members) {
    await zip.add(member, typeof text === 'string' ? Buffer.from(text) : text);
  }
  await zip.finish();
}

/** The text of a file with features in a row from west to east. */
export function gml(type: 'luse' | 'tran', mesh: string, count: number, note: string): string {
  const lat = 35 + Number(mesh.at(-2)) / 120;
  const west = 138.625 + Number(mesh.at(-1)) / 80;
  let members = '';
  for (let i = 0; i < count; i++) {
    const [w, e] = [west + i * 4e-4, west + i * 4e-4 + 3e-4];
    const [s, n] = [lat + 1e-4, lat + 4e-4];
    const ring = [
      [s, w],
      [s, e],
      [n, e],
      [n, w],
      [s, w],
    ].map(([a, b]) => `${a!.toFixed(8)} ${b!.toFixed(8)} 0`);
    const surface =
      `<gml:MultiSurface><gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>` +
      `${ring.join(' ')}</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember>` +
      `</gml:MultiSurface>`;
    const id = `${type}_${mesh}_${i}`;
    members +=
      type === 'luse'
        ? `<core:cityObjectMember><luse:LandUse gml:id="${id}"><gml:name>${note}</gml:name>` +
          `<luse:class codeSpace="../../codelists/Common_landUseType.xml">211</luse:class><luse:lod1MultiSurface>` +
          `${surface}</luse:lod1MultiSurface></luse:LandUse></core:cityObjectMember>\n`
        : `<core:cityObjectMember><tran:Road gml:id="${id}"><gml:name>${note}</gml:name><tran:lod1MultiSurface>` +
          `${surface}</tran:lod1MultiSurface></tran:Road></core:cityObjectMember>\n`;
  }
  return `<?xml version="1.0" encoding="UTF-8"?>
<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:gml="http://www.opengis.net/gml" \
xmlns:luse="http://www.opengis.net/citygml/landuse/2.0" xmlns:tran="http://www.opengis.net/citygml/transportation/2.0">
<gml:boundedBy><gml:Envelope srsName="http://www.opengis.net/def/crs/EPSG/0/6697" srsDimension="3"><gml:lowerCorner>\
${lat} ${west} 0</gml:lowerCorner><gml:upperCorner>${lat + 1 / 120} ${west + 1 / 80} 0</gml:upperCorner>\
</gml:Envelope></gml:boundedBy>
${members}</core:CityModel>
`;
}
