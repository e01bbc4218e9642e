import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boxSides, feature, multiSurface, polygon, solid } from '../testing/fixtures.ts';
import { extentOf, geometriesOf, type LodGeometry, standingGeometry } from './feature-geometry.ts';
import { altitudeRange, footprintOf, shapeOf, signedArea } from './feature-shape.ts';

const DEFAULTS = { srsName: 'http://www.opengis.net/def/crs/EPSG/0/6697', srsDimension: 3 };
const read = (xml: string): LodGeometry[] => geometriesOf(feature(xml), DEFAULTS);
const furniture = (geometry: string): LodGeometry =>
  read(`<frn:CityFurniture><frn:lod1Geometry>${geometry}</frn:lod1Geometry></frn:CityFurniture>`)[0]!;
const lists = (positions: Iterable<Float64Array>): number[][] => Array.from(positions, (one) => [...one]);
const sides = boxSides([139, 35, 5], [140, 36, 9]);
const square: Array<[number, number, number]> = [
  [139, 35, 1],
  [140, 35, 1],
  [140, 36, 1],
  [139, 36, 1],
];
const LINE = '<gml:LineString><gml:posList>35 139 1 36 140 2</gml:posList></gml:LineString>';

test('a solid has shells of surfaces, the exterior first', () => {
  const inner = boxSides([139.4, 35.4, 6], [139.6, 35.6, 8]).map((side) => polygon([side]));
  const interior =
    `<gml:interior><gml:CompositeSurface>` +
    `${inner.map((p) => `<gml:surfaceMember>${p}</gml:surfaceMember>`).join('')}</gml:CompositeSurface>` +
    `</gml:interior>`;
  const xml = solid(sides.map((side) => polygon([side]))).replace('<gml:Solid>', `<gml:Solid>${interior}`);
  const { solids, surfaces, flat } = furniture(xml);
  assert.deepEqual(
    solids.map((shells) => shells.map((shell) => shell.length)),
    [[6, 6]],
  );
  assert.equal(surfaces.length, 0);
  assert.equal(flat, false);
  assert.deepEqual([...solids[0]![0]![0]!.rings[0]!], sides[0]!.flat());
});

test('a position beyond a pole or the meridian of 180 degrees is none', () => {
  const pointsAt = (position: string) =>
    read(
      `<frn:CityFurniture><frn:lod1Geometry><gml:Point><gml:pos>${position}</gml:pos></gml:Point>` +
        '</frn:lod1Geometry></frn:CityFurniture>',
    ).flatMap(({ points }) => lists(points));
  assert.deepEqual(pointsAt('90 180 1'), [[180, 90, 1]]);
  assert.deepEqual(pointsAt('-90 -180 1'), [[-180, -90, 1]]);
  for (const position of ['90.5 139 1', '-90.5 139 1', '35 180.5 1', '35 -180.5 1'])
    assert.deepEqual(pointsAt(position).flat(), [], position);
});

test('polygons with holes, composite and oriented surfaces, patches', () => {
  const hole = square.map(
    ([x, y, z]) => [139.5 + (x - 139.5) / 2, 35.5 + (y - 35.5) / 2, z] as [number, number, number],
  );
  const one = furniture(
    multiSurface([
      polygon([square, hole]),
      `<gml:CompositeSurface><gml:surfaceMember>${polygon([square])}</gml:surfaceMember></gml:CompositeSurface>`,
      `<gml:OrientableSurface orientation="-"><gml:baseSurface>${polygon([square])}</gml:baseSurface>` +
        `</gml:OrientableSurface>`,
      `<gml:OrientableSurface orientation="-"><gml:baseSurface><gml:OrientableSurface orientation="-">` +
        `<gml:baseSurface>${polygon([square])}</gml:baseSurface></gml:OrientableSurface></gml:baseSurface>` +
        `</gml:OrientableSurface>`,
      `<gml:Surface><gml:patches>${polygon([square]).replaceAll('gml:Polygon', 'gml:PolygonPatch')}</gml:patches>` +
        `</gml:Surface>`,
    ]),
  );
  const rings = one.surfaces.map((surface) => lists(surface.rings));
  assert.deepEqual(rings[0], [square.flat(), hole.flat()]);
  assert.deepEqual(rings[1], [square.flat()]);
  assert.deepEqual(rings[2], [square.toReversed().flat()]);
  assert.deepEqual(rings[3], [square.flat()]);
  assert.deepEqual(rings[4], [square.flat()]);
});

test('a property may refer to a geometry of another property, and not to what is none', () => {
  const members = multiSurface([polygon([square], 'p')]);
  const properties = (href: string) =>
    read(
      `<bldg:Building><bldg:lod1MultiSurface>${members}</bldg:lod1MultiSurface><bldg:lod2MultiSurface xlink:href="` +
        `${href}"/><bldg:boundedBy><bldg:WallSurface gml:id="w"/></bldg:boundedBy></bldg:Building>`,
    ).map(({ property, lod, surfaces }) => [property, lod, surfaces.flatMap(({ rings }) => lists(rings))]);
  const own = ['bldg:lod1MultiSurface', 1, [square.flat()]];
  assert.deepEqual(properties('#p'), [own, ['bldg:lod2MultiSurface', 2, [square.flat()]]]);
  assert.deepEqual(properties('#w'), [own]);
  assert.deepEqual(properties('#none'), [own]);
});

test('a relief is its triangles at the level it states; its extent comes second', () => {
  const triangle = (z: number) =>
    polygon([
      [
        [139, 35, z],
        [140, 35, z],
        [140, 36, z],
      ],
    ]).replaceAll('gml:Polygon', 'gml:Triangle');
  const geometries =
    read(`<dem:ReliefFeature><dem:lod>2</dem:lod><dem:reliefComponent><dem:TINRelief><dem:lod>1</dem:lod>
    <dem:extent>${polygon([square])}</dem:extent>
    <dem:tin><gml:TriangulatedSurface><gml:trianglePatches>${triangle(1)}${triangle(2)}</gml:trianglePatches>\
</gml:TriangulatedSurface></dem:tin>
    </dem:TINRelief></dem:reliefComponent></dem:ReliefFeature>`);
  const standing = standingGeometry(geometries);
  assert.deepEqual(
    standing.map((one) => one.property),
    ['dem:tin'],
  );
  assert.equal(standing[0]!.surfaces.length, 2);
});

test('curves and points of every form', () => {
  const segment =
    '<gml:LineStringSegment><gml:pos>35 139 1</gml:pos><gml:pos>36 140 2</gml:pos></gml:LineStringSegment>';
  for (const curve of [
    LINE,
    `<gml:Curve><gml:segments>${segment}</gml:segments></gml:Curve>`,
    `<gml:MultiCurve><gml:curveMember>${LINE}</gml:curveMember></gml:MultiCurve>`,
    `<gml:CompositeCurve><gml:curveMember>${LINE}</gml:curveMember></gml:CompositeCurve>`,
    `<gml:GeometricComplex><gml:element>${LINE}</gml:element></gml:GeometricComplex>`,
    '<gml:LineString><gml:coordinates>35,139,1 36,140,2</gml:coordinates></gml:LineString>',
    '<gml:LineString><gml:coordinates decimal="," cs=";" ts="|">35,0;139;1|36;140;2</gml:coordinates></gml:LineString>',
  ]) {
    assert.deepEqual(lists(furniture(curve).lines), [[139, 35, 1, 140, 36, 2]], curve);
  }
  const point = '<gml:Point><gml:pos>35 139 1</gml:pos></gml:Point>';
  assert.deepEqual(lists(furniture(point).points), [[139, 35, 1]]);
  assert.deepEqual(
    lists(
      furniture(
        `<gml:MultiPoint><gml:pointMember>${point}</gml:pointMember><gml:pointMembers>${point}${point}` +
          `</gml:pointMembers></gml:MultiPoint>`,
      ).points,
    ),
    [
      [139, 35, 1],
      [139, 35, 1],
      [139, 35, 1],
    ],
  );
});

test('a ring of several curves, and repeated positions', () => {
  const line = (list: string) =>
    `<gml:curveMember><gml:LineString><gml:posList>${list}</gml:posList></gml:LineString></gml:curveMember>`;
  const one = furniture(
    `<gml:Polygon><gml:exterior><gml:Ring>${line('35 139 1 35 140 1 35 140 1')}${line('35 140 1 36 140 1 36 139 1')}` +
      `${line('36 139 1 35 139 1')}</gml:Ring></gml:exterior></gml:Polygon>`,
  );
  assert.deepEqual(lists(one.surfaces[0]!.rings), [square.flat()]);
});

test('coordinate systems and dimensions are inherited, and the count of numbers corrects them', () => {
  const two = furniture(
    '<gml:LineString srsName="EPSG:6668"><gml:posList>35 139 36 140</gml:posList></gml:LineString>',
  );
  assert.deepEqual(lists(two.lines), [[139, 35, 0, 140, 36, 0]]);
  assert.equal(two.flat, true);
  const three = furniture(
    '<gml:LineString srsName="EPSG:6668" srsDimension="3"><gml:posList>35 139 1 36 140 2</gml:posList>' +
      '</gml:LineString>',
  );
  assert.deepEqual(lists(three.lines), [[139, 35, 1, 140, 36, 2]]);
  const wrong = furniture(
    '<gml:LineString srsDimension="3"><gml:posList>35 139 36 140</gml:posList></gml:LineString>',
  );
  assert.deepEqual(lists(wrong.lines), [[139, 35, 0, 140, 36, 0]]);
  for (const dimension of ['-3', '0', '1', '4', '1e9', 'x']) {
    const odd = furniture(
      `<gml:LineString><gml:posList dimension="${dimension}" srsDimension="${dimension}` +
        `">35 139 1 36 140 2</gml:posList></gml:LineString>`,
    );
    assert.deepEqual(lists(odd.lines), [[139, 35, 1, 140, 36, 2]], dimension);
  }
  const onList = furniture(
    '<gml:MultiCurve srsDimension="2"><gml:curveMember><gml:LineString><gml:posList srsDimension="3">35 139 1 36 ' +
      '140 2</gml:posList></gml:LineString></gml:curveMember></gml:MultiCurve>',
  );
  assert.deepEqual(lists(onList.lines), [[139, 35, 1, 140, 36, 2]]);
  const plane = furniture(
    '<gml:Point srsName="http://www.opengis.net/def/crs/EPSG/0/10169"><gml:pos>0 0 7</gml:pos></gml:Point>',
  );
  const [lng, lat, alt] = plane.points[0]!;
  assert.ok(Math.abs(lng! - 138.5) < 1e-9 && Math.abs(lat! - 36) < 1e-9, `${lng} ${lat}`);
  assert.equal(alt, 7);
  const [own] = read(
    `<frn:CityFurniture><gml:boundedBy><gml:Envelope srsName="EPSG:10169" srsDimension="2"/></gml:boundedBy>` +
      `<frn:lod1Geometry><gml:Point><gml:pos>0 0</gml:pos></gml:Point></frn:lod1Geometry></frn:CityFurniture>`,
  );
  assert.deepEqual(
    own!.points.map((point) => Array.from(point, (value) => Number(value.toFixed(9)))),
    [[138.5, 36, 0]],
  );
});

test('what cannot be placed is passed over', () => {
  for (const geometry of [
    '<gml:Point srsName="EPSG:32800"><gml:pos>1 2 3</gml:pos></gml:Point>',
    '<gml:Point><gml:pos>a b c</gml:pos></gml:Point>',
    '<gml:Point><gml:pos>1</gml:pos></gml:Point>',
    '<gml:Point/>',
    '<gml:Point><gml:pos>139 95 1</gml:pos></gml:Point>',
    '<gml:LineString><gml:posList>35 139 1</gml:posList></gml:LineString>',
    '<gml:MultiSurface><gml:surfaceMember xlink:href="#gone"/></gml:MultiSurface>',
    '<gml:Solid/>',
    '<gml:Solid><gml:exterior/></gml:Solid>',
    '<gml:MultiSurface><gml:surfaceMember xlink:href="other.gml#x"/></gml:MultiSurface>',
    '<gml:MultiSurface gml:id="me"><gml:surfaceMember xlink:href="#me"/></gml:MultiSurface>',
    polygon([
      [
        [139, 35, 1],
        [140, 35, 1],
      ],
    ]),
  ]) {
    assert.deepEqual(
      read(`<frn:CityFurniture><frn:lod1Geometry>${geometry}</frn:lod1Geometry></frn:CityFurniture>`),
      [],
      geometry,
    );
  }
});

test('references inside the feature give the same surface', () => {
  const geometries = read(`<bldg:Building><bldg:lod2Solid>${solid(['#w0', '#w1'])}</bldg:lod2Solid>
    ${sides
      .slice(0, 2)
      .map(
        (side, i) =>
          `<bldg:boundedBy><bldg:WallSurface gml:id="wall${i}"><bldg:lod2MultiSurface>` +
          `${multiSurface([polygon([side], `w${i}`)])}</bldg:lod2MultiSurface></bldg:WallSurface></bldg:boundedBy>`,
      )
      .join('')}</bldg:Building>`);
  assert.deepEqual(
    geometries.map((one) => one.property),
    ['bldg:lod2Solid', 'bldg:lod2MultiSurface', 'bldg:lod2MultiSurface'],
  );
  assert.equal(geometries[0]!.solids[0]![0]![1], geometries[2]!.surfaces[0]);
  assert.equal(geometries[2]!.owner.attributes['gml:id'], 'wall1');
});

test('references that multiply come to an end', () => {
  const level = (n: number, content: string) =>
    `<gml:surfaceMember><gml:MultiSurface gml:id="m${n}">${content}</gml:MultiSurface></gml:surfaceMember>`;
  const levels = Array.from({ length: 20 }, (_, n) =>
    level(n + 1, `<gml:surfaceMember xlink:href="#m${n}"/>`.repeat(20)),
  );
  const [one] = read(
    `<frn:CityFurniture><frn:lod1Geometry><gml:MultiSurface>` +
      `${level(0, `<gml:surfaceMember>${polygon([square])}</gml:surfaceMember>`)}${levels.join('')}` +
      `</gml:MultiSurface></frn:lod1Geometry></frn:CityFurniture>`,
  );
  assert.ok(one!.surfaces.length < 2_000_000);
});

/** A building whose surfaces refer `times` times to each of a chain of composites, or back to themselves. */
function multiplying(times: number, levels: number, target: (level: number) => string): string {
  const composite = (level: number) =>
    `<gml:CompositeSurface gml:id="c${level}">${`<gml:surfaceMember xlink:href="#${target(level)}"/>`.repeat(times)}` +
    `<gml:surfaceMember>${polygon([square])}</gml:surfaceMember></gml:CompositeSurface>`;
  const members = Array.from({ length: levels }, (_, level) => composite(level));
  return `<bldg:Building><bldg:lod2MultiSurface>${multiSurface(members)}</bldg:lod2MultiSurface></bldg:Building>`;
}

test('a reference to what it stands in is passed over', () => {
  const [geometry] = read(multiplying(40, 1, () => 'c0'));
  assert.equal(geometry!.surfaces.length, 1);
  const [cycle] = read(multiplying(1, 2, (level) => `c${1 - level}`));
  assert.equal(cycle!.surfaces.length, 4);
});

test('features of one request share how many repeated references are followed', () => {
  const xml = multiplying(10, 6, (level) => `c${level + 1}`);
  const repeats = { left: 100 };
  const [first] = geometriesOf(feature(xml), DEFAULTS, repeats);
  assert.ok(repeats.left <= 0);
  const [second] = geometriesOf(feature(xml), DEFAULTS, repeats);
  assert.ok(first!.surfaces.length > second!.surfaces.length);
  assert.ok(second!.surfaces.length <= 30, `${second!.surfaces.length} surfaces`);
  // A wall that several solids share is usual.
  const shared = `<bldg:Building><bldg:lod2MultiSurface>${multiSurface([
    `<gml:CompositeSurface gml:id="w"><gml:surfaceMember>${polygon([square])}</gml:surfaceMember>` +
      `</gml:CompositeSurface>`,
  ])}</bldg:lod2MultiSurface><bldg:lod3MultiSurface><gml:MultiSurface><gml:surfaceMember xlink:href="#w"/>\
</gml:MultiSurface></bldg:lod3MultiSurface></bldg:Building>`;
  assert.deepEqual(
    geometriesOf(feature(shared), DEFAULTS, { left: 0 }).map(({ surfaces }) => surfaces.length),
    [1, 1],
  );
});

test('numbers are decimal, as they are for the index', () => {
  const of = (posList: string) =>
    read(
      `<frn:CityFurniture><frn:lod1Geometry><gml:LineString><gml:posList>${posList}</gml:posList></gml:LineString>` +
        `</frn:lod1Geometry></frn:CityFurniture>`,
    ).length;
  assert.equal(of('35 139 1 36 140 +2.5e0'), 1);
  for (const wrong of ['0x10', 'Infinity', '\u30002', '2,', '1_0', `2.${'0'.repeat(100)}`]) {
    assert.equal(of(`35 139 1 36 140 ${wrong}`), 0, wrong);
  }
});

test('elements of an unknown namespace are no geometry, whatever its prefix', () => {
  const line = LINE.replace('<gml:LineString', '<gml:LineString xmlns:gml="http://example.com/not-gml"');
  assert.deepEqual(
    read(`<frn:CityFurniture><frn:lod1Geometry>${line}</frn:lod1Geometry></frn:CityFurniture>`),
    [],
  );
});

test('an implicit geometry is the point where it stands', () => {
  const [one] = read(`<frn:CityFurniture><frn:lod3ImplicitRepresentation><core:ImplicitGeometry>
    <core:transformationMatrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</core:transformationMatrix>
    <core:relativeGMLGeometry>${polygon([square])}</core:relativeGMLGeometry>
    <core:referencePoint><gml:Point><gml:pos>35 139 4</gml:pos></gml:Point></core:referencePoint>
    </core:ImplicitGeometry></frn:lod3ImplicitRepresentation></frn:CityFurniture>`);
  assert.equal(one!.lod, 3);
  assert.deepEqual(lists(one!.points), [[139, 35, 4]]);
  assert.equal(one!.surfaces.length, 0);
});

const at = (z: number) =>
  multiSurface([polygon([square.map(([x, y]) => [x, y, z] as [number, number, number])])]);
const body = solid(sides.map((side) => polygon([side])));

test('lod1Solid stands for a feature, else its lowest level, else what is beside it', () => {
  const standing = (content: string, type = 'bldg:Building') =>
    standingGeometry(read(`<${type}>${content}</${type}>`)).map((one) => one.property);
  const lod0 = `<bldg:lod0RoofEdge>${at(3)}</bldg:lod0RoofEdge>`;
  const lod2 = `<bldg:lod2MultiSurface>${at(3)}</bldg:lod2MultiSurface>`;
  const terrain =
    `<bldg:lod1TerrainIntersection><gml:MultiCurve><gml:curveMember>${LINE}</gml:curveMember>` +
    `</gml:MultiCurve></bldg:lod1TerrainIntersection>`;
  const dm =
    `<uro:bldgDmAttribute><uro:DmGeometricAttribute><uro:lod0Geometry>${LINE}</uro:lod0Geometry>` +
    `</uro:DmGeometricAttribute></uro:bldgDmAttribute>`;
  assert.deepEqual(standing(`${lod2}${lod0}${terrain}<bldg:lod1Solid>${body}</bldg:lod1Solid>${dm}`), [
    'bldg:lod1Solid',
  ]);
  assert.deepEqual(standing(`${lod2}${lod0}${terrain}${dm}`), ['bldg:lod0RoofEdge']);
  assert.deepEqual(standing(`${lod2}${terrain}${dm}`), ['bldg:lod2MultiSurface']);
  assert.deepEqual(standing(terrain + dm), ['bldg:lod1TerrainIntersection']);
  assert.deepEqual(standing(dm), ['uro:lod0Geometry']);
  assert.deepEqual(standing(''), []);
  const part =
    `<bldg:consistsOfBuildingPart><bldg:BuildingPart><bldg:lod1Solid>${body}</bldg:lod1Solid>` +
    `</bldg:BuildingPart></bldg:consistsOfBuildingPart>`;
  assert.deepEqual(standing(lod0 + part + part), ['bldg:lod1Solid', 'bldg:lod1Solid']);
  const general =
    `<urf:lod-2MultiPoint><gml:MultiPoint><gml:pointMember><gml:Point><gml:pos>35 139 0</gml:pos>` +
    `</gml:Point></gml:pointMember></gml:MultiPoint></urf:lod-2MultiPoint>`;
  assert.deepEqual(
    standing(`${general}<urf:lod1MultiSurface>${at(0)}</urf:lod1MultiSurface>`, 'urf:UseDistrict'),
    ['urf:lod1MultiSurface'],
  );
  assert.deepEqual(standing(general, 'urf:UseDistrict'), ['urf:lod-2MultiPoint']);
});

test('extents', () => {
  const xml =
    `<bldg:Building><bldg:lod1Solid>${body}</bldg:lod1Solid><bldg:lod0RoofEdge>${at(3)}` +
    `</bldg:lod0RoofEdge></bldg:Building>`;
  assert.deepEqual(extentOf(standingGeometry(geometriesOf(feature(xml), DEFAULTS))), {
    west: 139,
    south: 35,
    east: 140,
    north: 36,
    minAlt: 5,
    maxAlt: 9,
  });
  assert.equal(extentOf([]), null);
});

const ground = (ring: Array<[number, number, number]>) => ring.flatMap((position) => position.slice(0, 2));

test('the footprint of a solid is its floor, whichever way its surfaces look', () => {
  const footprint = (content: string) => footprintOf(read(`<bldg:Building>${content}</bldg:Building>`))!;
  const outwards = footprint(`<bldg:lod1Solid>${body}</bldg:lod1Solid>`);
  assert.deepEqual(outwards.polygons.map(lists), [[ground(sides[0]!)]]);
  const turned = solid(sides.map((side) => polygon([side.toReversed()])));
  const inwards = footprint(`<bldg:lod1Solid>${turned}</bldg:lod1Solid>`);
  assert.deepEqual(inwards.polygons.map(lists), [[ground(sides[0]!.toReversed())]]);
  const open = footprint(
    `<bldg:lod1Solid>${solid(sides.slice(1).map((side) => polygon([side])))}</bldg:lod1Solid>`,
  );
  assert.deepEqual(open.polygons.map(lists), [[ground(sides[1]!)]]);
  assert.equal(footprintOf([]), null);
});

test('the shape for queries is the projection of everything', () => {
  const shape = shapeOf(read(`<bldg:Building><bldg:lod1Solid>${body}</bldg:lod1Solid></bldg:Building>`))!;
  assert.deepEqual(
    shape.polygons.map(lists),
    sides.map((side) => [ground(side)]),
  );
  assert.deepEqual(shape.altitudes, { min: 5, max: 9 });
  assert.equal(shapeOf([]), null);
});

test('walls alone are drawn by their edges', () => {
  const geometries = read(
    `<frn:CityFurniture><frn:lod2Geometry>${multiSurface([polygon([sides[2]!])])}</frn:lod2Geometry>` +
      `</frn:CityFurniture>`,
  );
  const footprint = footprintOf(geometries)!;
  assert.deepEqual(footprint.polygons, []);
  assert.deepEqual(lists(footprint.lines), [ground([...sides[2]!, sides[2]![0]!])]);
  assert.deepEqual(shapeOf(geometries)!.altitudes, { min: 5, max: 9 });
});

test('data without heights has no altitudes', () => {
  const altitudes = (content: string) => shapeOf(read(`<luse:LandUse>${content}</luse:LandUse>`))!.altitudes;
  assert.equal(altitudes(`<luse:lod1MultiSurface>${at(0)}</luse:lod1MultiSurface>`), null);
  assert.deepEqual(altitudes(`<luse:lod1MultiSurface>${at(2)}</luse:lod1MultiSurface>`), { min: 2, max: 2 });
  assert.equal(
    altitudes(
      '<luse:lod0MultiCurve><gml:LineString srsDimension="2"><gml:posList>35 139 36 140</gml:posList>' +
        '</gml:LineString></luse:lod0MultiCurve>',
    ),
    null,
  );
});

test('a polygon has one exterior, and interiors after it whatever their order', () => {
  const ring = (name: string, at: number) =>
    `<gml:${name}><gml:LinearRing><gml:posList>35 ${at} 1 36 ${at} 1 36 ${at + 0.5} 1 35 ${at} 1</gml:posList>` +
    `</gml:LinearRing></gml:${name}>`;
  const found = furniture(
    `<gml:Polygon>${ring('interior', 139.1)}${ring('exterior', 139)}${ring('exterior', 138)}` +
      `${ring('innerBoundaryIs', 139.2)}</gml:Polygon>`,
  );
  assert.deepEqual(
    found.surfaces[0]!.rings.map((positions) => positions[0]),
    [139, 139.1, 139.2],
  );
});

test('three numbers that are said to be two dimensions are three, and counts that fit are believed', () => {
  const line = (dimension: number, text: string) =>
    lists(
      furniture(
        `<gml:LineString srsDimension="${dimension}"><gml:posList>${text}</gml:posList></gml:LineString>`,
      ).lines,
    );
  assert.deepEqual(line(2, '35 139 5 36 140 6 37 141 7'), [[139, 35, 5, 140, 36, 6, 141, 37, 7]]);
  assert.deepEqual(line(2, '35 139 36 140 37 141'), [[139, 35, 0, 140, 36, 0, 141, 37, 0]]);
  assert.deepEqual(line(3, '35 139 5 36 140 6'), [[139, 35, 5, 140, 36, 6]]);
});

test('the extent of geometries is that of each of their positions', () => {
  const line = (text: string) => `<gml:LineString><gml:posList>${text}</gml:posList></gml:LineString>`;
  const xml = (text: string) =>
    `<frn:CityFurniture><frn:lod1Geometry>${line(text)}</frn:lod1Geometry></frn:CityFurniture>`;
  assert.deepEqual(extentOf(read(xml('36 140 9 35 139 -5'))), {
    west: 139,
    south: 35,
    east: 140,
    north: 36,
    minAlt: -5,
    maxAlt: 9,
  });
  assert.deepEqual(extentOf(read(xml('35 139 9 36 140 -5'))), extentOf(read(xml('36 140 9 35 139 -5'))));
});

test('heights of 0 count where a solid says so, or where another height is beside them', () => {
  const extent = (minAlt: number, maxAlt: number) => ({
    west: 0,
    south: 0,
    east: 1,
    north: 1,
    minAlt,
    maxAlt,
  });
  assert.equal(altitudeRange(extent(0, 0), true, false), null);
  assert.deepEqual(altitudeRange(extent(0, 0), true, true), { min: 0, max: 0 });
  assert.deepEqual(altitudeRange(extent(0, 5), true, false), { min: 0, max: 5 });
  assert.deepEqual(altitudeRange(extent(-5, 0), true, false), { min: -5, max: 0 });
  assert.equal(altitudeRange(extent(-5, 5), false, true), null);
});

test('walls of a turned building are walls too', () => {
  // A square on its corner, open below: four walls and a roof.
  const [south, east, north, west] = [
    [139.5, 35],
    [140, 35.5],
    [139.5, 36],
    [139, 35.5],
  ] as const;
  const corners = [south, east, north, west];
  const walls = corners.map(([x, y], i): Array<[number, number, number]> => {
    const [u, v] = corners[(i + 1) % 4]!;
    return [
      [x, y, 5],
      [u, v, 5],
      [u, v, 9],
      [x, y, 9],
    ];
  });
  const roof = corners.map(([x, y]): [number, number, number] => [x, y, 9]);
  const open = solid([roof, ...walls].map((side) => polygon([side])));
  const found = footprintOf(read(`<bldg:Building><bldg:lod1Solid>${open}</bldg:lod1Solid></bldg:Building>`))!;
  assert.deepEqual(found.polygons.map(lists), [[ground(roof)]]);
});

test('a wall leans 0.3 mm on 30 m at most, measured on the ground at its latitude', () => {
  // At 60 degrees a degree of longitude is half as long as one of latitude.
  const leaning = (east: number, north: number) => {
    const [lng, lat] = [139 + east / 55_500, 60 + north / 111_000];
    const face: Array<[number, number, number]> =
      east > 0
        ? [
            [139, 60, 0],
            [139, 60.001, 0],
            [lng, 60.001, 30],
            [lng, 60, 30],
          ]
        : [
            [139, 60, 0],
            [139.001, 60, 0],
            [139.001, lat, 30],
            [139, lat, 30],
          ];
    const xml =
      `<frn:CityFurniture><frn:lod2Geometry>${multiSurface([polygon([face])])}</frn:lod2Geometry>` +
      `</frn:CityFurniture>`;
    return footprintOf(read(xml))!.polygons.length === 0;
  };
  assert.deepEqual(
    [leaning(0.00025, 0), leaning(0.0004, 0), leaning(0, 0.00025), leaning(0, 0.0004)],
    [true, false, true, false],
  );
});

test('how steep an irregular face is does not depend on the position that it begins with', () => {
  const east = 111_320 * Math.cos((60 * Math.PI) / 180);
  /** Metres along the face, and heights; it leans so many metres on each metre up. */
  const along = [
    [0, 0],
    [40, 0],
    [80, 30],
    [20, 20],
  ] as const;
  for (const isTurned of [false, true]) {
    for (let first = 0; first < along.length; first++) {
      const isLeftOut = (lean: number) => {
        const face = [...along.slice(first), ...along.slice(0, first)].map(
          ([at, up]): [number, number, number] =>
            isTurned
              ? [139 + at / east, 60 + (lean * up) / 111_320, up]
              : [139 + (lean * up) / east, 60 + at / 111_320, up],
        );
        const xml =
          `<frn:CityFurniture><frn:lod2Geometry>${multiSurface([polygon([face])])}</frn:lod2Geometry>` +
          `</frn:CityFurniture>`;
        return footprintOf(read(xml))!.polygons.length === 0;
      };
      assert.deepEqual([isLeftOut(0.9e-5), isLeftOut(1.1e-5)], [true, false], `${isTurned} ${first}`);
    }
  }
});

test('places reach to the poles and the antimeridian, and no further', () => {
  const found = (lat: number, lng: number) =>
    lists(furniture(`<gml:Point><gml:pos>${lat} ${lng} 5</gml:pos></gml:Point>`)?.points ?? []);
  assert.deepEqual(found(90, 180), [[180, 90, 5]]);
  assert.deepEqual(found(-90, -180), [[-180, -90, 5]]);
  assert.deepEqual([found(90.1, 100), found(0, 180.1)], [[], []]);
  // Longitude first: nobody lives at 139.7° north, nor in Antarctica.
  assert.deepEqual([found(139.7, 35.6), found(-77, 38)], [[[139.7, 35.6, 5]], [[-77, 38, 5]]]);
});

test('a ring of two by three has the area 6 one way, and -6 the other', () => {
  assert.equal(signedArea(Float64Array.of(1, 1, 3, 1, 3, 4, 1, 4)), 6);
  assert.equal(signedArea(Float64Array.of(1, 1, 1, 4, 3, 4, 3, 1, 1, 1)), -6);
});

test('a line may name its positions point by point', () => {
  const point = (lat: number) => `<gml:Point><gml:pos>${lat} 139 5</gml:pos></gml:Point>`;
  for (const content of [
    `<gml:pointProperty>${point(35)}</gml:pointProperty><gml:pointProperty>${point(36)}</gml:pointProperty>`,
    `<gml:pointRep>${point(35)}</gml:pointRep><gml:pos>36 139 5</gml:pos>`,
    `${point(35)}${point(36)}<gml:pointProperty/><gml:other>${point(37)}</gml:other>`,
  ]) {
    assert.deepEqual(lists(furniture(`<gml:LineString>${content}</gml:LineString>`).lines), [
      [139, 35, 5, 139, 36, 5],
    ]);
  }
});

test('geometry is read through sixty elements, and no deeper', () => {
  const nested = (depth: number) =>
    `${'<gml:MultiGeometry>'.repeat(depth)}${polygon([square])}${'</gml:MultiGeometry>'.repeat(depth)}`;
  // The ring lies one below the polygon.
  assert.deepEqual(
    [59, 60].map((depth) => furniture(nested(depth))?.surfaces.length ?? 0),
    [1, 0],
  );
});

test('a property that refers to a geometry without being one is none', () => {
  const geometries = read(
    `<bldg:Building><bldg:lod1MultiSurface>${multiSurface([polygon([square], 'p')])}</bldg:lod1MultiSurface>` +
      `<bldg:address xlink:href="#p"/></bldg:Building>`,
  );
  assert.equal(geometries.length, 1);
});

test('of a line of single positions those that cannot be placed are left out', () => {
  const pos = (text: string) => `<gml:pos>${text}</gml:pos>`;
  const { lines } = furniture(
    `<gml:LineString>${pos('35 139 1')}${pos('a b c')}${pos('35')}${pos('36 140 2')}</gml:LineString>`,
  );
  assert.deepEqual(lists(lines), [[139, 35, 1, 140, 36, 2]]);
});

test('the floor of a low solid is found wherever its rings begin', () => {
  const low = boxSides([139, 35, 5], [140, 36, 5.5]);
  const turned = (ring: Array<[number, number, number]>, by: number) => [
    ...ring.slice(by),
    ...ring.slice(0, by),
  ];
  for (let floor = 0; floor < 4; floor++) {
    for (let roof = 0; roof < 4; roof++) {
      const rings = [turned(low[0]!, floor), turned(low[1]!, roof), ...low.slice(2)];
      const shell = solid(rings.map((ring) => polygon([ring])));
      const found = footprintOf(
        read(`<bldg:Building><bldg:lod1Solid>${shell}</bldg:lod1Solid></bldg:Building>`),
      )!;
      assert.deepEqual(found.polygons.map(lists), [[ground(rings[0]!)]], `${floor} ${roof}`);
    }
  }
});

test('a ring says which of its written positions it keeps', () => {
  const ring = (list: string) =>
    furniture(
      `<gml:Polygon><gml:exterior><gml:LinearRing gml:id="r"><gml:posList>${list}</gml:posList></gml:LinearRing>` +
        `</gml:exterior></gml:Polygon>`,
    ).surfaces[0]!;
  const [a, b, c, d] = ['35 139 1', '35 140 1', '36 140 1', '36 139 1'];
  const keptOf = (...positions: Array<string | undefined>) => {
    const { rings, written } = ring(positions.join(' '));
    const { id, positions: count, kept } = written[0]!;
    assert.equal(id, 'r');
    assert.equal(count, positions.length);
    assert.deepEqual(lists(rings), [square.flat()]);
    return kept && [...kept];
  };
  assert.equal(keptOf(a, b, c, d, a), null);
  assert.equal(keptOf(a, b, c, d), null);
  assert.deepEqual(keptOf(a, b, b, c, d, a), [0, 1, 3, 4]);
  assert.deepEqual(keptOf(a, a, a, b, c, c, d, d, a), [0, 3, 4, 6]);
});

test('walls are drawn by their edges only where there is nothing else', () => {
  const wall = `<frn:lod1Geometry>${multiSurface([polygon([sides[2]!])])}</frn:lod1Geometry>`;
  const line = `<frn:lod1Geometry>${LINE}</frn:lod1Geometry>`;
  const point = '<frn:lod1Geometry><gml:Point><gml:pos>35 139 1</gml:pos></gml:Point></frn:lod1Geometry>';
  const level = `<frn:lod1Geometry>${at(3)}</frn:lod1Geometry>`;
  const counts = (...parts: string[]) => {
    const footprint = footprintOf(read(`<frn:CityFurniture>${parts.join('')}</frn:CityFurniture>`))!;
    return [footprint.polygons.length, footprint.lines.length, footprint.points.length];
  };
  assert.deepEqual(counts(wall), [0, 1, 0]);
  assert.deepEqual(counts(wall, line), [0, 1, 0]);
  assert.deepEqual(counts(wall, point), [0, 0, 1]);
  assert.deepEqual(counts(wall, line, point), [0, 1, 1]);
  assert.deepEqual(counts(wall, level), [1, 0, 0]);
  assert.deepEqual(counts(wall, level, line), [1, 1, 0]);
});

test('members are followed sixty levels down', () => {
  const nested = (levels: number) => {
    const inside = polygon([square]);
    const [before, after] = [
      '<gml:MultiGeometry><gml:geometryMember>',
      '</gml:geometryMember></gml:MultiGeometry>',
    ];
    return read(
      `<frn:CityFurniture><frn:lod1Geometry>${before.repeat(levels)}${inside}${after.repeat(levels)}` +
        `</frn:lod1Geometry></frn:CityFurniture>`,
    ).length;
  };
  // Each of them takes two levels, and the ring of the polygon one more.
  assert.deepEqual([nested(0), nested(29), nested(30)], [1, 1, 0]);
});

test('two references to an element are usual, further ones are counted', () => {
  const xml = (references: number) =>
    `<bldg:Building><bldg:lod2MultiSurface>` +
    `${multiSurface([polygon([square], 'w'), ...Array<string>(references).fill('#w')])}</bldg:lod2MultiSurface>` +
    `</bldg:Building>`;
  for (const [references, left, expected, rest] of [
    [2, 0, 3, 0],
    [3, 0, 3, -1],
    [3, 1, 4, 0],
    [5, 2, 5, -1],
  ] as const) {
    const repeats = { left };
    const [found] = geometriesOf(feature(xml(references)), DEFAULTS, repeats);
    assert.equal(found!.surfaces.length, expected, `${references} ${left}`);
    assert.equal(repeats.left, rest);
  }
});

test('a dimension below two is none, and the edges of the world belong to it', () => {
  const line = (attributes: string, text: string) =>
    lists(
      read(
        `<frn:CityFurniture><frn:lod1Geometry><gml:LineString ${attributes}><gml:posList>${text}</gml:posList>` +
          `</gml:LineString></frn:lod1Geometry></frn:CityFurniture>`,
      ).flatMap(({ lines }) => lines),
    );
  const three = '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18';
  assert.equal(line('srsDimension="1"', three)[0]?.length, 18);
  assert.equal(line('srsDimension="2"', three)[0]?.length, 27);
  assert.equal(line('srsDimension="3"', three)[0]?.length, 18);
  assert.deepEqual(line('', '90 180 0 -90 -180 0'), [[180, 90, 0, -180, -90, 0]]);
  for (const outside of ['90.5 0 0', '-90.5 0 0', '0 180.5 0', '0 -180.5 0']) {
    assert.deepEqual(line('', `0 0 0 ${outside}`), [], outside);
  }
});

test('coordinates are read with the separators that they state', () => {
  const line = (attributes: string, text: string) =>
    lists(
      furniture(
        `<gml:LineString srsDimension="3"><gml:coordinates${attributes}>${text}</gml:coordinates></gml:LineString>`,
      ).lines,
    );
  const expected = [[139, 35, 1.5, 140, 36, 2]];
  assert.deepEqual(line('', ' 35,139,1.5\n  36,140,2 '), expected);
  assert.deepEqual(line(' cs=";" ts="|" decimal=","', '35;139;1,5 | 36;140;2|'), expected);
  assert.deepEqual(line('', '35,139 36,140'), [[139, 35, 0, 140, 36, 0]]);
});

test('a level is that of the name of a property, else the one that a relief states', () => {
  const lods = (property: string, beside = '') =>
    read(`<dem:TINRelief>${beside}<${property}>${at(1)}</${property}></dem:TINRelief>`).map(({ lod }) => lod);
  assert.deepEqual(lods('dem:tin', '<dem:lod> 3 </dem:lod>'), [3]);
  assert.deepEqual(lods('dem:tin', '<dem:lod>12</dem:lod>'), [null]);
  assert.deepEqual(lods('dem:tin'), [null]);
  assert.deepEqual(lods('dem:lod2MultiSurface', '<dem:lod>3</dem:lod>'), [2]);
});

test('what places a texture is no geometry of the feature', () => {
  const point = '<gml:Point><gml:pos>35 139 1</gml:pos></gml:Point>';
  const texture =
    `<app:appearance><app:Appearance><app:surfaceDataMember><app:GeoreferencedTexture>` +
    `<app:referencePoint>${point}</app:referencePoint></app:GeoreferencedTexture></app:surfaceDataMember>` +
    `</app:Appearance></app:appearance>`;
  assert.deepEqual(read(`<bldg:Building>${texture}</bldg:Building>`), []);
});

test('of several levels the lowest one stands for the feature, generalisations and none last', () => {
  const at = (lod: number | null, role: LodGeometry['role'] = 'body'): LodGeometry =>
    ({ property: 'a:geometry', lod, role }) as LodGeometry;
  const standing = (...all: LodGeometry[]) => standingGeometry(all).map(({ lod, role }) => [role, lod]);
  assert.deepEqual(standing(at(null), at(3), at(2), at(2), at(-1)), [
    ['body', 2],
    ['body', 2],
  ]);
  assert.deepEqual(standing(at(0), at(1)), [['body', 0]]);
  assert.deepEqual(standing(at(null), at(-2), at(-1)), [['body', -1]]);
  assert.deepEqual(standing(at(-3), at(4)), [['body', 4]]);
  assert.deepEqual(standing(at(null)), [['body', null]]);
  assert.deepEqual(standing(at(0, 'attribute'), at(2, 'aside'), at(3)), [['body', 3]]);
  assert.deepEqual(standing(at(0, 'attribute'), at(2, 'aside')), [['aside', 2]]);
  assert.deepEqual(standing(), []);
});
