import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crsOf, type XmlElement } from '@citymodel/citygml';
import { geodeticToEcef, type Vec3 } from '@citymodel/geo';
import { ImplicitGeometries } from './implicit-geometry.ts';
import { IssueCounter } from './issue-counter.ts';

const element = (name: string, children: XmlElement[], text = '', attributes = {}): XmlElement => ({
  name,
  children,
  text,
  attributes,
});

test('places of one template come to no more than the text of the file allows', () => {
  const count = 100_000;
  const ring = element('gml:LinearRing', [
    element('gml:posList', [], Array.from({ length: count }, (_, i) => `${i} 0 1`).join(' ')),
  ]);
  const template = element('gml:Polygon', [element('gml:exterior', [ring])]);
  const tree = element('veg:SolitaryVegetationObject', [
    element('veg:lod1ImplicitRepresentation', [
      element('core:ImplicitGeometry', [
        element('core:relativeGMLGeometry', [], '', { 'xlink:href': '#t' }),
        element('core:referencePoint', [element('gml:Point', [element('gml:pos', [], '35 139 5')])]),
      ]),
    ]),
  ]);
  const counts: number[] = [];
  const issues = new IssueCounter('a.gml', ({ code, count: times }) => {
    assert.equal(code, 'REFERENCES_TOO_MANY');
    counts.push(times);
  });
  // 500,000 positions, and two for each of 100,000 bytes.
  const places = new ImplicitGeometries(issues, 100_000);
  const found = Array.from({ length: 10 }, (_, i) =>
    places.of(tree, { srsName: null, srsDimension: 3 }, () => template, `t${i}`),
  );
  assert.deepEqual(
    found.map((geometries) => geometries.length),
    [1, 1, 1, 1, 1, 1, 1, 0, 0, 0],
  );
  issues.tell();
  assert.deepEqual(counts, [3]);
});

test('a template stands at the level of detail of its property, and nowhere without one', () => {
  const ring = element('gml:LinearRing', [element('gml:posList', [], '0 0 0 1 0 0 0 1 0 0 0 0')]);
  const template = element('gml:Polygon', [element('gml:exterior', [ring])]);
  const placedBy = (property: string, href = '#t') =>
    element(property, [
      element('core:ImplicitGeometry', [
        element('core:relativeGMLGeometry', [], '', { 'xlink:href': href }),
        element('core:referencePoint', [element('gml:Point', [element('gml:pos', [], '35 139 5')])]),
      ]),
    ]);
  const feature = element('veg:SolitaryVegetationObject', [
    placedBy('veg:lod2ImplicitRepresentation'),
    placedBy('veg:lod5ImplicitRepresentation'),
    placedBy('veg:representation'),
    placedBy('veg:lod3ImplicitRepresentation', '#none'),
  ]);
  const places = new ImplicitGeometries(new IssueCounter('a.gml', () => {}), 100_000);
  const found = places.of(
    feature,
    { srsName: null, srsDimension: 3 },
    (href) => (href === '#t' ? template : undefined),
    'f',
  );
  assert.deepEqual(
    found.map(({ property, lod, surfaces }) => [property, lod, surfaces.length]),
    [['veg:lod2ImplicitRepresentation', 2, 1]],
  );
});

test('a template in a library of models is named, and one that is nowhere or has no place is counted', () => {
  const [ring] = [element('gml:LinearRing', [element('gml:posList', [], '0 0 0 1 0 0 0 1 0 0 0 0')])];
  const template = element('core:relativeGMLGeometry', [
    element('gml:Polygon', [element('gml:exterior', [ring!])]),
  ]);
  const place = element('core:referencePoint', [element('gml:Point', [element('gml:pos', [], '35 139 5')])]);
  const found: string[] = [];
  const issues = new IssueCounter('a.gml', ({ code, id, message }) => found.push(`${code} ${id} ${message}`));
  const places = new ImplicitGeometries(issues, 100_000);
  const placed = (id: string, ...parts: XmlElement[]) => {
    const property = element('veg:lod1ImplicitRepresentation', [element('core:ImplicitGeometry', parts)]);
    return places.of(element('veg:Tree', [property]), { srsName: null, srsDimension: 3 }, null, id).length;
  };
  assert.equal(placed('whole', template, place), 1);
  assert.equal(placed('library', element('core:libraryObject', [], ' tree.dae '), place), 0);
  assert.equal(placed('nowhere', place), 0);
  issues.tell();
  assert.deepEqual(found.map((line) => line.split(' ').slice(0, 2).join(' ')).sort(), [
    'TEMPLATE_UNPLACED nowhere',
    'TEMPLATE_UNREAD library',
  ]);
  assert.match(found.join(), /tree\.dae/);
});

/** The positions of a triangle in metres, put to a place. */
function put(point: string, matrix: string | null, srsName?: string): number[] | null {
  const ring = element('gml:LinearRing', [element('gml:posList', [], '0 0 0 3 4 5 -2 7 1 0 0 0')]);
  const template = element('gml:Polygon', [element('gml:exterior', [ring])]);
  const attributes = srsName === undefined ? {} : { srsName };
  const implicit = element('core:ImplicitGeometry', [
    ...(matrix === null ? [] : [element('core:transformationMatrix', [], matrix)]),
    element('core:relativeGMLGeometry', [template]),
    element('core:referencePoint', [element('gml:Point', [element('gml:pos', [], point)], '', attributes)]),
  ]);
  const tree = element('veg:Tree', [element('veg:lod1ImplicitRepresentation', [implicit])]);
  const places = new ImplicitGeometries(new IssueCounter('a.gml', () => {}), 100_000);
  const [found] = places.of(tree, { srsName: null, srsDimension: 3 }, null, 't');
  return found === undefined ? null : [...found.surfaces[0]!.rings[0]!];
}

/** Turned by 90 degrees, three times as large, moved; divided by the scale of its last row. */
const MATRIX = '0 -6 0 20  6 0 0 -40  0 0 6 8  0 0 0 2';
const MOVED = [
  [10, -20, 4],
  [-2, -11, 19],
  [-11, -26, 7],
];

test('a template is turned, scaled and moved in metres to the east, the north and up', () => {
  const [lat, lng, height] = [35.5, 139.5, 12];
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const [phi, lambda] = [radians(lat), radians(lng)];
  const [sin, cos] = [Math.sin(phi), Math.cos(phi)];
  /** Unit vectors to the east, to the north and up at the place, in the axes of the Earth. */
  const axes: Vec3[] = [
    [-Math.sin(lambda), Math.cos(lambda), 0],
    [-sin * Math.cos(lambda), -sin * Math.sin(lambda), cos],
    [cos * Math.cos(lambda), cos * Math.sin(lambda), sin],
  ];
  const origin = geodeticToEcef(lambda, phi, height);
  for (const [matrix, metres] of [
    [MATRIX, MOVED],
    [
      null,
      [
        [0, 0, 0],
        [3, 4, 5],
        [-2, 7, 1],
      ],
    ],
  ] as const) {
    const found = put(`${lat} ${lng} ${height}`, matrix)!;
    for (const [i, [east, north, up]] of metres.entries()) {
      const [x, y, z] = found.slice(3 * i, 3 * i + 3) as Vec3;
      const place = geodeticToEcef(radians(x), radians(y), z);
      const offset = place.map((value, axis) => value - origin[axis]!);
      const own = axes.map((axis) => axis.reduce((sum, part, k) => sum + part * offset[k]!, 0));
      for (const [axis, metre] of [east, north, up].entries()) {
        assert.ok(Math.abs(own[axis]! - metre!) < 0.001, `${own} of ${[east, north, up]}`);
      }
    }
  }
});

test('in a projected system it lies along the grid', () => {
  // Plane 9 counts northings first; its grid is turned against the meridian 60 km from its own.
  const [north, east] = [-20_000, 60_000];
  const found = put(`${north} ${east} 7`, MATRIX, 'EPSG:6677')!;
  const system = crsOf('EPSG:6677')!;
  for (const [i, [x, y, up]] of MOVED.entries()) {
    const [lng, lat] = system.toLngLat(north + y!, east + x!);
    assert.ok(Math.abs(found[3 * i]! - lng) < 2e-9, `longitude ${found[3 * i]} of ${lng}`);
    assert.ok(Math.abs(found[3 * i + 1]! - lat) < 2e-9, `latitude ${found[3 * i + 1]} of ${lat}`);
    assert.ok(Math.abs(found[3 * i + 2]! - (7 + up!)) < 1e-9);
  }
});

test('a matrix without sixteen numbers, and a place without a height, is none', () => {
  const point = '35 139 5';
  for (const matrix of ['1 0 0 0', MATRIX.replace('20', 'x'), `${MATRIX} 1`])
    assert.equal(put(point, matrix), null);
  assert.equal(put('35 139', MATRIX), null);
  assert.ok(put(point, ''));
});
