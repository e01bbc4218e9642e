/** A made-up ward as dense as the middle of Tokyo: a package of buildings with blocks of LOD 1 and textured walls and roofs of LOD 2. */
import sharp from 'sharp';
import { meshBounds } from '../../src/geo/mesh.ts';
import { writeZipFile, type ZipFileMember } from '../../src/sample/zip-file.ts';
import { Random } from '../national/random.ts';

export interface DenseWard {
  /** Third meshes, each of which is a file. */
  meshes: readonly string[];
  buildingsPerMesh: number;
  /** Pixels across the image of a building, twice its height: four walls beside each other over the roof. 384, 12 cm on a house, by default. */
  imageWidth?: number;
}

const IMAGE_WIDTH = 384;
/** Different pictures; buildings take them by turns, each as a file of its own. */
const PICTURES = 16;
const METRE = 1 / 111_000;

/** Writes the package; the same bytes for the same ward. */
export async function writeDenseWard(
  path: string,
  { meshes, buildingsPerMesh, imageWidth = IMAGE_WIDTH }: DenseWard,
): Promise<void> {
  const random = new Random('dense ward');
  const pictures = await Promise.all(Array.from({ length: PICTURES }, () => picture(imageWidth, random)));
  const members = function* (): Generator<ZipFileMember> {
    for (const mesh of meshes) {
      const name = `udx/bldg/${mesh}_bldg_6697`;
      const buildings: string[] = [];
      for (let i = 0; i < buildingsPerMesh; i++) {
        buildings.push(building(mesh, i, buildingsPerMesh, random));
        yield { path: `${name}_appearance/${i}.jpg`, bytes: pictures[i % PICTURES]! };
      }
      yield { path: `${name}_op.gml`, bytes: Buffer.from(model(mesh, buildings)) };
    }
  };
  await writeZipFile(path, '', members());
}

/** Windows in rows, with noise as photographs have it. */
async function picture(width: number, random: Random): Promise<Buffer> {
  const height = width / 2;
  const data = Buffer.alloc(3 * width * height);
  const wall = [0, 1, 2].map(() => 90 + 130 * random.next());
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const isWindow = y < height / 2 && x % 12 > 4 && y % 16 > 6;
      for (let c = 0; c < 3; c++) {
        data[3 * (y * width + x) + c] = (isWindow ? 50 : wall[c]!) + 30 * random.next();
      }
    }
  }
  return sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 75 })
    .toBuffer();
}

function building(mesh: string, number: number, count: number, random: Random): string {
  const { west, south, east, north } = meshBounds(mesh);
  const columns = Math.ceil(Math.sqrt(count));
  const lng = west + ((number % columns) + 0.5) * ((east - west) / columns);
  const lat = south + (Math.floor(number / columns) + 0.5) * ((north - south) / columns);
  const [w, d] = [7 + 9 * random.next(), 7 + 9 * random.next()];
  // One in thirty is an office tower.
  const tall = random.next() < 1 / 30;
  const h = tall ? 40 + 160 * random.next() ** 2 : 6 + 20 * random.next() ** 2;
  const aside = METRE / Math.cos((lat * Math.PI) / 180);
  const at = ([x, y, z]: readonly number[]) =>
    `${(lat + y! * METRE).toFixed(9)} ${(lng + x! * aside).toFixed(9)} ${(3 + z!).toFixed(3)}`;
  const corners = [
    [0, 0],
    [w, 0],
    [w, d],
    [0, d],
  ];
  const roof = corners.map(([x, y]) => [x!, y!, h]);
  const walls = corners.map(([x, y], i) => {
    const [u, v] = corners[(i + 1) % 4]!;
    return [
      [x!, y!, 0],
      [u!, v!, 0],
      [u!, v!, h],
      [x!, y!, h],
    ];
  });
  const ground = corners.toReversed().map(([x, y]) => [x!, y!, 0]);
  const id = `b_${mesh}_${number}`;
  const polygon = (ring: number[][], name?: string) => {
    const key = name === undefined ? '' : ` gml:id="${id}_${name}"`;
    const ringKey = name === undefined ? '' : ` gml:id="${id}_${name}_r"`;
    return `<gml:surfaceMember><gml:Polygon${key}><gml:exterior><gml:LinearRing${ringKey}><gml:posList>${[...ring, ring[0]!].map(at).join(' ')}</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember>`;
  };
  const surface = (name: string, text: string) =>
    `<bldg:boundedBy><bldg:${name}><bldg:lod2MultiSurface><gml:MultiSurface>${text}</gml:MultiSurface></bldg:lod2MultiSurface></bldg:${name}></bldg:boundedBy>`;
  const uvs = (u0: number, u1: number, v0: number, v1: number) =>
    `${u0} ${v0} ${u1} ${v0} ${u1} ${v1} ${u0} ${v1} ${u0} ${v0}`;
  const target = (name: string, list: string) =>
    `<app:target uri="#${id}_${name}"><app:TexCoordList><app:textureCoordinates ring="#${id}_${name}_r">${list}</app:textureCoordinates></app:TexCoordList></app:target>`;
  const texture = `<app:appearance><app:Appearance><app:theme>rgbTexture</app:theme><app:surfaceDataMember><app:ParameterizedTexture><app:imageURI>${mesh}_bldg_6697_appearance/${number}.jpg</app:imageURI>${walls
    .map((_, i) => target(`w${i}`, uvs(i / 4, (i + 1) / 4, 0.5, 1)))
    .join(
      '',
    )}${target('roof', uvs(0, 0.25, 0, 0.5))}</app:ParameterizedTexture></app:surfaceDataMember></app:Appearance></app:appearance>`;
  const details = Array.from(
    { length: 12 },
    (_, i) =>
      `<gen:stringAttribute name="調査項目${i}"><gen:value>${Math.floor(1e6 * random.next())}番の値</gen:value></gen:stringAttribute>`,
  ).join('');
  return `<core:cityObjectMember><bldg:Building gml:id="${id}">${details}${texture}<bldg:class>3001</bldg:class><bldg:usage>${401 + Math.floor(12 * random.next())}</bldg:usage><bldg:measuredHeight uom="m">${h.toFixed(1)}</bldg:measuredHeight><bldg:storeysAboveGround>${Math.ceil(h / 3.5)}</bldg:storeysAboveGround><bldg:lod1Solid><gml:Solid><gml:exterior><gml:CompositeSurface>${[ground, ...walls, roof].map((ring) => polygon(ring)).join('')}</gml:CompositeSurface></gml:exterior></gml:Solid></bldg:lod1Solid>${walls
    .map((ring, i) => surface('WallSurface', polygon(ring, `w${i}`)))
    .join(
      '',
    )}${surface('RoofSurface', polygon(roof, 'roof'))}${surface('GroundSurface', polygon(ground))}<uro:buildingIDAttribute><uro:BuildingIDAttribute><uro:buildingID>${id}</uro:buildingID><uro:city>13104</uro:city></uro:BuildingIDAttribute></uro:buildingIDAttribute></bldg:Building></core:cityObjectMember>`;
}

function model(mesh: string, members: readonly string[]): string {
  const { west, south, east, north } = meshBounds(mesh);
  return `<?xml version="1.0" encoding="UTF-8"?>
<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:gml="http://www.opengis.net/gml" xmlns:gen="http://www.opengis.net/citygml/generics/2.0" xmlns:bldg="http://www.opengis.net/citygml/building/2.0" xmlns:app="http://www.opengis.net/citygml/appearance/2.0" xmlns:uro="https://www.geospatial.jp/iur/uro/3.2">
<gml:boundedBy><gml:Envelope srsName="http://www.opengis.net/def/crs/EPSG/0/6697" srsDimension="3"><gml:lowerCorner>${south} ${west} 0</gml:lowerCorner><gml:upperCorner>${north} ${east} 300</gml:upperCorner></gml:Envelope></gml:boundedBy>
${members.join('\n')}
</core:CityModel>
`;
}
