/** What stands for a feature in extents, footprints and queries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boxSides, feature, multiSurface, polygon, solid } from '../testing/fixtures.ts';
import { at, DEFAULTS, LINE, lists, read, sides } from '../testing/read-geometry.ts';
import { extentOf, geometriesOf, type LodGeometry, standingGeometry } from './feature-geometry.ts';
import { footprintOf, shapeOf, signedArea } from './feature-shape.ts';

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

test('a ring of two by three has the area 6 one way, and -6 the other', () => {
  assert.equal(signedArea(Float64Array.of(1, 1, 3, 1, 3, 4, 1, 4)), 6);
  assert.equal(signedArea(Float64Array.of(1, 1, 1, 4, 3, 4, 3, 1, 1, 1)), -6);
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
