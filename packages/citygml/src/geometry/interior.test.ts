import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_ATTRIBUTES, type XmlElement } from '../xml/xml-element.ts';
import { isInside, isInstallation, isInterior, isInteriorSurface, isStatedInside } from './interior.ts';

const element = (name: string, children: XmlElement[] = [], text = ''): XmlElement => ({
  name,
  attributes: NO_ATTRIBUTES,
  children,
  text,
});
const installation = (relation: string, name = 'con:relationToConstruction') =>
  element('bldg:BuildingInstallation', [element(name, [], relation)]);

test('rooms, their furniture and their surfaces are inside by name, walls and installations are not', () => {
  for (const name of ['bldg:Room', 'bldg:BuildingFurniture', 'tun:HollowSpace', 'bldg:Storey']) {
    assert.deepEqual(
      [isInside(element(name)), isInterior(name), isInteriorSurface(name)],
      [true, true, false],
    );
  }
  for (const name of ['bldg:CeilingSurface', 'con:FloorSurface', 'con:InteriorWallSurface']) {
    assert.deepEqual(
      [isInside(element(name)), isInterior(name), isInteriorSurface(name)],
      [true, true, true],
    );
  }
  for (const name of ['bldg:Building', 'con:WallSurface', 'bldg:BuildingInstallation']) {
    assert.deepEqual(
      [isInside(element(name)), isInterior(name), isInteriorSurface(name)],
      [false, false, false],
    );
  }
});

test('an installation is inside where it says so, and what is on both sides is outside', () => {
  for (const [relation, isIn] of [
    ['inside', true],
    [' inside\n', true],
    ['outside', false],
    ['bothInsideAndOutside', false],
    ['', false],
  ] as const) {
    assert.equal(isInside(installation(relation)), isIn, relation);
    assert.equal(isStatedInside(installation(relation)), isIn, relation);
  }
  assert.equal(isInside(installation('inside', 'con:other')), false);
  // What is no installation says nothing by it.
  assert.equal(isInside({ ...installation('inside'), name: 'bldg:Building' }), false);
  for (const name of ['bldg:BuildingInstallation', 'brid:BridgeInstallation', 'tun:TunnelInstallation']) {
    assert.equal(isInstallation(name), true);
  }
  assert.equal(isInstallation('bldg:IntBuildingInstallation'), false);
});
