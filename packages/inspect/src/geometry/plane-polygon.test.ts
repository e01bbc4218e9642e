import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { XmlElement } from '@citymodel/citygml';
import { firstPosition } from './plane-polygon.ts';

const element = (name: string, text: string, ...children: XmlElement[]): XmlElement => ({
  name,
  attributes: {},
  children,
  text,
});

test('the first position below an element is longitude, latitude and height', () => {
  const list = element('gml:posList', '35.1 139.2 7 36 140 8');
  const short = element('gml:pos', '35.1 139.2');
  assert.deepEqual(firstPosition(list), [139.2, 35.1, 7]);
  assert.deepEqual(firstPosition(element('gml:pos', '1 2 3')), [2, 1, 3]);
  assert.equal(firstPosition(short), null);
  const nested = element(
    'gml:Solid',
    '',
    element('gml:name', 'x'),
    element('gml:a', '', short),
    element('gml:b', '', list),
  );
  assert.deepEqual(firstPosition(nested), [139.2, 35.1, 7]);
  assert.equal(firstPosition(element('gml:Solid', '')), null);
});
