import assert from 'node:assert/strict';
import { test } from 'node:test';
import { geometriesOf, namespaceContext, parseFeature } from '@citymodel/citygml';
import {
  type Body,
  bodiesOf,
  bodyOfPolygons,
  elementsAround,
  surfaceKeysOf,
  unreadPolygons,
} from './bodies.ts';
import { keyOf } from './key.ts';

const CONTEXT = namespaceContext(
  Buffer.from(
    '<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:gml="http://www.opengis.net/gml" ' +
      'xmlns:bldg="http://www.opengis.net/citygml/building/2.0" ' +
      'xmlns:dem="http://www.opengis.net/citygml/relief/2.0" ' +
      'xmlns:app="http://www.opengis.net/citygml/appearance/2.0" xmlns:xlink="http://www.w3.org/1999/xlink">',
  ),
);
const DEFAULTS = { srsName: 'http://www.opengis.net/def/crs/EPSG/0/6697', srsDimension: 3 };

const ring = (name: 'exterior' | 'interior', positions: string, id = '') =>
  `<gml:${name}><gml:LinearRing${id && ` gml:id="${id}"`}><gml:posList>${positions}</gml:posList></gml:LinearRing>` +
  `</gml:${name}>`;
const polygon = (id: string, ...rings: string[]) =>
  `<gml:Polygon${id && ` gml:id="${id}"`}>${rings.join('')}</gml:Polygon>`;
const members = (...polygons: string[]) =>
  polygons.map((inner) => `<gml:surfaceMember>${inner}</gml:surfaceMember>`).join('');
const refer = (id: string) => `<gml:surfaceMember xlink:href="#${id}"/>`;
const multi = (lod: number, inner: string, id = '') =>
  `<bldg:lod${lod}MultiSurface><gml:MultiSurface${id && ` gml:id="${id}"`}>${inner}</gml:MultiSurface>` +
  `</bldg:lod${lod}MultiSurface>`;
const solid = (lod: number, inner: string) =>
  `<bldg:lod${lod}Solid><gml:Solid><gml:exterior><gml:CompositeSurface>${inner}</gml:CompositeSurface></gml:exterior>` +
  `</gml:Solid></bldg:lod${lod}Solid>`;
const wall = (id: string, inner: string) =>
  `<bldg:boundedBy><bldg:WallSurface gml:id="${id}">${inner}</bldg:WallSurface></bldg:boundedBy>`;
const building = (inner: string) =>
  parseFeature(Buffer.from(`<bldg:Building gml:id="b">${inner}</bldg:Building>`), CONTEXT);

/** Corners of a square and a smaller one, from a latitude on; closed. */
const square = (lat: number, size = 4) =>
  `${lat} 139 5 ${lat} ${139 + size} 5 ${lat + size} ${139 + size} 6 ${lat + size} 139 6 ${lat} 139 5`;

function bodies(inner: string, highest?: number) {
  const feature = building(inner);
  return bodiesOf(feature, geometriesOf(feature, DEFAULTS), highest);
}

const keysOf = (body: Body, polygon: number) => [...surfaceKeysOf(body, polygon)];
const levels = ({ lods }: { lods: Array<Body | null> }) =>
  lods.map((body) => body?.polygonEnds.length ?? null);

test('a body has the positions of all rings, open, with longitude first, and where each ring and polygon ends', () => {
  const hole = '31 140 5 32 140 5 32 141 5 31 140 5';
  const { lods } = bodies(
    multi(
      1,
      members(
        polygon('p', ring('exterior', square(30), 'r'), ring('interior', hole)),
        polygon('', ring('exterior', square(40))),
      ),
    ),
  );
  const body = lods[1]!;
  assert.deepEqual([...body.ringEnds], [4, 7, 11]);
  assert.deepEqual([...body.polygonEnds], [2, 3]);
  assert.deepEqual([...body.positions.subarray(0, 12)], [139, 30, 5, 143, 30, 5, 143, 34, 6, 139, 34, 6]);
  assert.deepEqual([...body.positions.subarray(12, 15)], [140, 31, 5]);
  assert.equal(body.positions.length, 33);
  assert.deepEqual([...body.ringKeys], [keyOf('r'), 0, 0]);
  assert.deepEqual([...body.ringWritten], [5, 4, 5]);
  assert.equal(body.written, null);
  assert.deepEqual(
    [keysOf(body, 0), keysOf(body, 1)],
    [
      [keyOf('p'), 0, keyOf('b')],
      [0, 0, keyOf('b')],
    ],
  );
});

test('where repeated positions are left out, each one knows its place among the written ones', () => {
  const twice = '30 139 5 30 139 5 30 143 5 34 143 6 34 139 6 30 139 5';
  const body = bodies(
    multi(
      1,
      members(
        polygon('', ring('exterior', square(20))),
        polygon('', ring('exterior', twice)),
        polygon('', ring('exterior', square(40))),
      ),
    ),
  ).lods[1]!;
  assert.deepEqual([...body.ringWritten], [5, 6, 5]);
  const places = [...body.written!];
  assert.deepEqual(places.slice(0, 4), [0, 1, 2, 3]);
  assert.deepEqual(places.slice(8), [0, 1, 2, 3]);
  assert.equal(body.ringEnds[1], 8);
  // Either of the two equal ones, then the others.
  assert.deepEqual(places.slice(5, 8), [2, 3, 4]);
});

test('each level from 1 on has its body; others are not wanted, and what is flat is left out', () => {
  const one = members(polygon('', ring('exterior', square(30))));
  const all = [1, 2, 3, 4].map((lod) => multi(lod, one)).join('');
  assert.deepEqual(levels(bodies(all)), [null, 1, 1, 1, 1]);
  assert.deepEqual(levels(bodies(all, 2)), [null, 1, 1, null, null]);
  assert.deepEqual(levels(bodies('')), [null, null, null, null, null]);
  assert.equal(bodies(all).flat, false);
  const feature = building(all);
  for (const role of ['aside', 'attribute'] as const) {
    const geometries = geometriesOf(feature, DEFAULTS).map((geometry) => ({ ...geometry, role }));
    assert.deepEqual(levels(bodiesOf(feature, geometries)), [null, null, null, null, null], role);
  }
  const outline = `<bldg:lod0FootPrint><gml:MultiSurface>${one}</gml:MultiSurface></bldg:lod0FootPrint>`;
  assert.deepEqual(levels(bodies(outline + multi(2, one))), [null, null, 1, null, null]);
});

test('a polygon that a solid and a wall share is there once, belongs to the wall and is seen from outside', () => {
  const shared = polygon('p', ring('exterior', square(30)));
  const lone = polygon('q', ring('exterior', square(40)));
  for (const inner of [
    solid(2, refer('p')) + wall('w', multi(2, members(shared, lone), 'm')),
    wall('w', multi(2, members(shared, lone), 'm')) + solid(2, refer('p')),
  ]) {
    const body = bodies(inner).lods[2]!;
    assert.equal(body.polygonEnds.length, 2);
    const found = new Map(
      [0, 1].map((at) => [keysOf(body, at)[0], [...keysOf(body, at).slice(1), body.twoSided[at]]]),
    );
    assert.deepEqual(found.get(keyOf('p')), [keyOf('m'), keyOf('w'), 0]);
    assert.deepEqual(found.get(keyOf('q')), [keyOf('m'), keyOf('w'), 1]);
  }
});

test('a polygon that is referred to in both orientations is seen from both sides', () => {
  const turned = (id: string) =>
    `<gml:surfaceMember><gml:OrientableSurface orientation="-"><gml:baseSurface xlink:href="#${id}"/>` +
    '</gml:OrientableSurface></gml:surfaceMember>';
  const one = polygon('p', ring('exterior', square(30)));
  const part = (inner: string) =>
    `<bldg:consistsOfBuildingPart><bldg:BuildingPart>${solid(2, inner)}</bldg:BuildingPart>` +
    '</bldg:consistsOfBuildingPart>';
  const sides = (inner: string) => [...bodies(inner).lods[2]!.twoSided];
  assert.deepEqual(sides(part(members(one))), [0]);
  assert.deepEqual(sides(part(members(one)) + part(refer('p'))), [0]);
  assert.deepEqual(sides(part(members(one)) + part(turned('p'))), [1]);
  // A third that turns nothing changes nothing.
  assert.deepEqual(sides(part(members(one)) + part(turned('p')) + part(refer('p'))), [1]);
});

test('around a polygon is the nearest geometry with an id, however deep', () => {
  const inner = polygon('p', ring('exterior', square(30)));
  const composite = (id: string) =>
    `<gml:surfaceMember><gml:CompositeSurface${id && ` gml:id="${id}"`}>${members(inner)}</gml:CompositeSurface>` +
    '</gml:surfaceMember>';
  const around = (text: string) => [...elementsAround(building(text)).values()];
  assert.deepEqual(around(multi(2, composite('c'), 'm')), [keyOf('c')]);
  assert.deepEqual(around(multi(2, composite(''), 'm')), [keyOf('m')]);
  assert.deepEqual(around(multi(2, composite(''))), []);
  const template = `<core:ImplicitGeometry>${members(composite(''))}</core:ImplicitGeometry>`;
  assert.deepEqual(around(multi(2, template, 'm')), [], 'a template is in a system of its own');
  assert.deepEqual(around(wall('w', multi(2, composite('')))), [], 'a wall is no geometry');
});

test('polygons that cannot be read are named with their level', () => {
  const broken =
    '<gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>30 139</gml:posList></gml:LinearRing></gml:exterior>' +
    '</gml:Polygon>';
  const unread = (text: string) => {
    const feature = building(text);
    return unreadPolygons(feature, geometriesOf(feature, DEFAULTS)).map(({ level }) => level);
  };
  const whole = polygon('p', ring('exterior', square(30)));
  assert.deepEqual(unread(multi(2, members(whole))), []);
  assert.deepEqual(unread(multi(2, members(whole, broken)) + wall('w', multi(3, members(broken)))), [2, 3]);
  assert.deepEqual(unread(multi(1, members(broken)) + '<bldg:roomHeight/>'), [1]);
  // In a system of its own, and of no surface.
  for (const name of ['core:ImplicitGeometry', 'app:Appearance'])
    assert.deepEqual(
      unread(
        `<bldg:lod2ImplicitRepresentation><${name}>${members(broken)}</${name}></bldg:lod2ImplicitRepresentation>`,
      ),
      [],
    );
  const relief = parseFeature(
    Buffer.from(
      `<dem:ReliefFeature><dem:lod>1</dem:lod><dem:reliefComponent><dem:TINRelief><dem:lod>3</dem:lod><dem:tin>` +
        `<gml:TriangulatedSurface>${broken}</gml:TriangulatedSurface></dem:tin></dem:TINRelief></dem:reliefComponent>` +
        `<dem:reliefComponent><dem:TINRelief><dem:tin><gml:TriangulatedSurface>${broken}</gml:TriangulatedSurface>` +
        '</dem:tin></dem:TINRelief></dem:reliefComponent></dem:ReliefFeature>',
    ),
    CONTEXT,
  );
  assert.deepEqual(
    unreadPolygons(relief, []).map(({ level }) => level),
    [3, 1],
  );
});

test('a body of polygons that are not read has no ids, and is seen from both sides or from one', () => {
  const positions = new Float64Array(21);
  for (const isTwoSided of [true, false]) {
    const body = bodyOfPolygons(positions, Uint32Array.of(4, 7), Uint32Array.of(1, 2), isTwoSided);
    assert.deepEqual([...body.twoSided], isTwoSided ? [1, 1] : [0, 0]);
    assert.deepEqual([...body.ringKeys, ...body.ringWritten], [0, 0, 0, 0]);
    assert.deepEqual([keysOf(body, 0), keysOf(body, 1), body.written], [[0, 0, 0], [0, 0, 0], null]);
  }
});
