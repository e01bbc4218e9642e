import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { XmlElement } from '@citymodel/citygml';
import { heightSystemOf, systemsOf } from './own-systems.ts';

const [ELEVATIONS, ELLIPSOID, REVISED] = ['EPSG:6697', 'EPSG:6667', 'EPSG:11318'];

const element = (name: string, children: XmlElement[] = [], srsName?: string): XmlElement => ({
  ...{ name, children, text: '' },
  attributes: srsName === undefined ? {} : { srsName },
});
const ring = (srsName?: string) =>
  element('gml:exterior', [element('gml:LinearRing', [element('gml:posList', [], srsName)])]);
const polygon = (inner?: string, own?: string) => element('gml:Polygon', [ring(inner)], own);
const found = (...children: XmlElement[]) => {
  const { names, unknown, unplaced } = systemsOf(element('bldg:Building', children));
  return { names: [...names], unknown, unplaced: [...unplaced] };
};

test('a feature that names no system is in the one around it, where it has a polygon or a place of a template', () => {
  const nothing = { unknown: [], unplaced: [] };
  assert.deepEqual(found(element('bldg:lod2MultiSurface', [polygon()])), { names: [null], ...nothing });
  assert.deepEqual(found(element('core:referencePoint', [element('gml:Point')])), {
    names: [null],
    ...nothing,
  });
  assert.deepEqual(found(element('bldg:usage')), { names: [], ...nothing });
});

test('a name holds for what is below it, until another one; unknown ones are listed once, with their polygons', () => {
  const [plain, odd, other] = [polygon(), polygon('EPSG:1'), polygon(undefined, 'EPSG:1')];
  const all = found(
    element('bldg:lod1Solid', [element('gml:Solid', [polygon(), polygon(ELEVATIONS)], ELLIPSOID)]),
    element('bldg:lod2MultiSurface', [plain, odd, other]),
  );
  assert.deepEqual(all.names, [ELLIPSOID, ELEVATIONS, null, 'EPSG:1']);
  assert.deepEqual(all.unknown, ['EPSG:1']);
  assert.equal(all.unplaced.length, 2);
  assert.ok(all.unplaced[0] === odd && all.unplaced[1] === other);
});

test('a place of a template names its own system; the template itself, envelopes and appearances name none', () => {
  const place = (point?: string, own?: string) =>
    element('core:referencePoint', [element('gml:Point', [element('gml:pos')], point)], own);
  assert.deepEqual(found(place(ELLIPSOID)).names, [ELLIPSOID]);
  assert.deepEqual(found(place(undefined, ELLIPSOID)).names, [ELLIPSOID]);
  assert.deepEqual(found(place(ELEVATIONS, ELLIPSOID)).names, [ELEVATIONS]);
  assert.deepEqual(found(place('EPSG:1')), { names: ['EPSG:1'], unknown: ['EPSG:1'], unplaced: [] });
  for (const name of [
    'gml:boundedBy',
    'core:relativeGMLGeometry',
    'core:relativeGeometry',
    'app:appearance',
  ]) {
    assert.deepEqual(found(element(name, [polygon(ELLIPSOID)]), polygon()).names, [null], name);
    // Beside a name elsewhere, too.
    assert.deepEqual(
      found(element(name, [polygon(ELLIPSOID)]), polygon(ELEVATIONS)).names,
      [ELEVATIONS],
      name,
    );
  }
});

test('heights of a feature are those of its systems where these are of one kind, else mixed', () => {
  const kindOf = (names: Array<string | null>, around: string | null) =>
    heightSystemOf({ names: new Set(names), unknown: [], unplaced: new Set() }, around);
  assert.equal(kindOf([], ELLIPSOID), ELLIPSOID);
  assert.equal(kindOf([], null), null);
  assert.equal(kindOf([null], ELLIPSOID), ELLIPSOID);
  assert.equal(kindOf([ELLIPSOID], ELEVATIONS), ELLIPSOID);
  assert.equal(kindOf([null, ELLIPSOID], ELLIPSOID), ELLIPSOID);
  assert.equal(kindOf([null, ELLIPSOID], ELEVATIONS), 'mixed');
  assert.equal(kindOf([REVISED, ELEVATIONS], null), 'mixed');
  // Of two names of one kind the first; an unknown one says nothing.
  assert.equal(kindOf(['EPSG:4979', ELLIPSOID], null), 'EPSG:4979');
  assert.equal(kindOf(['EPSG:1', ELLIPSOID], ELEVATIONS), ELLIPSOID);
  assert.equal(kindOf(['EPSG:1'], ELEVATIONS), ELEVATIONS);
});
