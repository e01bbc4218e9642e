/** Each form of geometry that CityGML 3.0 has, in files that are made for it. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { unzip } from '@citymodel/citygml/testing';
import { lookInto, outputSuffix } from '@citymodel/tiles';
import { box, polygon, position, readTiles } from '@citymodel/tiles/testing';
import sharp from 'sharp';
import type { ConvertReport } from './convert.ts';
import { MAKERS } from './makers.ts';
import { convertZip, USUAL_OPTIONS } from './testing/convert-zip.ts';

const root = mkdtempSync(join(tmpdir(), 'citymodel-forms-'));
after(() => rmSync(root, { recursive: true, force: true }));

const MODULES = {
  app: 'appearance',
  brid: 'bridge',
  bldg: 'building',
  con: 'construction',
  frn: 'cityfurniture',
  gen: 'generics',
  tran: 'transportation',
  tun: 'tunnel',
  veg: 'vegetation',
  wtr: 'waterbody',
} as const;

/** A file of CityGML 3.0 with these members. */
function gml3(members: readonly string[], appearance = ''): string {
  const modules = Object.entries(MODULES).map(
    ([prefix, name]) => ` xmlns:${prefix}="http://www.opengis.net/citygml/${name}/3.0"`,
  );
  return (
    `<core:CityModel xmlns:core="http://www.opengis.net/citygml/3.0"${modules.join('')} xmlns:gml="http:/` +
    `/www.opengis.net/gml/3.2" xmlns:xlink="http://www.w3.org/1999/xlink"><gml:boundedBy>` +
    `<gml:Envelope srsName="http://www.opengis.net/def/crs/EPSG/0/6697" srsDimension="3">` +
    `<gml:lowerCorner>35.68 139.77 0</gml:lowerCorner><gml:upperCorner>35.69 139.78 50</gml:upperCorner>` +
    `</gml:Envelope></gml:boundedBy>${appearance}` +
    `${members.map((member) => `<core:cityObjectMember>${member}</core:cityObjectMember>`).join('')}` +
    `</core:CityModel>`
  );
}

/**
 * Converts files, each by its path below `udx`; packages by the end of their names, with how many features they have.
 */
async function converted(
  name: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  options = {},
): Promise<{ report: ConvertReport; packages: Map<string, number>; pathOf(suffix: string): string }> {
  const directory = join(root, name, '13101_chiyoda-ku_city_2025_citygml_1_op');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(directory, 'udx', path, '..'), { recursive: true });
    writeFileSync(join(directory, 'udx', path), text);
  }
  const report = await convertZip(directory, join(root, name, 'made'), { options });
  const ends = report.packages.map((pkg) => [pkg.name.replace(/^.*_op_/, ''), pkg] as const);
  return {
    report,
    packages: new Map(ends.map(([end, { features }]) => [end, features])),
    pathOf: (suffix) => new Map(ends).get(suffix)!.path!,
  };
}

const shell = (lod: number, sides: readonly string[]) =>
  `<core:lod${lod}Solid><gml:Solid><gml:exterior><gml:Shell>${sides.join('')}</gml:Shell></gml:exterior>` +
  `</gml:Solid></core:lod${lod}Solid>`;
const surface = (lod: number, polygons: string) =>
  `<core:lod${lod}MultiSurface><gml:MultiSurface>${polygons}</gml:MultiSurface></core:lod${lod}MultiSurface>`;
const bounded = (element: string, id: string, content: string) =>
  `<core:boundary><${element} gml:id="${id}">${content}</${element}></core:boundary>`;
const BLDG = 'bldg/53394525_bldg_6697_op.gml';

/** A house with a room of its own at LOD 3, one at LOD 2 alone, and a floor that stands on the house itself. */
const HOUSE = `<bldg:Building gml:id="house">${shell(1, box([0, 0, 0], [10, 10, 6]))}\
${shell(3, box([0, 0, 0], [10, 10, 7]))}${bounded(
  'con:FloorSurface',
  'floor',
  surface(
    3,
    polygon([
      [
        [1, 1, 3],
        [9, 1, 3],
        [9, 9, 3],
      ],
    ]),
  ),
)}<bldg:buildingRoom><bldg:BuildingRoom gml:id="hall">${shell(2, box([1, 1, 0.2], [4, 4, 2]))}\
${shell(3, box([1, 1, 0.2], [4, 4, 2.5]))}</bldg:BuildingRoom></bldg:buildingRoom><bldg:buildingRoom>\
<bldg:BuildingRoom gml:id="store">\
${bounded('con:InteriorWallSurface', 'wall', surface(2, box([6, 6, 0.2], [2, 2, 2]).join('')))}</bldg:BuildingRoom>\
</bldg:buildingRoom><bldg:buildingSubdivision><bldg:Storey gml:id="ground">${shell(2, box([0, 0, 0], [10, 10, 3]))}\
</bldg:Storey></bldg:buildingSubdivision></bldg:Building>`;

test('rooms, storeys and surfaces of the inside have packages of their own, as LOD 4 of 2.0', async () => {
  const { report, packages, pathOf } = await converted(
    'rooms',
    { [BLDG]: gml3([HOUSE]) },
    { compression: 'none' },
  );
  assert.deepEqual(report.issues, []);
  assert.equal(report.account!.complete, true);
  assert.deepEqual(
    [...packages],
    [
      ['bldg_3dtiles_lod1', 1],
      ['bldg_3dtiles_lod3', 1],
      ['bldg_3dtiles_lod3_interior', 1],
      ['bldg_mvt_lod0', 1],
      ['bldg_mvt_lod0_interior', 4],
    ],
  );
  const content = await lookInto(inOne(gml3([HOUSE])), () => {});
  const facts = { path: `udx/${BLDG}`, type: 'bldg', mesh: '53394525', size: 1 };
  const source = { name: '', cityCode: '13101', cityName: '', wards: [], year: 2025 };
  const foreseen = MAKERS.flatMap((maker) => maker.foresee(facts, USUAL_OPTIONS, content, source));
  assert.deepEqual(foreseen.map((key) => outputSuffix(key)).sort(), [...packages.keys()]);
  const shown = new Map(report.account!.surfaces.map(({ lod, out }) => [lod, out]));
  // Outside six sides at each level; inside a floor, the hall at its highest level, the store, and the storey.
  assert.deepEqual(
    [...shown],
    [
      [1, 6],
      [3, 6],
      [4, 1 + 6 + 6 + 6],
    ],
  );
  const rowOf = async (suffix: string) =>
    (await readTiles(await unzip(pathOf(suffix), /./))).flatMap(({ features }) =>
      features.map(({ row }) => row),
    );
  const [inside] = await rowOf('bldg_3dtiles_lod3_interior');
  assert.deepEqual([inside!.gml_id, inside!._lod, inside!._zmax], ['house', 3, 3]);
  const [outside] = await rowOf('bldg_3dtiles_lod3');
  assert.deepEqual([outside!._lod, outside!._zmax], [3, 7]);
});

test('a building that states another city in a hook is left out', async () => {
  const house = (id: string, city: string) =>
    `<bldg:Building gml:id="${id}" xmlns:uro="https://www.geospatial.jp/iur/uro/4.0">` +
    `${shell(1, box([0, 0, 0], [10, 10, 6]))}<bldg:adeOfAbstractBuilding><uro:BuildingIDAttribute><uro:city>${city}` +
    `</uro:city></uro:BuildingIDAttribute></bldg:adeOfAbstractBuilding></bldg:Building>`;
  const members = [house('own', '13101'), house('far', '14130')];
  const { report, packages } = await converted('cities', { [BLDG]: gml3(members) });
  assert.deepEqual(
    report.issues.map(({ code, id, count }) => [code, id, count]),
    [['CITY_OUTSIDE', 'far', 1]],
  );
  assert.equal(report.account!.complete, true);
  assert.equal(packages.get('bldg_3dtiles_lod1'), 1);
});

test('an installation that says so is inside, and its building is not drawn as it at a higher level', async () => {
  const installation = (id: string, side: string, x: number) =>
    `<bldg:buildingInstallation><bldg:BuildingInstallation gml:id="${id}">${shell(3, box([x, 2, 1], [1, 1, 1]))}` +
    `<con:relationToConstruction>${side}</con:relationToConstruction></bldg:BuildingInstallation>` +
    `</bldg:buildingInstallation>`;
  const house = (...inner: string[]) =>
    `<bldg:Building gml:id="h">${shell(2, box([0, 0, 0], [10, 10, 6]))}${inner.join('')}</bldg:Building>`;
  const inside = gml3([house(installation('stairs', 'inside', 2))]);
  const { report, packages } = await converted('stairs', { [BLDG]: inside }, { compression: 'none' });
  assert.deepEqual(report.issues, []);
  assert.equal(report.account!.complete, true);
  const shown = new Map(report.account!.surfaces.map(({ lod, out }) => [lod, out]));
  assert.deepEqual(
    [...shown],
    [
      [2, 6],
      [4, 6],
    ],
  );
  assert.deepEqual(
    [...packages],
    [
      ['bldg_3dtiles_lod2', 1],
      ['bldg_3dtiles_lod3_interior', 1],
      ['bldg_mvt_lod0', 1],
      ['bldg_mvt_lod0_interior', 1],
    ],
  );
  const content = await lookInto(inOne(inside), () => {});
  const facts = { path: `udx/${BLDG}`, type: 'bldg', mesh: '53394525', size: 1 };
  const source = { name: '', cityCode: '13101', cityName: '', wards: [], year: 2025 };
  const foreseen = MAKERS.flatMap((maker) => maker.foresee(facts, USUAL_OPTIONS, content, source));
  const suffixes = foreseen.map((key) => outputSuffix(key));
  assert.deepEqual(suffixes.filter((suffix) => suffix.includes('interior')).sort(), [
    'bldg_3dtiles_lod3_interior',
    'bldg_mvt_lod0_interior',
  ]);
  const outside = gml3([
    house(installation('a', 'outside', 2), installation('b', 'bothInsideAndOutside', 5)),
  ]);
  const { packages: others } = await converted('balconies', { [BLDG]: outside });
  assert.deepEqual([...others.keys()], ['bldg_3dtiles_lod2', 'bldg_3dtiles_lod3', 'bldg_mvt_lod0']);
});

test('bridges and tunnels have floor plans where they have an inside, and the account closes', async () => {
  const plan = polygon([
    [
      [1, 1, 3],
      [9, 1, 3],
      [9, 9, 3],
    ],
  ]);
  const tunnel = `<tun:Tunnel gml:id="t">${shell(1, box([0, 0, 0], [10, 10, 6]))}<tun:hollowSpace><tun:HollowSpace \
gml:id="h"><gml:name>north</gml:name>${bounded('con:FloorSurface', 'f', surface(0, plan))}</tun:HollowSpace>\
</tun:hollowSpace></tun:Tunnel>`;
  const bridge = `<brid:Bridge gml:id="b">${shell(1, box([20, 0, 0], [10, 10, 6]))}<brid:bridgeRoom><brid:BridgeRoom \
gml:id="r">${shell(2, box([21, 1, 1], [4, 4, 2]))}</brid:BridgeRoom></brid:bridgeRoom></brid:Bridge>`;
  const files = {
    'tun/53394525_tun_6697_op.gml': gml3([tunnel]),
    'brid/53394525_brid_6697_op.gml': gml3([bridge]),
    'brid/53394526_brid_6697_op.gml': gml3([bridge.replace(/<brid:bridgeRoom>.*<.brid:bridgeRoom>/, '')]),
  };
  const { report, packages } = await converted('plans', files);
  assert.deepEqual(report.issues, []);
  assert.equal(report.account!.complete, true);
  assert.deepEqual(
    [...packages].filter(([name]) => name.includes('interior')),
    [
      ['brid_3dtiles_lod3_interior', 1],
      ['brid_mvt_lod0_interior', 1],
      ['tun_mvt_lod0_interior', 1],
    ],
  );
  for (const [path, text] of Object.entries(files)) {
    const facts = { path: `udx/${path}`, type: path.slice(0, path.indexOf('/')), mesh: '53394525', size: 1 };
    const source = { name: '', cityCode: '13101', cityName: '', wards: [], year: 2025 };
    const content = await lookInto(inOne(text), () => {});
    const foreseen = MAKERS.flatMap((maker) => maker.foresee(facts, USUAL_OPTIONS, content, source));
    const isThere = foreseen.some(({ kind, interior }) => kind === 'mvt' && interior);
    assert.equal(isThere, !path.includes('53394526'), path);
  }
});

test('who asks for some levels of detail gets the inside with 3 or 4', async () => {
  const suffixes = async (lods: number[]) => {
    const { report, packages } = await converted(`lods-${lods}`, { [BLDG]: gml3([HOUSE]) }, { lods });
    assert.equal(report.account!.complete, true);
    return [...packages.keys()].map((name) => name.replace('bldg_3dtiles_', ''));
  };
  assert.deepEqual(await suffixes([1, 2]), ['lod1']);
  assert.deepEqual(await suffixes([3]), ['lod3', 'lod3_interior']);
  assert.deepEqual(await suffixes([4]), ['lod3_interior']);
  assert.deepEqual(await suffixes([0]), ['bldg_mvt_lod0', 'bldg_mvt_lod0_interior']);
});

test('templates of 3.0 stand at their places, also of another file', async () => {
  const template = `<core:relativeGeometry><gml:MultiSurface gml:id="template">${box([0, 0, 0], [1, 1, 2])
    .join('')
    .replace(/<gml:posList>[^<]*/g, (text) => local(text))}</gml:MultiSurface></core:relativeGeometry>`;
  const lamp = (id: string, x: number, geometry: string) =>
    `<frn:CityFurniture gml:id="${id}"><core:lod2ImplicitRepresentation><core:ImplicitGeometry>` +
    `<core:transformationMatrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</core:transformationMatrix><core:referencePoint>` +
    `<gml:Point><gml:pos>${position([x, 5, 3])}</gml:pos></gml:Point></core:referencePoint>${geometry}` +
    `</core:ImplicitGeometry></core:lod2ImplicitRepresentation></frn:CityFurniture>`;
  const { report, packages } = await converted('templates', {
    'frn/53394525_frn_6697_op.gml': gml3([
      lamp('a', 5, template),
      lamp('b', 20, '<core:relativeGeometry xlink:href="#template"/>'),
    ]),
    'frn/53394526_frn_6697_op.gml': gml3([
      lamp('c', 40, '<core:relativeGeometry xlink:href="53394525_frn_6697_op.gml#template"/>'),
    ]).replaceAll('139.77', '139.77'),
  });
  assert.deepEqual(report.issues, []);
  assert.deepEqual([...packages], [['frn_3dtiles_lod2', 3]]);
});

test('appearances of surfaces and of templates are drawn, beside those of features and files', async () => {
  const appearance = (surface: string) =>
    `<core:appearance><app:Appearance><app:surfaceData><app:ParameterizedTexture><app:imageURI>../a.png` +
    `</app:imageURI><app:textureParameterization><app:TextureAssociation><app:target>#${surface}</app:target>` +
    `<app:textureParameterization><app:TexCoordList><app:textureCoordinates>0 0 1 0 1 1 0 1 0 0` +
    `</app:textureCoordinates><app:ring>#${surface}-r0</app:ring></app:TexCoordList></app:textureParameterization>` +
    `</app:TextureAssociation></app:textureParameterization></app:ParameterizedTexture></app:surfaceData>` +
    `</app:Appearance></core:appearance>`;
  const square = [
    [0, 0, 3],
    [9, 0, 3],
    [9, 9, 3],
    [0, 9, 3],
  ] as const;
  const roof = bounded('con:RoofSurface', 'r', appearance('p') + surface(2, polygon([square], 'p')));
  const tile = polygon([square], 'q').replace(/<gml:posList>[^<]*/g, local);
  const lamp =
    `<frn:CityFurniture gml:id="a"><core:lod2ImplicitRepresentation><core:ImplicitGeometry>` +
    `<core:referencePoint><gml:Point><gml:pos>${position([5, 5, 3])}</gml:pos></gml:Point></core:referencePoint>` +
    `<core:relativeGeometry><gml:MultiSurface>${tile}</gml:MultiSurface></core:relativeGeometry>` +
    `${appearance('q')}</core:ImplicitGeometry>` +
    `</core:lod2ImplicitRepresentation></frn:CityFurniture>`;
  const { report, packages } = await converted('inner-appearances', {
    'a.png': await sharp({ create: { width: 4, height: 4, channels: 3, background: 'red' } })
      .png()
      .toBuffer(),
    [BLDG]: gml3([`<bldg:Building gml:id="b">${roof}</bldg:Building>`]),
    'frn/53394525_frn_6697_op.gml': gml3([lamp]),
  });
  assert.deepEqual(report.issues, []);
  assert.equal(report.account!.complete, true);
  assert.deepEqual(
    [...packages.keys()].filter((name) => name.includes('3dtiles')),
    ['bldg_3dtiles_lod2', 'bldg_3dtiles_lod2_no_texture', 'frn_3dtiles_lod2', 'frn_3dtiles_lod2_no_texture'],
  );
});

test('points, curves and areas of LOD 0, and lanes of traffic spaces, are vector tiles', async () => {
  const line =
    `<gml:MultiCurve><gml:curveMember><gml:LineString><gml:posList>${position([0, 0, 0])} ` +
    `${position([50, 50, 0])}</gml:posList></gml:LineString></gml:curveMember></gml:MultiCurve>`;
  const point = `<gml:Point><gml:pos>${position([9, 9, 0])}</gml:pos></gml:Point>`;
  const square = polygon([
    [
      [0, 0, 0],
      [9, 0, 0],
      [9, 9, 0],
      [0, 9, 0],
    ],
  ]);
  const lane = (id: string) =>
    `<tran:trafficSpace><tran:TrafficSpace gml:id="s-${id}"><core:boundary><tran:TrafficArea gml:id="${id}">` +
    `${surface(2, square)}</tran:TrafficArea></core:boundary></tran:TrafficSpace></tran:trafficSpace>`;
  const { report, packages } = await converted('flat', {
    'tran/53394525_tran_6697_op.gml': gml3([
      `<tran:Road gml:id="road"><core:lod0MultiCurve>${line}</core:lod0MultiCurve><core:lod2MultiSurface>` +
        `<gml:MultiSurface>${square}</gml:MultiSurface></core:lod2MultiSurface>${lane('l1')}${lane('l2')}</tran:Road>`,
    ]),
    'gen/53394525_gen_6697_op.gml': gml3([
      `<gen:GenericOccupiedSpace gml:id="g"><core:lod0Point>${point}</core:lod0Point></gen:GenericOccupiedSpace>`,
    ]),
    'wtr/53394525_wtr_6697_op.gml': gml3([
      `<wtr:WaterBody gml:id="w"><core:lod0MultiSurface><gml:MultiSurface>${square}</gml:MultiSurface>` +
        `</core:lod0MultiSurface></wtr:WaterBody>`,
    ]),
  });
  assert.deepEqual(report.issues, []);
  assert.deepEqual(
    [...packages],
    [
      ['gen_mvt_lod0', 1],
      ['tran_mvt_lod0', 1],
      ['tran_mvt_lod2', 2],
      ['wtr_mvt_lod0', 1],
    ],
  );
});

test('surfaces of LOD 1 and hollows that i-UR 4.0 adds to furniture and manholes are their shape', async () => {
  const square = polygon([
    [
      [0, 0, 0],
      [9, 0, 0],
      [9, 9, 3],
      [0, 9, 3],
    ],
  ]);
  const extended = (element: string) =>
    `<${element} gml:id="e" xmlns:uro="https://www.geospatial.jp/iur/uro/4.0"><frn:adeOfCityFurniture>` +
    `<uro:CityFurnitureExtendedGeometry><uro:interiorSpace><gen:GenericUnoccupiedSpace gml:id="h">` +
    `${surface(2, square)}</gen:GenericUnoccupiedSpace></uro:interiorSpace><uro:lod1MultiSurface><gml:MultiSurface>` +
    `${square}</gml:MultiSurface></uro:lod1MultiSurface></uro:CityFurnitureExtendedGeometry>` +
    `</frn:adeOfCityFurniture></${element}>`;
  const { report, packages } = await converted('extended', {
    'frn/53394525_frn_6697_op.gml': gml3([extended('frn:CityFurniture')]),
    'unf/53394525_unf_6697_op.gml': gml3([extended('uro:Manhole')]),
  });
  assert.deepEqual(report.issues, []);
  assert.equal(report.account!.complete, true);
  assert.deepEqual(
    [...packages],
    [
      ['frn_3dtiles_lod1', 1],
      ['frn_3dtiles_lod2', 1],
      ['unf_Manhole_3dtiles_lod1', 1],
      ['unf_Manhole_3dtiles_lod2', 1],
    ],
  );
});

/** A position list in degrees as metres from the corner of the fixtures. */
function local(text: string): string {
  const numbers = text.replace('<gml:posList>', '').split(' ').map(Number);
  const metres: number[] = [];
  for (let i = 0; i < numbers.length; i += 3)
    metres.push((numbers[i + 1]! - 139.77) * 91_290, (numbers[i]! - 35.68) * 110_950, numbers[i + 2]!);
  return `<gml:posList>${metres.map((value) => Math.round(value * 1e6) / 1e6).join(' ')}`;
}

async function* inOne(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
