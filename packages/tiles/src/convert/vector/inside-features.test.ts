import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gmlSource } from '../read/testing/gml-source.ts';
import { box, FIXTURE_PATH, polygon, position } from '../tiles3d/testing/fixture-gml.ts';
import { mayHoldInside } from './inside-features.ts';
import { contentOf, makeVectorTiles } from './testing/made-tiles.ts';

/** A file of CityGML 3.0 with one building. */
function gml3(content: string): string {
  const modules = { bldg: 'building', con: 'construction', gen: 'generics' };
  const namespaces = Object.entries(modules).map(
    ([prefix, name]) => ` xmlns:${prefix}="http://www.opengis.net/citygml/${name}/3.0"`,
  );
  return (
    `<core:CityModel xmlns:core="http://www.opengis.net/citygml/3.0"${namespaces.join('')} xmlns:gml="http://www.` +
    `opengis.net/gml/3.2"><gml:boundedBy><gml:Envelope srsName="http://www.opengis.net/def/crs/EPSG/0/6697" ` +
    `srsDimension="3"><gml:lowerCorner>35.68 139.77 0</gml:lowerCorner><gml:upperCorner>35.69 139.78 50` +
    `</gml:upperCorner></gml:Envelope></gml:boundedBy><core:cityObjectMember><bldg:Building gml:id="house">` +
    `<gml:name>Town hall</gml:name>${content}</bldg:Building></core:cityObjectMember></core:CityModel>`
  );
}

const source = (text: string, options = {}) =>
  gmlSource(FIXTURE_PATH, new Map([[FIXTURE_PATH, Buffer.from(text)]]), options);
const shell = (lod: number, sides: readonly string[]) =>
  `<core:lod${lod}Solid><gml:Solid><gml:exterior><gml:Shell>${sides.join('')}</gml:Shell></gml:exterior>` +
  `</gml:Solid></core:lod${lod}Solid>`;
const surface = (lod: number, polygons: string) =>
  `<core:lod${lod}MultiSurface><gml:MultiSurface>${polygons}</gml:MultiSurface></core:lod${lod}MultiSurface>`;
const square = polygon([
  [
    [0, 0, 3],
    [2, 0, 3],
    [2, 2, 3],
    [0, 2, 3],
  ],
]);
const seat =
  `<core:lod2ImplicitRepresentation><core:ImplicitGeometry><core:referencePoint><gml:Point><gml:pos>` +
  `${position([1, 1, 3])}</gml:pos></gml:Point></core:referencePoint></core:ImplicitGeometry>` +
  `</core:lod2ImplicitRepresentation>`;

/** A storey with a hall in it, whose walls bound it, with a door and a seat; and a ceiling of the building itself. */
const CONTENT =
  `${shell(1, box([0, 0, 0], [10, 10, 6]))}<core:boundary><con:CeilingSurface gml:id="ceiling">` +
  `${surface(2, square)}</con:CeilingSurface></core:boundary><bldg:buildingSubdivision><bldg:Storey gml:id="first">` +
  `${shell(2, box([0, 0, 3], [10, 10, 3]))}<bldg:buildingRoom><bldg:BuildingRoom gml:id="hall"><gml:name>Hall` +
  `</gml:name><core:boundary><con:InteriorWallSurface gml:id="wall">${surface(
    2,
    polygon([
      [
        [0, 0, 3],
        [4, 0, 3],
        [4, 0, 6],
      ],
    ]),
  )}</con:InteriorWallSurface></core:boundary><core:boundary><con:FloorSurface gml:id="floor">` +
  `${surface(2, square)}</con:FloorSurface></core:boundary><bldg:buildingFurniture><bldg:BuildingFurniture ` +
  `gml:id="seat">${seat}</bldg:BuildingFurniture></bldg:buildingFurniture></bldg:BuildingRoom>` +
  `</bldg:buildingRoom></bldg:Storey></bldg:buildingSubdivision>`;

test('rooms, storeys and furniture are features of floor plans, surfaces belong to the nearest room', async () => {
  const { packages, issues } = await makeVectorTiles([source(gml3(CONTENT))]);
  assert.deepEqual(issues, []);
  assert.deepEqual([...packages.keys()].sort(), ['bldg_mvt_lod0', 'bldg_mvt_lod0_interior']);
  const layers = contentOf(packages.get('bldg_mvt_lod0_interior')!, 16);
  const ids = [...layers].map(([name, { features }]) => [name, [...features.keys()]] as const);
  assert.deepEqual(Object.fromEntries(ids), {
    BuildingFurniture: ['seat'],
    BuildingRoom: ['hall'],
    CeilingSurface: ['ceiling'],
    Storey: ['first'],
  });
  const hall = layers.get('BuildingRoom')!.features.get('hall')!;
  assert.deepEqual(
    [hall.gml_name, hall['bldg:Building_gml_name'], hall.bldg_Building_gml_name, hall.bldg_Building_gml_id],
    ['Hall', undefined, 'Town hall', 'house'],
  );
  assert.deepEqual([hall._zmin, hall._zmax, hall.feature_type], [3, 6, 'bldg:BuildingRoom']);
  // The footprint of the house has none of its rooms.
  const outside = contentOf(packages.get('bldg_mvt_lod0')!, 16);
  assert.deepEqual([...outside.get('bldg')!.features.keys()], ['house']);
});

test('the inside at LOD 4, as CityGML 2.0 has it, gives no floor plans', async () => {
  const old = CONTENT.replaceAll('lod2', 'lod4');
  const { packages } = await makeVectorTiles([source(gml3(old))]);
  assert.deepEqual([...packages.keys()], ['bldg_mvt_lod0']);
});

test('texts of 3.0 with names of rooms may hold an inside, whatever chunks they come in', async () => {
  for (const [text, expected] of [
    [gml3(CONTENT), true],
    [gml3(CONTENT).replaceAll('/3.0"', '/3.1"'), true],
    [gml3(''), false],
    [
      gml3(CONTENT).replace('"http://www.opengis.net/citygml/3.0"', '"http://www.opengis.net/citygml/2.0"'),
      false,
    ],
  ] as const) {
    for (const chunk of [1, 7, 64, 1e6]) {
      assert.equal(await mayHoldInside(source(text, { chunk })), expected, `${chunk}`);
    }
  }
  assert.equal(await mayHoldInside({ ...source(gml3(CONTENT)), type: 'tran' }), false);
});
