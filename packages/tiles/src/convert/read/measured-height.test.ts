import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { XmlElement } from '@citymodel/citygml';
import { measuredHeight } from './measured-height.ts';

const element = (name: string, text = '', children: XmlElement[] = []): XmlElement => ({
  ...{ name, attributes: {}, children, text },
});
/** A height of this value; others of its properties by their names. */
const height = (value: string, properties: Record<string, string> = {}) =>
  element('con:height', '', [
    element('con:Height', '', [
      ...Object.entries(properties).map(([name, text]) => element(`con:${name}`, text)),
      element('con:value', value),
    ]),
  ]);
const ofBuilding = (...heights: XmlElement[]) =>
  measuredHeight(element('bldg:Building', '', heights))?.text ?? null;

test('of the heights of a building that over the ground is taken which was measured, else the first', () => {
  const measured = { status: 'measured' };
  const ground = { lowReference: 'lowestGroundPoint' };
  assert.equal(ofBuilding(), null);
  assert.equal(ofBuilding(height('1'), height('2')), '1');
  assert.equal(ofBuilding(height('1'), height('2', { status: ' measured\n' })), '2');
  assert.equal(ofBuilding(height('1', { status: 'estimated' }), height('2', measured)), '2');
  assert.equal(ofBuilding(height('1', { status: 'not measured' }), height('2')), '1');
  assert.equal(ofBuilding(height('1', measured), height('2', { ...measured, ...ground })), '2');
  assert.equal(ofBuilding(height('1', measured), height('2', ground)), '1');
  // What another property says counts for neither.
  assert.equal(ofBuilding(height('1'), height('2', { highReference: 'measured' })), '1');
  assert.equal(
    ofBuilding(height('1', measured), height('2', { ...measured, highReference: 'groundPoint' })),
    '1',
  );
});

test('only buildings have it, and a height without a value is none', () => {
  assert.equal(measuredHeight(element('brid:Bridge', '', [height('1')])), null);
  assert.equal(
    measuredHeight(element('bldg:Building', '', [element('bldg:height', '', height('1').children)])),
    null,
  );
  assert.equal(
    measuredHeight(element('bldg:Building', '', [element('con:height', '', [element('con:Height')])])),
    null,
  );
});
