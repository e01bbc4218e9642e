import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { XmlElement } from '@citymodel/citygml';
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
