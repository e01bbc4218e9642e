import assert from 'node:assert/strict';
import { test } from 'node:test';
import { geometriesOf } from '../geometry/feature-geometry.ts';
import { boxSides, feature, multiSurface, polygon, solid } from '../testing/fixtures.ts';
import { cityJsonType } from './cityjson-types.ts';
import { type CityJsonFeature, cityJsonHeader, cityJsonTransform, toCityJsonFeature } from './to-cityjson.ts';

const transform = cityJsonTransform({
  west: 139.001,
  south: 35.002,
  east: 141,
  north: 37,
  minAlt: 4.5,
  maxAlt: 9,
});
const sides = boxSides([139.01, 35.01, 5], [139.02, 35.02, 9.25]);

function convert(xml: string): CityJsonFeature {
  const tree = feature(xml);
  const geometries = geometriesOf(tree, { srsName: 'EPSG:6697', srsDimension: 3 });
  return toCityJsonFeature(tree, geometries, null, transform);
}

function real({ vertices }: CityJsonFeature, number: number): number[] {
  return vertices[number]!.map((value, axis) => value * transform.scale[axis]! + transform.translate[axis]!);
}

test('the header states version, transform and CRS', () => {
  assert.deepEqual(cityJsonHeader(transform), {
    type: 'CityJSON',
    version: '2.0',
    transform: { scale: [1e-8, 1e-8, 0.001], translate: [139, 35, 4] },
    metadata: { referenceSystem: 'https://www.opengis.net/def/crs/EPSG/0/6697' },
    CityObjects: {},
    vertices: [],
  });
});

test('a block building is a solid whose vertices are shared and come back', () => {
  const one = convert(
    `<bldg:Building gml:id="b1"><bldg:measuredHeight>4</bldg:measuredHeight><bldg:lod1Solid>` +
      `${solid(sides.map((side) => polygon([side])))}</bldg:lod1Solid></bldg:Building>`,
  );
  assert.equal(one.id, 'b1');
  assert.deepEqual(Object.keys(one.CityObjects), ['b1']);
  const { type, attributes, geometry, parents } = one.CityObjects.b1!;
  assert.equal(type, 'Building');
  assert.equal(parents, undefined);
  assert.deepEqual(attributes, { _type: 'bldg:Building', 'bldg:measuredHeight': 4 });
  assert.equal(one.vertices.length, 8);
  assert.equal(geometry.length, 1);
  assert.equal(geometry[0]!.type, 'Solid');
  assert.equal(geometry[0]!.lod, '1');
  assert.equal(geometry[0]!.semantics, undefined);
  const shells = geometry[0]!.boundaries as number[][][][];
  assert.deepEqual(
    shells.map((shell) => shell.length),
    [6],
  );
  for (const [i, [ring]] of shells[0]!.entries()) {
    assert.equal(ring!.length, 4);
    for (const [j, number] of ring!.entries()) {
      const found = real(one, number);
      for (const axis of [0, 1, 2]) assert.ok(Math.abs(found[axis]! - sides[i]![j]![axis]!) < 5e-4);
    }
  }
});

test('boundary surfaces become semantics; what the solid refers to is not written twice', () => {
  const surfaces = sides
    .slice(0, 3)
    .map(
      (side, i) =>
        `<bldg:boundedBy><bldg:${['Ground', 'Roof', 'Wall'][i]}Surface><bldg:lod2MultiSurface>` +
        `${multiSurface([polygon([side], `p${i}`)])}</bldg:lod2MultiSurface></bldg:` +
        `${['Ground', 'Roof', 'Wall'][i]}Surface></bldg:boundedBy>`,
    )
    .join('');
  const own = polygon([sides[3]!]);
  const together = convert(
    `<bldg:Building gml:id="b1"><bldg:lod2Solid>${solid(['#p0', '#p1', own, '#p2'])}</bldg:lod2Solid>${surfaces}` +
      `</bldg:Building>`,
  );
  assert.deepEqual(
    together.CityObjects.b1!.geometry.map((one) => one.semantics),
    [
      {
        surfaces: [{ type: 'GroundSurface' }, { type: 'RoofSurface' }, { type: 'WallSurface' }],
        values: [[0, 1, null, 2]],
      },
    ],
  );
  const alone = convert(`<bldg:Building gml:id="b1">${surfaces}</bldg:Building>`).CityObjects.b1!.geometry;
  assert.equal(alone.length, 1);
  assert.equal(alone[0]!.type, 'MultiSurface');
  assert.equal(alone[0]!.lod, '2');
  assert.deepEqual(alone[0]!.semantics!.values, [0, 1, 2]);
});

test('parts, rooms and installations are objects of their own, each with its geometry', () => {
  const body = `<bldg:lod1Solid>${solid(sides.map((side) => polygon([side])))}</bldg:lod1Solid>`;
  const one =
    convert(`<bldg:Building gml:id="b1"><bldg:consistsOfBuildingPart><bldg:BuildingPart gml:id="b1">${body}\
</bldg:BuildingPart></bldg:consistsOfBuildingPart>
    <bldg:consistsOfBuildingPart><bldg:BuildingPart>${body}</bldg:BuildingPart></bldg:consistsOfBuildingPart>
    <bldg:interiorRoom><bldg:Room gml:id="r"><bldg:interiorFurniture><bldg:BuildingFurniture gml:id="f"/>\
</bldg:interiorFurniture></bldg:Room></bldg:interiorRoom>
    <bldg:outerBuildingInstallation><bldg:BuildingInstallation gml:id="i"/></bldg:outerBuildingInstallation>\
</bldg:Building>`);
  assert.equal(one.id, 'b1');
  assert.deepEqual(
    Object.entries(one.CityObjects).map(([id, { type, parents, children, geometry }]) => [
      id,
      type,
      parents,
      children,
      geometry.length,
    ]),
    [
      ['b1', 'Building', undefined, ['b1-2', 'b1-BuildingPart', 'r', 'i'], 0],
      ['b1-2', 'BuildingPart', ['b1'], undefined, 1],
      ['b1-BuildingPart', 'BuildingPart', ['b1'], undefined, 1],
      ['r', 'BuildingRoom', ['b1'], ['f'], 0],
      ['f', 'BuildingFurniture', ['r'], undefined, 0],
      ['i', 'BuildingInstallation', ['b1'], undefined, 0],
    ],
  );
});

test('objects are called by their gml:id, and otherwise where it is not usable', () => {
  const part = '<bldg:consistsOfBuildingPart><bldg:BuildingPart gml:id=""/></bldg:consistsOfBuildingPart>';
  assert.deepEqual(Object.keys(convert(`<bldg:Building gml:id=" b1 ">${part}</bldg:Building>`).CityObjects), [
    'b1',
    'b1-BuildingPart',
  ]);
  for (const name of ['__proto__', 'constructor']) {
    assert.deepEqual(Object.keys(convert(`<bldg:Building gml:id="${name}"/>`).CityObjects), [name]);
  }
  const { id, CityObjects } = convert('<bldg:Building gml:id=""/>');
  assert.equal(id, 'feature');
  assert.deepEqual(Object.keys(CityObjects), ['feature']);
});

test('a relief is one object: its triangles are its geometry', () => {
  const triangle =
    '<gml:Triangle><gml:exterior><gml:LinearRing><gml:posList>35 139 1 36 140 2 36 139 3 35 139 1</gml:posList>' +
    '</gml:LinearRing></gml:exterior></gml:Triangle>';
  const one = convert(
    `<dem:ReliefFeature gml:id="d1"><dem:lod>1</dem:lod><dem:reliefComponent><dem:TINRelief gml:id="t1">` +
      `<dem:lod>1</dem:lod><dem:tin><gml:TriangulatedSurface><gml:trianglePatches>${triangle}</gml:trianglePatches>` +
      `</gml:TriangulatedSurface></dem:tin></dem:TINRelief></dem:reliefComponent></dem:ReliefFeature>`,
  );
  assert.deepEqual(Object.keys(one.CityObjects), ['d1']);
  assert.equal(one.CityObjects.d1!.children, undefined);
  assert.deepEqual(
    one.CityObjects.d1!.geometry.map(({ type, lod }) => [type, lod]),
    [['CompositeSurface', '1']],
  );
});

test('only kinds of geometry that the type allows', () => {
  const line = '<gml:LineString><gml:posList>35 139 1 36 140 2</gml:posList></gml:LineString>';
  const point = '<gml:Point><gml:pos>35 139 1</gml:pos></gml:Point>';
  const types = (xml: string) =>
    Object.values(convert(xml).CityObjects)[0]!.geometry.map((one) => `${one.type} ${one.lod}`);
  const body = solid(sides.map((side) => polygon([side])));
  assert.deepEqual(
    types(
      `<frn:CityFurniture><frn:lod1Geometry>${line}</frn:lod1Geometry><frn:lod2Geometry>${point}</frn:lod2Geometry>` +
        `</frn:CityFurniture>`,
    ),
    ['MultiLineString 1', 'MultiPoint 2'],
  );
  assert.deepEqual(
    types(
      `<bldg:Building><bldg:lod2MultiCurve><gml:MultiCurve><gml:curveMember>${line}</gml:curveMember>` +
        `</gml:MultiCurve></bldg:lod2MultiCurve></bldg:Building>`,
    ),
    [],
  );
  assert.deepEqual(
    types(`<luse:LandUse><luse:lod1MultiSurface>${body}</luse:lod1MultiSurface></luse:LandUse>`),
    ['MultiSurface 1'],
  );
  assert.deepEqual(
    types(
      `<veg:PlantCover><veg:lod1MultiSolid><gml:MultiSolid><gml:solidMember>${body}</gml:solidMember>` +
        `<gml:solidMember>${body}</gml:solidMember></gml:MultiSolid></veg:lod1MultiSolid></veg:PlantCover>`,
    ),
    ['MultiSolid 1'],
  );
  assert.deepEqual(
    types(
      `<dem:ReliefFeature><dem:lod>1</dem:lod><dem:reliefComponent><dem:TINRelief><dem:lod>1</dem:lod><dem:tin>` +
        `<gml:TriangulatedSurface><gml:trianglePatches>` +
        `${polygon([sides[0]!]).replaceAll('gml:Polygon', 'gml:Triangle')}</gml:trianglePatches>` +
        `</gml:TriangulatedSurface></dem:tin></dem:TINRelief></dem:reliefComponent></dem:ReliefFeature>`,
    ),
    ['CompositeSurface 1'],
  );
});

test('traffic areas are semantics of their road', () => {
  const area =
    `<tran:trafficArea><tran:TrafficArea><tran:lod2MultiSurface>${multiSurface([polygon([sides[0]!])])}` +
    `</tran:lod2MultiSurface></tran:TrafficArea></tran:trafficArea>`;
  const [road] = Object.values(convert(`<tran:Road>${area}</tran:Road>`).CityObjects);
  assert.equal(road!.type, 'Road');
  assert.deepEqual(road!.geometry[0]!.semantics, { surfaces: [{ type: 'TrafficArea' }], values: [0] });
});

test('areas, markings and holes of traffic spaces are semantics of their road, as areas of 2.0 are', () => {
  const of = (name: string, id: string) =>
    `<boundary><tran:${name} gml:id="${id}"><lod2MultiSurface>${multiSurface([polygon([sides[0]!])])}` +
    `</lod2MultiSurface></tran:${name}></boundary>`;
  const space = (name: string, content: string) =>
    `<tran:${name.charAt(0).toLowerCase()}${name.slice(1)}><tran:${name}>${content}</tran:${name}>` +
    `</tran:${name.charAt(0).toLowerCase()}${name.slice(1)}>`;
  const marking = `<lod2MultiSurface>${multiSurface([polygon([sides[1]!])])}</lod2MultiSurface>`;
  const xml = `<tran:Road gml:id="r">${space('TrafficSpace', of('TrafficArea', 'a'))}${space(
    'AuxiliaryTrafficSpace',
    of('AuxiliaryTrafficArea', 'b'),
  )}${space('Hole', of('HoleSurface', 'c'))}${space('Marking', marking)}${space(
    'Section',
    space('TrafficSpace', of('TrafficArea', 'd')),
  )}<dynamizer><dyn:Dynamizer gml:id="e"/></dynamizer></tran:Road>`;
  const tree = feature(
    xml,
    undefined,
    `<CityModel xmlns="http://www.opengis.net/citygml/3.0" xmlns:tran="http://www.opengis.net/citygml/transportation\
/3.0" xmlns:dyn="http://www.opengis.net/citygml/dynamizer/3.0" xmlns:gml="http://www.opengis.net/gml/3.2">`,
  );
  const geometries = geometriesOf(tree, { srsName: 'EPSG:6697', srsDimension: 3 });
  const { CityObjects: objects } = toCityJsonFeature(tree, geometries, null, transform);
  assert.deepEqual(Object.keys(objects), ['r']);
  const [geometry, ...others] = objects.r!.geometry;
  assert.deepEqual(others, []);
  assert.deepEqual([geometry!.type, geometry!.lod], ['MultiSurface', '2']);
  assert.deepEqual(
    geometry!.semantics!.surfaces.map(({ type }) => type),
    ['TrafficArea', 'AuxiliaryTrafficArea', 'TransportationHole', 'TransportationMarking', 'TrafficArea'],
  );
});

test('types', () => {
  for (const [name, parent, expected] of [
    ['bldg:Building', false, 'Building'],
    ['bldg:BuildingPart', false, 'Building'],
    ['bldg:Room', false, 'GenericCityObject'],
    ['brid:BridgeConstructionElement', true, 'BridgeConstructiveElement'],
    ['tran:Square', false, 'TransportSquare'],
    ['uro:Waterway', false, 'Waterway'],
    ['uro:SewerPipe', false, 'CityFurniture'],
    ['uro:OtherConstruction', false, 'OtherConstruction'],
    ['urf:UseDistrict', false, 'GenericCityObject'],
    ['toString', false, 'GenericCityObject'],
  ] as const) {
    assert.equal(cityJsonType(name, parent), expected, name);
  }
});

test('LOD 4 is left out beside LOD 3, and is LOD 3 without it', () => {
  const both = `<bldg:lod3MultiSurface>${multiSurface([polygon([sides[0]!])])}</bldg:lod3MultiSurface>
    <bldg:lod4MultiSurface>${multiSurface([polygon([sides[1]!])])}</bldg:lod4MultiSurface>`;
  const alone = `<bldg:lod1Solid>${solid(sides.map((side) => polygon([side])))}</bldg:lod1Solid>
    <bldg:lod4MultiSurface>${multiSurface([polygon([sides[1]!])])}</bldg:lod4MultiSurface>`;
  const lods = (xml: string) => convert(xml).CityObjects.b!.geometry.map(({ lod }) => lod);
  assert.deepEqual(lods(`<bldg:Building gml:id="b">${both}</bldg:Building>`), ['3']);
  assert.deepEqual(lods(`<bldg:Building gml:id="b">${alone}</bldg:Building>`), ['1', '3']);
  assert.equal(convert(`<bldg:Building gml:id="b">${both}</bldg:Building>`).vertices.length, 4);
});

test('without an extent integers count from the origin', () => {
  assert.deepEqual(cityJsonTransform(null), { scale: [1e-8, 1e-8, 0.001], translate: [0, 0, 0] });
});

test('a ring that has fewer than three places after rounding is left out, as hole and as surface', () => {
  const near = 1e-10;
  const outer: Array<[number, number, number]> = [
    [139.01, 35.01, 5],
    [139.02, 35.01, 5],
    [139.02, 35.02, 5],
  ];
  const triangle: Array<[number, number, number]> = [
    [139.013, 35.011, 5],
    [139.015, 35.013, 5],
    [139.015, 35.012, 5],
  ];
  const speck: Array<[number, number, number]> = [
    [139.012, 35.011, 5],
    [139.012 + near, 35.011, 5],
    [139.014, 35.011, 5],
  ];
  const building = (...polygons: string[]) =>
    convert(
      `<bldg:Building gml:id="b"><bldg:lod2MultiSurface>${multiSurface(polygons)}</bldg:lod2MultiSurface>` +
        `</bldg:Building>`,
    ).CityObjects.b!.geometry;
  const rings = (...polygons: string[]) =>
    (building(...polygons)[0]?.boundaries as number[][][] | undefined)?.map((surface) =>
      surface.map(({ length }) => length),
    );
  assert.deepEqual(rings(polygon([outer, triangle, speck])), [[3, 3]]);
  assert.deepEqual(rings(polygon([speck]), polygon([outer])), [[3]]);
  assert.deepEqual(building(polygon([speck])), []);
  // A ring whose last place lies on its first one after rounding is open.
  const closing: [number, number, number] = [139.01 + near, 35.01, 5];
  assert.deepEqual(rings(polygon([[...outer, closing]])), [[3]]);
});

test('a line has two places at least, and points are for types that may have them', () => {
  const furniture = (content: string) =>
    convert(
      `<frn:CityFurniture gml:id="f"><frn:lod1Geometry>${content}</frn:lod1Geometry></frn:CityFurniture>`,
    ).CityObjects.f!.geometry;
  const line = (list: string) =>
    `<gml:MultiCurve><gml:curveMember><gml:LineString><gml:posList>${list}</gml:posList></gml:LineString>` +
    `</gml:curveMember></gml:MultiCurve>`;
  const drawn = furniture(line('35.01 139.01 5 35.02 139.02 5'));
  assert.deepEqual(
    drawn.map(({ type, lod, boundaries }) => [type, lod, boundaries]),
    [['MultiLineString', '1', [[0, 1]]]],
  );
  assert.deepEqual(furniture(line('35.01 139.01 5 35.01 139.01 5')), []);
  const point = furniture('<gml:Point><gml:pos>35.01 139.01 5</gml:pos></gml:Point>');
  assert.deepEqual(
    point.map(({ type, boundaries }) => [type, boundaries]),
    [['MultiPoint', [0]]],
  );
});

test('a solid without surfaces is none, and plants have their solids together', () => {
  const speck: Array<[number, number, number]> = [
    [139.01, 35.01, 5],
    [139.01, 35.01, 5],
    [139.02, 35.01, 5],
  ];
  const drawn = (content: string) =>
    convert(`<veg:PlantCover gml:id="p">${content}</veg:PlantCover>`).CityObjects.p!.geometry;
  const multiSolid = (...solids: string[]) =>
    `<veg:lod1MultiSolid><gml:MultiSolid>${solids
      .map((one) => `<gml:solidMember>${one}</gml:solidMember>`)
      .join('')}</gml:MultiSolid></veg:lod1MultiSolid>`;
  const block = solid(sides.map((side) => polygon([side])));
  const types = (content: string) => drawn(content).map(({ type, lod }) => [type, lod]);
  assert.deepEqual(types(multiSolid(block)), [['MultiSolid', '1']]);
  assert.equal(
    (drawn(multiSolid(block, block, solid([polygon([speck])])))[0]!.boundaries as unknown[]).length,
    2,
  );
  assert.deepEqual(types(multiSolid(solid([polygon([speck])]))), []);
  const surface = multiSurface([polygon([sides[0]!])]);
  assert.deepEqual(types(`<veg:lod2MultiSurface>${surface}</veg:lod2MultiSurface>`), [['MultiSurface', '2']]);
});

test('the lowest level is 0', () => {
  const surface = multiSurface([polygon([sides[0]!])]);
  const xml = `<bldg:Building gml:id="b"><bldg:lod0FootPrint>${surface}</bldg:lod0FootPrint></bldg:Building>`;
  assert.deepEqual(
    convert(xml).CityObjects.b!.geometry.map(({ lod }) => lod),
    ['0'],
  );
});
